import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Logger } from '../../platform/logger.ts';
import type { Pool } from '../../platform/postgres/connection.ts';
import { realNow } from '../../platform/real-time.ts';
import { countMismatches, findMismatches, mend } from './reconciler.ts';
import {
  abandonReconciliation,
  beginReconciliation,
  finishReconciliation,
  type ReconciliationCounts,
} from './reconciliations.ts';

/** How often the two are compared, by one process however many run. */
const everyMilliseconds = 5 * 60_000;
/** A process that starts compares at once, to find what was lost while it was down, unless another has just done so. */
const atStartMilliseconds = 10_000;
/** Wait after a failure, such as Temporal not being reachable yet. */
const againMilliseconds = 5_000;
/** At most this many mismatches get a log line each. */
const toldOneByOne = 20;

/** Reconciles when the process starts and every five minutes. */
export function startReconciliations(
  sql: Pool,
  temporal: Client,
  taskQueue: string,
  logger: Logger,
): { close(): Promise<void> } {
  const stopping = new AbortController();

  async function run(): Promise<void> {
    let window = atStartMilliseconds;
    while (!stopping.signal.aborted) {
      const wait = await once(window).then(
        () => everyMilliseconds,
        (error: unknown) => {
          if (!stopping.signal.aborted)
            logger.warn({ err: error }, 'PostgreSQL and Temporal could not be compared; trying again');
          return againMilliseconds;
        },
      );
      // A little less than the pause. Otherwise a run that starts a moment late would skip one.
      window = wait === everyMilliseconds ? everyMilliseconds * 0.9 : 0;
      await pause(wait, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }

  async function once(window: number): Promise<void> {
    const now = realNow();
    const id = await beginReconciliation(sql, now, new Date(now.getTime() - window));
    if (id === null) return;
    try {
      const counts = await compareAndMend();
      await finishReconciliation(sql, id, realNow(), counts);
    } catch (error) {
      await abandonReconciliation(sql, id);
      throw error;
    }
  }

  async function compareAndMend(): Promise<ReconciliationCounts> {
    const mismatches = await findMismatches(sql, temporal, taskQueue, stopping.signal);
    for (const mismatch of mismatches.slice(0, toldOneByOne)) {
      logger.warn(mismatch, 'PostgreSQL and Temporal differ; it is mended');
    }
    await mend(sql, mismatches, stopping.signal);
    const counts = countMismatches(mismatches);
    if (mismatches.length > 0) logger.warn(counts, 'workflows were mended');
    return counts;
  }

  const running = run();
  return {
    async close() {
      stopping.abort();
      await running;
    },
  };
}
