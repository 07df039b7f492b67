import assert from 'node:assert/strict';
import type { WorkflowBundle } from '@temporalio/worker';
import type { patches } from '../../src/messages/workflow-versions.ts';

/** The workflows as they would be if this change had been made without its `patched`: always the new way. */
export function withoutPatch(bundle: WorkflowBundle, patch: keyof typeof patches): WorkflowBundle {
  assert.ok('code' in bundle);
  let removed = 0;
  const code = bundle.code.replaceAll(/\(0,\s*\w+\.patched\)\([^()]*?(\w+)\)/g, (call, name: string) => {
    if (name !== patch) return call;
    removed += 1;
    return 'true';
  });
  assert.equal(removed, 1, `${patch} is asked for once`);
  return { code };
}
