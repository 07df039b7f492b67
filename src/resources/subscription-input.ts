import Type, { type Static } from 'typebox';
import { exampleId } from '../domain/ids.ts';
import { Currency, LocalDate, MetadataWith, nullable, optional, Reference, Strict, Unchangeable } from './common.ts';
import { withExamples } from './examples.ts';

const ItemInput = Strict(
  {
    name: Type.String({ minLength: 1, maxLength: 255, pattern: '\\S', description: 'A label, for statements.' }),
    unit_amount_cents: Type.Integer({
      minimum: 0,
      maximum: 99_999_999,
      description: 'The price of one, for a whole period, minor units.',
    }),
    quantity: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000, description: 'How many; by default 1.' })),
    tax_included: Type.Optional(
      Type.Boolean({
        description: 'Whether the price includes the tax of the account, if it has one. True by default.',
      }),
    ),
  },
  { title: 'SubscriptionItemInput' },
);

const OneOffItemInput = Strict(
  {
    name: ItemInput.properties.name,
    unit_amount_cents: Type.Integer({ minimum: 1, maximum: 99_999_999, description: 'The price of one, minor units.' }),
    quantity: ItemInput.properties.quantity,
    tax_included: ItemInput.properties.tax_included,
  },
  { title: 'SubscriptionOneOffItemInput' },
);

const DiscountInput = Strict(
  {
    name: ItemInput.properties.name,
    percent_off: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, description: 'So many per cent of what the items of a period cost.' }),
    ),
    amount_off_cents: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 99_999_999,
        description: 'So much of what the items of a whole period cost, minor units. Either this or `percent_off`.',
      }),
    ),
    periods: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1_000, description: 'For how many paid periods. By default for all.' }),
    ),
  },
  { title: 'SubscriptionDiscountInput' },
);

/** Must be given at creation. */
export const requiredTerms = {
  name: Type.String({ minLength: 1, maxLength: 255, pattern: '\\S', description: 'A label.' }),
  currency: Currency,
  items: Type.Array(ItemInput, {
    minItems: 1,
    maxItems: 20,
    description:
      'What is sold. A period costs the sum of unit amount times quantity, at least 1 minor unit. The limits of payment ' +
      'intents (200 and 100000) do not apply.',
  }),
  frequency_type: Type.Enum(['weekly', 'monthly', 'yearly'], {
    title: 'SubscriptionFrequency',
    description: 'The unit of a period.',
  }),
};

/** May be left out at creation; each has a default. */
export const defaultedTerms = {
  frequency_period: Type.Integer({
    minimum: 1,
    maximum: 52,
    description: 'How many weeks, months or years a period has. By default 1.',
  }),
  trial_end_behaviour: Type.Enum(['charge', 'pause', 'cancel'], {
    title: 'TrialEndBehaviour',
    description:
      'What happens if a trial ends and there is no method to charge. `pause`, the default; `cancel`; `charge`: the ' +
      'collection fails, and `unpaid_behaviour` decides.',
  }),
  failure_behaviour: Type.Enum(['retry', 'stop'], {
    title: 'FailureBehaviour',
    description:
      'What happens after a failed payment, as for plans. `retry`, the default: it is charged again 1, 3 and 5 days after ' +
      'its first failure, unless the decline is final. `stop`: it is not retried.',
  }),
  unpaid_behaviour: Type.Enum(['pause', 'cancel'], {
    title: 'UnpaidBehaviour',
    description: 'What happens when no retry is left. `pause` is the default.',
  }),
  grace_days: Type.Integer({
    minimum: 0,
    maximum: 60,
    description:
      'For how many days after the first failure `in_effect` stays true while retries continue, if a period was paid before: ' +
      'until the same time of day in the account’s time zone. By default 7, which covers all retries.',
  }),
  effective_on: Type.Enum(['settled', 'submitted'], {
    title: 'EffectiveOn',
    description:
      'When the first period takes effect that is paid by a bank debit. `settled`, the default: when the bank has ' +
      'collected it. `submitted`: when the debit is accepted. Later periods begin on their dates.',
  }),
  one_off_items: Type.Array(OneOffItemInput, {
    maxItems: 20,
    description:
      'Fees that the next paid period takes once, such as a joining fee. The days of the period and discounts change ' +
      'nothing of them. An update replaces those that wait; an empty list withdraws them.',
  }),
  discounts: Type.Array(DiscountInput, {
    maxItems: 5,
    description:
      'What is taken off the items of each paid period, one after the other, and never more than they cost. An update ' +
      'replaces all of them, from the next period on.',
  }),
  metadata: MetadataWith(
    'For your own use. Copied to each payment intent, so that `_sandbox_outcome` chooses their outcomes; ' +
      '`_sandbox_outcome_by_period` has one such list for each paid period, separated by semicolons, and the last repeats.',
  ),
};

