import Type, { type Static } from 'typebox';
import type { PlanPaymentRow } from '../db/payment-plan-slots.ts';
import { cadenceOf, type PaymentPlanRow } from '../db/payment-plans.ts';
import { slotDate } from '../domain/calendar.ts';
import { currencies } from '../domain/currencies.ts';
import {
  type Breach,
  Id,
  instant,
  ListOf,
  Livemode,
  LocalDate,
  Metadata,
  Nullable,
  Reference,
  Strict,
  Timestamp,
  withRule,
} from './common.ts';

const PlanAmount = (description: string) => Type.Integer({ minimum: 1, maximum: 99_999_999, description });

const fields = {
  name: Type.String({ minLength: 1, maxLength: 255, pattern: '\\S', description: 'A label.' }),
  frequency_type: Type.Enum(['weekly', 'monthly']),
  frequency_period: Type.Integer({
    minimum: 1,
    maximum: 520,
    description: 'Weeks or months between payments; weekly with 2 is fortnightly. 1 if not given.',
  }),
  recurring_amount_cents: PlanAmount('Amount of each payment, minor units.'),
  first_amount_cents: PlanAmount('Amount of the first payment only, minor units.'),
  total_amount_cents: PlanAmount('What is collected in all, minor units; reaching it closes the plan.'),
  until_further_notice: Type.Boolean({ description: 'True for a plan without a total.' }),
  currency: Type.Enum([...currencies]),
  start_date: LocalDate('Date of the first payment, and the anchor of all later ones. Not in the past.'),
  first_date: LocalDate('Date of the first payment instead of start_date; before the second one.'),
  payment_instrument_id: Reference('The method to charge; the customer’s default method if not given.'),
  failure_behaviour: Type.Enum(['retry', 'stop']),
  metadata: Metadata,
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
  capBreaches({ hasTotal: body.total_amount_cents != null, isOpenEnded: body.until_further_notice === true }),
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

export const PaymentPlanState = Type.Enum(['pending', 'active', 'suspended', 'deactivated', 'closed']);

export const PaymentPlan = Strict(
  {
    id: Id('payment_plan', 'The id of the payment plan.'),
    customer_id: Type.String({ description: 'The customer that is charged.' }),
    name: Type.String({ description: 'A label.' }),
    state: PaymentPlanState,
    state_reason: Nullable(Type.String({ description: 'Why the plan is in its state, such as payment_failed.' })),
    frequency_type: fields.frequency_type,
    frequency_period: Type.Integer({ description: 'Weeks or months between payments.' }),
    recurring_amount_cents: Type.Integer({ description: 'Amount of each payment, minor units.' }),
    first_amount_cents: Nullable(Type.Integer(), { description: 'Amount of the first payment, where it is another.' }),
    total_amount_cents: Nullable(Type.Integer(), {
      description: 'What is collected in all; null of a plan that goes on until further notice.',
    }),
    until_further_notice: Type.Boolean({ description: 'Whether the plan has no total.' }),
    currency: Type.Enum([...currencies]),
    start_date: LocalDate('The anchor of the calendar.'),
    first_date: Nullable(LocalDate('Date of the first payment, when it is not start_date.')),
    payment_instrument_id: Nullable(Type.String(), {
      description: 'The method to charge; null for the customer’s default at the time.',
    }),
    failure_behaviour: fields.failure_behaviour,
    metadata: Metadata,
    collected_amount_cents: Type.Integer({ description: 'Base amounts collected so far, without surcharges.' }),
    next_payment_date: Nullable(LocalDate('Date of the next payment of the calendar.')),
    next_attempt_at: Nullable(Timestamp, { description: 'When a failed payment is tried again.' }),
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
    number: Type.Integer(),
    at: Timestamp,
    outcome: Type.Enum(['succeeded', 'failed']),
    code: Nullable(Type.String()),
    message: Nullable(Type.String()),
  },
  { title: 'PlanPaymentAttempt' },
);

export const PlanPayment = Strict(
  {
    slot: Type.Integer({ description: 'Number of the due date, from 0.' }),
    due_date: LocalDate('Biller-local date.'),
    amount: Nullable(Type.Integer(), { description: 'Base amount in minor units; null of a skipped slot.' }),
    status: Type.Enum(['processing', 'paid', 'retrying', 'failed', 'skipped']),
    payment_intent_id: Nullable(Type.String()),
    attempts: Type.Array(Attempt),
  },
  { title: 'PlanPayment' },
);
export type PlanPayment = Static<typeof PlanPayment>;

export const ScheduledSlot = Strict(
  {
    slot: Type.Integer(),
    due_date: LocalDate('Biller-local date.'),
    amount: Type.Integer(),
  },
  { title: 'ScheduledPayment' },
);
export const PlanSchedule = ListOf(ScheduledSlot);

/** A plan has a total, or goes on until further notice: one of the two. */
export function capBreaches({ hasTotal, isOpenEnded }: { hasTotal: boolean; isOpenEnded: boolean }): Breach[] {
  if (hasTotal !== isOpenEnded) return [];
  const message = isOpenEnded
    ? 'A plan has either total_amount_cents or until_further_notice: true, not both.'
    : 'Either total_amount_cents or until_further_notice: true must be set.';
  return [{ code: 'total_or_until_further_notice', message, path: '/total_amount_cents' }];
}

/** The plan as the API and its events show it. */
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

/** Biller-local date of the next slot of the calendar; null when none is to come, or the plan is not running. */
function nextPaymentDate(row: PaymentPlanRow): string | null {
  if (row.state === 'pending') return slotDate(cadenceOf(row), 0);
  return row.next_due_at === null ? null : slotDate(cadenceOf(row), row.next_slot);
}

/** A slot that has come, as the list of a plan's payments shows it. */
export function presentPlanPayment(row: PlanPaymentRow): PlanPayment {
  return {
    slot: row.slot,
    due_date: row.due_date,
    amount: row.amount,
    status: row.status,
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
