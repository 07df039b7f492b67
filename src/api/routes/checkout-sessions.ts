import Type from 'typebox';
import type { CheckoutSessionRow } from '../../db/checkout-sessions.ts';
import {
  CheckoutSession,
  CheckoutSessionByKey,
  CheckoutSessionStatus,
  checkoutSessionExample,
  checkoutSessions,
  presentCheckoutSession,
  presentSessionToPayer,
} from '../../resources/checkout-session.ts';
import { CheckoutSessionCreate } from '../../resources/checkout-session-input.ts';
import { dateQuery, ListOf, listQuery, page, Reference, Strict } from '../../resources/common.ts';
import type { Vault } from '../../services/accounts/vault.ts';
import { Forbidden } from '../../services/errors.ts';
import {
  expireCheckoutSession,
  getCheckoutSession,
  listCheckoutSessions,
} from '../../services/links/checkout-sessions.ts';
import { tokenOf } from '../../services/links/tokens.ts';
import { createSession } from '../../services/subjects/session-for-subject.ts';
import { assertMayWriteNamed } from '../http/also-needs.ts';
import { type KeyIdentity, metadataLimit, type Route, route } from '../http/route.ts';

const write = { scope: 'payment_links:write' } as const;

const create = route({
  method: 'POST',
  path: '/api/v1/checkout_sessions',
  operation: 'createCheckoutSession',
  tag: checkoutSessions,
  summary: 'Create a checkout session',
  description:
    'A hosted page without a payment link. Send your payer to its `url`: to pay, to pay a `payment_intent_id` of ' +
    'yours, or in `setup` mode to save a method, whose `payment_method_id` your server then confirms with. With ' +
    '`subscription_id` the payer pays what a subscription has failed to collect: the page says what is taken, and for ' +
    'which dates. A payment intent has at most one open session.',
  access: write,
  assertScopes: (scopes, { body }) => assertMayWriteNamed(scopes, body),
  invalid: 422,
  bodyLimit: metadataLimit,
  body: CheckoutSessionCreate,
  response: { status: 201, schema: CheckoutSession },
  handle: async ({ context, key, body, deps }) =>
    shown(deps, await createSession(deps.db, deps.vault, context, body, { ...key, hasCardFields: deps.hasCardFields })),
});

const list = route({
  method: 'GET',
  path: '/api/v1/checkout_sessions',
  operation: 'listCheckoutSessions',
  tag: checkoutSessions,
  summary: 'List checkout sessions, newest first',
  description: 'Sessions of customers on a test clock are listed only with `test_clock`.',
  access: { scope: 'payment_links:read' },
  invalid: 422,
  query: Strict({
    ...listQuery,
    ...dateQuery,
    status: Type.Optional(CheckoutSessionStatus),
    payment_link_id: Type.Optional(Reference<'payment_link'>('Only sessions of this payment link.')),
    customer_id: Type.Optional(Reference<'customer'>('Only sessions of this customer.')),
    payment_plan_id: Type.Optional(Reference<'payment_plan'>('Only sessions whose `apply_to` names this plan.')),
    subscription_id: Type.Optional(
      Reference<'subscription'>('Only sessions whose `apply_to` names this subscription.'),
    ),
    test_clock: Type.Optional(Reference<'test_clock'>('Only sessions of customers on this test clock.')),
  }),
  response: { status: 200, schema: ListOf(CheckoutSession) },
  handle: async ({ context, query, deps }) => {
    const { status, payment_link_id: paymentLinkId, customer_id: customerId, test_clock: testClock } = query;
    const subject = { paymentPlanId: query.payment_plan_id, subscriptionId: query.subscription_id };
    const filter = { status, paymentLinkId, customerId, testClock, ...subject };
    return page(await listCheckoutSessions(deps.db, context, filter, query), presentCheckoutSession);
  },
});

const fetch = route({
  method: 'GET',
  path: '/api/v1/checkout_sessions/:checkout_session_id',
  operation: 'getCheckoutSession',
  tag: checkoutSessions,
  summary: 'Fetch a checkout session',
  description:
    'A publishable key needs the client_secret of this session. It gets what a payer needs ' +
    '(`CheckoutSessionForPayer`). A secret key gets the whole `CheckoutSession`.',
  access: { scope: 'payment_links:read', publishable: true },
  invalid: 422,
  query: Strict({
    client_secret: Type.Optional(
      Type.String({
        maxLength: 200,
        description: 'Required with a publishable key: the client_secret of this session.',
      }),
    ),
  }),
  response: { status: 200, schema: CheckoutSessionByKey, example: checkoutSessionExample },
  handle: async ({ context, key, params, query, deps }) => {
    const session = await getCheckoutSession(deps.db, context, params.checkout_session_id);
    if (key.kind === 'secret') {
      // A stranger with the URL or the secret can act: they are for keys that may make sessions.
      return key.scopes.includes(write.scope) ? shown(deps, session) : presentCheckoutSession(session);
    }
    assertSecret(key, deps.vault, session.id, query.client_secret);
    return presentSessionToPayer(session);
  },
});

const expire = route({
  method: 'POST',
  path: '/api/v1/checkout_sessions/:checkout_session_id/expire',
  operation: 'expireCheckoutSession',
  tag: checkoutSessions,
  summary: 'End an open checkout session',
  description: 'After the response no attempt is opened. Sends `checkout_session.expired`.',
  access: write,
  invalid: 422,
  response: {
    status: 200,
    schema: CheckoutSession,
    example: { ...checkoutSessionExample, status: 'expired', status_reason: 'requested' },
  },
  handle: async ({ context, params, deps }) =>
    shown(deps, await expireCheckoutSession(deps.db, context, params.checkout_session_id)),
});

export const checkoutSessionRoutes: Route[] = [create, list, fetch, expire];

function shown({ vault, publicUrl }: { vault: Vault; publicUrl: string }, row: CheckoutSessionRow): CheckoutSession {
  return {
    ...presentCheckoutSession(row),
    url: `${publicUrl}/checkout/${tokenOf(vault, 'checkout_session_tokens', row)}`,
    client_secret: vault.clientSecretOf(row.id),
  };
}

/** Publishable keys are public, so they also need the secret of the session. @throws Forbidden */
function assertSecret({ kind }: KeyIdentity, vault: Vault, id: string, secret: string | undefined): void {
  const message = `A ${kind} key needs the client_secret of this checkout session.`;
  if (secret === undefined) throw new Forbidden('secret_key_required', message);
  if (!vault.isClientSecretOf(id, secret)) throw new Forbidden('client_secret_invalid', message);
}
