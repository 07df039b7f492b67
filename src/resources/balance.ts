import Type, { type Static } from 'typebox';
import type { BalanceTransactionRow } from '../db/balance.ts';
import { exampleId } from '../domain/ids.ts';
import { balanceTransactionTypes, reportingCategories } from '../domain/ledger/balance-transactions.ts';
import { Currency, Id, LocalDate, Metadata, Nullable, present, Strict, type Tag, Timestamp } from './common.ts';
import { dueAt, example } from './examples.ts';

export const balances: Tag = {
  name: 'Balance',
  description:
    'The books of your account: what was taken, what it cost, what came back, what was paid out. Rows are posted from events, within a ' +
    'second as a rule; `complete_up_to` says how far. Lists and balances leave out what is on test clocks, unless ' +
    '`test_clock` names one.',
};

const CurrencyBalance = Strict(
  {
    currency: Currency,
    in_flight: Type.Integer({
      description: 'Bank debits that were accepted and have no result yet, minor units.',
    }),
    pending: Type.Integer({
      description:
        'What was collected and is not available yet, minor units, fees taken off. In live mode ' +
        'also what the processor has not given a date yet.',
    }),
    available: Type.Integer({
      description: 'What is available, minor units. Below 0 if more has left than was available.',
    }),
    held: Type.Integer({ description: 'What is under dispute, minor units: it is neither pending nor available.' }),
    credit: Type.Integer({
      description:
        'What you owe to subscribers, minor units: the credit of their subscriptions. It is not taken off the others.',
    }),
  },
  { title: 'CurrencyBalance' },
);

export const Balance = Strict(
  {
    data: Type.Array(CurrencyBalance, { description: 'One for each currency in which money has moved.' }),
    complete_up_to: Type.Integer({
      description: 'The `sequence` of the last event that is posted. The balance has all events up to it.',
    }),
  },
  { title: 'Balance' },
);
export type Balance = Static<typeof Balance>;

example(Balance, {
  data: [{ currency: 'AUD', in_flight: 2500, pending: 9795, available: 19_590, held: 0, credit: 1500 }],
  complete_up_to: 128,
});

export const BalanceTransactionType = Type.Enum([...balanceTransactionTypes], {
  title: 'BalanceTransactionType',
  description:
    '`payment`: collected; a bank debit when it settled, and again when it is collected after a return. `refund`: given ' +
    'back to the payer; the fee is not. `return`: the bank took a debit back. `adjustment`: the fee of that debit, ' +
    'given back to you. `payout`: paid to your bank account. `payout_failure`: a payout that your bank has refused. ' +
    '`dispute`: a payer has disputed a payment, and it is held; the fee is not given back. `dispute_reversal`: that ' +
    'dispute was won. A dispute that is lost has no second row.',
});

export const BalanceTransaction = Strict(
  {
    id: Id('balance_transaction', 'The id of the row. It stays the same if the books are made again.'),
    created_at: Timestamp,
    available_on: Nullable(LocalDate('In your time zone.'), {
      description:
        'The date from which the net is available, in your time zone. Null in live mode until the processor says it.',
    }),
    type: BalanceTransactionType,
    reporting_category: Type.Enum([...new Set(Object.values(reportingCategories))], {
      title: 'ReportingCategory',
      description: 'Stripe’s word for the type.',
    }),
    currency: Currency,
    gross: Type.Integer({ description: 'What moved, minor units. Negative if it left.' }),
    fee: Type.Integer({
      description:
        'What it cost you, minor units; negative if it was given back. The sum over all rows is what you have paid in ' +
        'fees. In live mode the fee of the processor, and 0 until it says it.',
    }),
    net: Type.Integer({ description: '`gross` less `fee`, minor units.' }),
    source: Type.String({
      description:
        'The payment intent, the refund, the dispute or the payout; the row itself for what only the processor knows.',
    }),
    payment_intent_id: Nullable(Type.String(), {
      description: 'The payment; null for a payout, and for what is for none.',
    }),
    payout_id: Nullable(Type.String(), {
      description: 'The payout that pays the row; null if none does yet. A payout is no part of itself.',
    }),
    customer_id: Nullable(Type.String(), { description: 'The payer; null without a customer.' }),
    description: Nullable(Type.String(), { description: 'What is paid for, as the payer reads it.' }),
    metadata: Metadata,
    biller_id: Type.String({ description: 'The account whose money it is.' }),
    livemode: Type.Boolean({ description: 'False in the sandbox.' }),
    test_clock: Nullable(Type.String(), { description: 'The test clock that it is on; null in real time.' }),
  },
  { title: 'BalanceTransaction' },
);
export type BalanceTransaction = Static<typeof BalanceTransaction>;

example(BalanceTransaction, {
  id: exampleId('balance_transaction'),
  created_at: dueAt,
  available_on: '2027-01-13',
  type: 'payment',
  reporting_category: 'charge',
  currency: 'AUD',
  gross: 10_000,
  fee: 205,
  net: 9795,
  source: exampleId('payment_intent'),
  payment_intent_id: exampleId('payment_intent'),
  payout_id: null,
  customer_id: exampleId('customer'),
  description: null,
  metadata: {},
  biller_id: exampleId('biller'),
  livemode: false,
  test_clock: null,
});

/** A row of the books as the API shows it. */
export function presentBalanceTransaction(row: BalanceTransactionRow): BalanceTransaction {
  return present(BalanceTransaction, { ...row, reporting_category: reportingCategories[row.type] });
}
