import { type CustomerRow, lockCustomer, updateCustomer } from '../../db/customers.ts';
import { cancelScheduledIntents } from '../../db/payment-intents.ts';
import { lockOpenPlansOfCustomer } from '../../db/payment-plans.ts';
import { lockOpenSubscriptionsOfCustomer } from '../../db/subscriptions.ts';
import type { Writer } from '../../platform/postgres/connection.ts';
import { enqueue } from '../../platform/postgres/outbox.ts';
import { timeOf } from '../customer-time.ts';
import { orNotFound } from '../errors.ts';
import { intentEvent, positionHere, record, transact } from '../events.ts';
import { endLinksOfCustomer } from '../links/changes.ts';
import { endMandatesOf } from '../mandates/mandate-ends.ts';
import { transitionPlan } from '../plans/plan-transitions.ts';
import type { RequestContext } from '../request-context.ts';
import { endWithCustomer } from '../subscriptions/subscription-requests.ts';
import { wakeEntry } from '../wake.ts';
import { stopDebits } from './charge-hook.ts';

/**
 * Deletes a customer. The record stays readable. Its open plans are closed, its links deactivated, and its
 * subscriptions, scheduled payments and mandates canceled, each with its event. After the commit the customer is not
 * charged. Deleting it again changes nothing.
 * @throws NotFound
 * @throws InvalidState while the customer's clock is advancing.
 */
export async function deleteCustomer(db: Writer, context: RequestContext, id: string): Promise<CustomerRow> {
  return transact(db, context, async (tx) => {
    const customer = orNotFound(await lockCustomer(tx, context, id), 'customer', id);
    if (customer.deleted_at !== null) return customer;
    const at = timeOf(customer, context.now);
    const deleted = await updateCustomer(tx, id, { deleted_at: at, updated_at: at });
    const canceled = await cancelScheduledIntents(tx, id, at);
    await enqueue(
      tx,
      canceled.map((intent) => wakeEntry('scheduledPayment', intent)),
      context.now,
    );
    for (const plan of await lockOpenPlansOfCustomer(tx, id)) {
      await transitionPlan(tx, context, plan.id, 'close', 'customer_deleted');
    }
    const about = { testClockId: customer.test_clock_id, at };
    record(tx, ...canceled.map((intent) => intentEvent('payment_intent.canceled', intent, about)));
    await endLinksOfCustomer(tx, id, { at, now: context.now });
    for (const subscription of await lockOpenSubscriptionsOfCustomer(tx, id)) {
      await endWithCustomer(tx, context, subscription.id, at);
    }
    const mandatesEnded = positionHere(tx);
    const stop = { at, now: context.now, requestId: context.requestId };
    await stopDebits(tx, { customerId: customer.id }, 'mandate_unavailable', stop);
    await mandatesEnded.during(() => endMandatesOf(tx, ['customer_id', id], 'customer_deleted', at));
    return deleted;
  });
}
