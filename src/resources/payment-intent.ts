import Type, { type Static } from 'typebox';
import type { PaymentIntentRow } from '../db/payment-intents.ts';
import { exampleId } from '../domain/ids.ts';
import { netCollected } from '../domain/net-collected.ts';
import { presentTax, taxMembers } from './account.ts';
import {
  Currency,
  Id,
  Livemode,
  LocalDate,
  Metadata,
  Nullable,
  pick,
  present,
  Strict,
  type Tag,
  Timestamp,
} from './common.ts';
import { dueAt, example, owned } from './examples.ts';

export const paymentIntents: Tag = {
  name: 'Payment intents',
  description:
    'Single charges: created on your server, confirmed with a saved payment method. The event ' +
    '`payment_intent.succeeded` completes a payment.',
};

export const PaymentIntentStatus = Type.Enum(
  ['requires_payment_method', 'processing', 'requires_action', 'succeeded', 'failed', 'canceled', 'returned'],
  {
    title: 'PaymentIntentStatus',
    description:
      '`requires_payment_method`: nothing was charged yet; confirm it, unless it is scheduled. `processing`: the ' +
      'processor was asked, or a bank debit is under way; wait for the webhook. `requires_action`: the payer must ' +
      'pass 3D Secure. `succeeded`: the money was taken. `failed`: declined; `last_payment_error` says why, and you ' +
      'can confirm it again. `canceled`: it will not be charged. `returned`: a bank debit had succeeded, and the bank ' +
      'has taken the money back; `last_payment_error` says why.',
  },
);

const PaymentError = Strict(
  {
    code: Type.String({ description: 'Why the last attempt failed, for programs: see *Codes of failed payments*.' }),
    message: Type.String({ description: 'For people.' }),
  },
  { title: 'PaymentError' },
);

const NextAction = Strict(
  {
    type: Type.Literal('redirect', { description: 'Open the URL in the payer’s browser.' }),
    url: Type.String({ description: 'The page on which the payer passes the challenge.' }),
  },
  { title: 'NextAction' },
);

const PaymentTax = Strict(
  {
    ...taxMembers,
    taxable_amount: Type.Integer({ description: 'The part of `amount` that includes the tax, minor units.' }),
  },
  { title: 'PaymentTax' },
);

