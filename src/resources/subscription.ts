import Type, { type Static } from 'typebox';
import type { ShownSubscriptionRow } from '../db/subscriptions.ts';
import { exampleId } from '../domain/ids.ts';
import { periodDates } from '../domain/subscriptions/periods.ts';
import { calendarOf, type Period, plannedPause } from '../domain/subscriptions/subscription.ts';
import {
  Currency,
  Id,
  ListOf,
  LocalDate,
  lastFields,
  Nullable,
  nullable,
  present,
  Strict,
  type Tag,
  Timestamp,
} from './common.ts';
import { dueAt, example, madeAt, owned } from './examples.ts';
import { clearableTerms, defaultedTerms, requiredTerms } from './subscription-input.ts';

export const subscriptionsTag: Tag = {
  name: 'Subscriptions',
  description:
    'A service that is sold in periods, each paid when it begins. `in_effect` says whether the customer may use it now.',
};

export const SubscriptionState = Type.Enum(['pending', 'trialing', 'active', 'past_due', 'paused', 'canceled'], {
  title: 'SubscriptionState',
  description:
    '`pending`: not started; nothing is owed. `trialing`: in its trial. `active`: paid, or its payment is under way. ' +
    '`past_due`: a payment failed and is retried. `paused`: no period, no service. `canceled`: ended for good.',
});

const { start_date, trial_end_date, ...cleared } = nullable(clearableTerms);

const CurrentPeriod = Strict(
  {
    number: Type.Integer({ description: 'From 1. A trial is period 1.' }),
    start: LocalDate('The first day.'),
    end: LocalDate('The first day after it.'),
    status: Type.Enum(['processing', 'paid', 'retrying', 'unpaid', 'void'], {
      title: 'SubscriptionPeriodStatus',
      description:
        '`processing`: being charged. `paid`: collected, or a trial. `retrying`: failed, and retried. `unpaid`: failed, and ' +
        'not retried. `void`: nothing is owed for it, and it was not bought.',
    }),
  },
  { title: 'CurrentPeriod' },
);

export const SubscriptionItem = Strict(
  {
    id: Id('subscription_item', 'The id of the item.'),
    name: Type.String({ description: 'A label, for statements.' }),
    unit_amount_cents: Type.Integer({ description: 'The price of one for a whole period, minor units.' }),
    quantity: Type.Integer({ description: 'How many.' }),
    tax_included: Type.Optional(
      Type.Boolean({ description: 'False if the price does not include the tax of the account; else left out.' }),
    ),
  },
  { title: 'SubscriptionItem' },
);

export const SubscriptionPeriodLine = Strict(
  {
    kind: Type.Enum(['item', 'one_off', 'proration', 'discount', 'credit', 'owed'], {
      description:
        '`item`: a whole period. `one_off`: a fee that is taken once. `proration`: the share of its days. `discount`: ' +
        'negative, unless a change gives back days that had it. `credit`: negative. `owed`: days that were served in an ' +
        'earlier period and not paid.',
    }),
    description: Type.String({ description: 'For people.' }),
    quantity: Type.Integer({ description: 'How many.' }),
    amount_cents: Type.Integer({ description: 'The amount of the line, minor units.' }),
    taxable_cents: Type.Optional(
      Type.Integer({
        description:
          'How much of the amount includes the tax of the account, minor units. Shown if something that is sold does not ' +
          'include it; a line without it then shares what the others say.',
      }),
    ),
  },
  { title: 'SubscriptionPeriodLine' },
);

const Discount = Strict(
  {
    name: Type.String({ description: 'A label, for statements.' }),
    percent_off: Nullable(Type.Integer(), { description: 'So many per cent; null if it is an amount.' }),
    amount_off_cents: Nullable(Type.Integer(), { description: 'An amount, minor units; null if it is a percentage.' }),
    periods_left: Nullable(Type.Integer(), {
      description: 'For how many paid periods that begin later; null for all.',
    }),
  },
  { title: 'SubscriptionDiscount' },
);

const OneOffItem = Strict(
  {
    name: SubscriptionItem.properties.name,
    unit_amount_cents: Type.Integer({ description: 'The price of one, minor units.' }),
    quantity: SubscriptionItem.properties.quantity,
    tax_included: SubscriptionItem.properties.tax_included,
  },
  { title: 'SubscriptionOneOffItem' },
);

