import Type from 'typebox';
import { BalanceTransaction, presentBalanceTransaction } from '../../resources/balance.ts';
import { Currency, ListOf, listQuery, page, Reference, Strict } from '../../resources/common.ts';
import { Payout, PayoutStatus, payouts, presentPayout } from '../../resources/payout.ts';
import { getPayout, listPayoutItems, listPayouts } from '../../services/ledger/balance.ts';
import { type Route, route } from '../http/route.ts';

const reading = { scope: 'balance:read' } as const;

const list = route({
  method: 'GET',
  path: '/api/v1/payouts',
  operation: 'listPayouts',
  tag: payouts,
  summary: 'List payouts, newest first',
  description: 'What is on a test clock appears only if `test_clock` names the clock.',
  access: reading,
  invalid: 400,
  query: Strict({
    ...listQuery,
    status: Type.Optional(PayoutStatus),
    currency: Type.Optional(Currency),
    test_clock: Type.Optional(Reference<'test_clock'>('Only payouts on this test clock.')),
  }),
  response: { status: 200, schema: ListOf(Payout) },
  handle: async ({ context, query, deps }) => {
    const { status, currency, test_clock: testClock } = query;
    return page(await listPayouts(deps.db, context, { status, currency, testClock }, query), presentPayout);
  },
});

const fetch = route({
  method: 'GET',
  path: '/api/v1/payouts/:payout_id',
  operation: 'getPayout',
  tag: payouts,
  summary: 'Fetch a payout',
  access: reading,
  invalid: 400,
  response: { status: 200, schema: Payout },
  handle: async ({ context, params, deps }) => presentPayout(await getPayout(deps.db, context, params.payout_id)),
});

const items = route({
  method: 'GET',
  path: '/api/v1/payouts/:payout_id/items',
  operation: 'listPayoutItems',
  tag: payouts,
  summary: 'List the rows of your books that a payout pays, newest first',
  description: 'Their `net` adds up to the payout. A payout that has failed still shows what it was to pay.',
  access: reading,
  invalid: 400,
  query: Strict(listQuery),
  response: { status: 200, schema: ListOf(BalanceTransaction) },
  handle: async ({ context, params, query, deps }) =>
    page(await listPayoutItems(deps.db, context, params.payout_id, query), presentBalanceTransaction),
});

export const payoutRoutes: Route[] = [list, fetch, items];