export const PaymentIntent = Strict(
  {
    id: Id('payment_intent', 'The id of the payment intent; `pi_sandbox_…` in the sandbox.'),
    client_secret: Type.Optional(
      Type.String({
        description:
          'Lets a browser act on this payment intent with a publishable key. A secret key gets it only with the ' +
          'scope `payment_intents:write`. Lists and events leave it out.',
      }),
    ),
    amount: Type.Integer({ description: 'The base amount, minor units.' }),
    total_amount: Type.Integer({ description: 'What is charged: base amount plus surcharge, minor units.' }),
    fee_amount: Type.Integer({
      description:
        'The fee by the biller’s fee schedule for this kind of payment method, minor units, whether or not it is passed ' +
        'on. Decided at each attempt. While the method is unknown, the most that any kind costs.',
    }),
    surcharge_amount: Type.Integer({
      description:
        'What the payer pays on top, minor units: the fee if you ask for it and the rules on surcharges allow it, less ' +
        'if they cap it, else 0. Decided at each attempt. Before the first one it is the most that the payment method, ' +
        'or any method while none is named, may carry at the creation.',
    }),
    surcharge_applied: Type.Boolean({ description: 'Whether the payer pays a surcharge.' }),
    surcharge_reason: Nullable(
      Type.Enum(['not_allowed', 'capped'], {
        title: 'SurchargeReason',
        description: '`not_allowed`: the rules forbid it. `capped`: it is at most what you have stated as your cost.',
      }),
      {
        description:
          'Why a surcharge that you ask for is not taken (`not_allowed`) or is less than the fee (`capped`). Null if it ' +
          'is taken whole, or not asked for.',
      },
    ),
    tax: Nullable(PaymentTax, {
      description:
        'The tax that the amount includes, as the account had it when the payment was made. Null if it includes none. ' +
        'It is never added on top.',
    }),
    tax_amount: Type.Integer({
      description:
        'How much of `total_amount` is tax, minor units, rounded half up. A surcharge is part of the price, so its tax is ' +
        'in it.',
    }),
    currency: Currency,
    status: PaymentIntentStatus,
    payment_method_id: Type.Optional(Type.String({ description: 'The saved method that is or was charged.' })),
    customer_id: Type.Optional(Type.String({ description: 'The payer.' })),
    biller_id: Type.String({ description: 'The account that is paid.' }),
    payment_plan_id: Nullable(Type.String(), { description: 'The plan that created it; null for a single payment.' }),
    payment_link_id: Type.Optional(Type.String({ description: 'The payment link that it was made by.' })),
    checkout_session_id: Type.Optional(
      Type.String({ description: 'The last checkout session in which a payer could pay it.' }),
    ),
    subscription_id: Type.Optional(Type.String({ description: 'The subscription that created it, if one did.' })),
    subscription_period: Type.Optional(
      Type.Integer({
        description:
          'The number of the period that it pays, or in which the change was made that it pays. Subscriptions only.',
      }),
    ),
    metadata: Metadata,
    scheduled_payment_date: Type.Optional(LocalDate('The date of a scheduled payment.')),
    description: Type.Optional(Type.String({ description: 'What is paid for, as the payer reads it.' })),
    statement_descriptor: Type.Optional(
      Type.String({ description: 'What the payer’s statement shows: the one given, or that of the account.' }),
    ),
    total_refunded_amount: Type.Integer({ description: 'The sum of the refunds that succeeded, minor units.' }),
    net_collected_amount: Type.Integer({
      description:
        'What you hold of this payment now, minor units: the total while the status is `succeeded`, otherwise 0, less ' +
        'the refunds that succeeded. A payment that came back and was collected again counts once. Below 0 if the bank ' +
        'took a debit back that you had refunded. What is under dispute counts until that is lost.',
    }),
    mandate_id: Type.Optional(
      Type.String({ description: 'The mandate of the last debit. Present for bank debits under a mandate only.' }),
    ),
    lodgement_reference: Type.Optional(
      Type.String({
        description:
          'What the payer’s bank statement shows of the last debit. Present for bank debits under a mandate only.',
      }),
    ),
    expected_result_date: Type.Optional(
      LocalDate('When the bank reports whether it collected the debit, a date of its scheme. Bank debits only.'),
    ),
    returnable_until: Type.Optional(
      LocalDate('The last date on which the bank can take the debit back. Present once a debit has succeeded.'),
    ),
    total_returned_amount: Type.Optional(
      Type.Integer({
        description:
          'What the bank has taken back, minor units: the whole of each debit that came back, whatever was refunded ' +
          'before; of a dispute that was lost, its amount. Present for bank debits under a mandate, and after a return.',
      }),
    ),
    last_payment_error: Nullable(PaymentError, {
      description: 'Why the last attempt failed; null if it did not fail or there was none.',
    }),
    next_action: Type.Optional(
      Nullable(NextAction, {
        description:
          'Where to send the payer while the status is `requires_action`, else null: a page of the ' +
          'service, which in live mode leads to the payer’s bank and back. Shown where `client_secret` is.',
      }),
    ),
    receipt_url: Type.Optional(
      Type.String({
        description:
          'The page with the receipt, once the payment has succeeded. Anyone who has this URL can read it. Lists and ' +
          'events leave it out.',
      }),
    ),
    collected_at: Nullable(Timestamp, {
      description:
        'When the money was last collected, in the customer’s time; a bank debit: when it settled. Null before. It stays ' +
        'when the payment is refunded or comes back.',
    }),
    created_at: Timestamp,
    updated_at: Timestamp,
    livemode: Livemode,
  },
  { title: 'PaymentIntent' },
);
export type PaymentIntent = Static<typeof PaymentIntent>;

/** A payment of a plan, as an event shows it. */
export const planPaymentIntentExample: PaymentIntent = {
  id: exampleId('payment_intent'),
  amount: 2500,
  total_amount: 2500,
  fee_amount: 74,
  surcharge_amount: 0,
  surcharge_applied: false,
  surcharge_reason: null,
  tax: { label: 'GST', percent: 10, taxable_amount: 2500 },
  tax_amount: 227,
  currency: 'AUD',
  status: 'succeeded',
  payment_method_id: exampleId('payment_method'),
  customer_id: exampleId('customer'),
  payment_plan_id: exampleId('payment_plan'),
  metadata: { order: '6735' },
  statement_descriptor: 'HARBOUR GYM',
  total_refunded_amount: 0,
  net_collected_amount: 2500,
  last_payment_error: null,
  collected_at: dueAt,
  ...owned,
  created_at: dueAt,
  updated_at: dueAt,
};

