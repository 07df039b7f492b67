import type { SubjectStatus } from '../../messages/subject-status.ts';
import type { Db, Pool } from '../../platform/postgres/connection.ts';
import { realNow } from '../../platform/real-time.ts';
import type { Processors } from '../../processors/processor.ts';
import type { WorkflowTime } from '../customer-time.ts';
import { bankDebitStatus } from '../debits/debit-status.ts';
import { carryOutDebit } from '../debits/debit-steps.ts';
import { carryOutLink, carryOutSession } from '../links/expiry.ts';
import { linkStatus, sessionStatus } from '../links/subject-status.ts';
import { collectScheduledPayment } from '../payments/scheduled-payments.ts';
import { collectDuePayment } from '../plans/plan-collection.ts';
import { planStatus, scheduledPaymentStatus } from '../plans/subject-status.ts';
import { collectDueSubscription } from '../subscriptions/subscription-collection.ts';
import { subscriptionStatus } from '../subscriptions/subscription-status.ts';
import { chargeHook } from './charge-hook.ts';

const kinds = {
  plan: { read: planStatus, collect: collectPlan },
  scheduledPayment: { read: scheduledPaymentStatus, collect: collectScheduledPayment },
  subscription: { read: subscriptionStatus, collect: collectSubscription },
  bankDebit: { read: bankDebitStatus, collect: collectDebit },
  paymentLink: { read: linkStatus, collect: collectLink },
  checkoutSession: { read: sessionStatus, collect: collectSession },
};

export type SubjectKind = keyof typeof kinds;

type Time = WorkflowTime & { now: Date };

/** Takes the next step of a plan that is due. */
export function collectPlan(sql: Db, processors: Processors, id: string, time: Time): Promise<void> {
  return collectDuePayment(sql, { processors, hook: chargeHook }, id, time);
}

/** Takes the next step of a subscription that is due. */
export function collectSubscription(sql: Db, processors: Processors, id: string, time: Time): Promise<void> {
  return collectDueSubscription(sql, { processors, hook: chargeHook }, id, time);
}

/** Takes the step of a debit that is due. */
export function collectDebit(sql: Db, processors: Processors, attemptId: string, time: Time): Promise<void> {
  return carryOutDebit(sql, { processors, hook: chargeHook }, attemptId, time);
}

/** Lets a link expire. No processor is asked. */
export function collectLink(sql: Db, _: Processors, id: string, time: Time): Promise<void> {
  return carryOutLink(sql, chargeHook, id, time);
}

/** Lets a session expire, or its challenge fail. No processor is asked. */
export function collectSession(sql: Db, _: Processors, id: string, time: Time): Promise<void> {
  return carryOutSession(sql, chargeHook, id, time);
}

/**
 * Collects at most one payment of a plan, or a scheduled payment, or takes a step of a debit, a subscription, a link or
 * a session, that is due at the workflow's time. Returns the status afterwards. If the workflow is ahead of the clock
 * in the database, which was restored from a back-up, nothing is collected: the status makes the workflow go back
 * first.
 */
export async function collectSubject(
  sql: Pool,
  processors: Processors,
  { kind, id }: { kind: SubjectKind; id: string },
  { at, maxAheadMs }: WorkflowTime,
): Promise<SubjectStatus> {
  const { read, collect } = kinds[kind];
  const status = await read(sql, id);
  const { clockTime, clockLimit } = status;
  if (clockLimit !== null && at.getTime() > clockLimit) return status;
  const customerTime = new Date(Math.max(at.getTime(), clockTime ?? at.getTime()));
  await collect(sql, processors, id, { at: customerTime, now: realNow(), maxAheadMs });
  return read(sql, id);
}
