import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import type { TypedSearchAttributes } from '@temporalio/common';
import type { WantingRow } from '../../db/subject-queries.ts';
import { attributes } from '../../messages/search-attributes.ts';
import { isSubjectKind, subjectKinds } from '../../messages/subject-kinds.ts';
import { webhookTaskQueue } from '../../messages/task-queues.ts';
import { type WorkflowType, workflowIdOf } from '../../messages/workflow-types.ts';
import type { WorkflowSide } from '../sides/workflow-sides.ts';

/** How many objects or workflows are compared at a time. No more of them are in memory. */
export const sliceSize = 500;

/** Returns what the running workflows of these subjects show, by subject id. */
export async function runningAmong(
  side: WorkflowSide,
  type: WorkflowType,
  rows: WantingRow[],
): Promise<Map<string, string>> {
  const running = new Map<string, string>();
  const ids = rows.map(({ id }) => `'${workflowIdOf(type, id)}'`).join(', ');
  const query = `${runningOf(side, type)} and WorkflowId in (${ids})`;
  for await (const { workflowId, typedSearchAttributes } of side.temporal.workflow.list({
    query,
    pageSize: sliceSize,
  })) {
    running.set(workflowId.slice(workflowIdOf(type, '').length), shownBy(type, typedSearchAttributes));
  }
  return running;
}

/** The subject ids of the running workflows of a type that belong to this service, by its task queue. */
export async function* runningWorkflows(
  side: WorkflowSide,
  type: WorkflowType,
  signal?: AbortSignal,
): AsyncGenerator<string[]> {
  const prefix = workflowIdOf(type, '');
  let ids: string[] = [];
  for await (const { workflowId } of side.temporal.workflow.list({
    query: runningOf(side, type),
    pageSize: sliceSize,
  })) {
    signal?.throwIfAborted();
    if (workflowId.startsWith(prefix)) ids.push(workflowId.slice(prefix.length));
    if (ids.length < sliceSize) continue;
    yield ids;
    ids = [];
  }
  if (ids.length > 0) yield ids;
}

function runningOf({ taskQueue }: WorkflowSide, type: WorkflowType): string {
  const queue = type === 'webhookDelivery' ? webhookTaskQueue(taskQueue) : taskQueue;
  return `WorkflowType = '${type}' and ExecutionStatus = 'Running' and TaskQueue = '${queue}'`;
}

/** What a running workflow shows, and whether it is busy. Returns null when none runs. */
export async function describeRunning(
  temporal: Client,
  type: WorkflowType,
  subjectId: string,
): Promise<{ shown: string; isBusy: boolean } | null> {
  try {
    const description = await temporal.workflow.getHandle(workflowIdOf(type, subjectId)).describe();
    if (description.status.name !== 'RUNNING') return null;
    const { pendingActivities, pendingWorkflowTask } = description.raw;
    return {
      shown: shownBy(type, description.typedSearchAttributes),
      isBusy: Boolean(pendingActivities?.length) || Boolean(pendingWorkflowTask),
    };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}

/** Whether a workflow shows the date and the state of its subject, so that they can be compared. */
function showsDate(type: WorkflowType): boolean {
  return isSubjectKind(type) && subjectKinds[type].showsDate;
}

/**
 * What a workflow shows of its subject, in words: the status of a plan, a debit or a clock, and an empty string for
 * other types.
 */
function shownBy(type: WorkflowType, shown: TypedSearchAttributes): string {
  if (type === 'testClock') return shown.get(attributes.clockStatus) ?? 'nothing';
  if (!showsDate(type)) return '';
  const nextDueAt = shown.get(attributes.nextDueAt) ?? null;
  return planInWords(shown.get(attributes.planState) ?? null, nextDueAt, shown.get(attributes.failedAttempts) ?? 0);
}

/** What it should show. */
export function wantedOf(type: WorkflowType, row: WantingRow): string {
  if (type === 'testClock') return row.state ?? '';
  if (!showsDate(type)) return '';
  return planInWords(row.state, row.next_due_at, row.failed_attempts);
}

function planInWords(state: string | null, nextDueAt: Date | null, failedAttempts: number): string {
  return `${state}, next due ${nextDueAt?.toISOString() ?? 'never'}, ${failedAttempts} failed attempts`;
}

export function isStale(row: WantingRow, shown: string, wanted: string): boolean {
  return !row.advancing && shown !== wanted;
}
