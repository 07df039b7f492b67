import { type LockedCustomerRow, lockCustomer, setFirstDefaultMethod } from '../../db/customers.ts';
import {
  attachToCustomer,
  countMethodsOfCustomer,
  lockPaymentMethod,
  type PaymentMethodRow,
  selectPaymentMethod,
} from '../../db/payment-methods.ts';
import type { Id } from '../../domain/ids.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import { parsePayoutWords } from '../../domain/ledger/payouts.ts';
import { parseOutcomesByPeriod, parseSandboxOutcomes } from '../../domain/sandbox-outcomes.ts';
import { bankOutcomeWords, parseBankOutcomes } from '../../domain/schemes/sandbox-debits.ts';
import type { Tx } from '../../platform/postgres/connection.ts';
import { type FieldError, fieldError } from '../../resources/field-errors.ts';
import { missingReference, ValidationFailed } from '../errors.ts';
import type { RequestContext, Tenant } from '../request-context.ts';

/** Decisions: the most payment methods of a customer. Detached ones do not count. */
const methodsPerCustomer = 50;

/** The object that a body refers to, or the field error when it cannot be used. */
export type Resolved<T> = { value: T; error?: undefined } | { value?: undefined; error: FieldError };

/**
 * Resolves the customer that a body refers to. Takes a share lock on its clock, then locks the customer. A deleted
 * customer is a field error, because it takes nothing new.
 */
export async function resolveCustomer(
  tx: Tx,
  tenant: Tenant,
  id: string,
  path: string,
): Promise<Resolved<LockedCustomerRow>> {
  const customer = await lockCustomer(tx, tenant, id);
  if (customer === null) return { error: missingReference(path, 'customer', id) };
  const error = customerError(customer, path);
  return error ? { error } : { value: customer };
}

/** Returns the field error of a customer that cannot be referred to, because it was deleted. */
function customerError(
  { id, deleted_at: deletedAt }: Pick<LockedCustomerRow, 'id' | 'deleted_at'>,
  path: string,
): FieldError | undefined {
  if (deletedAt === null) return undefined;
  return fieldError(path, 'customer_deleted', `Customer ${id} has been deleted.`);
}

/**
 * Locks and returns the customer of a method, before the method is locked. Returns null when the method does not exist
 * or has no customer.
 */
export async function lockOwner(tx: Tx, tenant: Tenant, methodId: string): Promise<LockedCustomerRow | null> {
  const method = await selectPaymentMethod(tx, tenant, methodId);
  return method?.customer_id ? lockCustomer(tx, tenant, method.customer_id) : null;
}

/**
 * Resolves the payment method that a body refers to, and locks it. It must not be detached, and it must belong to
 * `customerId` or to no customer. If `customerId` is null, its customer is not checked.
 */
export async function resolveMethod(
  tx: Tx,
  tenant: Tenant,
  id: string,
  customerId: Id<'customer'> | null,
  path: string,
): Promise<Resolved<PaymentMethodRow>> {
  const method = await lockPaymentMethod(tx, tenant, id);
  if (method === null) return { error: missingReference(path, 'payment method', id) };
  const error = methodError(method, customerId, path);
  return error ? { error } : { value: method };
}

/** Returns the field error of a method that `customerId` cannot be charged by. See `resolveMethod`. */
export function methodError(
  { id, customer_id: ownerId, detached_at: detachedAt }: Pick<PaymentMethodRow, 'id' | 'customer_id' | 'detached_at'>,
  customerId: Id<'customer'> | null,
  path: string,
): FieldError | undefined {
  if (detachedAt !== null) {
    return fieldError(path, 'payment_method_detached', 'The payment method has been detached and cannot be charged.');
  }
  if (customerId === null || ownerId === null || ownerId === customerId) return undefined;
  return fieldError(path, 'payment_method_of_other_customer', `Payment method ${id} belongs to another customer.`);
}

/**
 * Attaches a method without a customer to a locked customer, and makes it the default as `defaultToFirst` does. A
 * method with a customer is returned unchanged.
 * @throws ValidationFailed `payment_method_limit` when the customer has as many methods as it can have.
 */
export async function attachMethod(
  tx: Tx,
  context: RequestContext,
  method: PaymentMethodRow,
  customerId: Id<'customer'>,
  at: CustomerInstant,
): Promise<PaymentMethodRow> {
  if (method.customer_id !== null) return method;
  await assertRoomForMethod(tx, customerId);
  await attachToCustomer(tx, method.id, customerId, at);
  await defaultToFirst(tx, context, customerId, method.id, at);
  return { ...method, customer_id: customerId, bound_payment_intent_id: null };
}

/**
 * Checks that a locked customer can have another method.
 * @throws ValidationFailed `payment_method_limit` when it has as many as it can have.
 */
export async function assertRoomForMethod(tx: Tx, customerId: string): Promise<void> {
  if ((await countMethodsOfCustomer(tx, customerId)) < methodsPerCustomer) return;
  const message = `The customer has the maximum of ${methodsPerCustomer} payment methods. Detach one first.`;
  throw new ValidationFailed([{ code: 'payment_method_limit', message }], 'payment_method_limit');
}

/**
 * Makes the method the default of a customer without a default. Does nothing for a publishable key, which never decides
 * what a customer pays with.
 */
export async function defaultToFirst(
  tx: Tx,
  context: RequestContext,
  customerId: Id<'customer'>,
  methodId: Id<'payment_method'>,
  at: CustomerInstant,
): Promise<void> {
  if (context.keyKind === 'secret') await setFirstDefaultMethod(tx, customerId, methodId, at);
}

/** The reserved sandbox keys of a metadata object: who can read a value, and what is wrong with another. */
const sandboxKeys = {
  _sandbox_outcome: {
    parse: parseSandboxOutcomes,
    message:
      '_sandbox_outcome must be succeed, decline, requires_action or timeout, or a comma-separated list of them.',
  },
  _sandbox_outcome_by_period: {
    parse: parseOutcomesByPeriod,
    message: '_sandbox_outcome_by_period must be lists as in _sandbox_outcome, separated by semicolons.',
  },
  _sandbox_bank_outcome: {
    parse: parseBankOutcomes,
    message: `_sandbox_bank_outcome must be a comma-separated list of ${bankOutcomeWords.join(', ')}.`,
  },
  _sandbox_payout: {
    parse: parsePayoutWords,
    message: '_sandbox_payout must be paid or fail, or a comma-separated list of them.',
  },
};

/** Returns the field errors of the reserved sandbox keys in a metadata object. Live mode has none. */
export function metadataErrors(metadata: Record<string, string> | undefined, livemode: boolean): FieldError[] {
  if (livemode) return [];
  return Object.entries(sandboxKeys).flatMap(([name, { parse, message }]) => {
    const value = metadata?.[name];
    return value === undefined || parse(value) !== null
      ? []
      : [fieldError(`/metadata/${name}`, 'invalid_value', message)];
  });
}
