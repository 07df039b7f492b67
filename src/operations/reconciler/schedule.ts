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

/** However many processes run, one of them compares this often. */
const everyMilliseconds = 5 * 60_000;
/** A process that starts compares at once, unless another has just done so: what was lost was lost while we were away. */
const atStartMilliseconds = 10_000;
/** After a failure, such as a Temporal that is not there yet. */
const againMilliseconds = 5_000;
/** Each mismatch has a line in the log, up to so many. */
const toldOneByOne = 20;

/** Reconciles at the start of the process and every five minutes. */
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
      // A little less than the pause, or a run that was a moment late would skip one.
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
