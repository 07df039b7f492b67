import Type, { type Static } from 'typebox';
import type { OfferColumns, PaymentLinkRow } from '../db/payment-links.ts';
import { exampleId } from '../domain/ids.ts';
import { takenOnPages } from '../domain/page-methods.ts';
import { Currency, Id, lastFields, Metadata, Nullable, present, Strict, type Tag, Timestamp } from './common.ts';
import { dueAt, example, madeAt, owned } from './examples.ts';
import { Unpaid } from './subscription-input.ts';

export const paymentLinks: Tag = {
  name: 'Payment links',
  description: 'What you send to a payer: a URL behind which one or more payments are made, or a method is saved.',
};

export const PaymentLinkStatus = Type.Enum(['open', 'completed', 'expired', 'deactivated'], {
  title: 'PaymentLinkStatus',
  description:
    '`open`: it can be paid. `completed`: it has taken all its payments. If one of them comes back, the link is open ' +
    'again, or `expired` if its `expires_at` has come. `expired`: its `expires_at` has come. `deactivated`: by you, or ' +
    'with its customer (`status_reason`). The last two can be renewed.',
});

export const LinkMode = Type.Enum(['payment', 'setup'], {
  title: 'PaymentLinkMode',
  description: '`payment`, the default: the payer pays. `setup`: the payer saves a payment method; no money is taken.',
});

const wanted = (what: string) =>
  Type.Enum(['required', 'optional', 'no'], {
    title: 'CollectChoice',
    description: `Whether the payer is asked for ${what}.`,
  });
const Collect = Strict(
  { email: wanted('an e-mail address'), name: wanted('a name'), phone: wanted('a phone number') },
  { title: 'Collect' },
);

const AmountRange = Strict(
  {
    min: Type.Integer({ description: 'The least, minor units.' }),
    max: Type.Integer({ description: 'The most, minor units.' }),
    suggested: Type.Array(Type.Integer(), { description: 'Amounts to choose from, minor units.' }),
  },
  { title: 'AmountRange' },
);

const ApplyTo = Strict(
  {
    payment_plan_id: Type.Optional(
      Type.String({
        description:
          'The plan: the method that was used becomes its instrument. If a failed payment has suspended it, it is resumed.',
      }),
    ),
    subscription_id: Type.Optional(
      Type.String({
        description:
          'The subscription: the method that was used becomes its instrument. It is started if it is pending, and ' +
          'resumed if a failed payment has paused it.',
      }),
    ),
    unpaid: Type.Optional(Unpaid),
  },
  { title: 'ApplyTo' },
);

/** What a payer is asked for: the fields that a link and a session have in common. */
export const offerFields = {
  amount: Nullable(Type.Integer(), { description: 'Minor units, without surcharge; null if the payer chooses it.' }),
  amount_range: Nullable(AmountRange, { description: 'Between which amounts the payer chooses.' }),
  currency: Nullable(Currency, { description: 'Null in `setup` mode without one.' }),
  customer_id: Nullable(Type.String(), { description: 'The payer; null until a payer is known.' }),
  collect: Collect,
  payment_method_types: Type.Array(Type.Enum(['card', 'au_becs_debit'], { title: 'PayableMethodType' }), {
    description: 'How can be paid.',
  }),
  payable: Type.Boolean({
    description: 'Whether the page offers a way to pay, while it is open. If not, `not_payable_reason` says why.',
  }),
  not_payable_reason: Nullable(Type.Enum(['methods_not_offered'], { title: 'NotPayableReason' }), {
    description:
      'Why no payer can pay: `methods_not_offered` if the pages take none of `payment_method_types` in this mode, such ' +
      'as cards in live mode, if your processor has no fields for them. Live mode: as far as was known when it was ' +
      'made, or opened last.',
  }),
  save_payment_method: Type.Enum(['no', 'offer', 'always'], {
    title: 'SavePaymentMethod',
    description: 'Whether the method is kept for later payments: never, if the payer agrees, or always.',
  }),
  make_default: Type.Boolean({
    description:
      'Whether the method that is saved becomes the `default_payment_method` of the customer without a box to tick. Only ' +
      'in `setup` mode.',
  }),
  apply_to: Nullable(ApplyTo, { description: 'What a completed payment or setup does to a plan or a subscription.' }),
  surcharge_applied: Type.Boolean({
    description: 'Whether the fee is asked on top. At each payment the rules on surcharges decide.',
  }),
  tax_included: Type.Boolean({ description: 'Whether the amount includes the tax of the account, if it has one.' }),
  statement_descriptor: Nullable(Type.String(), { description: 'What the payer’s statement shows.' }),
  metadata: Metadata,
  success_url: Nullable(Type.String(), { description: 'Where the last page leads after success.' }),
  cancel_url: Nullable(Type.String(), { description: 'Where the page leads a payer who leaves.' }),
};

