import Type from 'typebox';
import { BalanceTransaction } from '../balance.ts';
import { Currency, Nullable, Strict, Timestamp } from '../common.ts';
import { MandateStatus, Scheme } from '../mandate.ts';

const Text = (description: string) => Nullable(Type.String(), { description });
const At = (description: string) => Nullable(Timestamp, { description });
const Cents = (description: string) => Type.Integer({ description: `${description} Minor units.` });

/** Who pays. */
const customer = {
  customer_id: Text('The payer; null without a customer.'),
  customer_name: Text('The name of the customer, as it is now.'),
  customer_reference: Text('Your reference of the customer, as it is now.'),
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
  amount_type: Type.Enum(['variable', 'fixed'], { description: 'What was agreed about amounts.' }),
  acceptance_type: Text('How the payer agreed; null if it was not agreed to yet.'),
  accepted_at: At('When the payer agreed.'),
  activated_at: At('Since when the account may be debited.'),
  last_debited_at: At('When it was last debited.'),
  lapses_at: At('When it expires unless it is debited before.'),
  ended_at: At('When it ended.'),
  created_at: Timestamp,
});
