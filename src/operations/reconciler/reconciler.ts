import { setTimeout as pause } from 'node:timers/promises';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import type { TypedSearchAttributes } from '@temporalio/common';
import { attributes } from '../../messages/search-attributes.ts';
import { webhookTaskQueue } from '../../messages/task-queues.ts';
import type { Pool } from '../../platform/postgres/connection.ts';
import { enqueue, type OutboxEntry, type WorkflowType, workflowIdOf } from '../../platform/postgres/outbox.ts';
import { atomically } from '../../platform/postgres/transaction.ts';
import { realNow } from '../../platform/real-time.ts';
import { startEntry, wakeEntry } from '../../services/wake.ts';
import { nameOf, sideOf, type WorkflowSide, type WorkflowSides } from '../sides/workflow-sides.ts';
import {
  findSubjectWantingWorkflow,
  hasOutboxEntry,
  isBacklogOf,
  type ReconciliationCounts,
  type SubjectRow,
  subjectsWantingWorkflow,
} from './reconciliations.ts';

/** A difference between an object in PostgreSQL and its workflow in Temporal. */
export interface Mismatch {
  workflowType: WorkflowType;
  subjectId: string;
  problem: keyof ReconciliationCounts;
  /** The mode of the Temporal to repair it in. */
  livemode: boolean;
  /** Its workflow runs in the Temporal of the other mode. It is terminated there: the right one has another. */
  isMisplaced: boolean;
  /** For an operator. */
  detail: string;
}

/** A difference at the first look. `row` is the object as it was then; null when no object needs the workflow. */
interface Suspect {
  type: WorkflowType;
  id: string;
  row: SubjectRow | null;
}

const workflowTypes: WorkflowType[] = ['paymentPlan', 'scheduledPayment', 'testClock', 'webhookDelivery'];
const pageSize = 1000;
/** How many workflows are described at once. */
const describedAtOnce = 20;
/** Time between the two looks: longer than a change under way takes to reach the other side. */
const secondLookAfterMs = 2_000;
/** How long to wait for one page of repairs to be dispatched before the next is enqueued. */
const repairTimeoutMs = 30_000;

/**
 * Compares PostgreSQL with the Temporals, each by itself. Returns the mismatches and, if a Temporal could not be read,
 * its error. See `findMismatches`.
 * @throws when none could be read.
 */
export async function compareSides(
  sql: Pool,
  sides: WorkflowSides,
  signal?: AbortSignal,
): Promise<{ mismatches: Mismatch[]; failures: { side: string; error: unknown }[] }> {
  const compared = await Promise.allSettled(sides.map((side) => findMismatches(sql, side, signal)));
  signal?.throwIfAborted();
  const failures = compared.flatMap((result, index) =>
    result.status === 'rejected' ? [{ side: nameOf(sides[index] ?? sides[0]), error: result.reason }] : [],
  );
  const [failure] = failures;
  if (failure !== undefined && failures.length === sides.length) throw failure.error;
  return { mismatches: compared.flatMap((result) => (result.status === 'fulfilled' ? result.value : [])), failures };
}

/**
 * Compares the workflows that PostgreSQL requires with those that a Temporal runs. They differ after one of the two was
 * lost, or restored from a back-up that is older or newer than the other; or after the sandbox got a Temporal of its
 * own. Each suspect is looked at twice, so changes that are merely under way are not reported. `signal` cancels the
 * comparison with an AbortError.
 */
export async function findMismatches(sql: Pool, side: WorkflowSide, signal?: AbortSignal): Promise<Mismatch[]> {
  const suspects: Suspect[] = [];
  for (const type of workflowTypes) {
    // Temporal is read first: an object made meanwhile is already in the database.
    const running = await runningWorkflows(side, type, signal);
    for await (const subjects of wantedSubjects(sql, side, type, signal)) {
      for (const row of subjects) {
        const shown = running.get(row.id);
        running.delete(row.id);
        if (shown === undefined || isStale(row, shown, wantedOf(type, row))) suspects.push({ type, id: row.id, row });
      }
    }
    for (const id of running.keys()) suspects.push({ type, id, row: null });
  }
  if (suspects.length === 0) return [];
  await pause(secondLookAfterMs, undefined, { signal });
  return inBatches(suspects, (suspect) => lookTwice(sql, side, suspect), signal);
}

/**
 * Repairs the mismatches through the outbox: missing workflows are started, the others are signalled to look again. One
 * in the wrong Temporal is terminated. This charges nothing: a workflow holds no state of its own and only does what
 * PostgreSQL says is due.
 */
export async function repair(
  sql: Pool,
  sides: WorkflowSides,
  mismatches: readonly Mismatch[],
  signal?: AbortSignal,
): Promise<void> {
  const misplaced = mismatches.filter(({ isMisplaced }) => isMisplaced);
  await inBatches(misplaced, (mismatch) => endMisplaced(sideOf(sides, mismatch.livemode), mismatch), signal);
  for (const side of sides) {
    const ofSide = mismatches.filter((each) => !each.isMisplaced && sideOf(sides, each.livemode) === side);
    for (let from = 0; from < ofSide.length; from += pageSize) {
      // New commits must not queue behind all of the repairs.
      if (from > 0) await untilDispatched(sql, side, signal);
      const entries = ofSide.slice(from, from + pageSize).map(repairingEntry);
      await atomically(sql, (tx) => enqueue(tx, entries, realNow()));
    }
  }
}

/** Ends a workflow whose object has its workflow in the other Temporal. */
async function endMisplaced({ temporal }: WorkflowSide, { workflowType, subjectId }: Mismatch): Promise<null> {
  const handle = temporal.workflow.getHandle(workflowIdOf(workflowType, subjectId));
  await handle.terminate('its mode has another Temporal').catch((error: unknown) => {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  });
  return null;
}