export const Subscription = Strict(
  {
    id: Id('subscription', 'The id of the subscription.'),
    customer_id: Type.String({ description: 'The customer who gets the service and is charged.' }),
    name: requiredTerms.name,
    state: SubscriptionState,
    state_reason: Nullable(Type.String(), {
      description:
        'Why it is paused or canceled. `requested`: by you. `payment_failed`: no retry is left. ' +
        '`no_payment_method`: its trial ended without one. `ended`: at `ends_at`. `customer_deleted`.',
    }),
    in_effect: Type.Boolean({ description: 'Whether the customer may use the service now.' }),
    in_effect_until: Nullable(Timestamp, {
      description: 'Until when, if nothing else happens. Null while that is open, and while it is not in effect.',
    }),
    currency: Currency,
    items: Type.Array(SubscriptionItem, { description: 'What is sold in the current period.' }),
    next_items: Nullable(Type.Array(SubscriptionItem), {
      description: 'What is sold from the next period on, if that was changed; null if it is the same.',
    }),
    one_off_items: Type.Array(OneOffItem, {
      description: 'Fees that are not paid: the next paid period takes them once, or an unpaid period has taken them.',
    }),
    discounts: Type.Array(Discount, { description: 'The discounts of the current period.' }),
    next_discounts: Nullable(Type.Array(Discount), {
      description: 'The discounts from the next period on, if they were changed; null if they are the same.',
    }),
    frequency_type: requiredTerms.frequency_type,
    frequency_period: defaultedTerms.frequency_period,
    start_date: clearableTerms.start_date,
    anchor_day: cleared.anchor_day,
    trial_days: cleared.trial_days,
    trial_end_date,
    trial_end_behaviour: defaultedTerms.trial_end_behaviour,
    payment_instrument_id: Nullable(Type.String(), {
      description: 'The method to charge; null for the customer’s default at each charge.',
    }),
    failure_behaviour: defaultedTerms.failure_behaviour,
    unpaid_behaviour: defaultedTerms.unpaid_behaviour,
    grace_days: defaultedTerms.grace_days,
    effective_on: defaultedTerms.effective_on,
    ends_at: cleared.ends_at,
    pauses_at: Nullable(LocalDate('The day on which a pause begins that was requested.')),
    resumes_at: Nullable(
      LocalDate('The day on which the pause ends automatically. It does not end while a period is owed.'),
    ),
    current_period: Nullable(CurrentPeriod, { description: 'The period that has begun last; null before the first.' }),
    next_period_start: Nullable(LocalDate('When the next period begins; null if none is to come.')),
    next_attempt_at: Nullable(Timestamp, { description: 'When a failed payment is retried; null if it is not.' }),
    owed_amount_cents: Type.Integer({
      description:
        'What collecting would take for periods that are not paid, without surcharge, minor units. 0 unless one is unpaid.',
    }),
    in_flight_amount: Type.Integer({
      description:
        'What the bank or the processor already had when it was canceled, minor units. If it succeeds, it becomes credit, ' +
        'unless its period was over.',
    }),
    credit_balance_cents: Type.Integer({
      description: 'The credit of the customer for later periods, minor units.',
    }),
    refundable_credit_cents: Type.Integer({
      description:
        'How much of the credit `refund_credit` can pay out now, minor units: at most what remains of the payments.',
    }),
    next_period_lines: Type.Array(SubscriptionPeriodLine, {
      description: 'What changes have left for the next period to take, besides its items.',
    }),
    change_payment_intent_id: Nullable(Type.String(), {
      description: 'The payment of a change that is under way; null if none is.',
    }),
    paid_periods: Type.Integer({ description: 'The periods that were collected. Trials do not count.' }),
    latest_payment_intent_id: Nullable(Type.String(), { description: 'Its last payment; null before the first.' }),
    last_payment_error: Nullable(
      Strict(
        {
          code: Type.String({ description: 'Why it failed, for programs: see *Codes of failed payments*.' }),
          message: Type.String({ description: 'For people.' }),
        },
        { title: 'SubscriptionPaymentError' },
      ),
      { description: 'Why its last charge failed; null if it did not.' },
    ),
    metadata: defaultedTerms.metadata,
    ...lastFields('the customer'),
  },
  { title: 'Subscription' },
);
export type Subscription = Static<typeof Subscription>;

export const subscriptionExample = example(Subscription, {
  id: exampleId('subscription'),
  customer_id: exampleId('customer'),
  name: 'Premium membership',
  state: 'active',
  state_reason: null,
  in_effect: true,
  in_effect_until: '2027-02-11T00:00:00.000Z',
  currency: 'AUD',
  items: [{ id: exampleId('subscription_item'), name: 'Membership', unit_amount_cents: 4900, quantity: 1 }],
  next_items: null,
  one_off_items: [],
  discounts: [],
  next_discounts: null,
  frequency_type: 'monthly',
  frequency_period: 1,
  start_date: '2027-01-11',
  anchor_day: null,
  trial_days: null,
  trial_end_date: null,
  trial_end_behaviour: 'pause',
  payment_instrument_id: null,
  failure_behaviour: 'retry',
  unpaid_behaviour: 'pause',
  grace_days: 7,
  effective_on: 'settled',
  ends_at: null,
  pauses_at: null,
  resumes_at: null,
  current_period: { number: 1, start: '2027-01-11', end: '2027-02-11', status: 'paid' },
  next_period_start: '2027-02-11',
  next_attempt_at: null,
  owed_amount_cents: 0,
  in_flight_amount: 0,
  credit_balance_cents: 0,
  refundable_credit_cents: 0,
  next_period_lines: [],
  change_payment_intent_id: null,
  paid_periods: 1,
  latest_payment_intent_id: exampleId('payment_intent'),
  last_payment_error: null,
  metadata: {},
  ...owned,
  test_clock: exampleId('test_clock'),
  created_at: madeAt,
  updated_at: dueAt,
});

