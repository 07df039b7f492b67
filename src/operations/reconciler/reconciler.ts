import { setTimeout as pause } from 'node:timers/promises';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import type { TypedSearchAttributes } from '@temporalio/common';
import type { WantingRow } from '../../db/subject-queries.ts';
import { attributes } from '../../messages/search-attributes.ts';
import { isSubjectKind, subjectKinds } from '../../messages/subject-kinds.ts';
import { webhookTaskQueue } from '../../messages/task-queues.ts';
import { type WorkflowType, workflowIdOf, workflowTypes } from '../../messages/workflow-types.ts';
import type { Pool } from '../../platform/postgres/connection.ts';
import { enqueue, type OutboxEntry } from '../../platform/postgres/outbox.ts';
import { atomically } from '../../platform/postgres/transaction.ts';
import { realNow } from '../../platform/real-time.ts';
import { startEntry, wakeEntry } from '../../services/wake.ts';
import { listCarried } from '../sides/webhook-batches.ts';
import { nameOf, sideOf, type WorkflowSide, type WorkflowSides } from '../sides/workflow-sides.ts';
import {
  findSubjectWantingWorkflow,
  hasOutboxEntry,
  isBacklogOf,
  isEndedDelivery,
  type ReconciliationCounts,
  selectModeOfSubject,
  subjectsAmong,
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

/** Returns what is wrong with which object, for an operator. */
export function inWords({ subjectId, problem, detail }: Mismatch): string {
  return `${subjectId} is ${problem}: ${detail}`;
}

/** A difference at the first look. `row` is the object as it was then; null when no object needs the workflow. */
interface Suspect {
  type: WorkflowType;
  id: string;
  row: WantingRow | null;
}

/** How many objects or workflows are compared at a time. No more of them are in memory. */
const sliceSize = 500;
/** How many workflows are described at once. */
const describedAtOnce = 20;
/** Time between the two looks: longer than a change under way takes to reach the other side. */
const secondLookAfterMs = 2_000;
/** While the outbox holds so many entries, no further repairs are enqueued, but at most for `repairTimeoutMs`. */
const longBacklog = 1_000;
const repairTimeoutMs = 30_000;

/** What a reconciliation found and, for each Temporal that could not be read, why. */
export interface Reconciled {
  counts: ReconciliationCounts;
  failures: { side: string; error: unknown }[];
}

/**
 * Compares PostgreSQL with each Temporal separately, and repairs what differs slice by slice (see `mismatchesOf`).
 * `onMismatches` gets each slice's mismatches before they are repaired. With `check`, nothing is repaired. `onSlice` is
 * called after each slice; if it throws, the reconciliation ends.
 * @throws when no Temporal could be read.
 */
export async function reconcile(
  sql: Pool,
  sides: WorkflowSides,
  {
    check = false,
    onMismatches = () => {},
    onSlice = async () => {},
    signal,
  }: {
    check?: boolean;
    onMismatches?: (mismatches: readonly Mismatch[]) => void;
    onSlice?: () => Promise<void>;
    signal?: AbortSignal;
  } = {},
): Promise<Reconciled> {
  const counts: ReconciliationCounts = { missing: 0, orphaned: 0, stale: 0 };
  const compared = await Promise.allSettled(
    sides.map(async (side) => {
      for await (const mismatches of mismatchesOf(sql, side, signal)) {
        for (const { problem } of mismatches) counts[problem]++;
        if (mismatches.length > 0) onMismatches(mismatches);
        if (!check) await repair(sql, sides, mismatches, signal);
        await onSlice();
      }
    }),
  );
  signal?.throwIfAborted();
  const failures = compared.flatMap((result, index) =>
    result.status === 'rejected' ? [{ side: nameOf(sides[index] ?? sides[0]), error: result.reason }] : [],
  );
  const [failure] = failures;
  if (failure !== undefined && failures.length === sides.length) throw failure.error;
  return { counts, failures };
}

/** Returns the mismatches of all slices (see `mismatchesOf`). */
export async function findMismatches(sql: Pool, side: WorkflowSide, signal?: AbortSignal): Promise<Mismatch[]> {
  const found: Mismatch[] = [];
  for await (const mismatches of mismatchesOf(sql, side, signal)) found.push(...mismatches);
  return found;
}

/**
 * Compares the workflows that PostgreSQL requires with those that a Temporal runs, and yields the mismatches of each
 * slice. They differ after one of the two was lost, or restored from a back-up that is older or newer than the other;
 * or after the sandbox got a Temporal of its own. First come the objects, what is due soonest first; then the workflows
 * that no object requires. Each suspect is looked at twice, so changes that are merely under way are not reported.
 * `signal` cancels the comparison with an AbortError.
 */
export async function* mismatchesOf(sql: Pool, side: WorkflowSide, signal?: AbortSignal): AsyncGenerator<Mismatch[]> {
  for (const type of workflowTypes) {
    for await (const rows of wantedSubjects(sql, side, type, signal)) {
      const running = await runningAmong(side, type, rows);
      const suspects = rows.filter((row) => {
        const shown = running.get(row.id);
        return shown === undefined || isStale(row, shown, wantedOf(type, row));
      });
      yield await confirmed(
        sql,
        side,
        suspects.map((row) => ({ type, id: row.id, row })),
        signal,
      );
    }
    for await (const ids of runningWorkflows(side, type, signal)) {
      const wanted = new Set(await subjectsAmong(sql, type, side.livemode, ids));
      const suspects = ids.filter((id) => !wanted.has(id));
      const found = await confirmed(
        sql,
        side,
        suspects.map((id) => ({ type, id, row: null })),
        signal,
      );
      yield type === 'webhookDelivery' ? await withoutEnded(sql, found) : found;
    }
  }
}

/** Looks at the suspects of a slice a second time, after a pause. Returns those that are mismatches. */
async function confirmed(
  sql: Pool,
  side: WorkflowSide,
  suspects: Suspect[],
  signal: AbortSignal | undefined,
): Promise<Mismatch[]> {
  if (suspects.length === 0) return [];
  await pause(secondLookAfterMs, undefined, { signal });
  const found = await inBatches(suspects, (suspect) => lookTwice(sql, side, suspect), signal);
  return withoutCarried(side, found);
}

/**
 * Leaves out deliveries that have ended, such as those to an endpoint that its biller has deleted. Their workflows wait
 * for the next attempt, and end then. Nothing was lost.
 */
async function withoutEnded(sql: Pool, found: Mismatch[]): Promise<Mismatch[]> {
  const ended = await inBatches(found, async ({ subjectId, isMisplaced }) =>
    !isMisplaced && (await isEndedDelivery(sql, subjectId)) ? subjectId : null,
  );
  return found.filter(({ subjectId }) => !ended.includes(subjectId));
}

/** Leaves out the deliveries without a workflow of their own that a running batch carries. */
async function withoutCarried(side: WorkflowSide, found: Mismatch[]): Promise<Mismatch[]> {
  const maybeCarried = ({ workflowType, problem }: Mismatch) =>
    workflowType === 'webhookDelivery' && problem === 'missing';
  if (!found.some(maybeCarried)) return found;
  const carried = await listCarried(side);
  return found.filter((mismatch) => !maybeCarried(mismatch) || !carried.has(mismatch.subjectId));
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
    const entries = mismatches
      .filter(({ isMisplaced, livemode }) => !isMisplaced && sideOf(sides, livemode) === side)
      .map(repairingEntry);
    if (entries.length === 0) continue;
    // New commits must not queue behind all of the repairs.
    await untilDispatched(sql, side, signal);
    await atomically(sql, (tx) => enqueue(tx, entries, realNow()));
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

function repairingEntry({ workflowType, subjectId: id, livemode, problem }: Mismatch): OutboxEntry {
  const subject = { id, livemode };
  return problem === 'missing' ? startEntry(workflowType, subject) : wakeEntry(workflowType, subject);
}

async function untilDispatched(sql: Pool, { livemode }: WorkflowSide, signal?: AbortSignal): Promise<void> {
  const giveUpAt = performance.now() + repairTimeoutMs;
  while ((await isBacklogOf(sql, longBacklog, livemode)) && performance.now() < giveUpAt) {
    await pause(100, undefined, { signal });
  }
}

/** Returns what the running workflows of these subjects show, by subject id. */
async function runningAmong(side: WorkflowSide, type: WorkflowType, rows: WantingRow[]): Promise<Map<string, string>> {
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
async function* runningWorkflows(
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

/** The objects that need a workflow of this type: those with a date by it, then the others. */
async function* wantedSubjects(
  sql: Pool,
  { livemode }: WorkflowSide,
  type: WorkflowType,
  signal?: AbortSignal,
): AsyncGenerator<WantingRow[]> {
  for (const isDated of [true, false]) {
    for (let after: WantingRow | undefined, isLast = false; !isLast; ) {
      signal?.throwIfAborted();
      const rows = await subjectsWantingWorkflow(sql, type, { livemode, isDated, after, limit: sliceSize });
      if (rows.length > 0) yield rows;
      isLast = rows.length < sliceSize;
      after = rows.at(-1);
    }
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
function wantedOf(type: WorkflowType, row: WantingRow): string {
  if (type === 'testClock') return row.state ?? '';
  if (!showsDate(type)) return '';
  return planInWords(row.state, row.next_due_at, row.failed_attempts);
}

function planInWords(state: string | null, nextDueAt: Date | null, failedAttempts: number): string {
  return `${state}, next due ${nextDueAt?.toISOString() ?? 'never'}, ${failedAttempts} failed attempts`;
}

function isStale(row: WantingRow, shown: string, wanted: string): boolean {
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
    const hasRow = (await selectModeOfSubject(sql, type, id)) !== null;
    const detail = hasRow ? 'its workflow runs and has nothing to do' : 'its workflow runs, and it has no row';
    return { ...about, problem: 'orphaned', detail };
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
