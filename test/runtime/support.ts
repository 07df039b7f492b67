import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

/** Those of these processes that still live. A zombie, which was only not waited for, does not. */
export async function stillAlive(pids: readonly number[]): Promise<number[]> {
  return pids.filter((pid) => identifyProcess(pid) !== null);
}
