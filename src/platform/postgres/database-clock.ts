import { realNow } from '../real-time.ts';
import { repeat } from '../repeat.ts';
import type { Pool } from './connection.ts';
import { databaseNow } from './database-time.ts';

const measureEveryMs = 10_000;
const measureAgainMs = 200;
/** A response that took longer says too little about the instant it was made. */
const longestAskMs = 1_000;

/** Real time by PostgreSQL's clock. */
export interface SharedClock {
  now(): Date;
  /** Stops the measurements. Does not wait for one that is under way. */
  close(): void;
}

/**
 * Starts a clock that is the same for all processes: PostgreSQL's. It is measured regularly and extrapolated with the
 * monotonic clock, so it does not jump when the machine's clock does. Before PostgreSQL's first response, it is the
 * machine's clock.
 */
export function startSharedClock(sql: Pool): SharedClock {
  let known: { instant: number; at: number } | null = null;

  async function measure(): Promise<number> {
    const askedAt = performance.now();
    const instant = (await databaseNow(sql)).getTime();
    const at = performance.now();
    if (at - askedAt <= longestAskMs) known = { instant, at: (askedAt + at) / 2 };
    return known === null ? measureAgainMs : measureEveryMs;
  }

  const measuring = repeat(measure, {
    everyMs: measureEveryMs,
    afterErrorMs: measureAgainMs,
    onError: () => {}, // PostgreSQL is away: the last measurement stays in use
  });
  return {
    now: () => (known === null ? realNow() : new Date(known.instant + performance.now() - known.at)),
    close: () => void measuring.close(),
  };
}
