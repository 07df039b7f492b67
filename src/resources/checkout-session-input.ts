import Type, { type Static } from 'typebox';
import { exampleId } from '../domain/ids.ts';
import { Reference, Strict, withRule } from './common.ts';
import { withExamples } from './examples.ts';
import { type FieldError, fieldError } from './field-errors.ts';
import { offerErrors, offerInput } from './payment-link-input.ts';

/** What a session that is made for an intent may have besides: the intent decides about the rest. */
const withIntent: ReadonlySet<string> = new Set([
  'payment_intent_id',
  'name',
  'description',
  'payment_method_types',
  'save_payment_method',
  'success_url',
  'cancel_url',
  'expires_at',
]);

/** What a session that collects what a subscription owes may have besides: the subscription decides about the rest. */
const withSubscription: ReadonlySet<string> = new Set([
  'name',
  'description',
  'payment_method_types',
  'metadata',
  'success_url',
  'cancel_url',
]);

export const CheckoutSessionCreate = withExamples(
  withRule(
    Strict(
      {
        ...offerInput,
        name: Type.Optional(offerInput.name),
        payment_intent_id: Type.Optional(
          Reference(
            'An intent of yours that can be confirmed, also a failed one of a plan or a subscription that can be ' +
              'retried. It decides about amount, payer and metadata.',
          ),
        ),
        subscription_id: Type.Optional(
          Reference(
            'A subscription with a payment that has failed or come back. The payer saves a method, and it takes what ' +
              '`retry_now` or `resume` would take, which the page says before. The session is one of mode `setup` ' +
              'whose `apply_to` names the subscription.',
          ),
        ),
        expires_at: Type.Optional(
          Type.String({
            format: 'date-time',
            description: 'From 5 minutes to 31 days ahead, in the customer’s time. By default in 24 hours.',
          }),
        ),
      },
      { title: 'CheckoutSessionCreate' },
    ),
    (body) => {
      if (body.subscription_id !== undefined) return errorsWithSubscription(body);
      if (body.payment_intent_id === undefined) {
        const missing = fieldError('/name', 'parameter_missing', 'name is required without payment_intent_id.');
        return [...(body.name === undefined ? [missing] : []), ...offerErrors(body)];
      }
      return Object.keys(body).flatMap((name): FieldError[] => {
        const isTaken = withIntent.has(name) || !(name in offerInput);
        const message = `The payment intent decides about ${name}. Leave it out.`;
        return isTaken ? [] : [fieldError(`/${name}`, 'invalid_value', message)];
      });
    },
  ),
  {
    payment: { summary: 'A hosted page for a payment', value: { name: 'Order 6735', amount: 2500, currency: 'AUD' } },
    intent: {
      summary: 'A hosted page for a payment intent',
      value: { payment_intent_id: exampleId('payment_intent') },
    },
    setup: {
      summary: 'A hosted page that saves a method, which your server then confirms',
      value: { mode: 'setup', name: 'Your card', customer_id: exampleId('customer') },
    },
  },
);

function errorsWithSubscription(body: Record<string, unknown>): FieldError[] {
  if (body.payment_intent_id !== undefined) {
    const message = 'Name either payment_intent_id or subscription_id.';
    return [fieldError('/subscription_id', 'invalid_value', message)];
  }
  return Object.keys(body).flatMap((name): FieldError[] => {
    const isTaken = withSubscription.has(name) || !(name in offerInput);
    const message = `The subscription decides about ${name}. Leave it out.`;
    return isTaken ? [] : [fieldError(`/${name}`, 'invalid_value', message)];
  });
}

export type CheckoutSessionCreate = Static<typeof CheckoutSessionCreate>;