/** May be left out at creation, and cleared by null before the start. */
export const clearableTerms = {
  start_date: LocalDate(
    'The first day. By default today, for this customer. Not in the past. Periods are counted from here, or from the end ' +
      'of the trial: 31 January is followed by 28 or 29 February, then by 31 March.',
  ),
  anchor_day: Type.Integer({
    minimum: 1,
    maximum: 31,
    description:
      'The day of the month on which periods begin; in shorter months the last day. The first period is then short, and ' +
      'costs its share of the days. Not for weekly subscriptions. A resume counts anew from its own day.',
  }),
  trial_days: Type.Integer({
    minimum: 1,
    maximum: 730,
    description: 'The days of a trial before the first paid period.',
  }),
  trial_end_date: LocalDate('The first day after the trial. Either this or `trial_days`.'),
  ends_at: LocalDate('The day on which it ends, the first without service: an end of a period. Null: it continues.'),
  payment_instrument_id: Reference(
    'The method to charge. By default the customer’s default method at the time of each charge.',
  ),
};

export const SubscriptionCreate = withExamples(
  Strict(
    {
      customer_id: Reference('The customer who gets the service and is charged.'),
      ...requiredTerms,
      ...optional(defaultedTerms),
      ...optional(clearableTerms),
    },
    { title: 'SubscriptionCreate' },
  ),
  {
    monthly: {
      summary: 'Monthly',
      value: {
        customer_id: exampleId('customer'),
        name: 'Premium membership',
        currency: 'AUD',
        frequency_type: 'monthly',
        items: [{ name: 'Membership', unit_amount_cents: 4900 }],
      },
    },
    trial: {
      summary: 'Monthly on the 1st, after a trial of 14 days',
      value: {
        customer_id: exampleId('customer'),
        name: 'Team',
        currency: 'AUD',
        frequency_type: 'monthly',
        anchor_day: 1,
        trial_days: 14,
        items: [
          { name: 'Seats', unit_amount_cents: 1500, quantity: 5 },
          { name: 'Support', unit_amount_cents: 9900 },
        ],
      },
    },
  },
);
export type SubscriptionCreate = Static<typeof SubscriptionCreate>;

export const SubscriptionUpdate = withExamples(
  Strict(
    {
      customer_id: Type.Optional(Unchangeable),
      ...optional(requiredTerms),
      ...optional(defaultedTerms),
      ...optional(nullable(clearableTerms)),
    },
    { title: 'SubscriptionUpdate' },
  ),
  { grace: { summary: 'No service while a payment is retried', value: { grace_days: 0 } } },
);
export type SubscriptionUpdate = Static<typeof SubscriptionUpdate>;

export const SubscriptionCancel = withExamples(
  Strict(
    {
      at: Type.Optional(
        Type.Union([Type.Enum(['period_end', 'now']), Type.String({ format: 'date' })], {
          description:
            'When it ends. `period_end`, the default: at the end of the current period, since that was paid for. `now`: at ' +
            'once. A date: at the end of this or of a later period.',
        }),
      ),
      unused: Type.Optional(
        Type.Enum(['keep', 'credit'], {
          description:
            'With `at: now`: whether the days that are paid and left go back. `keep`, the default: nothing goes back. ' +
            '`credit`: they become credit, as if it were changed to nothing.',
        }),
      ),
      dry_run: Type.Optional(
        Type.Boolean({ description: 'Nothing changes: `quote` says what would become credit. With `unused: credit`.' }),
      ),
    },
    { title: 'SubscriptionCancel' },
  ),
  {
    atOnce: { summary: 'End it at once', value: { at: 'now' } },
    unused: { summary: 'End it at once, and credit the days that are left', value: { at: 'now', unused: 'credit' } },
    later: { summary: 'End it with a later period', value: { at: '2027-06-10' } },
  },
);
export type SubscriptionCancel = Static<typeof SubscriptionCancel>;

const AnchorDay = Type.Integer({
  minimum: 1,
  maximum: 31,
  description:
    'The day of the month on which later periods begin, such as that of before the pause. The new period is then ' +
    'short, and costs its share of the days. By default the day of the resume. Not for weekly subscriptions.',
});

/** Whether days that were served and not paid are collected. */
export const Unpaid = Type.Enum(['collect', 'waive'], {
  title: 'UnpaidService',
  description:
    'Whether what was served and not paid is collected, the default, or waived: then the unpaid period is `void` and a ' +
    'new one begins today.',
});

export const SubscriptionResume = withExamples(
  Strict({ anchor_day: Type.Optional(AnchorDay), unpaid: Type.Optional(Unpaid) }, { title: 'SubscriptionResume' }),
  {
    today: { summary: 'Count the periods from today', value: {} },
    sameDay: { summary: 'Keep the 11th', value: { anchor_day: 11 } },
  },
);
export type SubscriptionResume = Static<typeof SubscriptionResume>;

export const SubscriptionPause = withExamples(
  Strict(
    {
      from: Type.Optional(
        LocalDate('When the pause begins: an end of a period. By default at the end of the current period.'),
      ),
      resumes_at: Type.Optional(
        LocalDate('When it resumes automatically: after the pause begins. By default it waits for a resume.'),
      ),
      anchor_day: Type.Optional(AnchorDay),
    },
    { title: 'SubscriptionPause' },
  ),
  {
    open: { summary: 'Pause until further notice', value: {} },
    summer: { summary: 'Pause two months of a summer', value: { from: '2027-12-10', resumes_at: '2028-02-10' } },
  },
);
export type SubscriptionPause = Static<typeof SubscriptionPause>;
