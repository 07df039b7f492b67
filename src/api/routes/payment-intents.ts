import Type from 'typebox';
import type { PaymentIntentRow } from '../../db/payment-intents.ts';
import type { Processors } from '../../processors/processor.ts';
import { ListOf, page, Strict } from '../../resources/common.ts';
import {
  debitIntentExample,
  PaymentIntent,
  PaymentIntentByKey,
  paymentIntentExample,
  paymentIntents,
  planPaymentIntentExample,
  presentPaymentIntent,
  presentToPayer,
  type ShownOnce,
} from '../../resources/payment-intent.ts';
import {
  PaymentIntentActionCompletion,
  PaymentIntentBankResult,
  PaymentIntentConfirm,
  PaymentIntentCreate,
} from '../../resources/payment-intent-input.ts';
import type { Vault } from '../../services/accounts/vault.ts';
import { reportBankResult } from '../../services/debits/bank-result.ts';
import { Forbidden } from '../../services/errors.ts';
import { countingFailures } from '../../services/pages/page-limits.ts';
import { type PageUrls, receiptUrlOf } from '../../services/pages/page-urls.ts';
import { completeChallenge } from '../../services/payments/challenge-completion.ts';
import type { Charging } from '../../services/payments/charge.ts';
import { cancelPaymentIntent } from '../../services/payments/payment-cancellation.ts';
import { confirmPaymentIntent, createAndConfirm } from '../../services/payments/payment-confirmation.ts';
import { createPaymentIntent, getPaymentIntent, listPaymentIntents } from '../../services/payments/payment-intents.ts';
import { repeatable } from '../../services/payments/repeatable-request.ts';
import { chargeHook } from '../../services/subjects/charge-hook.ts';
import { notCharged } from '../http/charge-errors.ts';
import { intentFilterOf, PaymentIntentQuery } from '../http/payment-filter.ts';
import { type KeyIdentity, type Route, route } from '../http/route.ts';

const paidExample = { ...planPaymentIntentExample, payment_plan_id: null };

const create = route({
  method: 'POST',
  path: '/api/v1/payment_intents',
  operation: 'createPaymentIntent',
  tag: paymentIntents,
  summary: 'Create a payment intent',
  description:
    'Nothing is charged until you confirm it, or until its scheduled_payment_date. The response has the ' +
    '`client_secret`. With it a browser can fetch or confirm the payment intent.\n\nWith `confirm: true` the ' +
    'payment is charged in the same request. The response has the result: `succeeded`, `failed` with ' +
    '`last_payment_error`, `requires_action` or `processing`. A decline is not an error: it returns 201, and you ' +
    'can confirm the payment intent again.',
  access: { scope: 'payment_intents:write' },
  invalid: 400,
  errors: notCharged,
  idempotency: 'by-body',
  commitsFirst: ({ confirm }) => confirm === true,
  bodyLimit: {
    kib: 256,
    since:
      'payment_method_data is free-form, and metadata holds 50 pairs of up to 540 characters, each of up to 12 bytes',
  },
  body: PaymentIntentCreate,
  response: { status: 201, schema: PaymentIntent },
  handle: async ({ context, body, deps }) => {
    const shown = (intent: PaymentIntentRow) => ({ ...presentPaymentIntent(intent), ...shownOnce(deps, intent) });
    if (!deps.commitsFirst) return shown(await createPaymentIntent(deps.db, context, body));
    return shown(await createAndConfirm(deps.db, chargingOf(deps), context, body, repeatable(deps, shown)));
  },
});

const fetch = route({
  method: 'GET',
  path: '/api/v1/payment_intents/:payment_intent_id',
  operation: 'getPaymentIntent',
  tag: paymentIntents,
  summary: 'Fetch a payment intent',
  description:
    'A publishable key needs the client_secret of this payment intent. It gets what a payer needs ' +
    '(`PaymentIntentForPayer`). A secret key gets the whole `PaymentIntent`.',
  access: { scope: 'payment_intents:read', publishable: true },
  invalid: 400,
  query: Strict({
    client_secret: Type.Optional(
      Type.String({
        maxLength: 200,
        description: 'Required with a publishable key: the client_secret of this payment intent.',
      }),
    ),
  }),
  response: { status: 200, schema: PaymentIntentByKey },
  handle: async ({ context, key, params, query, deps }) => {
    const intent = await getPaymentIntent(deps.db, context, params.payment_intent_id);
    assertMayAct(key, deps.vault, intent.id, query.client_secret);
    return shownTo(key, deps, intent);
  },
});

