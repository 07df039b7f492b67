import { type LockedCustomerRow, lockCustomer, setFirstDefaultMethod } from '../db/customers.ts';
import {
  attachToCustomer,
  countMethodsOfCustomer,
  findPaymentMethod,
  lockPaymentMethod,
  type PaymentMethodRow,
} from '../db/payment-methods.ts';
import { parseSandboxOutcomes } from '../domain/sandbox-outcomes.ts';
import type { Db } from '../platform/postgres/connection.ts';
import { type FieldError, ValidationFailed } from './errors.ts';
import type { RequestContext, Tenant } from './request-context.ts';

/** Decisions: as many methods as a customer can have that are not detached. */
export const methodsPerCustomer = 50;

/** A thing that a body names, or what is wrong with naming it. */
export type Resolved<T> = { found: T; fault?: undefined } | { found?: undefined; fault: FieldError };

/** The customer that a body names, locked, its clock before it; a deleted one takes nothing new. */
export async function resolveCustomer(
  tx: Db,
  tenant: Tenant,
  id: string,
  path: string,
): Promise<Resolved<LockedCustomerRow>> {
  const found = await lockCustomer(tx, tenant, id);
  if (found === null) return missing(path, 'customer', id);
  if (found.deleted_at !== null) {
    return { fault: { code: 'customer_deleted', message: `Customer ${id} has been deleted.`, path } };
  }
  return { found };
}

/** The customer of a method, locked before the method is; null when it has none, or there is no such method. */
export async function lockOwner(tx: Db, tenant: Tenant, methodId: string): Promise<LockedCustomerRow | null> {
  const method = await findPaymentMethod(tx, tenant, methodId);
  return method?.customer_id ? lockCustomer(tx, tenant, method.customer_id) : null;
}

/** The method that a body names: one that can be charged, and that belongs to this customer or to nobody yet. */
export async function resolveMethod(
  tx: Db,
  tenant: Tenant,
  id: string,
  customerId: string | null,
  path: string,
): Promise<Resolved<PaymentMethodRow>> {
  const found = await lockPaymentMethod(tx, tenant, id);
  if (found === null) return missing(path, 'payment method', id);
  if (found.detached_at !== null) {
    const message = 'The payment method has been detached and cannot be charged.';
    return { fault: { code: 'payment_method_detached', message, path } };
  }
  if (customerId !== null && found.customer_id !== null && found.customer_id !== customerId) {
    const message = `Payment method ${id} belongs to another customer.`;
    return { fault: { code: 'payment_method_of_other_customer', message, path } };
  }
  return { found };
}

/**
 * Gives an unattached method to a locked customer, whose default it becomes when it is the first.
 * @throws ValidationFailed `payment_method_limit` when the customer has as many as it can have.
 */
export async function attachMethod(
  tx: Db,
  call: RequestContext,
  method: PaymentMethodRow,
  customerId: string,
  at: Date,
): Promise<PaymentMethodRow> {
  if (method.customer_id !== null) return method;
  await assertRoomForMethod(tx, customerId);
  await attachToCustomer(tx, method.id, customerId, at);
  await defaultToFirst(tx, call, customerId, method.id, at);
  return { ...method, customer_id: customerId, bound_payment_intent_id: null };
}

/**
 * Refuses another method of a locked customer that has as many as it can have.
 * @throws ValidationFailed `payment_method_limit`
 */
export async function assertRoomForMethod(tx: Db, customerId: string): Promise<void> {
  if ((await countMethodsOfCustomer(tx, customerId)) < methodsPerCustomer) return;
  const message = `The customer has ${methodsPerCustomer} payment methods, as many as it can have: detach one first.`;
  throw new ValidationFailed([{ code: 'payment_method_limit', message }], 'payment_method_limit');
}

/** Makes the method the default of a customer that has none. A publishable key never decides what a customer pays with. */
export async function defaultToFirst(
  tx: Db,
  call: RequestContext,
  customerId: string,
  methodId: string,
  at: Date,
): Promise<void> {
  if (call.keyKind === 'secret') await setFirstDefaultMethod(tx, customerId, methodId, at);
}

/** What is wrong with the reserved sandbox keys of a metadata object. */
export function metadataErrors(metadata: Record<string, string> | undefined, livemode: boolean): FieldError[] {
  const outcome = metadata?._sandbox_outcome;
  if (livemode || outcome === undefined || parseSandboxOutcomes(outcome) !== null) return [];
  return [
    {
      code: 'invalid_value',
      message:
        '_sandbox_outcome must be succeed, decline, requires_action or timeout, or a comma-separated list of them.',
      path: '/metadata/_sandbox_outcome',
    },
  ];
}

function missing(path: string, what: string, id: string): { fault: FieldError } {
  return { fault: { code: 'resource_missing', message: `No such ${what}: ${id}.`, path } };
}
