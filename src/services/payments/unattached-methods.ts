import type { PaymentIntentRow } from '../../db/payment-intents.ts';
import { bindToIntent, lockPaymentMethod, markUsedByBiller, type PaymentMethodRow } from '../../db/payment-methods.ts';
import type { Id } from '../../domain/ids.ts';
import type { Tx } from '../../platform/postgres/connection.ts';
import { type FieldError, fieldError } from '../../resources/field-errors.ts';
import { methodError, type Resolved } from '../customers/resolve-references.ts';
import { Forbidden, missingReference } from '../errors.ts';
import type { RequestContext, Tenant } from '../request-context.ts';

// A payer's browser saves a method that has no customer yet. A publishable key is public, and a method id is not
// secret. So the first use decides who may use the method, until a secret key attaches it to a customer:
// - First use with a publishable key: the method is bound to that intent. No other intent may use it, with either kind
//   of key.
// - First use with a secret key: the method is the biller's. Secret keys may use it for any intent. Publishable keys
//   may use it only for an intent that carries it.

type Intent = Pick<PaymentIntentRow, 'customer_id' | 'payment_method_id'> & { id: Id<'payment_intent'> | null };

/** Who may use a method. */
export type MethodOwnership = Pick<
  PaymentMethodRow,
  'id' | 'customer_id' | 'detached_at' | 'bound_payment_intent_id' | 'used_by_biller'
>;

/** Locks and returns the method that a payer charges for a locked intent. @throws as `assertPayerMayUse`. */
export async function lockMethodOfPayer(tx: Tx, tenant: Tenant, id: string, intent: Intent): Promise<PaymentMethodRow> {
  const method = await lockPaymentMethod(tx, tenant, id);
  assertPayerMayUse(method, intent);
  return method;
}

/**
 * Checks the method that a payer charges for an intent. It belongs to the customer of the intent, or to no customer. A
 * method without a customer must be unused, bound to this intent, or carried by this intent because the biller named
 * it. Null is a method that does not exist.
 * @throws Forbidden for any other method. The error is the same for a method that does not exist and for one that
 * belongs to another customer.
 */
export function assertPayerMayUse<Method extends MethodOwnership>(
  method: Method | null,
  intent: Intent,
): asserts method is Method {
  if (method !== null && mayPayerUse(method, intent)) return;
  throw new Forbidden(
    'payment_method_not_allowed',
    'A publishable key may not use this payment method for this payment intent.',
  );
}

function mayPayerUse(method: MethodOwnership, intent: Intent): boolean {
  if (method.customer_id !== null) return method.customer_id === intent.customer_id;
  if (method.bound_payment_intent_id !== null) return method.bound_payment_intent_id === intent.id;
  return !method.used_by_biller || method.id === intent.payment_method_id;
}

/** What a method and an intent meet for. */
interface Meeting {
  /** The customer that the intent or the request names. One that the method brings along does not count. */
  payer: Id<'customer'> | null;
  /** Null for a new intent. */
  intentId: Id<'payment_intent'> | null;
  /** Whether the method is charged, now or on a date. Otherwise the intent only carries it. */
  isCharged: boolean;
}

/** Resolves and locks the method of an intent, by the rule of `methodOfIntentError`. */
export async function resolveMethodOfIntent(
  tx: Tx,
  tenant: Tenant,
  id: string,
  meeting: Meeting,
  path: string,
): Promise<Resolved<PaymentMethodRow>> {
  const method = await lockPaymentMethod(tx, tenant, id);
  if (method === null) return { error: missingReference(path, 'payment method', id) };
  const error = methodOfIntentError(method, meeting, path);
  return error ? { error } : { value: method };
}

/**
 * Returns the field error of a method that an intent cannot have. This is the one rule where a method and an intent
 * meet: a method of a customer is charged only if the intent or the request names this customer, because often a
 * payer's browser has named the method, and must not choose whom to charge. A method without a customer must not be
 * bound to another intent, unless it becomes the method of the payer.
 */
export function methodOfIntentError(
  method: MethodOwnership,
  { payer, intentId, isCharged }: Meeting,
  path: string,
): FieldError | undefined {
  const error = methodError(method, payer, path);
  if (error || payer !== null) return error;
  return (isCharged ? ownerError(method, path) : undefined) ?? bindingError(method, intentId, path);
}

function bindingError(
  method: MethodOwnership,
  intentId: Id<'payment_intent'> | null,
  path: string,
): FieldError | undefined {
  const { customer_id: customerId, bound_payment_intent_id: boundTo } = method;
  if (customerId !== null || boundTo === null || boundTo === intentId) return undefined;
  const message = 'The payment method is bound to another payment intent. Attach it to a customer first.';
  return fieldError(path, 'payment_method_of_other_intent', message);
}

function ownerError({ id, customer_id: ownerId }: MethodOwnership, path: string): FieldError | undefined {
  if (ownerId === null) return undefined;
  const message = `Payment method ${id} belongs to a customer. To charge it, name this customer in customer_id.`;
  return fieldError(path, 'payment_method_not_allowed', message);
}

/** Records the first use of a locked method for an intent without a customer, in the transaction that uses it. */
export async function recordUse(
  tx: Tx,
  context: RequestContext,
  method: PaymentMethodRow,
  intentId: Id<'payment_intent'>,
): Promise<void> {
  const isDecided = method.customer_id !== null || method.bound_payment_intent_id !== null || method.used_by_biller;
  if (isDecided) return;
  if (context.keyKind === 'publishable') await bindToIntent(tx, method.id, intentId);
  else await markUsedByBiller(tx, method.id);
}