const confirm = route({
  method: 'POST',
  path: '/api/v1/payment_intents/:payment_intent_id/confirm',
  operation: 'confirmPaymentIntent',
  tag: paymentIntents,
  summary: 'Charge a payment intent',
  description:
    'Allowed from requires_payment_method and failed. Returns the result: `succeeded`, `failed` with ' +
    '`last_payment_error`, `requires_action` or `processing`. A decline is not an error: it returns 200. A bank ' +
    'account under a mandate returns `processing` with `expected_result_date`. A method without a customer is attached to the customer of the payment intent. ' +
    'If the payment intent has no customer, a method that belongs to one is charged only if `customer_id` names this ' +
    'customer (field error `payment_method_not_allowed`).\n\nA publishable key needs the ' +
    'client_secret of this payment intent. It may use a method of the payment intent’s customer, or a method ' +
    'without a customer. If the payment intent has no customer either, the method is bound to this payment ' +
    'intent. No other payment intent can use it until a secret key attaches it to a customer. Any other method ' +
    'returns 403 `payment_method_not_allowed`. After ten attempts that failed, with a publishable key or on a page, it ' +
    'returns 403 `too_many_attempts`: only a secret key may confirm it. The response has what a payer needs (`PaymentIntentForPayer`).',
  access: { scope: 'payment_intents:write', publishable: true },
  bodyLimit: { kib: 32, since: 'return_url has up to 2,048 characters, each of up to 12 bytes' },
  invalid: 400,
  errors: notCharged,
  idempotency: 'committed-first',
  body: PaymentIntentConfirm,
  response: {
    status: 200,
    schema: PaymentIntentByKey,
    example: {
      ...{ ...paymentIntentExample, status: 'succeeded', net_collected_amount: 2500 },
      collected_at: paymentIntentExample.updated_at,
    },
  },
  handle: async ({ context, key, params, body, deps }) => {
    const id = params.payment_intent_id;
    if (key.kind !== 'secret') await getPaymentIntent(deps.db, context, id);
    assertMayAct(key, deps.vault, id, body.client_secret);
    const shown = (intent: PaymentIntentRow) => shownToActor(key, deps, intent);
    const charge = () => confirmPaymentIntent(deps.db, chargingOf(deps), context, id, body, repeatable(deps, shown));
    return shown(key.kind === 'secret' ? await charge() : await countingFailures(deps.db, deps.vault, context, charge));
  },
});

const list = route({
  method: 'GET',
  path: '/api/v1/payment_intents',
  operation: 'listPaymentIntents',
  tag: paymentIntents,
  summary: 'List payment intents, newest first',
  access: { scope: 'payment_intents:read' },
  invalid: 400,
  query: PaymentIntentQuery,
  response: { status: 200, schema: ListOf(PaymentIntent) },
  handle: async ({ context, query, deps }) =>
    page(await listPaymentIntents(deps.db, context, intentFilterOf(query), query), presentPaymentIntent),
});

const cancel = route({
  method: 'POST',
  path: '/api/v1/payment_intents/:payment_intent_id/cancel',
  operation: 'cancelPaymentIntent',
  tag: paymentIntents,
  summary: 'Cancel a payment intent',
  description:
    'Allowed from requires_payment_method, requires_action and failed, and from processing while a bank debit waits for ' +
    'its hand-over to the bank. It also ends a schedule. A challenge at a live processor is given up there first. A payment intent of a plan cannot be canceled: suspend or close ' +
    'the plan.',
  access: { scope: 'payment_intents:write' },
  invalid: 400,
  errors: notCharged,
  idempotency: 'committed-first',
  response: {
    status: 200,
    schema: PaymentIntent,
    example: { ...paidExample, status: 'canceled', net_collected_amount: 0, collected_at: null },
  },
  handle: async ({ context, params, deps }) => {
    const { payment_intent_id: id } = params;
    const request = repeatable(deps, presentPaymentIntent);
    return presentPaymentIntent(await cancelPaymentIntent(deps.db, chargingOf(deps), context, id, request));
  },
});

