import { setTimeout as pause } from 'node:timers/promises';
import { forgetLostDeliveries, listWithoutRow, noteLostDeliveries } from '../db/lost-deliveries.ts';
import { forgetLostSubjects, listSubjectsWithoutRow, losableKinds, noteLostSubjects } from '../db/lost-subjects.ts';
import type { WorkflowType } from '../messages/workflow-types.ts';
import type { Logger } from '../platform/logger.ts';
import type { Db, Pool } from '../platform/postgres/connection.ts';
import { type Repetition, repeat } from '../platform/repeat.ts';
import { claimCheck } from './invariants/checks.ts';
import { inBatches } from './reconciler/mismatches.ts';
import { hasOutboxEntry } from './reconciler/reconciliations.ts';
import { describeRunning, runningWorkflows } from './reconciler/running-workflows.ts';
import type { WorkflowSide, WorkflowSides } from './sides/workflow-sides.ts';

const everyMs = 10_000;
/** The pause after a look, by its duration: so that looking takes a tenth of the time at most. */
const restFactor = 9;
/** One look notes at most this many of a type. */
const mostNoted = 100;
/** Time between the two looks at one: a restored row may be committed meanwhile. */
const secondLookAfterMs = 1_000;

/**
 * Looks every half minute for deliveries that wait for their next attempt in Temporal, and whose rows are gone: nothing
 * in PostgreSQL tells that they were ever there. A delivery that is attempted before that is noted by its attempt. A
 * look costs one list of Temporal and one read by primary key for each 500 that wait; none waits while receivers
 * respond.
 */
export function watchLostDeliveries(sql: Pool, sides: WorkflowSides, logger: Logger): Repetition {
  return watch(sql, logger, 'lost webhook deliveries', async (signal) => {
    await forgetLostDeliveries(sql);
    for (const side of sides) {
      await noteLostDeliveries(sql, await findLost(sql, side, 'webhookDelivery', listWithoutRow, signal));
    }
  });
}

/**
 * The same for plans, subscriptions and scheduled payments, at the same cost. A deleted test clock leaves none: their
 * workflows are told, and are left out until they have ended.
 */
export function watchLostSubjects(sql: Pool, sides: WorkflowSides, logger: Logger): Repetition {
  return watch(sql, logger, 'lost plans and payments', async (signal) => {
    await forgetLostSubjects(sql);
    for (const side of sides) {
      for (const workflowType of losableKinds) {
        const ids = await findLost(sql, side, workflowType, listSubjectsWithoutRow, signal);
        await noteLostSubjects(
          sql,
          ids.map((id) => ({ id, workflowType, livemode: side.livemode })),
        );
      }
    }
  });
}

/** @param what the name under which one process at a time looks. */
function watch(sql: Pool, logger: Logger, what: string, look: (signal: AbortSignal) => Promise<void>): Repetition {
  return repeat(
    async (closing) => {
      if (!(await claimCheck(sql, what))) return everyMs;
      const begun = performance.now();
      await look(closing);
      return Math.max(everyMs, restFactor * (performance.now() - begun));
    },
    { everyMs, onError: (err) => logger.warn({ err }, `${what} could not be looked for; trying again`) },
  );
}

/**
 * The objects that have a running workflow, without anything to do, and no row; at most 100. @throws when Temporal is
 * not reachable
 */
async function findLost(
  sql: Pool,
  side: WorkflowSide,
  type: WorkflowType,
  withoutRow: (db: Db, ids: readonly string[]) => Promise<string[]>,
  signal: AbortSignal,
): Promise<string[]> {
  const lost: string[] = [];
  for await (const ids of runningWorkflows(side, type, signal)) {
    const suspects = (await withoutRow(sql, ids)).slice(0, mostNoted - lost.length);
    if (suspects.length === 0) continue;
    await pause(secondLookAfterMs, undefined, { signal });
    // Temporal's lists are a moment older than its workflows.
    const isLost = async (id: string) => {
      if (await hasOutboxEntry(sql, id)) return null;
      const workflow = await describeRunning(side.temporal, type, id);
      return workflow === null || (workflow.isBusy && type !== 'webhookDelivery') ? null : id;
    };
    lost.push(...(await inBatches(await withoutRow(sql, suspects), isLost, signal)));
    if (lost.length >= mostNoted) break;
  }
  return lost;
}
