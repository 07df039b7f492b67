import { listPersonsActions } from '../../db/audit-log.ts';
import type { CustomerRow } from '../../db/customers.ts';
import { selectPaymentMethod } from '../../db/payment-methods.ts';
import type { Id } from '../../domain/ids.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import { timeNow } from '../customer-time.ts';
import { getCustomer } from '../customers/customers.ts';
import { getPaymentPlan } from '../plans/payment-plans.ts';
import { planPayments, planSchedule } from '../plans/plan-payments.ts';
import type { RequestContext } from '../request-context.ts';
import { type ComingPayments, comingPayments } from '../subjects/coming-payments.ts';
import { subscriptionPeriods, subscriptionSchedule } from '../subscriptions/subscription-periods.ts';
import { getSubscription } from '../subscriptions/subscriptions.ts';

const pastShown = 50;
const comingShown = 12;

/**
 * Returns a plan with its customer, what has come, what is coming, and what people have done with it.
 * @throws NotFound
 */
export async function getPlanDetails(db: Db, context: RequestContext, id: string) {
  const plan = await getPaymentPlan(db, context, id);
  const [customer, payments, schedule, method, done] = await Promise.all([
    getCustomer(db, context, plan.customer_id),
    planPayments(db, context, plan.id, { limit: pastShown }),
    planSchedule(db, context, plan.id, comingShown),
    plan.payment_instrument_id === null ? null : selectPaymentMethod(db, context, plan.payment_instrument_id),
    listPersonsActions(db, context, [plan.id]),
  ]);
  const past = payments.rows.slice(0, pastShown);
  return { plan, customer, past, coming: schedule.payments, hasMore: schedule.hasMore, method, done };
}

/**
 * Returns a subscription with its customer, the periods that have begun, those to come, and what people have done.
 * @throws NotFound
 */
export async function getSubscriptionDetails(db: Db, context: RequestContext, id: string) {
  const subscription = await getSubscription(db, context, id);
  const { payment_instrument_id: named } = subscription;
  const [customer, periods, schedule, method, done] = await Promise.all([
    getCustomer(db, context, subscription.customer_id),
    subscriptionPeriods(db, context, subscription.id, { limit: pastShown }),
    subscriptionSchedule(db, context, subscription.id, comingShown),
    named === null ? null : selectPaymentMethod(db, context, named),
    listPersonsActions(db, context, [subscription.id]),
  ]);
  const past = periods.rows.slice(0, pastShown);
  return { subscription, customer, past, coming: schedule.periods, hasMore: schedule.hasMore, method, done };
}

/** A plan or a subscription. */
export type NamedByAction = { planId: Id<'payment_plan'> } | { subscriptionId: Id<'subscription'> };

/**
 * Returns what a resume takes at once and after that, by the method that it charges: the same that the pages for payers
 * show. Null if it has ended.
 */
export async function takenByResume(
  db: Db,
  context: RequestContext,
  named: NamedByAction,
  customer: CustomerRow,
  instrumentId: Id<'payment_method'> | null,
): Promise<ComingPayments | null> {
  const methodId = instrumentId ?? customer.default_payment_method_id;
  const subject = {
    apply_to_payment_plan_id: 'planId' in named ? named.planId : null,
    apply_to_subscription_id: 'subscriptionId' in named ? named.subscriptionId : null,
    apply_to_waives_unpaid: false,
  };
  return comingPayments(db, context, subject, {
    at: await timeNow(db, context, customer),
    paysFees: customer.fee_preferences?.customer_pays_transaction_fees ?? false,
    method: methodId === null ? null : await selectPaymentMethod(db, context, methodId),
  });
}
