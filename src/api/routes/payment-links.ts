import encodeQR from 'qr';
import Type from 'typebox';
import type { PaymentLinkRow } from '../../db/payment-links.ts';
import { dateQuery, ListOf, listQuery, page, Reference, Strict } from '../../resources/common.ts';
import { PaymentIntent, planPaymentIntentExample, presentPaymentIntent } from '../../resources/payment-intent.ts';
import {
  PaymentLink,
  PaymentLinkStatus,
  paymentLinkExample,
  paymentLinks,
  presentPaymentLink,
} from '../../resources/payment-link.ts';
import { PaymentLinkCreate, PaymentLinkRenew, PaymentLinkUpdate } from '../../resources/payment-link-input.ts';
import type { Vault } from '../../services/accounts/vault.ts';
import {
  createPaymentLink,
  deactivatePaymentLink,
  getPaymentLink,
  listPaymentLinks,
  listPaymentsOfLink,
  renewPaymentLink,
  rotateLinkUrl,
  updateLink,
} from '../../services/links/payment-links.ts';
import { tokenOf } from '../../services/links/tokens.ts';
import { assertMayWriteNamed } from '../http/also-needs.ts';
import { type KeyIdentity, metadataLimit, type Route, route } from '../http/route.ts';

const read = { scope: 'payment_links:read' } as const;
const write = { scope: 'payment_links:write' } as const;
const advancing = 'While the test clock of its customer is advancing: `test_clock_advancing`.';

const create = route({
  method: 'POST',
  path: '/api/v1/payment_links',
  operation: 'createPaymentLink',
  tag: paymentLinks,
  summary: 'Create a payment link',
  description:
    'Send its `url` to the payer. By default it takes one payment, however many tabs or people open it. With ' +
    '`customer_id` the payer is known. If that customer is on a test clock, so is the link. Sends ' +
    `\`payment_link.created\`. ${advancing}`,
  access: write,
  assertScopes: (scopes, { body }) => assertMayWriteNamed(scopes, body),
  invalid: 422,
  bodyLimit: metadataLimit,
  body: PaymentLinkCreate,
  response: { status: 201, schema: PaymentLink },
  handle: async ({ context, key, body, deps }) =>
    shown(
      deps,
      await createPaymentLink(deps.db, deps.vault, context, body, { ...key, hasCardFields: deps.hasCardFields }),
    ),
});

const list = route({
  method: 'GET',
  path: '/api/v1/payment_links',
  operation: 'listPaymentLinks',
  tag: paymentLinks,
  summary: 'List payment links, newest first',
  description: 'Links of customers on a test clock are listed only with `test_clock`.',
  access: read,
  invalid: 422,
  query: Strict({
    ...listQuery,
    ...dateQuery,
    status: Type.Optional(PaymentLinkStatus),
    customer_id: Type.Optional(Reference<'customer'>('Only links of this customer.')),
    payment_plan_id: Type.Optional(Reference<'payment_plan'>('Only links whose `apply_to` names this plan.')),
    subscription_id: Type.Optional(Reference<'subscription'>('Only links whose `apply_to` names this subscription.')),
    reference: Type.Optional(Type.String({ maxLength: 255, description: 'Only links with exactly this reference.' })),
    test_clock: Type.Optional(Reference<'test_clock'>('Only links of customers on this test clock.')),
  }),
  response: { status: 200, schema: ListOf(PaymentLink) },
  handle: async ({ context, key, query, deps }) => {
    const { status, customer_id: customerId, reference, test_clock: testClock } = query;
    const subject = { paymentPlanId: query.payment_plan_id, subscriptionId: query.subscription_id };
    const filter = { status, customerId, reference, testClock, ...subject };
    const rows = await listPaymentLinks(deps.db, context, filter, query);
    return page(rows, (row) => shownTo(key, deps, row));
  },
});

const fetch = route({
  method: 'GET',
  path: '/api/v1/payment_links/:payment_link_id',
  operation: 'getPaymentLink',
  tag: paymentLinks,
  summary: 'Fetch a payment link',
  access: read,
  invalid: 422,
  response: { status: 200, schema: PaymentLink },
  handle: async ({ context, key, params, deps }) =>
    shownTo(key, deps, await getPaymentLink(deps.db, context, params.payment_link_id)),
});

