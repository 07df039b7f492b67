import {
  type CustomerChange,
  type CustomerRow,
  lockCustomer,
  updateCustomer as storeChange,
} from '../../db/customers.ts';
import { cancelScheduledIntents } from '../../db/payment-intents.ts';
import { lockOpenPlansOfCustomer } from '../../db/payment-plans.ts';
import type { Db, Tx } from '../../platform/postgres/connection.ts';
import { enqueue } from '../../platform/postgres/outbox.ts';
import { atomically } from '../../platform/postgres/transaction.ts';
import type { CustomerUpdate } from '../../resources/customer.ts';
import { presentPaymentIntent } from '../../resources/payment-intent.ts';
import { timeOf } from '../customer-time.ts';
import { type FieldError, NotFound, ValidationFailed } from '../errors.ts';
import { recordEvents } from '../events.ts';
import { transitionPlan } from '../plans/plan-transitions.ts';
import type { RequestContext } from '../request-context.ts';
import { resolveMethod } from '../resolve-references.ts';

/**
 * Changes a customer. Null clears a field.
 * @throws NotFound
 * @throws ValidationFailed when the customer was deleted, when `test_clock` is given (it never changes), and when the
 * default method is not the customer's own.
 * @throws InvalidState while the customer's clock is advancing.
 */
export async function updateCustomer(
  db: Db,
  call: RequestContext,
  id: string,
  input: CustomerUpdate,
): Promise<CustomerRow> {
  return atomically(db, async (tx) => {
    const customer = await lockCustomer(tx, call, id);
    if (customer === null) throw new NotFound('customer', id);
    const at = timeOf(customer, call.now);
    const { test_clock: testClock, default_payment_method: defaultMethod, ...fields } = input;
    const faults: FieldError[] = [];
    if (customer.deleted_at !== null) {
      faults.push({ code: 'customer_deleted', message: `Customer ${id} has been deleted.` });
    }
    if (testClock !== undefined) {
      const message = 'test_clock is set at creation and cannot be changed.';
      faults.push({ code: 'immutable', message, path: '/test_clock' });
    }
    const change: CustomerChange = { ...fields };
    if (defaultMethod !== undefined) {
      if (defaultMethod !== null) faults.push(...(await defaultFaults(tx, call, customer, defaultMethod)));
      change.default_payment_method_id = defaultMethod;
    }
    if (faults.length > 0) throw new ValidationFailed(faults);
    return storeChange(tx, id, { ...change, updated_at: at });
  });
}

/**
 * Deletes a customer. The record stays readable. Its open plans are closed and its scheduled payments are canceled,
 * each with its event. After the commit the customer is not charged. Deleting it again changes nothing.
 * @throws NotFound
 * @throws InvalidState while the customer's clock is advancing.
 */
export async function deleteCustomer(db: Db, call: RequestContext, id: string): Promise<CustomerRow> {
  return atomically(db, async (tx) => {
    const customer = await lockCustomer(tx, call, id);
    if (customer === null) throw new NotFound('customer', id);
    if (customer.deleted_at !== null) return customer;
    const at = timeOf(customer, call.now);
    const deleted = await storeChange(tx, id, { deleted_at: at, updated_at: at });
    const canceled = await cancelScheduledIntents(tx, id, at);
    await enqueue(
      tx,
      canceled.map((intent) => ({
        workflowType: 'scheduledPayment',
        subjectId: intent.id,
        start: false,
        signal: 'poke',
      })),
      call.now,
    );
    for (const plan of await lockOpenPlansOfCustomer(tx, id)) {
      await transitionPlan(tx, call, plan.id, 'close', 'customer_deleted');
    }
    await recordEvents(
      tx,
      call,
      canceled.map((intent) => ({
        type: 'payment_intent.canceled',
        subjectId: intent.id,
        customerId: id,
        testClockId: customer.test_clock_id,
        at,
        data: presentPaymentIntent(intent),
      })),
    );
    return deleted;
  });
}

/**
 * Returns the field errors of a default method. It must already be attached to the customer: an update must not attach
 * a method by accident.
 */
async function defaultFaults(
  tx: Tx,
  call: RequestContext,
  customer: CustomerRow,
  methodId: string,
): Promise<FieldError[]> {
  const path = '/default_payment_method';
  const { found, fault } = await resolveMethod(tx, call, methodId, customer.id, path);
  if (fault) return [fault];
  if (found.customer_id === customer.id) return [];
  const message = `Payment method ${methodId} is not attached to this customer: attach it first.`;
  return [{ code: 'payment_method_unattached', message, path }];
}
