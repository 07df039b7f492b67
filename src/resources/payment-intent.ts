import Type, { type Static } from 'typebox';
import type { PaymentIntentRow } from '../db/payment-intents.ts';
import {
  Currency,
  FreeForm,
  Id,
  instant,
  Livemode,
  LocalDate,
  Metadata,
  MetadataWith,
  Nullable,
  Reference,
  Strict,
  Timestamp,
  withRule,
} from './common.ts';
import { type FieldError, fieldError } from './field-errors.ts';

/** Minor units. The source is the contract's section *Errors*; its schema allows amounts from 0. */
const minimumAmount = 200;

export const PaymentIntentStatus = Type.Enum(
  ['requires_payment_method', 'processing', 'requires_action', 'succeeded', 'failed', 'canceled'],
  {
    description:
      '`requires_payment_method`: nothing was charged yet; confirm it, unless it is scheduled. `processing`: the processor ' +
      'has been asked, wait for the webhook. `requires_action`: the payer has to pass 3D Secure. `succeeded`: the money is ' +
      'taken. `failed`: declined, `last_payment_error` says why; it can be confirmed again. `canceled`: given up.',
  },
);

const IntentFields = Strict(
  {
    amount: Type.Integer({
      minimum: 0,
      maximum: 100_000,
      description: 'Minor units, at least 200 and at most 100000.',
    }),
    currency: Currency,
    customer_id: Type.Optional(Reference('The payer; the customer of the method that is charged, if not given.')),
    biller_id: Type.Optional(Reference('Your own biller id; nobody else’s is accepted.')),
    payment_method: Type.Optional(Reference('A saved method, pm_…, which a confirm that names none charges.')),
    payment_method_data: Type.Optional({
      ...FreeForm,
      description: 'Free-form. It is accepted and not kept: charge a saved method, which POST /payment_methods makes.',
    }),
    metadata: Type.Optional(
      MetadataWith('For your own use. In the sandbox `_sandbox_outcome` chooses what comes of a charge: see *Modes*.'),
    ),
    surcharge_applied: Type.Optional(Type.Boolean({ description: 'Adds the fee on top of the amount.' })),
    scheduled_payment_date: Type.Optional(
      LocalDate(
        'The service charges by itself at 00:00 of this date in the account’s time zone; for today, within seconds. Today to ' +
          '366 days ahead; needs `payment_method`. A confirm or cancel before that ends the schedule.',
      ),
    ),
    statement_descriptor: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 22,
        description: 'What the payer’s statement shows; the account’s own if not given.',
      }),
    ),
  },
  { title: 'PaymentIntentCreate' },
);

export const PaymentIntentCreate = withRule(IntentFields, (body) => {
  const errors: FieldError[] = [];
  if (typeof body.amount === 'number' && body.amount < minimumAmount) {
    const message = `amount must be at least ${minimumAmount} cents.`;
    errors.push(fieldError('/amount', 'amount_too_small', message));
  }
  if (body.scheduled_payment_date !== undefined && body.payment_method === undefined) {
    const message = 'scheduled_payment_date needs a saved payment_method to charge on that date.';
    errors.push(fieldError('/payment_method', 'parameter_missing', message));
  }
  return errors;
});
export type PaymentIntentCreate = Static<typeof PaymentIntentCreate>;

export const PaymentIntentConfirm = Strict(
  {
    payment_method: Type.Optional(Reference('A saved method, pm_…; may be left out when the intent carries one.')),
    client_secret: Type.Optional(
      Type.String({ maxLength: 200, description: 'Required with a publishable key: the secret of this very intent.' }),
    ),
  },
  { title: 'PaymentIntentConfirm' },
);
export type PaymentIntentConfirm = Static<typeof PaymentIntentConfirm>;

const PaymentError = Strict(
  {
    code: Type.String({ description: 'Why the last attempt failed, for programs: see *Codes of failed payments*.' }),
    message: Type.String({ description: 'The same, for people.' }),
  },
  { title: 'PaymentError' },
);

