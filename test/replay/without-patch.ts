import assert from 'node:assert/strict';
import type { WorkflowBundle } from '@temporalio/worker';
import { patches } from '../../src/messages/workflow-versions.ts';

/** The workflows as they would be if every change had been made without its `patched`: always the new way. */
export function withoutPatches(bundle: WorkflowBundle): WorkflowBundle {
  assert.ok('code' in bundle);
  let removed = 0;
  const code = bundle.code.replaceAll(/\(0,\s*\w+\.patched\)\([^()]*\)/g, () => {
    removed += 1;
    return 'true';
  });
  assert.equal(removed, Object.keys(patches).length, 'each patch is asked for once');
  return { code };
}
