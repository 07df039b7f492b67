import { setTimeout as pause } from 'node:timers/promises';
import type { WantingRow } from '../../db/subject-queries.ts';
import { type WorkflowType, workflowTypes } from '../../messages/workflow-types.ts';
import type { Db, Pool } from '../../platform/postgres/connection.ts';
import { databaseNow } from '../../platform/postgres/database-clock.ts';
import { nameOf, type WorkflowSide, type WorkflowSides } from '../sides/workflow-sides.ts';
import { planInconsistent } from '../stuck/kinds/plans.ts';
import { rowsBroken } from '../stuck/kinds/rows.ts';
import { inBatches, type Mismatch } from './mismatches.ts';
import {
  findSubjectWantingWorkflow,
  hasOutboxEntry,
  isEndedDelivery,
  type ReconciliationCounts,
  selectModeOfSubject,
  subjectsAmong,
  subjectsWantingWorkflow,
} from './reconciliations.ts';
import { repair } from './repair.ts';
import { describeRunning, isStale, runningAmong, runningWorkflows, sliceSize, wantedOf } from './running-workflows.ts';

/** A difference at the first look. `row` is the object as it was then; null when no object needs the workflow. */
interface Suspect {
  type: WorkflowType;
  id: string;
  row: WantingRow | null;
}

/** Time between the two looks: longer than a change under way takes to reach the other side. */
const secondLookAfterMs = 2_000;

/** What a reconciliation found and, for each Temporal that could not be read, why. */
export interface Reconciled {
  counts: ReconciliationCounts;
  failures: { side: string; error: unknown }[];
}

/**
 * Compares PostgreSQL with each Temporal separately, and repairs what differs slice by slice (see `mismatchesOf`). No
 * workflow is started for an object of which a row breaks an invariant.
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
      for await (const found of mismatchesOf(sql, side, signal)) {
        const mismatches = await withBroken(sql, found);
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
async function* mismatchesOf(sql: Pool, side: WorkflowSide, signal?: AbortSignal): AsyncGenerator<Mismatch[]> {
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

/** Adds which of the missing workflows are not to be started, and why. */
async function withBroken(sql: Pool, found: Mismatch[]): Promise<Mismatch[]> {
  const missing = found.filter(({ problem }) => problem === 'missing').map(({ subjectId }) => subjectId);
  if (missing.length === 0) return found;
  const reasons = await listBroken(sql, missing);
  return found.map((mismatch) => {
    const reason = mismatch.problem === 'missing' ? reasons.get(mismatch.subjectId) : undefined;
    if (reason === undefined) return mismatch;
    return { ...mismatch, isHeld: true, detail: `${mismatch.detail}; it is not started: ${reason}` };
  });
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
  return inBatches(suspects, (suspect) => lookTwice(sql, side, suspect), signal);
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

/** Second look: returns the mismatch if it persists and nothing is under way. */
async function lookTwice(sql: Pool, side: WorkflowSide, { type, id, row: before }: Suspect): Promise<Mismatch | null> {
  const workflow = await describeRunning(side.temporal, type, id);
  const [row, isUnderWay] = await Promise.all([findSubjectWantingWorkflow(sql, type, id), hasOutboxEntry(sql, id)]);
  if (isUnderWay) return null;
  const livemode = side.livemode ?? row?.livemode ?? true;
  const about = { workflowType: type, subjectId: id, livemode, isMisplaced: false, isHeld: false, isLost: false };
  if (row !== null && row.livemode !== livemode) {
    if (workflow === null) return null;
    const detail = `its workflow runs in ${nameOf(side)}, and is ended there`;
    return { ...about, isMisplaced: true, problem: 'orphaned', detail };
  }
  if (row === null) {
    if (workflow === null) return null;
    const hasRow = (await selectModeOfSubject(sql, type, id)) !== null;
    const detail = hasRow ? 'its workflow runs and has nothing to do' : 'its workflow runs, and it has no row';
    return { ...about, isLost: !hasRow && !workflow.isBusy, problem: 'orphaned', detail };
  }
  if (workflow === null)
    return { ...about, problem: 'missing', detail: 'no workflow runs for it, although it has work to do' };
  const wanted = wantedOf(type, row);
  const isAtRest = before !== null && wantedOf(type, before) === wanted && !workflow.isBusy;
  if (!isAtRest || !isStale(row, workflow.shown, wanted)) return null;
  return { ...about, problem: 'stale', detail: `it is ${wanted}; its workflow shows ${workflow.shown}` };
}

/**
 * Returns which of these objects have a row that breaks an invariant, as `ops stuck` names it, and how: part of a
 * sentence. The payments of a plan or subscription count as rows of it.
 */
async function listBroken(db: Db, ids: readonly string[]): Promise<Map<string, string>> {
  const now = await databaseNow(db);
  const threshold = { before: now, now };
  const rows = await db<{ id: string; reason: string }[]>`
    with named as materialized (
      select subject_id as id, detail || '; but ' || invariant as reason from (${rowsBroken.rows(db, threshold)}) b
      union all
      select subject_id, 'its rows do not agree (plan_inconsistent)' from (${planInconsistent.rows(db, threshold)}) p
    ), owned as (
      select id, reason from named
      union all
      select coalesce(i.payment_plan_id, i.subscription_id), n.id || ': ' || n.reason
      from named n join payment_intents i on i.id = n.id
    )
    select distinct on (id) id, reason from owned where id = any(${[...ids]}) order by id, reason`;
  return new Map(rows.map(({ id, reason }) => [id, reason]));
}
