import Type, { type Static } from 'typebox';
import { exampleId } from '../domain/ids.ts';
import { Currency, FreeForm, LocalDate, MetadataWith, Reference, StatementText, Strict, withRule } from './common.ts';
import { withExamples } from './examples.ts';
import { type FieldError, fieldError } from './field-errors.ts';

/** Minor units. The source is the contract's section *Errors*; its schema allows amounts from 0. */
const minimumAmount = 200;

const IntentFields = Strict(
  {
    amount: Type.Integer({
      title:
        'an integer from 200 to 100000, in minor units; for more, make a payment plan of one payment, or a payment link',
      minimum: 0,
      maximum: 100_000,
      description:
        'Minor units, at least 200 and at most 100000. For more, make a payment plan of one payment, or a payment link.',
    }),
    currency: Currency,
    customer_id: Type.Optional(
      Reference(
        'The payer. Name it to charge a method of a customer, by a confirm or on a date: the customer of a method is ' +
          'not taken over.',
      ),
    ),
    biller_id: Type.Optional(Reference('Your own biller id. Any other is refused.')),
    payment_method: Type.Optional(Reference('A saved method, pm_…. A confirm that names no method charges this one.')),
    confirm: Type.Optional(
      Type.Boolean({
        description:
          'Charges the payment in the same request, as a confirm does. Needs `payment_method`. Not together with ' +
          '`scheduled_payment_date`.',
      }),
    ),
    payment_method_data: Type.Optional({
      ...FreeForm,
      description: 'Free-form. Accepted, but not stored: to charge a method, save it with POST /payment_methods.',
    }),
    metadata: Type.Optional(
      MetadataWith(
        'For your own use. In the sandbox `_sandbox_outcome` chooses the outcome of a charge, and ' +
          '`_sandbox_bank_outcome` that of a bank debit, `_sandbox_payout` that of its payouts: see *Modes*.',
      ),
    ),
    surcharge_applied: Type.Optional(
      Type.Boolean({ description: 'Asks for the fee on top of the amount, where the rules on surcharges allow it.' }),
    ),
    tax_included: Type.Optional(
      Type.Boolean({
        description: 'Whether the amount includes the tax of the account, if it has one. True by default.',
      }),
    ),
    scheduled_payment_date: Type.Optional(
      LocalDate(
        'The service charges at 00:00 of this date in the account’s time zone, or within seconds if it is today. ' +
          'From today to 366 days ahead. Needs `payment_method`, and `customer_id` if the method belongs to a customer. ' +
          'Confirming or canceling earlier ends the schedule.',
      ),
    ),
    description: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 500,
        description: 'What is paid for. The payer reads it on receipts, and on the page of a checkout session.',
      }),
    ),
    statement_descriptor: Type.Optional(
      StatementText({
        minLength: 1,
        maxLength: 22,
        description: 'What the payer’s statement shows. By default that of the account.',
      }),
    ),
  },
  { title: 'PaymentIntentCreate' },
);

const withRules = withRule(IntentFields, (body) => {
  const errors: FieldError[] = [];
  if (typeof body.amount === 'number' && body.amount < minimumAmount) {
    const message = `amount must be at least ${minimumAmount} cents.`;
    errors.push(fieldError('/amount', 'amount_too_small', message));
  }
  if (body.scheduled_payment_date !== undefined && body.payment_method === undefined) {
    const message = 'scheduled_payment_date needs a saved payment_method to charge on that date.';
    errors.push(fieldError('/payment_method', 'parameter_missing', message));
  }
  if (body.confirm === true && body.payment_method === undefined) {
    const message = 'confirm needs a saved payment_method to charge.';
    errors.push(fieldError('/payment_method', 'parameter_missing', message));
  }
  if (body.confirm === true && body.scheduled_payment_date !== undefined) {
    const message = 'A payment with confirm is charged now. Leave out scheduled_payment_date, or confirm.';
    errors.push(fieldError('/scheduled_payment_date', 'invalid_value', message));
  }
  return errors;
});

const payment = { amount: 2500, currency: 'AUD', customer_id: exampleId('customer') } as const;
export const PaymentIntentCreate = withExamples(withRules, {
  now: { summary: 'A payment to confirm', value: { ...payment, metadata: { order: '6735' } } },
  confirmed: {
    summary: 'A payment that is charged in the same request',
    value: { ...payment, payment_method: exampleId('payment_method'), confirm: true },
  },
  scheduled: {
    summary: 'A payment that is charged on a date',
    value: { ...payment, payment_method: exampleId('payment_method'), scheduled_payment_date: '2027-01-11' },
  },
  declined: {
    summary: 'A sandbox payment that is declined first and succeeds at the second attempt',
    value: { ...payment, metadata: { _sandbox_outcome: 'decline,succeed' } },
  },
});
export type PaymentIntentCreate = Static<typeof PaymentIntentCreate>;

export const PaymentIntentConfirm = withExamples(
  Strict(
    {
      payment_method: Type.Optional(
        Reference('A saved method, pm_…. You can leave it out if the payment intent has one.'),
      ),
      customer_id: Type.Optional(
        Reference(
          'The customer who pays. Needed, with a secret key, if the payment intent has no customer and the method ' +
            'belongs to one: so a browser that sends the method cannot choose the customer.',
        ),
      ),
      client_secret: Type.Optional(
        Type.String({
          maxLength: 200,
          description: 'Required with a publishable key: the client_secret of this payment intent.',
        }),
      ),
      return_url: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 2048,
          description:
            'Where the payer continues after the page of a 3D Secure challenge. Absolute, without credentials, `https` in ' +
            'live mode. It stays until another confirm names one.',
        }),
      ),
    },
    { title: 'PaymentIntentConfirm' },
  ),
  {
    method: { summary: 'With a saved method', value: { payment_method: exampleId('payment_method') } },
    carried: { summary: 'With the method of the payment intent', value: {} },
  },
);
export type PaymentIntentConfirm = Static<typeof PaymentIntentConfirm>;

export const PaymentIntentBankResult = withExamples(
  Strict(
    {
      result: Type.Enum(['settled', 'dishonoured', 'returned', 'disputed'], {
        description:
          '`settled`: collected. `dishonoured`: not collected. Both while the payment is processing. `returned`: a late ' +
          'dishonour. `disputed`: the payer claims the money back. Both after it has succeeded.',
      }),
      bank_code: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 10,
          description: 'The bank’s code for `dishonoured` and `returned`: 1 to 6, or 9. By default 6, a lack of funds.',
        }),
      ),
    },
    { title: 'PaymentIntentBankResult' },
  ),
  {
    settled: { summary: 'The bank has collected the debit', value: { result: 'settled' } },
    closed: { summary: 'The account is closed', value: { result: 'dishonoured', bank_code: '3' } },
    disputed: { summary: 'The payer claims the money back', value: { result: 'disputed' } },
  },
);

export const PaymentIntentActionCompletion = withExamples(
  Strict(
    { result: Type.Enum(['succeed', 'fail'], { description: 'Whether the payer passes the challenge.' }) },
    { title: 'PaymentIntentActionCompletion' },
  ),
  {
    succeed: { summary: 'The payer passes the challenge', value: { result: 'succeed' } },
    fail: { summary: 'The payer fails the challenge', value: { result: 'fail' } },
  },
);