export const PaymentIntent = Strict(
  {
    id: Id('payment_intent', 'The id of the payment intent; `pi_sandbox_…` in sandbox.'),
    client_secret: Type.Optional(
      Type.String({
        description:
          'Lets a client act on this payment intent with a publishable key. Only for keys with the scope ' +
          '`payment_intents:write`; not in lists and events.',
      }),
    ),
    amount: Type.Integer({ description: 'The base amount, minor units.' }),
    total_amount: Type.Integer({ description: 'What is charged: base amount and surcharge, minor units.' }),
    fee_amount: Type.Integer({
      description: 'The fee of the biller’s schedule, minor units, whether it is passed on or not.',
    }),
    surcharge_amount: Type.Integer({ description: 'The fee where it is passed on to the payer, else 0; minor units.' }),
    surcharge_applied: Type.Boolean({ description: 'Whether the payer pays the fee on top.' }),
    currency: Currency,
    status: PaymentIntentStatus,
    payment_method_id: Type.Optional(Type.String({ description: 'The saved method that is, or was, charged.' })),
    customer_id: Type.Optional(Type.String({ description: 'The payer.' })),
    biller_id: Type.String({ description: 'The account that is paid.' }),
    payment_plan_id: Nullable(Type.String(), { description: 'The plan that made it; null for a payment on its own.' }),
    metadata: Metadata,
    scheduled_payment_date: Type.Optional(LocalDate('Only of a payment that was scheduled for a later date.')),
    statement_descriptor: Type.Optional(
      Type.String({ description: 'What the payer’s statement shows: given here, or the biller’s default.' }),
    ),
    total_refunded_amount: Type.Integer({ description: 'The sum of the refunds that succeeded, minor units.' }),
    last_payment_error: Nullable(PaymentError, {
      description: 'Why the last attempt failed; null when there was none, or it did not.',
    }),
    created_at: Timestamp,
    updated_at: Timestamp,
    livemode: Livemode,
  },
  { title: 'PaymentIntent' },
);
export type PaymentIntent = Static<typeof PaymentIntent>;

/** The fields that a checkout page needs. The others are only for the biller. */
export const PaymentIntentForPayer = Type.Pick(
  PaymentIntent,
  [
    'id',
    'client_secret',
    'amount',
    'total_amount',
    'surcharge_amount',
    'surcharge_applied',
    'currency',
    'status',
    'statement_descriptor',
    'last_payment_error',
    'created_at',
    'updated_at',
    'livemode',
  ],
  { title: 'PaymentIntentForPayer', additionalProperties: false },
);
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
  return {
    id: row.id,
    amount: row.amount,
    total_amount: row.total_amount,
    fee_amount: row.fee_amount,
    surcharge_amount: row.surcharge_amount,
    surcharge_applied: row.surcharge_applied,
    currency: row.currency,
    status: row.status,
    payment_method_id: row.payment_method_id ?? undefined,
    customer_id: row.customer_id ?? undefined,
    biller_id: row.biller_id,
    payment_plan_id: row.payment_plan_id,
    metadata: row.metadata,
    scheduled_payment_date: row.scheduled_payment_date ?? undefined,
    statement_descriptor: row.statement_descriptor ?? undefined,
    total_refunded_amount: row.total_refunded_amount,
    last_payment_error:
      row.last_error_code === null || row.last_error_message === null
        ? null
        : { code: row.last_error_code, message: row.last_error_message },
    created_at: instant(row.created_at),
    updated_at: instant(row.updated_at),
    livemode: row.livemode,
  };
}

/** The intent as a publishable key sees it, with its client secret. */
export function presentToPayer(row: PaymentIntentRow, clientSecret: string): PaymentIntentForPayer {
  const shown = presentPaymentIntent(row);
  return {
    id: shown.id,
    client_secret: clientSecret,
    amount: shown.amount,
    total_amount: shown.total_amount,
    surcharge_amount: shown.surcharge_amount,
    surcharge_applied: shown.surcharge_applied,
    currency: shown.currency,
    status: shown.status,
    statement_descriptor: shown.statement_descriptor,
    last_payment_error: shown.last_payment_error,
    created_at: shown.created_at,
    updated_at: shown.updated_at,
    livemode: shown.livemode,
  };
}
