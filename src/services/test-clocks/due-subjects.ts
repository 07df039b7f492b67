import { listDebitsDueOnClock } from '../../db/bank-debits.ts';
import { listSessionsDueOnClock } from '../../db/checkout-sessions.ts';
import type { DueRow } from '../../db/due-on-clock.ts';
import { listIntentsDueOnClock } from '../../db/payment-intents.ts';
import { listLinksDueOnClock } from '../../db/payment-links.ts';
import { listPlansDueOnClock } from '../../db/payment-plans.ts';
import { listSubscriptionsDueOnClock } from '../../db/subscriptions.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import type { WorkflowType } from '../../platform/postgres/outbox.ts';

/** A plan, subscription, scheduled payment, single debit, link or session with something to do before the clock's target. */
export interface DueSubject {
  workflowType: Extract<
    WorkflowType,
    'paymentPlan' | 'scheduledPayment' | 'bankDebit' | 'paymentLink' | 'checkoutSession' | 'subscription'
  >;
  id: string;
  /** When, in the clock's time. Null while it is under way. */
  at: Date | null;
  /**
   * The customer, if its subjects can change each other: a bank that takes a debit back can end the mandate that
   * another subject needs. Null if the subject is independent of all others.
   */
  customerInOrder: string | null;
}

/**
 * Returns what is due on a clock up to `target`. Subjects that are not due need no advance: each reads its time afresh
 * when it is next due.
 */
export async function dueOnClock(db: Db, testClockId: string, target: Date): Promise<DueSubject[]> {
  const [plans, payments, debits, links, sessions, subscriptions] = await Promise.all([
    listPlansDueOnClock(db, testClockId, target),
    listIntentsDueOnClock(db, testClockId, target),
    listDebitsDueOnClock(db, testClockId, target),
    listLinksDueOnClock(db, testClockId, target),
    listSessionsDueOnClock(db, testClockId, target),
    listSubscriptionsDueOnClock(db, testClockId, target),
  ]);
  return [
    ...plans.map((row) => subjectOf('paymentPlan', row)),
    ...payments.map((row) => subjectOf('scheduledPayment', row)),
    ...debits.map((row) => subjectOf('bankDebit', row)),
    ...links.map((row) => subjectOf('paymentLink', row)),
    ...sessions.map((row) => subjectOf('checkoutSession', row)),
    ...subscriptions.map((row) => subjectOf('subscription', row)),
  ];
}

/**
 * Returns the subject that is due first, or null. At the same instant a debit comes first: the bank's word may change
 * what else is to be done. Then the older id.
 */
export function firstDue(due: readonly DueSubject[]): DueSubject | null {
  return due.toSorted((a, b) => Number(a.at) - Number(b.at) || rank(a) - rank(b) || (a.id < b.id ? -1 : 1))[0] ?? null;
}

function subjectOf(workflowType: DueSubject['workflowType'], { id, at, customer_id, has_mandate }: DueRow): DueSubject {
  return { workflowType, id, at, customerInOrder: has_mandate ? customer_id : null };
}

function rank({ workflowType }: DueSubject): number {
  return workflowType === 'bankDebit' ? 0 : 1;
}
