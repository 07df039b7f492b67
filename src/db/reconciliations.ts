import type { Db } from './connection.ts';
import { atomically } from './transaction.ts';
import type { WorkflowType } from './workflow-intents.ts';

/** An object that wants a workflow, and what a plan's workflow should show. */
export interface SubjectRow {
  id: string;
  state: string | null;
  next_due_at: Date | null;
}

/** What a reconciliation has found. */
export interface ReconciliationCounts {
  missing: number;
  orphaned: number;
  stale: number;
}

/**
 * Begins a reconciliation, unless one was begun after `notSince`: however many processes ask, one of them does it.
 * Answers its id, or null.
 */
export async function beginReconciliation(db: Db, now: Date, notSince: Date): Promise<number | null> {
  return atomically(db, async (tx) => {
    await tx`select pg_advisory_xact_lock(hashtextextended('reconciliation', 0))`;
    const [row] = await tx<{ id: number }[]>`
      insert into reconciliations (started_at)
      select ${now} where not exists (select 1 from reconciliations where started_at > ${notSince})
      returning id`;
    return row?.id ?? null;
  });
}

/** Ends a reconciliation with what it found. */
export async function finishReconciliation(db: Db, id: number, now: Date, found: ReconciliationCounts): Promise<void> {
  await db`update reconciliations set ${db({ finished_at: now, ...found })} where id = ${id}`;
}

/** Takes back a reconciliation that could not be carried out. */
export async function abandonReconciliation(db: Db, id: number): Promise<void> {
  await db`delete from reconciliations where id = ${id}`;
}

/** A page of the objects that want a workflow of this type, by id. */
export async function subjectsWantingWorkflow(
  db: Db,
  type: WorkflowType,
  { limit, after = '' }: { limit: number; after?: string | undefined },
): Promise<SubjectRow[]> {
  return db<SubjectRow[]>`
    select * from (${wanting(db, type)}) subjects where id > ${after} order by id limit ${limit}`;
}

/** Whether this object wants a workflow of this type, or wanted one a moment ago and Temporal has still to be told. */
export async function isWantingWorkflow(db: Db, type: WorkflowType, id: string): Promise<boolean> {
  const rows = await db`
    select 1 from (${wanting(db, type)}) subjects where id = ${id}
    union all select 1 from workflow_intents where subject_id = ${id}`;
  return rows.length > 0;
}

/** Whether Temporal is still to be told to start something for this object. */
export async function isStartStaged(db: Db, subjectId: string): Promise<boolean> {
  const rows = await db`select 1 from workflow_intents where subject_id = ${subjectId} and start`;
  return rows.length > 0;
}

function wanting(db: Db, type: WorkflowType) {
  const alone = db`null as state, null::timestamptz as next_due_at`;
  switch (type) {
    case 'paymentPlan':
      return db`select id, state, next_due_at from payment_plans where state in ('active', 'suspended')`;
    case 'scheduledPayment':
      return db`select id, ${alone} from payment_intents where scheduled_at is not null`;
    case 'testClock':
      return db`select id, ${alone} from test_clocks`;
    case 'webhookDelivery':
      return db`select id, ${alone} from webhook_deliveries where status = 'pending'`;
  }
}
