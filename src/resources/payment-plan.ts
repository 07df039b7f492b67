import Type, { type Static } from 'typebox';
import type { PlanPaymentRow } from '../db/payment-plan-slots.ts';
import { cadenceOf, type PaymentPlanRow } from '../db/payment-plans.ts';
import { slotDate } from '../domain/calendar.ts';
import {
  Currency,
  Id,
  instant,
  ListOf,
  Livemode,
  LocalDate,
  MetadataWith,
  Nullable,
  Reference,
  Strict,
  Timestamp,
  withRule,
} from './common.ts';
import { type FieldError, fieldError } from './field-errors.ts';

const PlanAmount = (description: string) => Type.Integer({ minimum: 1, maximum: 99_999_999, description });

const fields = {
  name: Type.String({ minLength: 1, maxLength: 255, pattern: '\\S', description: 'A label.' }),
  frequency_type: Type.Enum(['weekly', 'monthly'], {
    description: 'Whether payments are weeks or months apart; a plan by the day is not possible.',
  }),
  frequency_period: Type.Integer({
    minimum: 1,
    maximum: 520,
    description: 'How many weeks or months are between payments; weekly with 2 is fortnightly. 1 if not given.',
  }),
  recurring_amount_cents: PlanAmount(
    'Amount of each payment, minor units. The 200 and 100000 of payment intents are no limits here.',
  ),
  first_amount_cents: PlanAmount('Amount of the first payment only, minor units.'),
  total_amount_cents: PlanAmount(
    'What is collected in all, minor units. The last payment is cut to what remains, and closes the plan. Either this ' +
      'or `until_further_notice: true` is required.',
  ),
  until_further_notice: Type.Boolean({ description: 'True for a plan without a total.' }),
  currency: Currency,
  start_date: LocalDate(
    'Date of the first payment (slot 0). Slot n is due n intervals after this date, counted from it each time: after ' +
      '31 January come 28 or 29 February and 31 March. A payment is due at 00:00 of its date in the account’s time ' +
      'zone. Not in the past.',
  ),
  first_date: LocalDate(
    'Date of the first payment instead of start_date, from which all others are still counted; before the second one.',
  ),
  payment_instrument_id: Reference(
    'The method to charge. If not given, the one that is the customer’s default at each charge; there must be one now.',
  ),
  failure_behaviour: Type.Enum(['retry', 'stop'], {
    description:
      'What follows a payment that fails. `retry`, the default: the same payment intent is charged again 1, 3 and 5 days ' +
      'after its first failure, while later payments keep their dates; when all have failed the plan is `suspended`, and ' +
      'at once when the decline is final (`card_declined`, `authentication_required`, `payment_method_unavailable`). ' +
      '`stop`: the plan is `suspended` at the first failure.',
  }),
  metadata: MetadataWith(
    'For your own use; copied to each payment intent of the plan, so that `_sandbox_outcome` steers what becomes of them.',
  ),
};

const CreateFields = Strict(
  {
    customer_id: Reference('The customer to charge.'),
    name: fields.name,
    frequency_type: fields.frequency_type,
    frequency_period: Type.Optional(fields.frequency_period),
    recurring_amount_cents: fields.recurring_amount_cents,
    first_amount_cents: Type.Optional(fields.first_amount_cents),
    total_amount_cents: Type.Optional(fields.total_amount_cents),
    until_further_notice: Type.Optional(fields.until_further_notice),
    currency: fields.currency,
    start_date: fields.start_date,
    first_date: Type.Optional(fields.first_date),
    payment_instrument_id: Type.Optional(fields.payment_instrument_id),
    failure_behaviour: Type.Optional(fields.failure_behaviour),
    metadata: Type.Optional(fields.metadata),
  },
  { title: 'PaymentPlanCreate' },
);
export const PaymentPlanCreate = withRule(CreateFields, (body) =>
  totalErrors({ hasTotal: body.total_amount_cents != null, isOpenEnded: body.until_further_notice === true }),
);
export type PaymentPlanCreate = Static<typeof PaymentPlanCreate>;

