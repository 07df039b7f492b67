import type { PaymentIntentRow } from '../../db/payment-intents.ts';
import { bindToIntent, lockPaymentMethod, markUsedByBiller, type PaymentMethodRow } from '../../db/payment-methods.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import { type FieldError, Forbidden } from '../errors.ts';
import type { RequestContext, Tenant } from '../request-context.ts';

// A payer's browser saves a method that has no customer yet. A publishable key is public, and the id of a method is no secret.
// So the first use decides who may use the method, until a secret key attaches it to a customer:
// - First used with a publishable key: the method is bound to that intent. No other intent may use it, with either key.
// - First used with a secret key: the method is the biller's. Secret keys may use it for any intent, publishable keys only for
//   an intent that carries it.

type Intent = Pick<PaymentIntentRow, 'id' | 'customer_id' | 'payment_method_id'>;

/**
 * The method that a payer charges for a locked intent, locked too: one of the intent's customer, or an unattached one that is
 * unused, bound to this intent, or carried by it because the biller has named it.
 * @throws Forbidden for any other: the same error for a method that does not exist and for one of somebody else.
 */
export async function lockMethodOfPayer(tx: Db, tenant: Tenant, id: string, intent: Intent): Promise<PaymentMethodRow> {
  const method = await lockPaymentMethod(tx, tenant, id);
  if (method !== null && mayPayerUse(method, intent)) return method;
  throw new Forbidden(
    'payment_method_not_allowed',
    'A publishable key may not use this payment method for this payment intent.',
  );
}

function mayPayerUse(method: PaymentMethodRow, intent: Intent): boolean {
  if (method.customer_id !== null) return method.customer_id === intent.customer_id;
  if (method.bound_payment_intent_id !== null) return method.bound_payment_intent_id === intent.id;
  return !method.used_by_biller || method.id === intent.payment_method_id;
}

/** The fault of a locked method that is bound to another intent than `intentId`, which has no customer; null: a new intent. */
export function bindingFault(method: PaymentMethodRow, intentId: string | null, path: string): FieldError | undefined {
  const { customer_id: customerId, bound_payment_intent_id: boundTo } = method;
  if (customerId !== null || boundTo === null || boundTo === intentId) return undefined;
  const message = 'The payment method is bound to another payment intent: attach it to a customer first.';
  return { code: 'payment_method_of_other_intent', message, path };
}

/** Records that a locked method is used for an intent without a customer, in the transaction that uses it. */
export async function recordUse(
  tx: Db,
  call: RequestContext,
  method: PaymentMethodRow,
  intentId: string,
): Promise<void> {
  const isDecided = method.customer_id !== null || method.bound_payment_intent_id !== null || method.used_by_biller;
  if (isDecided) return;
  if (call.keyKind === 'publishable') await bindToIntent(tx, method.id, intentId);
  else await markUsedByBiller(tx, method.id);
}
