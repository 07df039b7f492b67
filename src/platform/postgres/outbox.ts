import { currentTrace } from '../tracing.ts';
import type { Db } from './connection.ts';
import { noteEnqueued } from './transaction.ts';

export type WorkflowType = 'paymentPlan' | 'scheduledPayment' | 'testClock' | 'webhookDelivery';

/** What Temporal is to be told: that a workflow should run, that something has changed for it, or both. */
export interface OutboxEntry {
  workflowType: WorkflowType;
  /** The object that the workflow carries; its id makes the workflow's. */
  subjectId: string;
  /** Start the workflow if it is not running. Without it, a workflow that has ended needs no telling. */
  start: boolean;
  signal?: string;
}

export interface ClaimedEntry {
  id: number;
  workflow_id: string;
  workflow_type: WorkflowType;
  subject_id: string;
  start: boolean;
  signal: string | null;
  attempts: number;
  created_at: Date;
  /** The trace that it goes on in; null where nobody traces. */
  traceparent: string | null;
}

const workflowIdPrefixes: Record<WorkflowType, string> = {
  paymentPlan: 'payment-plan',
  scheduledPayment: 'scheduled-payment',
  testClock: 'test-clock',
  webhookDelivery: 'webhook-delivery',
};

/** The id of the workflow that carries an object: the one place where it is made. */
export function workflowIdOf(workflowType: WorkflowType, subjectId: string): string {
  return `${workflowIdPrefixes[workflowType]}/${subjectId}`;
}

/**
 * Stages what Temporal is to be told, in the caller's transaction; the dispatcher carries it out after the commit. Here and
 * below the database's clock alone says when something may be carried out: processes whose clocks differ hand these rows to
 * each other, and one that is an hour ahead must not hold up the others for an hour.
 */
export async function enqueue(tx: Db, intents: OutboxEntry[], now: Date): Promise<void> {
  if (intents.length === 0) return;
  noteEnqueued(tx);
  await tx`
    insert into workflow_intents (workflow_id, workflow_type, subject_id, start, signal, created_at, available_at, traceparent)
    select staged.*, ${now}::timestamptz, now(), ${currentTrace()?.traceparent ?? null} from unnest(
      ${intents.map(({ workflowType, subjectId }) => workflowIdOf(workflowType, subjectId))}::text[],
      ${intents.map(({ workflowType }) => workflowType)}::text[], ${intents.map(({ subjectId }) => subjectId)}::text[],
      ${intents.map(({ start }) => String(start))}::text[]::boolean[], ${intents.map(({ signal }) => signal ?? null)}::text[]
    ) as staged`;
}

/**
 * Claims up to `limit` intents, oldest first, for `claimMs` milliseconds: who dies with a claim loses it then.
 * Concurrent claimers get different ones.
 */
export async function claimBatch(db: Db, limit: number, claimMs: number): Promise<ClaimedEntry[]> {
  return db<ClaimedEntry[]>`
    update workflow_intents
    set available_at = now() + ${inMs(db, claimMs)}, attempts = attempts + 1
    where id in (
      select id from workflow_intents
      where available_at <= now()
      order by available_at, id
      limit ${limit}
      for update skip locked
    )
    returning id, workflow_id, workflow_type, subject_id, start, signal, attempts, created_at, traceparent`;
}

/** Removes intents that Temporal has accepted. */
export async function deleteDispatched(db: Db, ids: number[]): Promise<void> {
  await db`delete from workflow_intents where id = any(${ids}::bigint[])`;
}

/** Puts an intent back after a failed try, for `ms` milliseconds. */
export async function postpone(db: Db, id: number, ms: number, error: string): Promise<void> {
  await db`
    update workflow_intents set available_at = now() + ${inMs(db, ms)}, last_error = ${error.slice(0, 1000)}
    where id = ${id}`;
}

function inMs(db: Db, ms: number) {
  return db`${ms}::integer * interval '1 millisecond'`;
}
