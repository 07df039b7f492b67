import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { after, before } from 'mocha';
import { identifyProcess } from '../../dev/process-record.ts';

/** Gives the calling `describe` an empty folder, removed after its tests. Only to be read inside of tests. */
export function useFolder(): { readonly path: string } {
  let path = '';
  before('make a folder', async () => {
    path = await mkdtemp(join(tmpdir(), 'payments-runtime-'));
  });
  after('remove the folder', () => rm(path, { recursive: true, force: true }));
  return {
    get path() {
      return path;
    },
  };
}

/** Those of these processes that still live. A zombie, which only nobody has waited for, does not. */
export async function stillAlive(pids: readonly number[]): Promise<number[]> {
  const identities = await Promise.all(pids.map(identifyProcess));
  return pids.filter((_pid, index) => identities[index] !== null);
}

/** Waits until it is true; throws after the given time. */
export async function until(what: string, holds: () => boolean | Promise<boolean>, timeoutMs = 10_000): Promise<void> {
  const giveUpAt = performance.now() + timeoutMs;
  while (!(await holds())) {
    if (performance.now() > giveUpAt) {
      throw new Error(`not within ${timeoutMs} ms: ${what}`);
    }
    await sleep(20);
  }
}
