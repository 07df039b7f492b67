import Type, { type Static } from 'typebox';
import { exampleId } from '../domain/ids.ts';
import { type Breach, Currency, FreeForm, LocalDate, MetadataWith, Reference, Strict, withRule } from './common.ts';
import { withExamples } from './examples.ts';

/** Minor units. The source is the contract's section *Errors*; its schema allows amounts from 0. */
const minimumAmount = 200;

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

const withRules = withRule(IntentFields, (body) => {
  const breaches: Breach[] = [];
  if (typeof body.amount === 'number' && body.amount < minimumAmount) {
    const message = `amount must be at least ${minimumAmount} cents.`;
    breaches.push({ code: 'amount_too_small', message, path: '/amount' });
  }
  if (body.scheduled_payment_date !== undefined && body.payment_method === undefined) {
    const message = 'scheduled_payment_date needs a saved payment_method to charge on that date.';
    breaches.push({ code: 'parameter_missing', message, path: '/payment_method' });
  }
  return breaches;
});

const payment = { amount: 2500, currency: 'AUD', customer_id: exampleId('customer') } as const;
export const PaymentIntentCreate = withExamples(withRules, {
  now: { summary: 'A payment to be confirmed', value: { ...payment, metadata: { order: '6735' } } },
  scheduled: {
    summary: 'A payment that is taken on a date',
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
      payment_method: Type.Optional(Reference('A saved method, pm_…; may be left out when the intent carries one.')),
      client_secret: Type.Optional(
        Type.String({
          maxLength: 200,
          description: 'Required with a publishable key: the secret of this very intent.',
        }),
      ),
    },
    { title: 'PaymentIntentConfirm' },
  ),
  {
    method: { summary: 'With a saved method', value: { payment_method: exampleId('payment_method') } },
    carried: { summary: 'With the method that the payment intent carries', value: {} },
  },
);
export type PaymentIntentConfirm = Static<typeof PaymentIntentConfirm>;

export const PaymentIntentActionCompletion = withExamples(
  Strict(
    { result: Type.Enum(['succeed', 'fail'], { description: 'Whether the payer passes it.' }) },
    { title: 'PaymentIntentActionCompletion' },
  ),
  {
    succeed: { summary: 'The payer has authenticated', value: { result: 'succeed' } },
    fail: { summary: 'The payer has not', value: { result: 'fail' } },
  },
);
