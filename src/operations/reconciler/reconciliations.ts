import { type SubjectQueries, subjectQueries, type WantingRow } from '../../db/subject-queries.ts';
import { isUndispatched } from '../../db/webhook-batches.ts';
import type { WorkflowType } from '../../messages/workflow-types.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import { atomically } from '../../platform/postgres/transaction.ts';
import type { RealInstant } from '../../platform/real-time.ts';

/** The number of mismatches that a reconciliation found, by kind. */
export interface ReconciliationCounts {
  missing: number;
  orphaned: number;
  stale: number;
}

/** A process that reports no progress for so long is dead. A slice takes seconds. */
const abandonedAfterMs = 5 * 60_000;
const keptForMs = 30 * 86_400_000;
/**
 * How far the clocks of two processes may differ. A start further in the future comes from a wrong clock and is
 * ignored.
 */
const clockToleranceMs = 60_000;

/**
 * Begins a reconciliation and returns its id. Returns null if one was begun after `notSince` or is under way, or if the
 * last one took long: the pause after a reconciliation is at least nine times its duration. When several processes ask,
 * one of them gets the id.
 */
export async function beginReconciliation(db: Db, now: RealInstant, notSince: RealInstant): Promise<number | null> {
  const abandonedBefore = new Date(now.getTime() - abandonedAfterMs);
  const tooLate = new Date(now.getTime() + clockToleranceMs);
  return atomically(db, async (tx) => {
    await tx`select pg_advisory_xact_lock(hashtextextended('reconciliation', 0))`;
    await tx`delete from reconciliations where started_at < ${new Date(now.getTime() - keptForMs)}`;
    const [row] = await tx<{ id: number }[]>`
      insert into reconciliations (started_at)
      select ${now} where not exists (
        select 1 from reconciliations
        where started_at < ${tooLate} and (
          started_at > ${notSince}
          or (finished_at is null and coalesce(progress_at, started_at) > ${abandonedBefore})
          or finished_at + 9 * (finished_at - started_at) > ${now}
        )
      )
      returning id`;
    return row?.id ?? null;
  });
}

/**
 * Records that a reconciliation goes on.
 * @throws if another one has begun, because this one had made no progress for five minutes.
 */
export async function noteProgress(db: Db, id: number, now: RealInstant): Promise<void> {
  const { count } = await db`
    update reconciliations set progress_at = ${now}
    where id = ${id} and not exists (select 1 from reconciliations where id > ${id})`;
  if (count === 0) throw new Error('another process has begun to compare PostgreSQL and Temporal');
}

/**
 * Ends a reconciliation and stores what it found. `examples` are the first objects that differed, each with what was
 * wrong.
 */
export async function finishReconciliation(
  db: Db,
  id: number,
  now: RealInstant,
  counts: ReconciliationCounts,
  examples: readonly string[] = [],
): Promise<void> {
  await db`update reconciliations set ${db({ finished_at: now, ...counts, examples: [...examples] })} where id = ${id}`;
}

/**
 * Stores a whole comparison that an operator has made, so that `ops stuck` knows of it. Not while a worker makes one:
 * that one counts then.
 */
export async function recordReconciliation(
  db: Db,
  { startedAt, finishedAt }: { startedAt: RealInstant; finishedAt: RealInstant },
  counts: ReconciliationCounts,
  examples: readonly string[] = [],
): Promise<void> {
  const abandonedBefore = new Date(finishedAt.getTime() - abandonedAfterMs);
  await db`
    insert into reconciliations (started_at, finished_at, missing, orphaned, stale, examples)
    select ${startedAt}, ${finishedAt}, ${counts.missing}, ${counts.orphaned}, ${counts.stale}, ${[...examples]}
    where not exists (
      select from reconciliations
      where finished_at is null and coalesce(progress_at, started_at) > ${abandonedBefore}
    )`;
}

/** Deletes a reconciliation that could not be carried out. */
export async function abandonReconciliation(db: Db, id: number): Promise<void> {
  await db`delete from reconciliations where id = ${id}`;
}