const payments = route({
  method: 'GET',
  path: '/api/v1/payment_links/:payment_link_id/payments',
  operation: 'listPaymentLinkPayments',
  tag: paymentLinks,
  summary: 'List the payments of a payment link, newest first',
  description: 'Every payment intent on which an attempt was made, whatever its result.',
  access: read,
  invalid: 422,
  query: Strict(listQuery),
  response: {
    status: 200,
    schema: ListOf(PaymentIntent),
    example: { data: [{ ...planPaymentIntentExample, payment_plan_id: null }], has_more: false },
  },
  handle: async ({ context, params, query, deps }) =>
    page(await listPaymentsOfLink(deps.db, context, params.payment_link_id, query), presentPaymentIntent),
});

const qr = route({
  method: 'GET',
  path: '/api/v1/payment_links/:payment_link_id/qr.svg',
  operation: 'getPaymentLinkQr',
  tag: paymentLinks,
  summary: 'Fetch the QR code of a payment link',
  description: 'The `url` of the link as an image, to print or to show on a screen.',
  access: write,
  invalid: 422,
  response: {
    status: 200,
    schema: Type.String(),
    contentType: 'image/svg+xml',
    description: 'An SVG image.',
    example: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 37 37"></svg>',
  },
  handle: async ({ context, params, deps }) =>
    encodeQR(urlOf(deps, await getPaymentLink(deps.db, context, params.payment_link_id)), 'svg'),
});

const update = route({
  method: 'PUT',
  path: '/api/v1/payment_links/:payment_link_id',
  operation: 'updatePaymentLink',
  tag: paymentLinks,
  summary: 'Change an open payment link',
  description: `Null clears a field. A session that has started keeps the terms that its payer has seen. ${advancing}`,
  access: write,
  invalid: 422,
  bodyLimit: metadataLimit,
  body: PaymentLinkUpdate,
  response: { status: 200, schema: PaymentLink },
  handle: async ({ context, params, body, deps }) =>
    shown(deps, await updateLink(deps.db, context, params.payment_link_id, body)),
});

const deactivate = route({
  method: 'POST',
  path: '/api/v1/payment_links/:payment_link_id/deactivate',
  operation: 'deactivatePaymentLink',
  tag: paymentLinks,
  summary: 'Deactivate an open payment link',
  description:
    'Its open sessions end. After the response no attempt is opened. One that is under way continues, and is counted and ' +
    `reported if it succeeds. Sends \`payment_link.deactivated\`. ${advancing}`,
  access: write,
  invalid: 422,
  response: {
    status: 200,
    schema: PaymentLink,
    example: { ...paymentLinkExample, status: 'deactivated', status_reason: 'requested' },
  },
  handle: async ({ context, params, deps }) =>
    shown(deps, await deactivatePaymentLink(deps.db, context, params.payment_link_id)),
});

const renew = route({
  method: 'POST',
  path: '/api/v1/payment_links/:payment_link_id/renew',
  operation: 'renewPaymentLink',
  tag: paymentLinks,
  summary: 'Open an expired or deactivated payment link again',
  description: `The URL stays the same. Sends \`payment_link.renewed\`. ${advancing}`,
  access: write,
  invalid: 422,
  body: PaymentLinkRenew,
  response: { status: 200, schema: PaymentLink },
  handle: async ({ context, params, body, deps }) =>
    shown(deps, await renewPaymentLink(deps.db, context, params.payment_link_id, body)),
});

const rotateUrl = route({
  method: 'POST',
  path: '/api/v1/payment_links/:payment_link_id/rotate_url',
  operation: 'rotatePaymentLinkUrl',
  tag: paymentLinks,
  summary: 'Give a payment link another URL',
  description: `In any state. The old URL no longer works; sessions that were started continue. ${advancing}`,
  access: write,
  invalid: 422,
  response: { status: 200, schema: PaymentLink },
  handle: async ({ context, params, deps }) =>
    shown(deps, await rotateLinkUrl(deps.db, deps.vault, context, params.payment_link_id)),
});

export const paymentLinkRoutes: Route[] = [create, list, fetch, payments, qr, update, deactivate, renew, rotateUrl];

interface Urls {
  vault: Vault;
  publicUrl: string;
}

function shown(deps: Urls, row: PaymentLinkRow): PaymentLink {
  return { ...presentPaymentLink(row), url: urlOf(deps, row) };
}

/** A stranger with the URL can pay, also with a saved card: it is for keys that may make links. */
function shownTo({ scopes }: KeyIdentity, deps: Urls, row: PaymentLinkRow): PaymentLink {
  return scopes.includes(write.scope) ? shown(deps, row) : presentPaymentLink(row);
}

function urlOf({ vault, publicUrl }: Urls, row: PaymentLinkRow): string {
  return `${publicUrl}/pay/${tokenOf(vault, 'payment_link_tokens', row)}`;
}
