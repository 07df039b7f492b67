import { signals } from '../messages/signals.ts';
import type { Tx } from '../platform/postgres/connection.ts';
import { enqueue, type OutboxEntry, type WorkflowType } from '../platform/postgres/outbox.ts';

/** What makes a workflow of each type read the database again. A delivery does so by making its next attempt. */
const wakingSignals: Record<WorkflowType, { name: string }> = {
  paymentPlan: signals.poke,
  scheduledPayment: signals.poke,
  bankDebit: signals.poke,
  paymentLink: signals.poke,
  checkoutSession: signals.poke,
  subscription: signals.poke,
  testClock: signals.poke,
  webhookDelivery: signals.retryNow,
};

/** The object that a workflow is for. */
export interface WorkflowSubject {
  id: string;
  livemode: boolean;
}

/** A link or a session. On a test clock it has no workflow: the advance lets it expire. */
interface LinkSubject extends WorkflowSubject {
  test_clock_id: string | null;
}

/** Returns the outbox entry that starts the workflow of a subject. It has no effect if the workflow runs already. */
export function startEntry(workflowType: WorkflowType, { id, livemode }: WorkflowSubject): OutboxEntry {
  return { workflowType, subjectId: id, livemode, start: true };
}

/**
 * Returns the outbox entry that makes the workflow of a subject read the database again. If no workflow runs, `start`
 * starts one; without it the entry has no effect.
 */
export function wakeEntry(
  workflowType: WorkflowType,
  { id, livemode }: WorkflowSubject,
  { start = false } = {},
): OutboxEntry {
  return { workflowType, subjectId: id, livemode, start, signal: wakingSignals[workflowType].name };
}

/** Starts the workflow of a new subject once the transaction has committed. `now` is real time. */
export const start = {
  scheduledPayment: starting('scheduledPayment'),
  bankDebit: starting('bankDebit'),
  checkoutSession: inRealTime(starting('checkoutSession')),
  testClock: starting('testClock'),
};

/** Makes the workflow of a subject read the database again once the transaction has committed. See `wakeEntry`. */
export const wake = {
  plan: waking('paymentPlan'),
  scheduledPayment: waking('scheduledPayment'),
  bankDebit: waking('bankDebit'),
  paymentLink: inRealTime(waking('paymentLink')),
  checkoutSession: inRealTime(waking('checkoutSession')),
  subscription: waking('subscription'),
  testClock: waking('testClock'),
};

function starting(type: WorkflowType) {
  return (tx: Tx, subject: WorkflowSubject, now: Date) => enqueue(tx, [startEntry(type, subject)], now);
}

function waking(type: WorkflowType) {
  return (tx: Tx, subject: WorkflowSubject, now: Date, options?: { start: boolean }) =>
    enqueue(tx, [wakeEntry(type, subject, options)], now);
}

function inRealTime(
  wakes: (tx: Tx, subject: WorkflowSubject, now: Date, options?: { start: boolean }) => Promise<void>,
) {
  return async (tx: Tx, subject: LinkSubject, now: Date, options?: { start: boolean }): Promise<void> => {
    if (subject.test_clock_id === null) await wakes(tx, subject, now, options);
  };
}
