import Type from 'typebox';
import { Currency, ListOf, listQuery, page, Reference, Strict } from '../../resources/common.ts';
import { Dispute, DisputeStatus, disputes, PaymentIntentDispute, presentDispute } from '../../resources/dispute.ts';
import { paymentIntents } from '../../resources/payment-intent.ts';
import { disputePayment, getDispute, listDisputes } from '../../services/payments/disputes.ts';
import { type Route, route } from '../http/route.ts';

const reading = { scope: 'balance:read' } as const;

const list = route({
  method: 'GET',
  path: '/api/v1/disputes',
  operation: 'listDisputes',
  tag: disputes,
  summary: 'List disputes, newest first',
  description: 'What is on a test clock appears only if `test_clock` names the clock.',
  access: reading,
  invalid: 400,
  query: Strict({
    ...listQuery,
    status: Type.Optional(DisputeStatus),
    currency: Type.Optional(Currency),
    payment_intent_id: Type.Optional(Reference<'payment_intent'>('Only disputes of this payment.')),
    customer_id: Type.Optional(Reference<'customer'>('Only disputes of this customer.')),
    test_clock: Type.Optional(Reference<'test_clock'>('Only disputes on this test clock.')),
  }),
  response: { status: 200, schema: ListOf(Dispute) },
  handle: async ({ context, query, deps }) => {
    const { status, currency, payment_intent_id: paymentIntentId, customer_id: customerId } = query;
    const filter = { status, currency, paymentIntentId, customerId, testClock: query.test_clock };
    return page(await listDisputes(deps.db, context, filter, query), presentDispute);
  },
});

const fetch = route({
  method: 'GET',
  path: '/api/v1/disputes/:dispute_id',
  operation: 'getDispute',
  tag: disputes,
  summary: 'Fetch a dispute',
  access: reading,
  invalid: 400,
  response: { status: 200, schema: Dispute },
  handle: async ({ context, params, deps }) => presentDispute(await getDispute(deps.db, context, params.dispute_id)),
});

const dispute = route({
  method: 'POST',
  path: '/api/v1/test_helpers/payment_intents/:payment_intent_id/dispute',
  operation: 'disputePaymentIntent',
  tag: paymentIntents,
  summary: 'Dispute a payment as the payer would',
  description:
    'The payment intent must have succeeded, and not be a bank debit under a mandate: for that use `bank_result`. All of ' +
    'it that was not refunded is held at once. With a `result` the dispute closes ten days later, of the customer’s time: ' +
    'on a test clock an advance closes it. A second call gives an open dispute its result.',
  access: { scope: 'payment_intents:write', sandboxOnly: true },
  invalid: 400,
  body: PaymentIntentDispute,
  response: { status: 200, schema: Dispute },
  handle: async ({ context, params, body, deps }) =>
    presentDispute(await disputePayment(deps.db, context, params.payment_intent_id, body.result)),
});

export const disputeRoutes: Route[] = [list, fetch, dispute];
