import Type from 'typebox';
import { exampleId } from '../../domain/ids.ts';
import { BalanceTransaction } from '../balance.ts';
import { Currency, Nullable, present, Strict, Timestamp } from '../common.ts';
import { dueAt, madeAt } from '../examples.ts';
import { MandateStatus, Scheme } from '../mandate.ts';
import { Payout, payoutExample } from '../payout.ts';
import { TableOf } from './report.ts';

const Text = (description: string) => Nullable(Type.String(), { description });
const At = (description: string) => Nullable(Timestamp, { description });
const Cents = (description: string) => Type.Integer({ description: `${description} Minor units.` });

/** Who pays. */
export const customer = {
  customer_id: Text('The payer; null without a customer.'),
  customer_name: Text('The name of the customer, as it is now.'),
  customer_reference: Text('Your reference of the customer, as it is now.'),
};

export const payer = {
  customer_id: exampleId('customer'),
  customer_name: 'Ada Lovelace',
  customer_reference: 'M-1042',
};

/** What a payment was made for. */
const subject = {
  payment_plan_id: Text('The plan that made the payment; null if none did.'),
  subscription_id: Text('The subscription that made the payment; null if none did.'),
};

const { biller_id: _biller, livemode: _livemode, test_clock: _clock, ...movement } = BalanceTransaction.properties;

export const BalanceReportRow = Strict({
  ...movement,
  customer_name: customer.customer_name,
  customer_reference: customer.customer_reference,
  ...subject,
  tax: Cents('How much of `gross` is tax, with its sign. 0 for what is no payment, refund or return.'),
});

export const BalanceReport = TableOf(BalanceReportRow, 'BalanceTransactionsReport', {
  data: [
    {
      id: exampleId('balance_transaction'),
      created_at: dueAt,
      available_on: '2027-01-13',
      type: 'payment',
      reporting_category: 'charge',
      currency: 'AUD',
      gross: 2500,
      fee: 74,
      net: 2426,
      source: exampleId('payment_intent'),
      payment_intent_id: exampleId('payment_intent'),
      description: null,
      metadata: {},
      ...payer,
      payment_plan_id: exampleId('payment_plan'),
      subscription_id: null,
      tax: 227,
    },
  ],
});

export const FailedPaymentReportRow = Strict({
  failed_at: Timestamp,
  kind: Type.Enum(['failed', 'returned'], {
    description: '`failed`: an attempt failed. `returned`: the bank took back a debit that had succeeded.',
  }),
  payment_intent_id: Type.String({ description: 'The payment.' }),
  attempt: Nullable(Type.Integer(), { description: 'The number of the attempt, from 1.' }),
  currency: Currency,
  amount: Cents('What was to be paid, surcharge included.'),
  code: Text('Why it failed, for programs.'),
  message: Text('Why it failed, in words.'),
  bank_code: Text('The bank’s own code of a debit.'),
  payment_method_type: Text('The type of the payment method.'),
  payment_method_last4: Text('The last four digits of the card or account.'),
  ...customer,
  ...subject,
  will_retry: Nullable(Type.Boolean(), { description: 'Whether it was to be tried again, as known then.' }),
  next_attempt_at: At('When, as known then; null if it was not to be tried again.'),
  status: Text('The status of the payment now; null if the payment was deleted.'),
  collected_at: At('When the money was last collected; null if it was not.'),
});

export const FailedPaymentReport = TableOf(FailedPaymentReportRow, 'FailedPaymentsReport', {
  data: [
    {
      failed_at: dueAt,
      kind: 'failed',
      payment_intent_id: exampleId('payment_intent'),
      attempt: 1,
      currency: 'AUD',
      amount: 2500,
      code: 'insufficient_funds',
      message: 'The account does not have enough funds for this payment.',
      bank_code: null,
      payment_method_type: 'card',
      payment_method_last4: '0002',
      ...payer,
      payment_plan_id: exampleId('payment_plan'),
      subscription_id: null,
      will_retry: true,
      next_attempt_at: '2027-01-12T00:00:00.000Z',
      status: 'failed',
      collected_at: null,
    },
  ],
});

export const MandateReportRow = Strict({
  id: Type.String({ description: 'The mandate.' }),
  reference: Type.String({ description: 'What the payer’s bank knows it by.' }),
  status: MandateStatus,
  status_reason: Text('Why it has ended.'),
  scheme: Scheme,
  ...customer,
  payment_method_id: Type.String({ description: 'The bank account.' }),
  account_name: Text('The name of the account.'),
  account_last4: Text('The last four digits of its number.'),
  max_amount_cents: Nullable(Type.Integer(), { description: 'The most of one debit, minor units; null: no limit.' }),
  amount_type: Type.Enum(['variable', 'fixed'], {
    title: 'MandateAmountType',
    description: 'What was agreed about amounts.',
  }),
  acceptance_type: Text('How the payer agreed; null if it was not agreed to yet.'),
  accepted_at: At('When the payer agreed.'),
  activated_at: At('Since when the account may be debited.'),
  last_debited_at: At('When it was last debited.'),
  lapses_at: At('When it expires unless it is debited before.'),
  ended_at: At('When it ended.'),
  created_at: Timestamp,
});

export const MandateReport = TableOf(MandateReportRow, 'MandatesReport', {
  data: [
    {
      id: exampleId('mandate'),
      reference: 'DDR-7Q2M0X4V8KD1TA',
      status: 'active',
      status_reason: null,
      scheme: 'au_becs',
      ...payer,
      payment_method_id: exampleId('payment_method'),
      account_name: 'Ada Lovelace',
      account_last4: '5678',
      max_amount_cents: null,
      amount_type: 'variable',
      acceptance_type: 'online',
      accepted_at: madeAt,
      activated_at: madeAt,
      last_debited_at: dueAt,
      lapses_at: '2030-01-11T00:00:00.000Z',
      ended_at: null,
      created_at: madeAt,
    },
  ],
});

const { id, created_at, paid_out_on, arrives_on, status, ended_at, failure_code, ...ofPayout } = Payout.properties;

export const PayoutReportRow = Strict({
  ...{ id, created_at, paid_out_on, arrives_on, status, ended_at, failure_code },
  reconciliation_status: ofPayout.reconciliation_status,
  currency: ofPayout.currency,
  amount: Cents('What was paid to your bank account, or was to be paid if it has failed.'),
  item_count: Type.Integer({ description: 'How many rows of your books it pays: its items.' }),
  payments: Cents('`gross` of the payments among them: what payers paid.'),
  refunds: Cents('`gross` of the refunds: 0 or below.'),
  returns: Cents('`gross` of the debits that came back: 0 or below.'),
  adjustments: Cents('`net` of all others: fees that were given back.'),
  fees: Cents('`fee` of the payments.'),
  net: Cents('`payments` + `refunds` + `returns` + `adjustments` − `fees`. It is `amount` once it is reconciled.'),
});

export const PayoutReport = TableOf(PayoutReportRow, 'PayoutsReport', {
  data: [
    {
      ...present(PayoutReportRow, {
        ...payoutExample,
        item_count: 2,
        payments: 12_500,
        refunds: -2_450,
        returns: 0,
        adjustments: 0,
        fees: 255,
        net: 9_795,
      }),
    },
  ],
});