export const PaymentPlanUpdate = Strict(
  {
    customer_id: Type.Optional(Type.Unknown({ description: 'Cannot be changed.' })),
    name: Type.Optional(fields.name),
    frequency_type: Type.Optional(fields.frequency_type),
    frequency_period: Type.Optional(fields.frequency_period),
    recurring_amount_cents: Type.Optional(fields.recurring_amount_cents),
    first_amount_cents: Type.Optional(Nullable(fields.first_amount_cents)),
    total_amount_cents: Type.Optional(Nullable(fields.total_amount_cents)),
    until_further_notice: Type.Optional(fields.until_further_notice),
    currency: Type.Optional(fields.currency),
    start_date: Type.Optional(fields.start_date),
    first_date: Type.Optional(Nullable(fields.first_date)),
    payment_instrument_id: Type.Optional(Nullable(fields.payment_instrument_id)),
    failure_behaviour: Type.Optional(fields.failure_behaviour),
    metadata: Type.Optional(fields.metadata),
  },
  { title: 'PaymentPlanUpdate' },
);
export type PaymentPlanUpdate = Static<typeof PaymentPlanUpdate>;

export const PaymentPlanState = Type.Enum(['pending', 'active', 'suspended', 'deactivated', 'closed'], {
  description:
    '`pending`: made, and collects nothing yet. `active`: collects on its dates. `suspended`: collects nothing until it is ' +
    'resumed. `deactivated`, `closed`: ended for good.',
});

export const PaymentPlan = Strict(
  {
    id: Id('payment_plan', 'The id of the payment plan.'),
    customer_id: Type.String({ description: 'The customer that is charged.' }),
    name: Type.String({ description: 'A label.' }),
    state: PaymentPlanState,
    state_reason: Nullable(Type.String(), {
      description:
        '`requested`: by you. `payment_failed`: suspended, since a payment has failed for good. `total_collected`: closed by ' +
        'its last payment. `customer_deleted`: closed with its customer. Null while pending or active.',
    }),
    frequency_type: fields.frequency_type,
    frequency_period: Type.Integer({ description: 'Weeks or months between payments.' }),
    recurring_amount_cents: Type.Integer({ description: 'Amount of each payment, minor units.' }),
    first_amount_cents: Nullable(Type.Integer(), { description: 'Amount of the first payment, where it is another.' }),
    total_amount_cents: Nullable(Type.Integer(), {
      description: 'What is collected in all; null of a plan that goes on until further notice.',
    }),
    until_further_notice: Type.Boolean({ description: 'Whether the plan has no total.' }),
    currency: Currency,
    start_date: LocalDate('The anchor of the calendar.'),
    first_date: Nullable(LocalDate('Date of the first payment, when it is not start_date.')),
    payment_instrument_id: Nullable(Type.String(), {
      description: 'The method to charge; null for the customer’s default at the time.',
    }),
    failure_behaviour: fields.failure_behaviour,
    metadata: fields.metadata,
    collected_amount_cents: Type.Integer({ description: 'Base amounts collected so far, without surcharges.' }),
    next_payment_date: Nullable(Type.String({ format: 'date' }), {
      description:
        'Date of the next payment of the calendar, retries left aside: the first one while pending. Null when the plan is ' +
        'suspended or ended, or nothing would remain to be collected.',
    }),
    next_attempt_at: Nullable(Timestamp, {
      description: 'When a failed payment is tried again, the earliest if several are; null when none is.',
    }),
    biller_id: Type.String({ description: 'The account that is paid.' }),
    livemode: Livemode,
    test_clock: Nullable(Type.String(), { description: 'The test clock of the customer.' }),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'PaymentPlan' },
);
export type PaymentPlan = Static<typeof PaymentPlan>;

const Attempt = Strict(
  {
    number: Type.Integer({ description: 'From 1.' }),
    at: Type.String({ format: 'date-time', description: 'When it was made, in the customer’s time.' }),
    outcome: Type.Enum(['succeeded', 'failed'], { description: 'What came of it.' }),
    code: Nullable(Type.String(), {
      description: 'Why it failed: see *Codes of failed payments*. Null when it did not.',
    }),
    message: Nullable(Type.String(), { description: 'The same in words.' }),
  },
  { title: 'PlanPaymentAttempt' },
);

