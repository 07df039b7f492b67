import Type from 'typebox';
import {
  Balance,
  BalanceTransaction,
  BalanceTransactionType,
  balances,
  presentBalanceTransaction,
} from '../../resources/balance.ts';
import { Currency, ListOf, listQuery, page, Reference, Strict } from '../../resources/common.ts';
import { getBalance, getBalanceTransaction, listBalanceTransactions } from '../../services/ledger/balance.ts';
import { type Route, route } from '../http/route.ts';

const reading = { scope: 'balance:read' } as const;

const balance = route({
  method: 'GET',
  path: '/api/v1/balance',
  operation: 'getBalance',
  tag: balances,
  summary: 'Fetch your balance in each currency',
  description: 'With `test_clock`, the balance of that clock at its time.',
  access: reading,
  invalid: 400,
  query: Strict({
    test_clock: Type.Optional(Reference<'test_clock'>('The balance on this test clock.')),
  }),
  response: { status: 200, schema: Balance },
  handle: async ({ context, query, deps }) => getBalance(deps.db, context, query.test_clock),
});

const list = route({
  method: 'GET',
  path: '/api/v1/balance_transactions',
  operation: 'listBalanceTransactions',
  tag: balances,
  summary: 'List what has moved money, newest first',
  description:
    'One row for each movement. What is on a test clock appears only if `test_clock` names the clock. A bank debit has ' +
    'no row before it settles.',
  access: reading,
  invalid: 400,
  query: Strict({
    ...listQuery,
    type: Type.Optional(BalanceTransactionType),
    currency: Type.Optional(Currency),
    source: Type.Optional(Reference('Only rows of this payment intent, refund or payout.')),
    payment_intent_id: Type.Optional(Reference<'payment_intent'>('Only rows of this payment, its refunds included.')),
    customer_id: Type.Optional(Reference<'customer'>('Only rows of this customer.')),
    payout_id: Type.Optional(Reference<'payout'>('Only rows that this payout pays, or was to pay if it failed.')),
    test_clock: Type.Optional(Reference<'test_clock'>('Only rows on this test clock.')),
    from: Type.Optional(
      Type.String({ format: 'date-time', description: 'Only rows with this `created_at` or a later one.' }),
    ),
    to: Type.Optional(Type.String({ format: 'date-time', description: 'Only rows with an earlier `created_at`.' })),
  }),
  response: { status: 200, schema: ListOf(BalanceTransaction) },
  handle: async ({ context, query, deps }) => {
    const { from, to } = query;
    const filter = {
      type: query.type,
      currency: query.currency,
      source: query.source,
      paymentIntentId: query.payment_intent_id,
      customerId: query.customer_id,
      payoutId: query.payout_id,
      testClock: query.test_clock,
      from: from === undefined ? undefined : new Date(from),
      to: to === undefined ? undefined : new Date(to),
    };
    return page(await listBalanceTransactions(deps.db, context, filter, query), presentBalanceTransaction);
  },
});

const fetch = route({
  method: 'GET',
  path: '/api/v1/balance_transactions/:balance_transaction_id',
  operation: 'getBalanceTransaction',
  tag: balances,
  summary: 'Fetch a row of your books',
  access: reading,
  invalid: 400,
  response: { status: 200, schema: BalanceTransaction },
  handle: async ({ context, params, deps }) =>
    presentBalanceTransaction(await getBalanceTransaction(deps.db, context, params.balance_transaction_id)),
});

export const balanceRoutes: Route[] = [balance, list, fetch];
