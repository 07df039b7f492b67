import { withoutOwner } from '../../db/bank-debits.ts';
import { isRunning } from '../../db/subscriptions.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import type { WorkflowType } from '../../platform/postgres/outbox.ts';
import { atomically } from '../../platform/postgres/transaction.ts';

/** An object that needs a workflow, and what that workflow should show. */
export interface SubjectRow {
  id: string;
  livemode: boolean;
  /** Of a plan or a clock. */
  state: string | null;
  next_due_at: Date | null;
  /** When its workflow acts next, in the customer's time; null if that is not known or it waits for something else. */
  due_at: Date | null;
  failed_attempts: number;
  /** Its clock is advancing: what the workflow shows is compared only once the advance has ended. */
  advancing: boolean;
}

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
export async function beginReconciliation(db: Db, now: Date, notSince: Date): Promise<number | null> {
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
export async function noteProgress(db: Db, id: number, now: Date): Promise<void> {
  const { count } = await db`
    update reconciliations set progress_at = ${now}
    where id = ${id} and not exists (select 1 from reconciliations where id > ${id})`;
  if (count === 0) throw new Error('another process has begun to compare PostgreSQL and Temporal');
}

/** Ends a reconciliation and stores what it found. */
export async function finishReconciliation(db: Db, id: number, now: Date, counts: ReconciliationCounts): Promise<void> {
  await db`update reconciliations set ${db({ finished_at: now, ...counts })} where id = ${id}`;
}

/**
 * Stores a whole comparison that an operator has made, so that `ops stuck` knows of it. Not while a worker makes one:
 * that one counts then.
 */
export async function recordReconciliation(
  db: Db,
  { startedAt, finishedAt }: { startedAt: Date; finishedAt: Date },
  counts: ReconciliationCounts,
): Promise<void> {
  const abandonedBefore = new Date(finishedAt.getTime() - abandonedAfterMs);
  await db`
    insert into reconciliations (started_at, finished_at, missing, orphaned, stale)
    select ${startedAt}, ${finishedAt}, ${counts.missing}, ${counts.orphaned}, ${counts.stale}
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
  }: { livemode: boolean | null; isDated: boolean; after: SubjectRow | undefined; limit: number },
): Promise<SubjectRow[]> {
  const dated = db`due_at is not null ${after === undefined ? db`` : db`and (due_at, id) > (${after.due_at}, ${after.id})`}`;
  const undated = db`due_at is null ${after === undefined ? db`` : db`and id > ${after.id}`}`;
  return db<SubjectRow[]>`
    select * from (${wanting(db, type)}) subjects
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
    select id from (${wanting(db, type)}) subjects where id = any(${ids}) ${ofMode(db, livemode)}`;
  return rows.map(({ id }) => id);
}

/** The object if it needs a workflow of this type, otherwise null. */
export async function findSubjectWantingWorkflow(db: Db, type: WorkflowType, id: string): Promise<SubjectRow | null> {
  const [row] = await db<SubjectRow[]>`select * from (${wanting(db, type)}) subjects where id = ${id}`;
  return row ?? null;
}

/** The mode of the object that a workflow of this type is for; null if there is no such object. */
export async function selectModeOfSubject(db: Db, type: WorkflowType, id: string): Promise<boolean | null> {
  const key = type === 'bankDebit' ? 'attempt_id' : 'id';
  const [row] = await db<{ livemode: boolean }[]>`
    select livemode from ${db(tables[type])} where ${db(key)} = ${id}`;
  return row?.livemode ?? null;
}

const tables: Record<WorkflowType, string> = {
  paymentPlan: 'payment_plans',
  scheduledPayment: 'payment_intents',
  bankDebit: 'bank_debits',
  paymentLink: 'payment_links',
  checkoutSession: 'checkout_sessions',
  subscription: 'subscriptions',
  testClock: 'test_clocks',
  webhookDelivery: 'webhook_deliveries',
};

/** Whether the outbox holds an entry for this object. */
export async function hasOutboxEntry(db: Db, subjectId: string): Promise<boolean> {
  const rows = await db`select 1 from workflow_intents where subject_id = ${subjectId} limit 1`;
  return rows.length > 0;
}

/** Whether the outbox holds at least `count` entries of a mode (null: of both). */
export async function isBacklogOf(db: Db, count: number, livemode: boolean | null): Promise<boolean> {
  const rows = await db`
    select 1 from workflow_intents where true ${ofMode(db, livemode)} offset ${count - 1} limit 1`;
  return rows.length > 0;
}

function ofMode(db: Db, livemode: boolean | null) {
  return livemode === null ? db`` : db`and livemode = ${livemode}`;
}

/**
 * No workflow shows the steps of the debits of its plan or subscription. If one is late in real time, the subject is
 * described as no workflow shows it, and so is woken.
 */
function lateDebit(db: Db, alias: 'p' | 's') {
  const column = (name: string) => db(`${alias}.${name}`);
  return db`case
      when ${column('test_clock_id')} is null and ${column('next_debit_at')} < now() - interval '5 minutes'
      then ' with a late debit' else '' end`;
}

function wanting(db: Db, type: WorkflowType) {
  const alone = db`null::timestamptz as next_due_at, null::timestamptz as due_at, 0 as failed_attempts, false as advancing`;
  switch (type) {
    case 'paymentPlan':
      // The failed attempts are the ones that the workflow reads in `db/subject-statuses.ts`.
      return db`
        select p.id, p.livemode, p.state || ${lateDebit(db, 'p')} as state, p.next_due_at, least(p.wake_at, p.next_debit_at) as due_at,
          coalesce(s.failures, 0) as failed_attempts,
          coalesce(k.status = 'advancing', false) as advancing
        from payment_plans p
        left join test_clocks k on k.id = p.test_clock_id
        left join lateral (
          select failures from payment_plan_slots
          where payment_plan_id = p.id and status in ('processing', 'retrying', 'failed', 'returned')
          order by next_attempt_at nulls last, slot
          limit 1
        ) s on true
        where p.state in ('active', 'suspended') or p.next_debit_at is not null`;
    case 'scheduledPayment':
      return db`
        select id, livemode, null as state, null::timestamptz as next_due_at, scheduled_at as due_at,
          0 as failed_attempts, false as advancing
        from payment_intents where scheduled_at is not null`;
    case 'bankDebit':
      return db`
        select d.attempt_id as id, d.livemode, a.outcome as state, d.next_at as next_due_at, d.next_at as due_at,
          0 as failed_attempts, coalesce(k.status = 'advancing', false) as advancing
        from bank_debits d
        join payment_attempts a on a.id = d.attempt_id
        left join test_clocks k on k.id = d.test_clock_id
        where ${withoutOwner(db)} and d.next_at is not null`;
    case 'paymentLink':
      return db`
        select id, livemode, status as state, wake_at as next_due_at, wake_at as due_at, 0 as failed_attempts,
          false as advancing
        from payment_links where status = 'open' and expires_at is not null and test_clock_id is null`;
    case 'checkoutSession':
      return db`
        select id, livemode, null as state, null::timestamptz as next_due_at, wake_at as due_at, 0 as failed_attempts,
          false as advancing
        from checkout_sessions where status in ('open', 'processing') and test_clock_id is null`;
    case 'subscription':
      return db`
        select s.id, s.livemode, s.state || ${lateDebit(db, 's')} as state, s.next_period_at as next_due_at,
          least(s.wake_at, s.next_debit_at) as due_at,
          coalesce(p.failures, 0) as failed_attempts, coalesce(k.status = 'advancing', false) as advancing
        from subscriptions s
        left join test_clocks k on k.id = s.test_clock_id
        left join lateral (
          select failures from subscription_periods
          where subscription_id = s.id and status in ('processing', 'retrying', 'unpaid')
          order by number
          limit 1
        ) p on true
        where ${isRunning(db)}`;
    case 'testClock':
      return db`select id, livemode, status as state, ${alone} from test_clocks`;
    case 'webhookDelivery':
      return db`select id, livemode, null as state, ${alone} from webhook_deliveries where status = 'pending'`;
  }
}