export const PlanPayment = Strict(
  {
    slot: Type.Integer({ description: 'Number of the due date, from 0.' }),
    due_date: LocalDate('Biller-local date.'),
    amount: Nullable(Type.Integer(), { description: 'Base amount in minor units; null of a skipped slot.' }),
    status: Type.Enum(['processing', 'paid', 'retrying', 'failed', 'skipped'], {
      description:
        '`processing`: the processor has been asked. `paid`: collected. `retrying`: failed, and tried again at the plan’s ' +
        'next_attempt_at. `failed`: not tried again, unless the plan is resumed, and never ' +
        'where its payment intent is `canceled`. `skipped`: its date passed before the plan ' +
        'was activated, or while it was suspended; it is never charged.',
    }),
    payment_intent_id: Nullable(Type.String(), {
      description: 'The one payment intent of this slot, whatever the number of attempts; null of a skipped slot.',
    }),
    attempts: Type.Array(Attempt, { description: 'Oldest first.' }),
  },
  { title: 'PlanPayment' },
);
export type PlanPayment = Static<typeof PlanPayment>;

export const ScheduledSlot = Strict(
  {
    slot: Type.Integer({ description: 'Number of the due date, from 0.' }),
    due_date: LocalDate('Biller-local date.'),
    amount: Type.Integer({ description: 'Base amount in minor units.' }),
  },
  { title: 'ScheduledPayment' },
);
export const PlanSchedule = ListOf(ScheduledSlot);

/** A plan has either a total or `until_further_notice`. Returns a field error unless it has exactly one of them. */
export function totalErrors({ hasTotal, isOpenEnded }: { hasTotal: boolean; isOpenEnded: boolean }): FieldError[] {
  if (hasTotal !== isOpenEnded) return [];
  const message = isOpenEnded
    ? 'A plan has either total_amount_cents or until_further_notice: true, not both.'
    : 'Either total_amount_cents or until_further_notice: true must be set.';
  return [fieldError('/total_amount_cents', 'total_or_until_further_notice', message)];
}

/** The plan as the API and its events show it. `test_clock` is the column `test_clock_id`. */
export function presentPaymentPlan(row: PaymentPlanRow): PaymentPlan {
  return {
    id: row.id,
    customer_id: row.customer_id,
    name: row.name,
    state: row.state,
    state_reason: row.state_reason,
    frequency_type: row.frequency_type,
    frequency_period: row.frequency_period,
    recurring_amount_cents: row.recurring_amount_cents,
    first_amount_cents: row.first_amount_cents,
    total_amount_cents: row.total_amount_cents,
    until_further_notice: row.until_further_notice,
    currency: row.currency,
    start_date: row.start_date,
    first_date: row.first_date,
    payment_instrument_id: row.payment_instrument_id,
    failure_behaviour: row.failure_behaviour,
    metadata: row.metadata,
    collected_amount_cents: row.collected_amount_cents,
    next_payment_date: nextPaymentDate(row),
    next_attempt_at: instant(row.next_attempt_at),
    biller_id: row.biller_id,
    livemode: row.livemode,
    test_clock: row.test_clock_id,
    created_at: instant(row.created_at),
    updated_at: instant(row.updated_at),
  };
}

/**
 * Biller-local date of the next slot of the calendar. Null if no slot follows, or if the plan is suspended or has
 * ended.
 */
function nextPaymentDate(row: PaymentPlanRow): string | null {
  if (row.state === 'pending') return slotDate(cadenceOf(row), 0);
  return row.next_due_at === null ? null : slotDate(cadenceOf(row), row.next_slot);
}

/** A slot as the list of a plan's payments shows it. `given_up` in the database is `failed` in the API. */
export function presentPlanPayment(row: PlanPaymentRow): PlanPayment {
  return {
    slot: row.slot,
    due_date: row.due_date,
    amount: row.amount,
    status: row.status === 'given_up' ? 'failed' : row.status,
    payment_intent_id: row.payment_intent_id,
    attempts: row.attempts.map(({ number, at, outcome, code, message }) => ({
      number,
      at: instant(at),
      outcome: outcome === 'succeeded' ? 'succeeded' : 'failed',
      code,
      message,
    })),
  };
}