/** The subscription as the API and its events show it. `test_clock` is the column `test_clock_id`. */
export function presentSubscription(row: ShownSubscriptionRow): Subscription {
  const { current_period: current, last_error_code: code, last_error_message: message } = row;
  return present(Subscription, {
    ...row,
    ...plannedPause(row),
    one_off_items: [...row.unpaid_one_off_items, ...row.one_off_items],
    current_period: current && {
      number: current.number,
      start: current.start_date,
      end: current.end_date,
      status: current.status,
    },
    next_period_start: nextPeriodStart(row),
    in_flight_amount: row.in_flight_cents,
    last_payment_error: code === null || message === null ? null : { code, message },
    test_clock: row.test_clock_id,
  });
}

/** Biller-local date of the next period. Null if none comes without a request. */
function nextPeriodStart(row: ShownSubscriptionRow): string | null {
  const isRunning = row.state === 'trialing' || row.state === 'active' || row.state === 'past_due';
  if (row.state === 'paused' && row.resume_at === null) return null;
  if (row.state === 'paused')
    return row.ends_at !== null && row.resumes_at !== null && row.resumes_at >= row.ends_at ? null : row.resumes_at;
  if (row.state === 'pending') return row.started_at === null || row.current_period !== null ? null : row.start_date;
  if (!isRunning || row.anchor_start === null) return null;
  const { start } = periodDates(calendarOf(row), row.next_number);
  const isCut = [row.ends_at, plannedPause(row).pauses_at].some((stop) => stop !== null && stop <= start);
  return isCut ? null : start;
}

export const SubscriptionPeriod = Strict(
  {
    ...CurrentPeriod.properties,
    kind: Type.Enum(['trial', 'paid'], { description: 'Whether it is a trial.' }),
    lines: Type.Array(SubscriptionPeriodLine, { description: 'The statement of the period.' }),
    amount_cents: Type.Integer({ description: 'The sum of the lines, without surcharge, minor units.' }),
    payment_intent_id: Nullable(Type.String(), { description: 'Its payment; null for a trial.' }),
    failures: Type.Integer({ description: 'The failed attempts of the present series.' }),
    next_attempt_at: Nullable(Timestamp, { description: 'When it is retried; null if it is not.' }),
    served_until: Nullable(Timestamp, {
      description: 'Until when it was in effect, if that has ended; otherwise null.',
    }),
  },
  { title: 'SubscriptionPeriod' },
);
export type SubscriptionPeriod = Static<typeof SubscriptionPeriod>;

export const subscriptionPeriodExample = example(SubscriptionPeriod, {
  number: 1,
  start: '2027-01-11',
  end: '2027-02-11',
  status: 'paid',
  kind: 'paid',
  lines: [{ kind: 'item', description: 'Membership', quantity: 1, amount_cents: 4900 }],
  amount_cents: 4900,
  payment_intent_id: exampleId('payment_intent'),
  failures: 0,
  next_attempt_at: null,
  served_until: null,
});

/** A period as the list of a subscription's periods shows it. */
export function presentSubscriptionPeriod(row: Period): SubscriptionPeriod {
  return present(SubscriptionPeriod, { ...row, start: row.start_date, end: row.end_date });
}

const ComingPeriod = Strict(
  {
    number: CurrentPeriod.properties.number,
    start: CurrentPeriod.properties.start,
    end: CurrentPeriod.properties.end,
    amount_cents: Type.Integer({ description: 'What it costs, without surcharge, minor units.' }),
    lines: Type.Array(SubscriptionPeriodLine, { description: 'What it takes.' }),
  },
  { title: 'ComingPeriod' },
);
example(ComingPeriod, {
  number: 2,
  start: '2027-02-11',
  end: '2027-03-11',
  amount_cents: 4900,
  lines: [{ kind: 'item', description: 'Membership', quantity: 1, amount_cents: 4900 }],
});
export const SubscriptionSchedule = ListOf(ComingPeriod);
