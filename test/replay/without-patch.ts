import assert from 'node:assert/strict';
import type { WorkflowBundle } from '@temporalio/worker';

/** The workflows as they would be if this change had been made without its `patched`: always the new way. */
export function withoutPatch(bundle: WorkflowBundle, patch: string): WorkflowBundle {
  return deciding(bundle, patch, true);
}

/** The workflows as they were before this change: always the old way. */
export function beforePatch(bundle: WorkflowBundle, patch: string): WorkflowBundle {
  return deciding(bundle, patch, false);
}

function deciding(bundle: WorkflowBundle, patch: string, isNew: boolean): WorkflowBundle {
  assert.ok('code' in bundle);
  let removed = 0;
  const code = bundle.code.replaceAll(/\(0,\s*\w+\.patched\)\([^()]*?(\w+)\)/g, (call, name: string) => {
    if (name !== patch) return call;
    removed += 1;
    return String(isNew);
  });
  assert.equal(removed, 1, `${patch} is asked for once`);
  return { code };
}