/** A bank debit that is under way, as an event shows it. */
export const debitIntentExample: PaymentIntent = {
  ...planPaymentIntentExample,
  status: 'processing',
  net_collected_amount: 0,
  collected_at: null,
  mandate_id: exampleId('mandate'),
  lodgement_reference: 'PAY-7Q2M0X4V8KD1TA',
  expected_result_date: '2027-01-13',
  total_returned_amount: 0,
};

export const paymentIntentExample = example(PaymentIntent, {
  ...planPaymentIntentExample,
  client_secret: `${exampleId('payment_intent')}_secret_q8m1ZpL0vR3tYx`,
  next_action: null,
  status: 'requires_payment_method',
  net_collected_amount: 0,
  collected_at: null,
  payment_plan_id: null,
});

/** The fields that a checkout page needs. The others are only for the biller. */
const payerFields = [
  'id',
  'client_secret',
  'amount',
  'total_amount',
  'surcharge_amount',
  'surcharge_applied',
  'surcharge_reason',
  'tax',
  'tax_amount',
  'currency',
  'status',
  'statement_descriptor',
  'last_payment_error',
  'next_action',
  'receipt_url',
  'created_at',
  'updated_at',
  'livemode',
] as const;
export const PaymentIntentForPayer = Type.Pick(PaymentIntent, [...payerFields], {
  title: 'PaymentIntentForPayer',
  additionalProperties: false,
});
export type PaymentIntentForPayer = Static<typeof PaymentIntentForPayer>;

/** The view for a secret key, or the view for a publishable key. */
export const PaymentIntentByKey = Type.Union([PaymentIntent, PaymentIntentForPayer]);
export type PaymentIntentByKey = Static<typeof PaymentIntentByKey>;

/**
 * The intent as lists and events show it, without its client secret. A field that the contract types as a string, not
 * nullable, is omitted when it has no value. `last_payment_error` comes from the columns `last_error_code` and
 * `last_error_message`.
 */
export function presentPaymentIntent(row: PaymentIntentRow): PaymentIntent {
  const { last_error_code: code, last_error_message: message, tax_basis: basis } = row;
  return present(PaymentIntent, {
    ...row,
    tax: basis && { ...presentTax(basis), taxable_amount: basis.taxable },
    payment_method_id: row.payment_method_id ?? undefined,
    customer_id: row.customer_id ?? undefined,
    payment_link_id: row.payment_link_id ?? undefined,
    checkout_session_id: row.checkout_session_id ?? undefined,
    scheduled_payment_date: row.scheduled_payment_date ?? undefined,
    description: row.description ?? undefined,
    statement_descriptor: row.statement_descriptor ?? undefined,
    subscription_id: row.subscription_id ?? undefined,
    subscription_period: row.subscription_period ?? undefined,
    mandate_id: row.mandate_id ?? undefined,
    lodgement_reference: row.lodgement_reference ?? undefined,
    expected_result_date: row.expected_result_date ?? undefined,
    returnable_until: row.returnable_until ?? undefined,
    net_collected_amount: netCollected(row),
    total_returned_amount: canComeBack(row) ? row.total_returned_amount : undefined,
    last_payment_error: code === null || message === null ? null : { code, message },
  });
}

/** Whether the payment says what came back of it. */
function canComeBack({ mandate_id: mandateId, total_returned_amount: returned }: PaymentIntentRow): boolean {
  return mandateId !== null || returned > 0;
}

/** What only the response to one request shows: secrets, and URLs that work without a key. */
export type ShownOnce = Pick<PaymentIntent, 'client_secret' | 'next_action' | 'receipt_url'>;

/** The intent as a publishable key sees it, with its client secret. */
export function presentToPayer(row: PaymentIntentRow, shown: ShownOnce): PaymentIntentForPayer {
  return pick({ ...presentPaymentIntent(row), ...shown }, payerFields);
}
