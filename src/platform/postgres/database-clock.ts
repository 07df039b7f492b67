import { setTimeout as pause } from 'node:timers/promises';
import { realNow } from '../real-time.ts';
import type { Pool } from './connection.ts';
import { databaseNow } from './database-time.ts';

const measureEveryMs = 10_000;
const measureAgainMs = 200;
/** An answer that took longer says too little about when it was given. */
const longestAskMs = 1_000;

/** Real time as PostgreSQL has it. */
export interface SharedClock {
  now(): Date;
  /** Asks no more; waits for nobody. */
  close(): void;
}

/**
 * A clock that all processes share: PostgreSQL's, asked now and then and carried on by the monotonic clock, so that it does
 * not jump when that of this machine does. Until PostgreSQL has answered for the first time it is the machine's.
 */
export function startSharedClock(sql: Pool): SharedClock {
  const stopping = new AbortController();
  let known: { instant: number; at: number } | null = null;

  async function measure(): Promise<void> {
    const askedAt = performance.now();
    const instant = (await databaseNow(sql)).getTime();
    const at = performance.now();
    if (at - askedAt <= longestAskMs) known = { instant, at: (askedAt + at) / 2 };
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      await measure().catch(() => {}); // PostgreSQL is away: it goes on by what it knows
      const wait = known === null ? measureAgainMs : measureEveryMs;
      await pause(wait, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }
  void run();
  return {
    now: () => (known === null ? realNow() : new Date(known.instant + performance.now() - known.at)),
    close() {
      stopping.abort();
    },
  };
}
