import { currentTrace } from '../tracing.ts';
import type { Db } from './connection.ts';
import { noteEnqueued } from './transaction.ts';

export type WorkflowType = 'paymentPlan' | 'scheduledPayment' | 'testClock' | 'webhookDelivery';

/** An entry for Temporal: start the workflow, signal it, or both. */
export interface OutboxEntry {
  workflowType: WorkflowType;
  /** The resource that the workflow is for. The workflow's id is made from its id. */
  subjectId: string;
  /** Start the workflow if it is not running. If false and the workflow has ended, the entry has no effect. */
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
  /** The trace to continue. Null when tracing is off. */
  traceparent: string | null;
}

const workflowIdPrefixes: Record<WorkflowType, string> = {
  paymentPlan: 'payment-plan',
  scheduledPayment: 'scheduled-payment',
  testClock: 'test-clock',
  webhookDelivery: 'webhook-delivery',
};

/** Returns the workflow id for a resource. No other code builds this id. */
export function workflowIdOf(workflowType: WorkflowType, subjectId: string): string {
  return `${workflowIdPrefixes[workflowType]}/${subjectId}`;
}

/**
 * Adds entries to the outbox in the caller's transaction; the dispatcher sends them to Temporal after the commit. Only
 * the database's clock decides when an entry is available, here and below. Processes with different clocks share these
 * rows; one whose clock is an hour ahead must not hold up the others for an hour.
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
 * Claims up to `limit` entries, oldest first, for `claimMs` milliseconds. If a process dies, its claim expires after
 * that. Concurrent callers get different entries.
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

/** Deletes entries that Temporal has accepted. */
export async function deleteDispatched(db: Db, ids: number[]): Promise<void> {
  await db`delete from workflow_intents where id = any(${ids}::bigint[])`;
}

/** Makes an entry available again `ms` milliseconds after a failed dispatch, and records the error. */
export async function postpone(db: Db, id: number, ms: number, error: string): Promise<void> {
  await db`
    update workflow_intents set available_at = now() + ${inMs(db, ms)}, last_error = ${error.slice(0, 1000)}
    where id = ${id}`;
}

function inMs(db: Db, ms: number) {
  return db`${ms}::integer * interval '1 millisecond'`;
}
