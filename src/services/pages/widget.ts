import { selectCredential } from '../../db/api-keys.ts';
import { selectBiller } from '../../db/billers.ts';
import { selectPaymentIntent } from '../../db/payment-intents.ts';
import type { PaymentMethodRow } from '../../db/payment-methods.ts';
import type { Db, Pool } from '../../platform/postgres/connection.ts';
import type { PaymentMethodCreate } from '../../resources/payment-method-input.ts';
import { hashKey, isKeyShaped } from '../accounts/api-keys.ts';
import { intentIdIn, type Vault } from '../accounts/vault.ts';
import { createPaymentMethod } from '../customers/payment-methods.ts';
import { Forbidden, InvalidState, ValidationFailed } from '../errors.ts';
import { type PayerRequest, payerContext, type RequestContext } from '../request-context.ts';
import { type Payee, payeeOf } from './paying.ts';

/** The biller in whose page the widget stands. */
export interface WidgetHost {
  payee: Payee;
  context: RequestContext;
  /** The registered origins that count in this mode: the only ones that may hold the frame. */
  origins: readonly string[];
}

/**
 * Reads who shows the widget: the biller of a publishable key, if `origin` is one of its registered origins. Null for
 * any other key or origin, so a stranger cannot tell which of them was wrong. Writes nothing.
 */
export async function openWidget(
  db: Db,
  { key, origin }: { key: string; origin: string },
  payer: PayerRequest,
): Promise<WidgetHost | null> {
  const credential = isKeyShaped(key) ? await selectCredential(db, hashKey(key)) : null;
  if (credential?.kind !== 'publishable') return null;
  if (credential.revoked_at !== null && credential.revoked_at <= payer.now) return null;
  const biller = await selectBiller(db, credential.biller_id);
  if (biller === null) return null;
  const { livemode } = credential;
  const payee = await payeeOf(db, biller, livemode);
  const origins = payee.checkout_origins.filter((each) => !livemode || each.startsWith('https://'));
  if (!origins.includes(origin)) return null;
  return { payee, origins, context: { ...payerContext(biller, livemode, payer), keyId: credential.id } };
}

/** Why the widget saves nothing. `busy`: the customer's test clock is advancing. */
export type WidgetRefusal = 'wrong_secret' | 'refused' | 'busy';

/**
 * Saves a payer's method, with the rights of the publishable key and by the rules of `POST /payment_methods`: for the
 * customer of the payment whose client secret is given, if it has one, else for no customer yet.
 */
export async function saveWidgetMethod(
  pool: Pool,
  vault: Vault,
  { context }: WidgetHost,
  method: PaymentMethodCreate,
  clientSecret: string | null,
): Promise<PaymentMethodRow | WidgetRefusal> {
  const intentId = clientSecret === null ? null : intentIdIn(vault, clientSecret);
  const intent = intentId === null ? null : await selectPaymentIntent(pool, context, intentId);
  if (clientSecret !== null && intent === null) return 'wrong_secret';
  const customerId = intent?.customer_id ?? null;
  const input =
    clientSecret === null || customerId === null
      ? method
      : { ...method, customer_reference: customerId, client_secret: clientSecret };
  try {
    return await createPaymentMethod(pool, vault, context, input);
  } catch (error) {
    if (error instanceof InvalidState) return 'busy';
    if (error instanceof ValidationFailed || error instanceof Forbidden) return 'refused';
    throw error;
  }
}
