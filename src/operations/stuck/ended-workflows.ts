import type { Client } from '@temporalio/client';
import { type Id, namedId } from '../../domain/ids.ts';
import { attributes } from '../../messages/search-attributes.ts';
import type { WorkflowType } from '../../messages/workflow-types.ts';
import type { Pool } from '../../platform/postgres/connection.ts';
import { isOutage } from '../../platform/postgres/transaction.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import { subjectsAmong } from '../reconciler/reconciliations.ts';
import type { WorkflowSide } from '../sides/workflow-sides.ts';
import { onSide, subjectOf } from './about-workflow.ts';
import { readBounded, whyUnreadable } from './reading/bounded-reading.ts';
import { type Kind, type Stuck, stuckAs } from './reading/find-stuck.ts';
import { opsCommand } from './reading/ops-command.ts';

export const workflowEnded: Kind = {
  kind: 'workflow_ended',
  meaning: 'A workflow was terminated or canceled, or has failed, and its object still needs one.',
  after: 10, // `ops start-over` starts it again within that time
};

/** A workflow that did not end on its own. */
export interface EndedWorkflow {
  type: string;
  workflowId: string;
  /** Such as `was terminated`. */
  how: string;
  endedAt: Date;
  billerId: Id<'biller'> | null;
  livemode: boolean | null;
}

/** Older ones were started again by the comparison with PostgreSQL, or are reported as overdue. */
const lookedBackMs = 3_600_000;
/** The newest so many are looked at. */
const mostLookedAt = 1_000;
const idsInAQuery = 100;

const hows: Readonly<Record<string, string>> = {
  TERMINATED: 'was terminated',
  CANCELLED: 'was canceled',
  FAILED: 'has failed',
  TIMED_OUT: 'has timed out',
};

/**
 * The workflows of a side that were terminated or canceled, have failed or timed out within the last hour, and do not
 * run again. One query while there are none.
 * @throws when Temporal is not reachable.
 */
export async function findEndedWorkflows(side: WorkflowSide, now: RealInstant): Promise<EndedWorkflow[]> {
  const { temporal, livemode } = side;
  const ago = (ms: number) => new Date(now.getTime() - ms).toISOString();
  const query =
    `ExecutionStatus in ('Terminated', 'Canceled', 'Failed', 'TimedOut') ` +
    `and WorkflowType != 'webhookBatch' and ${onSide(side)} ` + // what a batch leaves behind, the next one sends
    `and CloseTime between '${ago(lookedBackMs)}' and '${ago(workflowEnded.after * 1000)}'`;
  if ((await temporal.workflow.count(query)).count === 0) return [];
  const ended = new Map<string, EndedWorkflow>();
  for await (const workflow of temporal.workflow.list({ query, pageSize: mostLookedAt })) {
    const { workflowId, type, status, closeTime, typedSearchAttributes: known } = workflow;
    if (ended.has(workflowId)) continue;
    ended.set(workflowId, {
      type,
      workflowId,
      how: hows[status.name] ?? 'has ended',
      endedAt: closeTime ?? now,
      billerId: namedId('biller', known.get(attributes.billerId)) ?? null,
      livemode: known.get(attributes.livemode) ?? livemode,
    });
    if (ended.size >= mostLookedAt) break;
  }
  for (const workflowId of await runningAmong(temporal, [...ended.keys()])) ended.delete(workflowId);
  return [...ended.values()];
}

/**
 * Describes those of these workflows whose object still needs one, by PostgreSQL. Null if it is not reachable.
 */
export async function reportWanted(
  sql: Pool,
  side: WorkflowSide,
  ended: readonly EndedWorkflow[],
): Promise<Stuck[] | null> {
  const { livemode } = side;
  const found: Stuck[] = [];
  try {
    for (const type of new Set(ended.map((workflow) => workflow.type))) {
      const alike = ended.filter((workflow) => workflow.type === type);
      const wanted = await readBounded(sql, (tx) =>
        subjectsAmong(tx, type as WorkflowType, livemode, alike.map(subjectOf)),
      );
      found.push(...alike.filter((end) => wanted.includes(subjectOf(end))).map(describe));
    }
    return found;
  } catch (error) {
    if (isOutage(error) || whyUnreadable(error) !== null) return null;
    throw error;
  }
}

function describe(end: EndedWorkflow): Stuck {
  const { type, workflowId, how, endedAt, billerId, livemode } = end;
  const command = opsCommand(type === 'webhookDelivery' ? 'retry-delivery' : 'recheck', subjectOf(end));
  return stuckAs(workflowEnded, {
    subject_id: subjectOf(end),
    biller_id: billerId,
    livemode,
    since: endedAt.toISOString(),
    why: `its workflow ${how} and does not run: nothing is done for it`,
    remedy: `${command} (it continues from PostgreSQL). The next comparison starts it too, within five minutes.`,
    workflow_id: workflowId,
  });
}

async function runningAmong(temporal: Client, workflowIds: readonly string[]): Promise<string[]> {
  const running: string[] = [];
  for (let from = 0; from < workflowIds.length; from += idsInAQuery) {
    const ids = workflowIds.slice(from, from + idsInAQuery).map((id) => `'${id}'`);
    const query = `ExecutionStatus = 'Running' and WorkflowId in (${ids.join(', ')})`;
    for await (const { workflowId } of temporal.workflow.list({ query })) running.push(workflowId);
  }
  return running;
}
