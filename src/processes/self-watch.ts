import { open } from 'node:fs/promises';
import { hostname } from 'node:os';
import { type ProcessProblem, reportProblem, withdrawProblem } from '../db/process-reports.ts';
import { heartbeatName } from '../operations/stuck/kinds/sessions.ts';
import { refusalOf } from '../platform/database-causes.ts';
import type { Logger } from '../platform/logger.ts';
import { openPool, type Pool } from '../platform/postgres/connection.ts';
import { databaseNow } from '../platform/postgres/database-clock.ts';
import { realNow } from '../platform/real-time.ts';
import { type Repetition, repeat } from '../platform/repeat.ts';
import { findNewerKeys } from '../services/accounts/recorded-keys.ts';
import type { Vault } from '../services/accounts/vault.ts';
import { emit } from '../services/telemetry.ts';

/** Also how long after it begins a problem is found at most. */
const watchedEveryMs = 10_000;
/** Machines with a time server differ by milliseconds. */
const toleratedSkewMs = 5_000;
/** A response that took longer says too little about the instant it was made. */
const longestRoundTripMs = 1_000;
/** What no more files can be opened means. */
const outOfFiles: readonly unknown[] = ['EMFILE', 'ENFILE'];

/**
 * Shows in PostgreSQL that this process runs, and looks every ten seconds at what only it can see: whether its clock is
 * that of PostgreSQL, whether it can open another file, as it must for each connection, whether PostgreSQL still takes
 * its password, which open connections do not notice, and whether other processes were started with a newer list of
 * encryption keys. Reports what is wrong in the log and in PostgreSQL, where `ops stuck` finds it.
 */
export function watchSelf(
  { sql, databaseUrl, vault }: { sql: Pool; databaseUrl: string; vault: Pick<Vault, 'keyChecks'> },
  name: string,
  logger: Logger,
): Repetition {
  const self = `${name} ${process.pid}@${hostname()}`;
  const reported = new Set<ProcessProblem>();

  async function say(problem: ProcessProblem, detail: string | null): Promise<void> {
    if (detail !== null) {
      if (!reported.has(problem)) logger.error({ problem }, `this process: ${detail}`);
      reported.add(problem);
      await reportProblem(sql, self, { problem, detail });
    } else if (reported.has(problem)) {
      await withdrawProblem(sql, self, problem);
      reported.delete(problem);
      logger.info({ problem }, 'this process: all is well again');
    }
  }

  const onError = (err: unknown) => logger.warn({ err }, 'this process could not look at itself; trying again');
  const heartbeat = startHeartbeat(databaseUrl, self, logger);
  const looking = repeat(
    async () => {
      await say('files', await refusalToOpen());
      await say('login', await refusalOfLogin(databaseUrl, `payments ${name}`));
      await say('keys', describeMissing(await findNewerKeys(sql, vault)));
      const skewMs = await measureSkew(sql);
      if (skewMs === null) return;
      emit({ kind: 'clock compared', skewSeconds: skewMs / 1000 });
      await say('clock', Math.abs(skewMs) <= toleratedSkewMs ? null : describeSkew(skewMs));
    },
    { everyMs: watchedEveryMs, onError },
  );
  return {
    wake: looking.wake,
    async close() {
      await looking.close();
      await heartbeat.close();
    },
  };
}

/** How far the clock of this process is ahead of PostgreSQL's. Null if PostgreSQL was too slow to say. */
async function measureSkew(sql: Pool): Promise<number | null> {
  const sentAt = performance.now();
  const before = realNow().getTime();
  const now = await databaseNow(sql);
  const roundTripMs = performance.now() - sentAt;
  return roundTripMs > longestRoundTripMs ? null : before + roundTripMs / 2 - now.getTime();
}

function describeSkew(skewMs: number): string {
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  const length =
    seconds < 120
      ? `${seconds} s`
      : seconds < 7_200
        ? `${Math.round(seconds / 60)} min`
        : `${Math.round(seconds / 3_600)} h`;
  return `its clock is ${length} ${skewMs > 0 ? 'ahead of' : 'behind'} PostgreSQL’s`;
}

function describeMissing(keyIds: readonly string[]): string | null {
  if (keyIds.length === 0) return null;
  const names = keyIds.map((id) => `"${id}"`).join(', ');
  return `its ENCRYPTION_KEYS does not have ${names}, with which another process was started later`;
}

/** Why no file can be opened; null if one can. */
async function refusalToOpen(): Promise<string | null> {
  try {
    const file = await open(process.execPath);
    await file.close();
    return null;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (!outOfFiles.includes(code)) return null;
    return `it has as many files and connections open as it may (${code}), and refuses new ones`;
  }
}

/** Why PostgreSQL refuses a new connection; null if it takes one, or does not respond. */
async function refusalOfLogin(databaseUrl: string, name: string): Promise<string | null> {
  const probe = openPool(databaseUrl, { max: 1, name });
  try {
    await probe`select 1`;
    return null;
  } catch (error) {
    const refusal = refusalOf(error);
    return refusal?.kind === 'login' ? refusal.why : null;
  } finally {
    await probe.end({ timeout: 1 });
  }
}

const everyMs = 2_000;
/** PostgreSQL closes the session of a host that has not responded for 25 s. Its default is more than two hours. */
const keepalive = { idle: 10, interval: 5, count: 3 };

/**
 * Sends PostgreSQL a statement every two seconds, on a session of its own that is named after this process. While the
 * event loop stands still, none is sent, and the session is still there: so `ops stuck` tells a process that hangs from
 * one that has ended. Temporal cannot tell: the native threads of its SDK keep polling.
 */
function startHeartbeat(databaseUrl: string, process: string, logger: Logger): Repetition {
  const session = openPool(databaseUrl, { max: 1, name: heartbeatName(process) });
  let isWell = true;
  const beating = repeat(
    async () => {
      await session`
        select set_config('tcp_keepalives_idle', ${String(keepalive.idle)}, false),
          set_config('tcp_keepalives_interval', ${String(keepalive.interval)}, false),
          set_config('tcp_keepalives_count', ${String(keepalive.count)}, false)`;
      isWell = true;
    },
    {
      everyMs,
      onError(err) {
        if (isWell) logger.warn({ err }, 'this process could not show PostgreSQL that it runs; trying again');
        isWell = false;
      },
    },
  );
  return {
    wake: beating.wake,
    async close() {
      await beating.close();
      await session.end({ timeout: 5 });
    },
  };
}
