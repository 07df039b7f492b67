import {
  type CustomerChange,
  type CustomerRow,
  lockCustomer,
  updateCustomer as storeChange,
} from '../../db/customers.ts';
import { type Id, namedId } from '../../domain/ids.ts';
import type { Tx, Writer } from '../../platform/postgres/connection.ts';
import type { CustomerUpdate } from '../../resources/customer.ts';
import { type FieldError, fieldError } from '../../resources/field-errors.ts';
import type { Instants } from '../customer-time.ts';
import { timeOf } from '../customer-time.ts';
import { assertNoErrors, orNotFound } from '../errors.ts';
import { transact } from '../events.ts';
import type { RequestContext } from '../request-context.ts';
import { resolveMethod } from './resolve-references.ts';

/**
 * What follows from another default method for plans and subscriptions. This folder knows nothing about them.
 * `customer` is as it was before.
 */
export type DefaultChanged = (
  tx: Tx,
  customer: CustomerRow,
  methodId: Id<'payment_method'> | null,
  instants: Instants,
) => Promise<void>;

/**
 * Changes a customer. Null clears a field.
 * @throws NotFound
 * @throws ValidationFailed when the customer was deleted, when `test_clock` is given (it never changes), and when the
 * default method is not the customer's own.
 * @throws InvalidState while the customer's clock is advancing.
 */
export async function updateCustomer(
  db: Writer,
  context: RequestContext,
  id: string,
  input: CustomerUpdate,
  defaultChanged: DefaultChanged,
): Promise<CustomerRow> {
  return transact(db, context, async (tx) => {
    const customer = orNotFound(await lockCustomer(tx, context, id), 'customer', id);
    const at = timeOf(customer, context.now);
    const { test_clock: testClock, default_payment_method: defaultMethod, ...fields } = input;
    const errors: FieldError[] = [];
    if (customer.deleted_at !== null) {
      errors.push({ code: 'customer_deleted', message: `Customer ${id} has been deleted.` });
    }
    if (testClock !== undefined) {
      errors.push(fieldError('/test_clock', 'immutable', 'test_clock is set at creation and cannot be changed.'));
    }
    const change: CustomerChange = { ...fields };
    if (defaultMethod !== undefined) {
      if (defaultMethod !== null) errors.push(...(await defaultMethodErrors(tx, context, customer, defaultMethod)));
      change.default_payment_method_id = namedId('payment_method', defaultMethod);
    }
    assertNoErrors(errors);
    const changed = await storeChange(tx, id, { ...change, updated_at: at });
    const { default_payment_method_id: methodId } = change;
    if (methodId !== undefined) await defaultChanged(tx, customer, methodId, { at, now: context.now });
    return changed;
  });
}

/**
 * Returns the field errors of a default method. It must already be attached to the customer: an update must not attach
 * a method by accident.
 */
async function defaultMethodErrors(
  tx: Tx,
  context: RequestContext,
  customer: CustomerRow,
  methodId: string,
): Promise<FieldError[]> {
  const path = '/default_payment_method';
  const { value: method, error } = await resolveMethod(tx, context, methodId, customer.id, path);
  if (error) return [error];
  if (method.customer_id === customer.id) return [];
  const message = `Payment method ${methodId} is not attached to this customer. Attach it first.`;
  return [fieldError(path, 'payment_method_unattached', message)];
}
