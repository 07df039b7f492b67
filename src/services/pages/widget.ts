import { selectCredential } from '../../db/api-keys.ts';
import { selectBiller } from '../../db/billers.ts';
import type { SetupPlace } from '../../db/card-setups.ts';
import { selectPaymentIntent } from '../../db/payment-intents.ts';
import type { PaymentMethodRow } from '../../db/payment-methods.ts';
import type { Db, Pool } from '../../platform/postgres/connection.ts';
import { atomically } from '../../platform/postgres/transaction.ts';
import type { PaymentMethodCreate } from '../../resources/payment-method-input.ts';
import { hashKey, isKeyShaped } from '../accounts/api-keys.ts';
import { intentIdIn, type Vault } from '../accounts/vault.ts';
import { saveCardOfSetup } from '../customers/entered-cards.ts';
import { createPaymentMethod, getPaymentMethod } from '../customers/payment-methods.ts';
import { Forbidden, InvalidState, ValidationFailed } from '../errors.ts';
import { hashOfToken } from '../links/tokens.ts';
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

/** Where a payer enters a card in a widget. */
export function placeOfWidget({ context }: WidgetHost): SetupPlace {
  const { billerId: biller_id, livemode, keyId: api_key_id } = context;
  return { biller_id, livemode, checkout_session_id: null, api_key_id };
}

/** A method that a payer has entered in a widget. `setup`: the handle of the setup of a card in live mode. */
export interface WidgetMethod {
  data: PaymentMethodCreate;
  setup: string | null;
}

/** Why the widget saves nothing. `busy`: the customer's test clock is advancing. */
export type WidgetRefusal = 'wrong_secret' | 'refused' | 'busy';

/**
 * Saves a payer's method once, with the rights of the publishable key and by the rules of `POST /payment_methods`: for
 * the customer of the payment whose client secret is given, if it has one, else for no customer yet.
 */
export async function saveWidgetMethod(
  pool: Pool,
  vault: Vault,
  host: WidgetHost,
  { data, setup }: WidgetMethod,
  clientSecret: string | null,
): Promise<PaymentMethodRow | WidgetRefusal> {
  const { context } = host;
  const intentId = clientSecret === null ? null : intentIdIn(vault, clientSecret);
  const intent = intentId === null ? null : await selectPaymentIntent(pool, context, intentId);
  if (clientSecret !== null && intent === null) return 'wrong_secret';
  const customerId = intent?.customer_id ?? null;
  const input =
    clientSecret === null || customerId === null
      ? data
      : { ...data, customer_reference: customerId, client_secret: clientSecret };
  try {
    if (setup === null) return await createPaymentMethod(pool, vault, context, input);
    return await atomically(pool, async (tx) => {
      const save = async () => (await createPaymentMethod(tx, vault, context, input)).id;
      const id = await saveCardOfSetup(tx, placeOfWidget(host), hashOfToken(setup), save);
      const saved = await getPaymentMethod(tx, context, id);
      const isOfOther = customerId !== null && saved.customer_id !== null && saved.customer_id !== customerId;
      if (isOfOther) throw ValidationFailed.of('/method', 'payment_method_detached', 'The card must be entered again.');
      return saved;
    });
  } catch (error) {
    if (error instanceof InvalidState) return 'busy';
    if (error instanceof ValidationFailed || error instanceof Forbidden) return 'refused';
    throw error;
  }
}
