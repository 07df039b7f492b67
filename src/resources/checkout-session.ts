import Type, { type Static } from 'typebox';
import type { CheckoutSessionRow } from '../db/checkout-sessions.ts';
import { exampleId } from '../domain/ids.ts';
import { Id, lastFields, Nullable, pick, present, Strict, type Tag, Timestamp } from './common.ts';
import { example, madeAt } from './examples.ts';
import { LinkMode, offerFields, paymentLinkEventExample, presentOffer } from './payment-link.ts';

export const checkoutSessions: Tag = {
  name: 'Checkout sessions',
  description:
    'A hosted page on which one payer pays, or saves a payment method. A payment link creates one for each payer.',
};

export const CheckoutSessionStatus = Type.Enum(['open', 'processing', 'completed', 'expired'], {
  title: 'CheckoutSessionStatus',
  description:
    '`open`: the payer can pay. `processing`: an attempt is under way, or the bank’s challenge, or a bank debit. ' +
    '`completed`: paid, or the method is saved. `expired`: it has ended without that (`status_reason`).',
});

const Consent = Strict(
  {
    text: Type.String({ description: 'The words that the page said, a line each: what is taken, and what is kept.' }),
    accepted_at: Type.String({
      format: 'date-time',
      description: 'When the form was accepted, in the customer’s time.',
    }),
    ip_address: Type.String({ description: 'The payer’s address.' }),
    user_agent: Nullable(Type.String(), { description: 'The payer’s browser, as it names itself.' }),
  },
  { title: 'CheckoutSessionConsent' },
);

const PaymentMethodId = Nullable(Type.String(), {
  description: 'The method that was charged or saved; null until the session is completed.',
});

export const CheckoutSession = Strict(
  {
    id: Id('checkout_session', 'The id of the checkout session.'),
    url: Type.Optional(
      Type.String({
        description: 'The page for the payer. Only for keys with `payment_links:write`. Lists and events leave it out.',
      }),
    ),
    client_secret: Type.Optional(
      Type.String({
        description:
          'Lets a browser read this session with a publishable key. Only for keys with `payment_links:write`. Lists ' +
          'and events leave it out.',
      }),
    ),
    mode: LinkMode,
    payment_link_id: Nullable(Type.String(), { description: 'The link that it was started from.' }),
    payment_intent_id: Nullable(Type.String(), { description: 'The payment; null before the first attempt.' }),
    payment_method_id: PaymentMethodId,
    name: Nullable(Type.String(), { description: 'What is paid for, as the payer reads it.' }),
    description: Nullable(Type.String(), { description: 'More about it, for the payer.' }),
    ...offerFields,
    expires_at: Type.String({ format: 'date-time', description: 'When it expires, in the customer’s time.' }),
    status: CheckoutSessionStatus,
    status_reason: Nullable(Type.String(), {
      description:
        'Why it expired: `time`, `requested`, `too_many_attempts`, `link_completed`, `link_expired`, ' +
        '`link_deactivated`, `customer_deleted` or `payment_canceled`; otherwise null.',
    }),
    consent: Nullable(Consent, {
      description:
        'What the payer agreed to in the last accepted form if the method is kept for later payments; otherwise null. ' +
        'For a bank account without that, see its mandate.',
    }),
    made_default: Type.Boolean({
      description:
        'Whether the saved method became the `default_payment_method` of the customer: because of `make_default`, or ' +
        'because the payer has ticked the box. Only in `setup` mode.',
    }),
    failed_attempts: Type.Integer({
      description: 'How many attempts were declined. The tenth one ends the session.',
    }),
    completed_at: Nullable(Timestamp),
    expired_at: Nullable(Timestamp),
    ...lastFields('its customer'),
  },
  { title: 'CheckoutSession' },
);
export type CheckoutSession = Static<typeof CheckoutSession>;

/** A session as an event shows it. */
export const checkoutSessionEventExample: CheckoutSession = {
  ...pick(paymentLinkEventExample, [
    'mode',
    'name',
    'description',
    'amount',
    'amount_range',
    'currency',
    'customer_id',
    'collect',
    'payment_method_types',
    'payable',
    'not_payable_reason',
    'save_payment_method',
    'make_default',
    'apply_to',
    'surcharge_applied',
    'tax_included',
    'statement_descriptor',
    'metadata',
    'success_url',
    'cancel_url',
    'biller_id',
    'livemode',
    'test_clock',
  ]),
  id: exampleId('checkout_session'),
  payment_link_id: exampleId('payment_link'),
  payment_intent_id: exampleId('payment_intent'),
  payment_method_id: exampleId('payment_method'),
  expires_at: '2027-01-05T09:00:00.000Z',
  status: 'completed',
  status_reason: null,
  consent: null,
  made_default: false,
  failed_attempts: 0,
  completed_at: madeAt,
  expired_at: null,
  created_at: madeAt,
  updated_at: madeAt,
};

export const checkoutSessionExample = example(CheckoutSession, {
  ...checkoutSessionEventExample,
  url: 'https://pay.example.com/checkout/9sDf2GhJ4kL6zXc8VbN1mQwE3rT5yU7i',
  client_secret: `${exampleId('checkout_session')}_secret_q8m1ZpL0vR3tYx`,
  payment_link_id: null,
  payment_intent_id: null,
  payment_method_id: null,
  status: 'open',
  completed_at: null,
});

const payerFields = ['id', 'mode', 'status', 'status_reason', 'expires_at', 'payment_method_id', 'livemode'] as const;
export const CheckoutSessionForPayer = Type.Pick(CheckoutSession, [...payerFields], {
  title: 'CheckoutSessionForPayer',
  additionalProperties: false,
});
export type CheckoutSessionForPayer = Static<typeof CheckoutSessionForPayer>;

/** The view for a secret key, or the view for a publishable key. */
export const CheckoutSessionByKey = Type.Union([CheckoutSession, CheckoutSessionForPayer]);
export type CheckoutSessionByKey = Static<typeof CheckoutSessionByKey>;

/** The session as lists and events show it. */
export function presentCheckoutSession(row: CheckoutSessionRow): CheckoutSession {
  return present(CheckoutSession, {
    ...row,
    url: undefined,
    client_secret: undefined,
    ...presentOffer(row),
    test_clock: row.test_clock_id,
  });
}

/** The session as a publishable key sees it. */
export function presentSessionToPayer(row: CheckoutSessionRow): CheckoutSessionForPayer {
  return pick(presentCheckoutSession(row), payerFields);
}