/**
 * A slice of the objects of a mode (null: of both) that need a workflow of this type: those with a date (`due_at`) by
 * it, or those without one by their id.
 */
export async function subjectsWantingWorkflow(
  db: Db,
  type: WorkflowType,
  {
    livemode,
    isDated,
    after,
    limit,
  }: { livemode: boolean | null; isDated: boolean; after: WantingRow | undefined; limit: number },
): Promise<WantingRow[]> {
  const dated = db`
    due_at is not null ${after === undefined ? db`` : db`and (due_at, id) > (${after.due_at}, ${after.id})`}`;
  const undated = db`due_at is null ${after === undefined ? db`` : db`and id > ${after.id}`}`;
  return db<WantingRow[]>`
    select * from (${queries[type].wantingWorkflow(db)}) subjects
    where ${isDated ? dated : undated} ${ofMode(db, livemode)}
    order by ${isDated ? db`due_at, id` : db`id`}
    limit ${limit}`;
}

/** The ids among these whose objects, of a mode (null: of both), need a workflow of this type. */
export async function subjectsAmong(
  db: Db,
  type: WorkflowType,
  livemode: boolean | null,
  ids: string[],
): Promise<string[]> {
  const rows = await db<{ id: string }[]>`
    select id from (${queries[type].wantingWorkflow(db)}) subjects where id = any(${ids}) ${ofMode(db, livemode)}`;
  return rows.map(({ id }) => id);
}

/** The object if it needs a workflow of this type, otherwise null. */
export async function findSubjectWantingWorkflow(db: Db, type: WorkflowType, id: string): Promise<WantingRow | null> {
  const [row] = await db<WantingRow[]>`select * from (${queries[type].wantingWorkflow(db)}) subjects where id = ${id}`;
  return row ?? null;
}

/** The mode of the object that a workflow of this type is for; null if there is no such object. */
export async function selectModeOfSubject(db: Db, type: WorkflowType, id: string): Promise<boolean | null> {
  const { table, key } = queries[type];
  const [row] = await db<{ livemode: boolean }[]>`select livemode from ${db(table)} where ${db(key)} = ${id}`;
  return row?.livemode ?? null;
}

/** Whether this delivery has ended, such as because its endpoint was deleted. False if it has no row. */
export async function isEndedDelivery(db: Db, id: string): Promise<boolean> {
  const rows = await db`select 1 from webhook_deliveries where id = ${id} and status <> 'pending'`;
  return rows.length > 0;
}

/** Whether the outbox holds an entry for this object. */
export async function hasOutboxEntry(db: Db, subjectId: string): Promise<boolean> {
  const rows = await db`select 1 from workflow_intents where subject_id = ${subjectId} limit 1`;
  return rows.length > 0;
}

/** Whether at least `count` entries of a mode (null: of both) wait for their dispatch. */
export async function isBacklogOf(db: Db, count: number, livemode: boolean | null): Promise<boolean> {
  const rows = await db`
    select 1 from workflow_intents i where ${isUndispatched(db)} ${ofMode(db, livemode)} offset ${count - 1} limit 1`;
  return rows.length > 0;
}

function ofMode(db: Db, livemode: boolean | null) {
  return livemode === null ? db`` : db`and livemode = ${livemode}`;
}

const alone = (db: Db) =>
  db`null::timestamptz as next_due_at, null::timestamptz as due_at, 0 as failed_attempts, false as advancing`;

const queries: Readonly<Record<WorkflowType, Pick<SubjectQueries, 'table' | 'key' | 'wantingWorkflow'>>> = {
  ...subjectQueries,
  testClock: {
    table: 'test_clocks',
    key: 'id',
    wantingWorkflow: (db) => db`select id, livemode, status as state, ${alone(db)} from test_clocks`,
  },
  webhookDelivery: {
    table: 'webhook_deliveries',
    key: 'id',
    // Those in a batch have none of their own.
    wantingWorkflow: (db) => db`
      select id, livemode, null as state, ${alone(db)} from webhook_deliveries d
      where status = 'pending'
        and not exists (select from workflow_intents where workflow_type = 'webhookBatch' and subject_id = d.id)`,
  },
};
