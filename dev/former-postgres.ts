import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Say } from './daemon.ts';

const zombieWaitMs = 3_000;
const zombiePollMs = 20;

/** A server process in the middle of a long query notices only afterwards that its server was killed. */
const processesWaitMs = 30_000;
const retryMs = 250;

/**
 * Waits until no process has the id that a killed server left in `postmaster.pid`: before that, PostgreSQL refuses to
 * start. `endedPid` is the recorded id of the former server, which has ended; another value in the file is left to
 * PostgreSQL. If the id stays in use, by a zombie that its parent does not collect or by another program, the file is
 * removed. PostgreSQL itself still checks that no process uses the memory of the former server.
 */
export async function releaseLockFile(cluster: string, endedPid: number | null, log: Say): Promise<void> {
  const file = join(cluster, 'postmaster.pid');
  const [firstLine = ''] = (await readFile(file, 'utf8').catch(() => '')).split('\n');
  if (endedPid === null || Number(firstLine) !== endedPid || !isInUse(endedPid)) {
    return;
  }
  log(`PostgreSQL was killed and its process ${endedPid} is still in the process table; waiting until it is gone`);
  const giveUpAt = performance.now() + zombieWaitMs;
  while (isInUse(endedPid)) {
    if (performance.now() > giveUpAt) {
      log(`Process ${endedPid} is a zombie or another program; removing ${file}`);
      await rm(file, { force: true });
      return;
    }
    await sleep(zombiePollMs);
  }
}

/**
 * Starts a server by `start`, again and again while processes of a killed server still use its memory, for at most 30
 * s.
 * @throws what `start` throws, for any other reason at once.
 */
export async function retryWhileInUse<T>(start: () => Promise<T>, log: Say): Promise<T> {
  const giveUpAt = performance.now() + processesWaitMs;
  let isReported = false;
  for (;;) {
    try {
      return await start();
    } catch (error) {
      const isMemoryInUse = error instanceof Error && error.message.includes('pre-existing shared memory block');
      if (!isMemoryInUse || performance.now() > giveUpAt) {
        throw error;
      }
    }
    if (!isReported) {
      log('PostgreSQL was killed and some of its processes still run; waiting until they are gone');
      isReported = true;
    }
    await sleep(retryMs);
  }
}

function isInUse(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false; // no such process, or one of another user, which PostgreSQL disregards
  }
}