export const PaymentLink = Strict(
  {
    id: Id('payment_link', 'The id of the payment link.'),
    url: Type.Optional(
      Type.String({ description: 'What you send to the payer. Anyone who has it can pay. Events leave it out.' }),
    ),
    mode: LinkMode,
    name: Type.String({ description: 'What is paid for, as the payer reads it.' }),
    description: Nullable(Type.String(), { description: 'More about it, for the payer.' }),
    ...offerFields,
    reference: Nullable(Type.String(), { description: 'Your own reference.' }),
    max_payments: Nullable(Type.Integer(), { description: 'How many payments it takes; null for any number.' }),
    expires_at: Nullable(Timestamp, { description: 'When it expires, in the customer’s time; null if never.' }),
    status: PaymentLinkStatus,
    status_reason: Nullable(Type.String(), {
      description:
        'Why it ended: `time`, `payment_returned` (a payment came back after its `expires_at`), `requested` or ' +
        '`customer_deleted`; null while open and when completed.',
    }),
    payments_count: Type.Integer({
      description: 'Its payments that have succeeded and did not come back. In `setup` mode, the methods saved.',
    }),
    collected_amount: Type.Integer({ description: 'The sum of these payments without surcharges, minor units.' }),
    completed_at: Nullable(Timestamp),
    expired_at: Nullable(Timestamp),
    ...lastFields('its customer'),
  },
  { title: 'PaymentLink' },
);
export type PaymentLink = Static<typeof PaymentLink>;

/** A link as an event shows it: without its URL. */
export const paymentLinkEventExample: PaymentLink = {
  id: exampleId('payment_link'),
  mode: 'payment',
  name: 'Invoice 1042',
  description: 'Membership, first quarter',
  amount: 2500,
  amount_range: null,
  currency: 'AUD',
  customer_id: exampleId('customer'),
  collect: { email: 'no', name: 'no', phone: 'no' },
  payment_method_types: ['card'],
  payable: true,
  not_payable_reason: null,
  save_payment_method: 'no',
  make_default: false,
  apply_to: null,
  surcharge_applied: false,
  tax_included: true,
  statement_descriptor: 'HARBOUR GYM',
  metadata: { order: '6735' },
  success_url: 'https://shop.example.com/thanks?session={CHECKOUT_SESSION_ID}',
  cancel_url: null,
  reference: '1042',
  max_payments: 1,
  expires_at: dueAt,
  status: 'open',
  status_reason: null,
  payments_count: 0,
  collected_amount: 0,
  completed_at: null,
  expired_at: null,
  ...owned,
  test_clock: null,
  created_at: madeAt,
  updated_at: madeAt,
};

export const paymentLinkExample = example(PaymentLink, {
  ...paymentLinkEventExample,
  url: 'https://pay.example.com/pay/4fTq0ZrX2bY7cW9dE1aG3hJ5kL6mN8pQ',
});

/** Presents the columns that a link and a session have in common. */
export function presentOffer(
  row: OfferColumns & { livemode: boolean },
): Pick<PaymentLink, 'amount_range' | 'make_default' | 'apply_to' | 'payable' | 'not_payable_reason'> {
  const place = { livemode: row.livemode, hasCardFields: row.takes_cards };
  const payable = takenOnPages(row.payment_method_types, place).length > 0;
  const { amount_min: min, amount_max: max, amount_suggested: suggested, apply_to_payment_plan_id: planId } = row;
  const { apply_to_subscription_id: subscriptionId, apply_to_waives_unpaid: waives } = row;
  return {
    payable,
    not_payable_reason: payable ? null : 'methods_not_offered',
    make_default: row.makes_default === 'always',
    amount_range: min === null || max === null ? null : { min, max, suggested: suggested.map(Number) },
    apply_to:
      planId !== null
        ? { payment_plan_id: planId }
        : subscriptionId === null
          ? null
          : { subscription_id: subscriptionId, unpaid: waives ? 'waive' : 'collect' },
  };
}

/** The link as events show it, without its URL. */
export function presentPaymentLink(row: PaymentLinkRow): PaymentLink {
  return present(PaymentLink, { ...row, url: undefined, ...presentOffer(row), test_clock: row.test_clock_id });
}
