import { readFile, readlink, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Say } from './daemon.ts';

const zombieWaitMs = 3_000;
const zombiePollMs = 20;

/** A server process in the middle of a long query notices only afterwards that its server was killed. */
const processesWaitMs = 30_000;
const retryMs = 250;

/**
 * Waits until no process has the id in `postmaster.pid`: before that, PostgreSQL refuses to start. A killed server is a
 * zombie until its parent collects it. If the id stays in use, by a zombie or by another program, the file is removed.
 * PostgreSQL itself still checks that no process uses the memory of the former server. `endedPid` is the recorded id of
 * the former server, which has ended.
 * @throws with what to do, when the process is a PostgreSQL server that runs from the cluster; when `signal` aborts.
 */
export async function releaseLockFile(
  cluster: string,
  endedPid: number | null,
  log: Say,
  signal?: AbortSignal,
): Promise<void> {
  const file = join(cluster, 'postmaster.pid');
  const [firstLine = ''] = (await readFile(file, 'utf8').catch(() => '')).split('\n');
  const pid = Number(firstLine);
  if (!(pid > 0) || !isInUse(pid)) return;
  log(`PostgreSQL was killed and its process ${pid} is still in the process table; waiting until it is gone`);
  const giveUpAt = performance.now() + zombieWaitMs;
  while (isInUse(pid)) {
    if (performance.now() > giveUpAt) {
      if (await mayRunFrom(cluster, pid, endedPid)) {
        throw new Error(
          `PostgreSQL already runs from ${cluster} (process ${pid}), and this service has no record of it. ` +
            `End it (kill -INT ${pid}), then start again.`,
        );
      }
      log(`Process ${pid} is a zombie or another program; removing ${file}`);
      await rm(file, { force: true });
      return;
    }
    await sleep(zombiePollMs, undefined, { signal });
  }
}

/** A server works in the folder of its cluster. A zombie works in none. */
async function mayRunFrom(cluster: string, pid: number, endedPid: number | null): Promise<boolean> {
  if (process.platform !== 'linux') return pid !== endedPid;
  const folder = await readlink(`/proc/${pid}/cwd`).catch(() => null);
  return folder === (await realpath(cluster));
}

/**
 * Starts a server by `start`, again and again while processes of a killed server still use its memory, for at most 30
 * s.
 * @throws what `start` throws, for any other reason at once; when `signal` aborts.
 */
export async function retryWhileInUse<T>(start: () => Promise<T>, log: Say, signal?: AbortSignal): Promise<T> {
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
    await sleep(retryMs, undefined, { signal });
  }
}

function isInUse(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false; // no such process, or one of another user, which PostgreSQL disregards
  }
}
