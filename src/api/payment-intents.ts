import Type from 'typebox';
import type { PaymentIntentRow } from '../db/payment-intents.ts';
import { Strict } from '../resources/common.ts';
import {
  PaymentIntent,
  PaymentIntentConfirm,
  PaymentIntentCreate,
  presentPaymentIntent,
} from '../resources/payment-intent.ts';
import { Forbidden } from '../services/errors.ts';
import { confirmPaymentIntent } from '../services/payment-confirmation.ts';
import { createPaymentIntent, fetchPaymentIntent } from '../services/payment-intents.ts';
import type { Vault } from '../services/vault.ts';
import { type KeyIdentity, type Route, route } from './route.ts';

const tag = 'Payment intents';

const create = route({
  method: 'POST',
  path: '/api/v1/payment_intents',
  operation: 'createPaymentIntent',
  tag,
  summary: 'Create a payment intent',
  access: { scope: 'payment_intents:write' },
  invalid: 400,
  body: PaymentIntentCreate,
  response: { status: 201, schema: PaymentIntent },
  handle: async ({ call, body, deps }) => {
    const intent = await createPaymentIntent(deps.sql, call, body);
    return { ...presentPaymentIntent(intent), client_secret: deps.vault.clientSecretOf(intent.id) };
  },
});

const fetch = route({
  method: 'GET',
  path: '/api/v1/payment_intents/:payment_intent_id',
  operation: 'getPaymentIntent',
  tag,
  summary: 'Fetch a payment intent',
  description: 'A publishable key may, when it presents the intent’s own client_secret.',
  access: { scope: 'payment_intents:read', publishable: true },
  invalid: 400,
  query: Strict({ client_secret: Type.Optional(Type.String({ maxLength: 200 })) }),
  response: { status: 200, schema: PaymentIntent },
  handle: async ({ call, key, params, query, deps }) => {
    const intent = await fetchPaymentIntent(deps.sql, call, params.payment_intent_id);
    assertMayAct(key, deps.vault, intent.id, query.client_secret);
    return { ...presentPaymentIntent(intent), client_secret: deps.vault.clientSecretOf(intent.id) };
  },
});

const confirm = route({
  method: 'POST',
  path: '/api/v1/payment_intents/:payment_intent_id/confirm',
  operation: 'confirmPaymentIntent',
  tag,
  summary: 'Charge a payment intent',
  description:
    'Allowed from requires_payment_method and failed. A publishable key may, when it presents the intent’s own client_secret.',
  access: { scope: 'payment_intents:write', publishable: true },
  invalid: 400,
  errors: { 503: 'No processor is configured for live mode, or the service cannot be reached; nothing was charged.' },
  idempotency: 'committed-first',
  body: PaymentIntentConfirm,
  response: { status: 200, schema: PaymentIntent },
  handle: async ({ call, key, params, body, deps }) => {
    const { id } = await fetchPaymentIntent(deps.pool, call, params.payment_intent_id);
    assertMayAct(key, deps.vault, id, body.client_secret);
    const shown = (intent: PaymentIntentRow) => ({
      ...presentPaymentIntent(intent),
      client_secret: deps.vault.clientSecretOf(id),
    });
    const confirmed = await confirmPaymentIntent(deps.pool, deps.processors, call, id, body, {
      requestKey: deps.idempotencyKey,
      remember: (tx, intent) => deps.remember(tx, shown(intent)),
    });
    return shown(confirmed);
  },
});

export const paymentIntentRoutes: Route[] = [create, fetch, confirm];

/** A publishable key is everybody's: what it may do with an intent, it may with that intent's secret alone. */
function assertMayAct(key: KeyIdentity, vault: Vault, intentId: string, clientSecret: string | undefined): void {
  if (key.kind === 'secret') return;
  const message = 'A publishable key needs the client_secret of this payment intent.';
  if (clientSecret === undefined) throw new Forbidden('secret_key_required', message);
  if (!vault.isClientSecretOf(intentId, clientSecret)) throw new Forbidden('client_secret_invalid', message);
}
