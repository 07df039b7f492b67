import { addMs } from '../../domain/instants.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Pool } from '../../platform/postgres/connection.ts';
import { realNow } from '../../platform/real-time.ts';
import { type Repetition, repeat } from '../../platform/repeat.ts';
import type { WorkflowSides } from '../sides/workflow-sides.ts';
import { inWords } from './mismatches.ts';
import { reconcile as compareAndRepair } from './reconciler.ts';
import {
  abandonReconciliation,
  beginReconciliation,
  finishReconciliation,
  noteProgress,
  type ReconciliationCounts,
} from './reconciliations.ts';

/** How often the two are compared, by one process however many run. */
const everyMs = 5 * 60_000;
/** A process that starts compares at once, to find what was lost while it was down, unless another has just done so. */
const atStartMs = 10_000;
/** The pause after a failure, such as Temporal not being reachable yet. */
const afterErrorMs = 5_000;
/** At most this many mismatches get a log line each. */
const loggedOneByOne = 20;
/** At most this many are named to operators. */
export const examplesKept = 5;

/**
 * Reconciles when the process starts and every five minutes. If one of two Temporals is away, only the other is
 * compared, and both again after five minutes.
 */
export function startReconciliations(sql: Pool, sides: WorkflowSides, logger: Logger): Repetition {
  /** How recently another process may have reconciled for this one to leave it out. */
  let recentMs = atStartMs;

  async function reconcile(closing: AbortSignal): Promise<void> {
    const now = realNow();
    const id = await beginReconciliation(sql, now, addMs(now, -recentMs));
    try {
      if (id !== null) {
        const { counts, examples } = await compare(id, closing);
        await finishReconciliation(sql, id, realNow(), counts, examples);
      }
    } catch (error) {
      if (id !== null) await abandonReconciliation(sql, id);
      throw error;
    }
    // A little less than the pause. Otherwise a run that starts a moment late would skip one.
    recentMs = everyMs * 0.9;
  }

  async function compare(
    id: number,
    closing: AbortSignal,
  ): Promise<{ counts: ReconciliationCounts; examples: string[] }> {
    let logged = 0;
    const examples: string[] = [];
    const { counts, failures } = await compareAndRepair(sql, sides, {
      onMismatches(mismatches) {
        examples.push(...mismatches.slice(0, examplesKept - examples.length).map(inWords));
        for (const mismatch of mismatches.slice(0, loggedOneByOne - logged)) {
          logger.warn(
            mismatch,
            mismatch.isHeld
              ? 'reconciler: no workflow is started for a row that breaks an invariant'
              : 'reconciler: PostgreSQL and Temporal differ; it is repaired',
          );
          logged += 1;
        }
      },
      onSlice: () => noteProgress(sql, id, realNow()),
      signal: closing,
    });
    for (const { side, error } of failures) {
      logger.warn({ err: error }, `reconciler: PostgreSQL and ${side} could not be compared`);
    }
    if (logged > 0) logger.warn(counts, 'reconciler: workflows were repaired');
    return { counts, examples };
  }

  return repeat(reconcile, {
    everyMs,
    afterErrorMs,
    onError(err) {
      recentMs = 0;
      logger.warn({ err }, 'reconciler: PostgreSQL and Temporal could not be compared; trying again');
    },
  });
}
