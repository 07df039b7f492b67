import Type from 'typebox';
import { dateQuery, ListOf, listQuery, page, Reference, Strict } from '../../resources/common.ts';
import { presentRefund, Refund, RefundCreate, RefundStatus, refunds } from '../../resources/refund.ts';
import { getRefund, listAllRefunds, listRefunds, refundPaymentIntent } from '../../services/payments/refunds.ts';
import { repeatable } from '../../services/payments/repeatable-request.ts';
import { paymentFilterOf, paymentFilterQuery } from '../http/payment-filter.ts';
import { metadataLimit, type Route, route } from '../http/route.ts';

const create = route({
  method: 'POST',
  path: '/api/v1/payment_intents/:payment_intent_id/refunds',
  operation: 'createRefund',
  tag: refunds,
  summary: 'Refund a payment, whole or in part',
  description:
    'The payment intent must have succeeded. Without an amount, the refund covers everything that remains of its ' +
    'total. Credit of a subscription that came from the payment is used up first. A failed refund returns ' +
    '`status: failed`; it is not an error. In the sandbox a refund fails if its amount ends in 03.',
  access: { scope: 'payment_intents:write' },
  invalid: 400,
  idempotency: 'committed-first',
  bodyLimit: metadataLimit,
  body: RefundCreate,
  response: { status: 201, schema: Refund },
  handle: async ({ context, params, body, deps }) => {
    const request = repeatable(deps, presentRefund);
    const id = params.payment_intent_id;
    return presentRefund(await refundPaymentIntent(deps.db, deps.processors, context, id, body, request));
  },
});

const list = route({
  method: 'GET',
  path: '/api/v1/payment_intents/:payment_intent_id/refunds',
  operation: 'listRefunds',
  tag: refunds,
  summary: 'List the refunds of a payment, newest first',
  access: { scope: 'payment_intents:read' },
  invalid: 400,
  query: Strict(listQuery),
  response: { status: 200, schema: ListOf(Refund) },
  handle: async ({ context, params, query, deps }) => {
    return page(await listRefunds(deps.db, context, params.payment_intent_id, query), presentRefund);
  },
});

const listAll = route({
  method: 'GET',
  path: '/api/v1/refunds',
  operation: 'listAllRefunds',
  tag: refunds,
  summary: 'List refunds, newest first',
  description: 'Lists the refunds of all payments.',
  access: { scope: 'payment_intents:read' },
  invalid: 400,
  query: Strict({
    ...listQuery,
    ...dateQuery,
    status: Type.Optional(RefundStatus),
    payment_intent_id: Type.Optional(Reference<'payment_intent'>('Only refunds of this payment.')),
    ...paymentFilterQuery('refunds of payments'),
  }),
  response: { status: 200, schema: ListOf(Refund) },
  handle: async ({ context, query, deps }) => {
    const { status, payment_intent_id: paymentIntentId } = query;
    const filter = { status, paymentIntentId, payments: paymentFilterOf(query) };
    return page(await listAllRefunds(deps.db, context, filter, query), presentRefund);
  },
});

const fetch = route({
  method: 'GET',
  path: '/api/v1/refunds/:refund_id',
  operation: 'getRefund',
  tag: refunds,
  summary: 'Fetch a refund',
  access: { scope: 'payment_intents:read' },
  invalid: 400,
  response: { status: 200, schema: Refund },
  handle: async ({ context, params, deps }) => presentRefund(await getRefund(deps.db, context, params.refund_id)),
});

export const refundRoutes: Route[] = [create, list, listAll, fetch];