const completeAction = route({
  method: 'POST',
  path: '/api/v1/test_helpers/payment_intents/:payment_intent_id/complete_action',
  operation: 'completePaymentIntentAction',
  tag: paymentIntents,
  summary: 'Complete a 3D Secure challenge as the payer would',
  description:
    'Completes the attempt that waits for the challenge. It is not a new attempt. If the customer was deleted meanwhile, ' +
    'the payment fails.',
  access: { scope: 'payment_intents:write', sandboxOnly: true },
  invalid: 400,
  body: PaymentIntentActionCompletion,
  response: { status: 200, schema: PaymentIntent, example: paidExample },
  handle: async ({ context, params, body, deps }) =>
    presentPaymentIntent(await completeChallenge(deps.db, chargeHook, context, params.payment_intent_id, body.result)),
});

const bankResult = route({
  method: 'POST',
  path: '/api/v1/test_helpers/payment_intents/:payment_intent_id/bank_result',
  operation: 'reportBankResult',
  tag: paymentIntents,
  summary: 'Report on a bank debit as the bank would',
  description:
    'Reports now what the bank would report at its own time. A debit that was not handed over yet is handed over first. ' +
    'After that the bank sends no other report about this debit. On a test clock you do not need this: an ' +
    'advance makes the bank report what `_sandbox_bank_outcome` chooses.',
  access: { scope: 'payment_intents:write', sandboxOnly: true },
  invalid: 400,
  body: PaymentIntentBankResult,
  response: {
    status: 200,
    schema: PaymentIntent,
    example: {
      ...{ ...debitIntentExample, payment_plan_id: null, status: 'succeeded' },
      ...{ net_collected_amount: 2500, returnable_until: '2027-02-11', collected_at: debitIntentExample.updated_at },
    },
  },
  handle: async ({ context, params, body, deps }) =>
    presentPaymentIntent(await reportBankResult(deps.db, chargeHook, context, params.payment_intent_id, body)),
});

export const paymentIntentRoutes: Route[] = [create, list, fetch, confirm, cancel, completeAction, bankResult];

function chargingOf({ processors }: { processors: Processors }): Charging {
  return { processors, hook: chargeHook };
}

/** Presents the intent as this key may see it. The client secret is included only if the key may act on the intent. */
function shownTo(key: KeyIdentity, deps: Showing, intent: PaymentIntentRow): PaymentIntentByKey {
  if (key.kind === 'publishable' || key.scopes.includes('payment_intents:write')) {
    return shownToActor(key, deps, intent);
  }
  const { receipt_url } = shownOnce(deps, intent);
  return { ...presentPaymentIntent(intent), ...(receipt_url === undefined ? {} : { receipt_url }) };
}

/** The same for a key that may act on the intent. */
function shownToActor(
  { kind }: Pick<KeyIdentity, 'kind'>,
  deps: Showing,
  intent: PaymentIntentRow,
): PaymentIntentByKey {
  const once = shownOnce(deps, intent);
  return kind === 'publishable' ? presentToPayer(intent, once) : { ...presentPaymentIntent(intent), ...once };
}

type Showing = { vault: Vault; pageUrls: PageUrls };

/** What lets its holder act on the intent, and the URL of its receipt. */
function shownOnce({ vault, pageUrls }: Showing, intent: PaymentIntentRow): ShownOnce {
  const { id, status } = intent;
  const waits = status === 'requires_action';
  const receiptUrl = receiptUrlOf(pageUrls, intent);
  return {
    client_secret: vault.clientSecretOf(id),
    next_action: waits ? { type: 'redirect', url: pageUrls.of('challenge', id) } : null,
    ...(receiptUrl === null ? {} : { receipt_url: receiptUrl }),
  };
}

/**
 * Checks that the key may act on the intent. Publishable keys are public, so they also need the intent's client secret.
 * @throws Forbidden
 */
function assertMayAct(
  key: Pick<KeyIdentity, 'kind'>,
  vault: Vault,
  intentId: string,
  clientSecret: string | undefined,
): void {
  if (key.kind === 'secret') return;
  const message = 'A publishable key needs the client_secret of this payment intent.';
  if (clientSecret === undefined) throw new Forbidden('secret_key_required', message);
  if (!vault.isClientSecretOf(intentId, clientSecret)) throw new Forbidden('client_secret_invalid', message);
}
