import { lockCustomer } from '../../db/customers.ts';
import { type LockedIntentRow, lockPaymentIntent } from '../../db/payment-intents.ts';
import { type CollectingPlanRow, lockPlan } from '../../db/payment-plans.ts';
import type { Tx } from '../../platform/postgres/connection.ts';
import { timeOf } from '../customer-time.ts';
import { NotFound } from '../errors.ts';
import type { RequestContext } from '../request-context.ts';
import { fetchPaymentIntent } from './payment-intents.ts';

/** An intent locked for update, its locked plan if it has one, and the customer time of the change. */
export interface LockedIntent {
  intent: LockedIntentRow;
  plan: CollectingPlanRow | null;
  at: Date;
}

/**
 * Locks an intent for update. The lock order is: the clock of its customer (share lock), the customer, its plan, the
 * intent.
 * @throws NotFound
 * @throws InvalidState while the clock is advancing.
 */
export async function lockIntentForUpdate(tx: Tx, call: RequestContext, id: string): Promise<LockedIntent> {
  const { customer_id: customerId, payment_plan_id: planId } = await fetchPaymentIntent(tx, call, id);
  const at = timeOf(customerId === null ? null : await lockCustomer(tx, call, customerId), call.now);
  const plan = planId === null ? null : await lockPlan(tx, planId);
  const intent = await lockPaymentIntent(tx, id);
  if (intent === null) throw new NotFound('payment intent', id);
  return { intent, plan, at };
}
