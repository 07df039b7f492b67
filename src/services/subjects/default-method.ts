import type { CustomerRow } from '../../db/customers.ts';
import { selectPaymentMethod } from '../../db/payment-methods.ts';
import { lockOpenPlansOfCustomer, lockPlan, updatePlan } from '../../db/payment-plans.ts';
import { lockOpenSubscriptionsOfCustomer } from '../../db/subscriptions.ts';
import { tenantOf } from '../../db/tenant.ts';
import type { Id } from '../../domain/ids.ts';
import { fitsCurrency } from '../../domain/schemes/schemes.ts';
import type { Tx } from '../../platform/postgres/connection.ts';
import type { DefaultChanged } from '../customers/customer-changes.ts';
import { takeNewDefault } from '../subscriptions/method-for-subscription.ts';

/**
 * A customer has another default. What names no method and is in a currency that the new one cannot pay keeps the former
 * one as its own. A subscription that is past due is tried at once by the new one. The caller has locked the customer
 * and stored the default.
 */
export const defaultChanged: DefaultChanged = async (tx, customer, methodId, { at, now }) => {
  const { default_payment_method_id: formerId } = customer;
  if (formerId === methodId) return;
  const tenant = tenantOf(customer);
  const method = methodId === null ? null : await selectPaymentMethod(tx, tenant, methodId);
  if (method === null) return;
  const former = formerId === null ? null : await selectPaymentMethod(tx, tenant, formerId);
  const kept = former === null || former.detached_at !== null ? null : former;
  for (const { id } of await lockOpenPlansOfCustomer(tx, customer.id)) await keepMethodOfPlan(tx, id, method, kept, at);
  for (const { id } of await lockOpenSubscriptionsOfCustomer(tx, customer.id)) {
    await takeNewDefault(tx, id, { method, former: kept, at, now });
  }
};

type Method = NonNullable<Awaited<ReturnType<typeof selectPaymentMethod>>>;

async function keepMethodOfPlan(
  tx: Tx,
  id: Id<'payment_plan'>,
  method: Method,
  former: Method | null,
  at: CustomerRow['created_at'],
): Promise<void> {
  const plan = await lockPlan(tx, id);
  if (plan === null || plan.payment_instrument_id !== null || fitsCurrency(method, plan.currency)) return;
  if (former === null || !fitsCurrency(former, plan.currency)) return;
  await updatePlan(tx, id, { payment_instrument_id: former.id, updated_at: at });
}
