import type { Db } from './connection.ts';
import { noteStagedIntents } from './transaction.ts';

export type WorkflowType = 'paymentPlan' | 'scheduledPayment' | 'testClock' | 'webhookDelivery';

/** What Temporal is to be told: that a workflow should run, that something has changed for it, or both. */
export interface WorkflowIntent {
  workflowType: WorkflowType;
  /** The object that the workflow carries; its id makes the workflow's. */
  subjectId: string;
  /** Start the workflow if it is not running. Without it, a workflow that has ended needs no telling. */
  start: boolean;
  signal?: string;
}

export interface StagedIntent {
  id: number;
  workflow_id: string;
  workflow_type: WorkflowType;
  subject_id: string;
  start: boolean;
  signal: string | null;
  attempts: number;
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

/** Stages what Temporal is to be told, in the caller's transaction; the dispatcher carries it out after the commit. */
export async function stageIntents(tx: Db, intents: WorkflowIntent[], now: Date): Promise<void> {
  if (intents.length === 0) return;
  noteStagedIntents(tx);
  await tx`
    insert into workflow_intents ${tx(
      intents.map((intent) => ({
        workflow_id: workflowIdOf(intent.workflowType, intent.subjectId),
        workflow_type: intent.workflowType,
        subject_id: intent.subjectId,
        start: intent.start,
        signal: intent.signal ?? null,
        created_at: now,
        available_at: now,
      })),
    )}`;
}

/**
 * Claims up to `limit` intents, oldest first, until `claimedUntil`: who dies with a claim loses it then.
 * Concurrent claimers get different ones.
 */
export async function claimIntents(db: Db, limit: number, now: Date, claimedUntil: Date): Promise<StagedIntent[]> {
  return db<StagedIntent[]>`
    update workflow_intents
    set available_at = ${claimedUntil}, attempts = attempts + 1
    where id in (
      select id from workflow_intents
      where available_at <= ${now}
      order by available_at, id
      limit ${limit}
      for update skip locked
    )
    returning id, workflow_id, workflow_type, subject_id, start, signal, attempts`;
}

/** Removes intents that Temporal has accepted. */
export async function deleteIntents(db: Db, ids: number[]): Promise<void> {
  await db`delete from workflow_intents where id = any(${ids}::bigint[])`;
}

/** Puts an intent back after a failed try. */
export async function postponeIntent(db: Db, id: number, until: Date, error: string): Promise<void> {
  await db`update workflow_intents set available_at = ${until}, last_error = ${error.slice(0, 1000)} where id = ${id}`;
}