/** The number of mismatches of each kind. */
export function countMismatches(mismatches: readonly Mismatch[]): ReconciliationCounts {
  const counts = { missing: 0, orphaned: 0, stale: 0 };
  for (const { problem } of mismatches) counts[problem]++;
  return counts;
}

function repairingEntry({ workflowType, subjectId: id, livemode, problem }: Mismatch): OutboxEntry {
  const subject = { id, livemode };
  return problem === 'missing' ? startEntry(workflowType, subject) : wakeEntry(workflowType, subject);
}

async function untilDispatched(sql: Pool, { livemode }: WorkflowSide, signal?: AbortSignal): Promise<void> {
  const giveUpAt = performance.now() + repairTimeoutMs;
  while ((await isBacklogOf(sql, pageSize, livemode)) && performance.now() < giveUpAt) {
    await pause(100, undefined, { signal });
  }
}

/**
 * The running workflows of a type that belong to this service, by its task queue. Returns what each shows, by subject
 * id.
 */
async function runningWorkflows(
  { temporal, taskQueue }: WorkflowSide,
  type: WorkflowType,
  signal?: AbortSignal,
): Promise<Map<string, string>> {
  const running = new Map<string, string>();
  const prefix = workflowIdOf(type, '');
  const queue = type === 'webhookDelivery' ? webhookTaskQueue(taskQueue) : taskQueue;
  const query = `WorkflowType = '${type}' and ExecutionStatus = 'Running' and TaskQueue = '${queue}'`;
  for await (const { workflowId, typedSearchAttributes } of temporal.workflow.list({ query, pageSize })) {
    signal?.throwIfAborted();
    if (workflowId.startsWith(prefix)) {
      running.set(workflowId.slice(prefix.length), shownBy(type, typedSearchAttributes));
    }
  }
  return running;
}

async function* wantedSubjects(
  sql: Pool,
  { livemode }: WorkflowSide,
  type: WorkflowType,
  signal?: AbortSignal,
): AsyncGenerator<SubjectRow[]> {
  for (let after = ''; ; ) {
    signal?.throwIfAborted();
    const page = await subjectsWantingWorkflow(sql, type, { livemode, limit: pageSize, after });
    if (page.length > 0) yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return;
    after = last.id;
  }
}

/**
 * What a workflow shows of its subject, in words: the status of a plan or a clock, and an empty string for other types.
 */
function shownBy(type: WorkflowType, shown: TypedSearchAttributes): string {
  if (type === 'testClock') return shown.get(attributes.clockStatus) ?? 'nothing';
  if (type !== 'paymentPlan') return '';
  const nextDueAt = shown.get(attributes.nextDueAt) ?? null;
  return planInWords(shown.get(attributes.planState) ?? null, nextDueAt, shown.get(attributes.failedAttempts) ?? 0);
}

/** What it should show. */
function wantedOf(type: WorkflowType, row: SubjectRow): string {
  if (type === 'testClock') return row.state ?? '';
  if (type !== 'paymentPlan') return '';
  return planInWords(row.state, row.next_due_at, row.failed_attempts);
}

function planInWords(state: string | null, nextDueAt: Date | null, failedAttempts: number): string {
  return `${state}, next due ${nextDueAt?.toISOString() ?? 'never'}, ${failedAttempts} failed attempts`;
}

function isStale(row: SubjectRow, shown: string, wanted: string): boolean {
  return !row.advancing && shown !== wanted;
}

/** Second look: returns the mismatch if it persists and nothing is under way. */
async function lookTwice(sql: Pool, side: WorkflowSide, { type, id, row: before }: Suspect): Promise<Mismatch | null> {
  const workflow = await describeRunning(side.temporal, type, id);
  const [row, isUnderWay] = await Promise.all([findSubjectWantingWorkflow(sql, type, id), hasOutboxEntry(sql, id)]);
  if (isUnderWay) return null;
  const livemode = side.livemode ?? row?.livemode ?? true;
  const about = { workflowType: type, subjectId: id, livemode, isMisplaced: false };
  if (row !== null && row.livemode !== livemode) {
    if (workflow === null) return null;
    const detail = `its workflow runs in ${nameOf(side)}, and is ended there`;
    return { ...about, isMisplaced: true, problem: 'orphaned', detail };
  }
  if (row === null) {
    if (workflow === null) return null;
    return { ...about, problem: 'orphaned', detail: 'its workflow runs and has nothing to do' };
  }
  if (workflow === null)
    return { ...about, problem: 'missing', detail: 'no workflow runs for it, although it has work to do' };
  const wanted = wantedOf(type, row);
  const isAtRest = before !== null && wantedOf(type, before) === wanted && !workflow.isBusy;
  if (!isAtRest || !isStale(row, workflow.shown, wanted)) return null;
  return { ...about, problem: 'stale', detail: `it is ${wanted}; its workflow shows ${workflow.shown}` };
}

/** What a running workflow shows, and whether it is busy. Returns null when none runs. */
async function describeRunning(
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

async function inBatches<T, R>(
  items: readonly T[],
  look: (item: T) => Promise<R | null>,
  signal?: AbortSignal,
): Promise<R[]> {
  const results: R[] = [];
  for (let from = 0; from < items.length; from += describedAtOnce) {
    signal?.throwIfAborted();
    const batch = await Promise.all(items.slice(from, from + describedAtOnce).map(look));
    results.push(...batch.flatMap((result) => result ?? []));
  }
  return results;
}
