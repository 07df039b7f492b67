import { patched, sleep } from '@temporalio/workflow';

/** The names as `patched` records them; for the services' own see src/messages/workflow-versions.ts. */
const patches = { waitsTwice: 'waits-twice' } as const;

/** A workflow that was changed: it waits twice. A run that began before the change waits once. */
export async function waiting(): Promise<void> {
  await sleep('1 ms');
  if (patched(patches.waitsTwice)) await sleep('2 ms');
}
