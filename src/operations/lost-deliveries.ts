import { setTimeout as pause } from 'node:timers/promises';
import { forgetLostDeliveries, listWithoutRow, noteLostDeliveries } from '../db/lost-deliveries.ts';
import type { Logger } from '../platform/logger.ts';
import type { Pool } from '../platform/postgres/connection.ts';
import { type Repetition, repeat } from '../platform/repeat.ts';
import { claimCheck } from './invariants/checks.ts';
import { inBatches } from './reconciler/mismatches.ts';
import { describeRunning, runningWorkflows } from './reconciler/running-workflows.ts';
import type { WorkflowSides } from './sides/workflow-sides.ts';

/** The name under which one process at a time looks. */
const look = 'lost webhook deliveries';
const everyMs = 10_000;
/** The pause after a look, by its duration: so that looking takes a tenth of the time at most. */
const restFactor = 9;
/** One look notes at most this many. */
const mostNoted = 100;
/** Time between the two looks at a delivery: a restored row may be committed meanwhile. */
const secondLookAfterMs = 1_000;

/**
 * Looks every half minute for deliveries that wait for their next attempt in Temporal, and whose rows are gone: nothing
 * in PostgreSQL tells that they were ever there. A delivery that is attempted before that is noted by its attempt. A
 * look costs one list of Temporal and one read by primary key for each 500 that wait; none waits while receivers
 * respond.
 */
export function watchLostDeliveries(sql: Pool, sides: WorkflowSides, logger: Logger): Repetition {
  return repeat(
    async (closing) => {
      if (!(await claimCheck(sql, look))) return everyMs;
      const begun = performance.now();
      await forgetLostDeliveries(sql);
      await noteLostDeliveries(sql, await findLostDeliveries(sql, sides, closing));
      return Math.max(everyMs, restFactor * (performance.now() - begun));
    },
    {
      everyMs,
      onError: (err) => logger.warn({ err }, 'lost webhook deliveries could not be looked for; trying again'),
    },
  );
}

/** The deliveries that have a running workflow and no row; at most 100. @throws when a Temporal is not reachable */
async function findLostDeliveries(sql: Pool, sides: WorkflowSides, signal: AbortSignal): Promise<string[]> {
  const lost: string[] = [];
  for (const side of sides) {
    for await (const ids of runningWorkflows(side, 'webhookDelivery', signal)) {
      const suspects = (await listWithoutRow(sql, ids)).slice(0, mostNoted - lost.length);
      if (suspects.length === 0) continue;
      await pause(secondLookAfterMs, undefined, { signal });
      // Temporal's lists are a moment older than its workflows.
      const isRunning = async (id: string) =>
        (await describeRunning(side.temporal, 'webhookDelivery', id)) ? id : null;
      lost.push(...(await inBatches(await listWithoutRow(sql, suspects), isRunning, signal)));
      if (lost.length >= mostNoted) return lost;
    }
  }
  return lost;
}
