import { type RealInstant, realInstant, realNow } from '../real-time.ts';
import { repeat } from '../repeat.ts';
import type { Db, Pool } from './types.ts';

const measureEveryMs = 10_000;
const retryMeasureMs = 200;
/** A response that took longer says too little about the instant it was made. */
const longestRoundTripMs = 1_000;

/**
 * Returns the current instant by the database's clock, which all processes share. For decisions that must not depend on
 * whether this machine's clock is right.
 */
export async function databaseNow(db: Db): Promise<RealInstant> {
  const [row] = await db<[{ now: RealInstant }]>`select clock_timestamp() as now`;
  return row.now;
}

/** Real time by PostgreSQL's clock. */
export interface SharedClock {
  now(): RealInstant;
  /** Stops the measurements. Does not wait for one that is under way. */
  close(): void;
}

/**
 * Starts a clock that is the same for all processes: PostgreSQL's. It is measured regularly and extrapolated with the
 * monotonic clock, so it does not jump when the machine's clock does. Before PostgreSQL's first response, it is the
 * machine's clock.
 */
export function startSharedClock(sql: Pool): SharedClock {
  let measured: { instant: number; at: number } | null = null;

  async function measure(): Promise<number> {
    const sentAt = performance.now();
    const instant = (await databaseNow(sql)).getTime();
    const at = performance.now();
    if (at - sentAt <= longestRoundTripMs) measured = { instant, at: (sentAt + at) / 2 };
    return measured === null ? retryMeasureMs : measureEveryMs;
  }

  const measuring = repeat(measure, {
    everyMs: measureEveryMs,
    afterErrorMs: retryMeasureMs,
    onError: () => {}, // PostgreSQL is away: the last measurement stays in use
  });
  return {
    now: () => (measured === null ? realNow() : realInstant(measured.instant + performance.now() - measured.at)),
    close: () => void measuring.close(),
  };
}
