import Type, { type Static } from 'typebox';
import type { PaymentPlanRow } from '../db/payment-plans.ts';
import { slotDate } from '../domain/calendar.ts';
import { exampleId } from '../domain/ids.ts';
import { cadenceOf } from '../domain/plans/plan.ts';
import { Currency, Id, LocalDate, lastFields, Nullable, present, Strict, type Tag, Timestamp } from './common.ts';
import { dueAt, example, madeAt, owned } from './examples.ts';
import { defaultedFields, requiredFields } from './payment-plan-input.ts';

export const paymentPlans: Tag = {
  name: 'Payment plans',
  description:
    'Recurring schedules. The service creates a payment intent for each due date, charges the saved method, and ' +
    'retries after failures.',
};

export const PaymentPlanState = Type.Enum(['pending', 'active', 'suspended', 'deactivated', 'closed'], {
  title: 'PaymentPlanState',
  description:
    '`pending`: created; collects nothing yet. `active`: collects on its dates. `suspended`: collects nothing ' +
    'until you resume it. `deactivated`, `closed`: ended for good.',
});

export const PaymentPlan = Strict(
  {
    id: Id('payment_plan', 'The id of the payment plan.'),
    customer_id: Type.String({ description: 'The customer that is charged.' }),
    name: Type.String({ description: 'A label.' }),
    state: PaymentPlanState,
    state_reason: Nullable(Type.String(), {
      description:
        '`requested`: by you. `payment_failed`: suspended because a payment failed for good. `payment_returned`: ' +
        'suspended because the bank took a debit back for good; or closed by its last payment, and a debit came back ' +
        'after that. `total_collected`: closed by its last payment. `customer_deleted`: closed with its customer. Null while pending or active.',
    }),
    frequency_type: requiredFields.frequency_type,
    frequency_period: Type.Integer({ description: 'Weeks or months between payments.' }),
    recurring_amount_cents: Type.Integer({ description: 'The amount of each payment, minor units.' }),
    first_amount_cents: Nullable(Type.Integer(), { description: 'The amount of the first payment, if it differs.' }),
    total_amount_cents: Nullable(Type.Integer(), {
      description: 'The sum to collect; null for a plan until further notice.',
    }),
    until_further_notice: Type.Boolean({ description: 'Whether the plan has no total.' }),
    currency: Currency,
    start_date: LocalDate('The date that the calendar is counted from.'),
    first_date: Nullable(LocalDate('The date of the first payment, if it is not start_date.')),
    payment_instrument_id: Nullable(Type.String(), {
      description: 'The method to charge; null for the customer’s default at each charge.',
    }),
    failure_behaviour: defaultedFields.failure_behaviour,
    tax_included: defaultedFields.tax_included,
    metadata: defaultedFields.metadata,
    collected_amount_cents: Type.Integer({ description: 'The base amounts collected so far, without surcharges.' }),
    shortfall_amount_cents: Type.Optional(
      Type.Integer({
        description: 'What is missing from the total because debits came back after the plan was closed, minor units.',
      }),
    ),
    in_flight_amount: Type.Optional(
      Type.Integer({
        description:
          'What the bank or the processor already had when the plan stopped, and may still collect, minor units.',
      }),
    ),
    next_payment_date: Nullable(Type.String({ format: 'date' }), {
      description:
        'The date of the next payment of the calendar; retries do not count. For a pending plan, the date of its ' +
        'first payment. Null if the plan is suspended or has ended, or if nothing would remain to be collected.',
    }),
    next_attempt_at: Nullable(Timestamp, {
      description:
        'When a failed payment is next retried: the earliest time if there are several; null if there is none.',
    }),
    ...lastFields('the customer'),
  },
  { title: 'PaymentPlan' },
);
export type PaymentPlan = Static<typeof PaymentPlan>;

export const paymentPlanExample = example(PaymentPlan, {
  id: exampleId('payment_plan'),
  customer_id: exampleId('customer'),
  name: 'Weekly membership',
  state: 'active',
  state_reason: null,
  frequency_type: 'weekly',
  frequency_period: 1,
  recurring_amount_cents: 2500,
  first_amount_cents: null,
  total_amount_cents: 130000,
  until_further_notice: false,
  currency: 'AUD',
  start_date: '2027-01-11',
  first_date: null,
  payment_instrument_id: null,
  failure_behaviour: 'retry',
  tax_included: true,
  metadata: {},
  collected_amount_cents: 2500,
  next_payment_date: '2027-01-18',
  next_attempt_at: null,
  ...owned,
  test_clock: exampleId('test_clock'),
  created_at: madeAt,
  updated_at: dueAt,
});

/** The plan as the API and its events show it. `test_clock` is the column `test_clock_id`. */
export function presentPaymentPlan(row: PaymentPlanRow): PaymentPlan {
  return present(PaymentPlan, {
    ...row,
    shortfall_amount_cents: shortfall(row),
    in_flight_amount: row.in_flight_cents === 0 ? undefined : row.in_flight_cents,
    next_payment_date: nextPaymentDate(row),
    test_clock: row.test_clock_id,
  });
}

/** What came back after the plan was closed by its last payment. */
function shortfall({ state, state_reason, total_amount_cents: total, collected_amount_cents }: PaymentPlanRow) {
  const isShort = state === 'closed' && state_reason === 'payment_returned' && total !== null;
  return isShort ? total - collected_amount_cents : undefined;
}

/**
 * Biller-local date of the next slot of the calendar. Null if no slot follows, or if the plan is suspended or has
 * ended.
 */
function nextPaymentDate(row: PaymentPlanRow): string | null {
  if (row.state === 'pending') return slotDate(cadenceOf(row), 0);
  return row.next_due_at === null ? null : slotDate(cadenceOf(row), row.next_slot);
}
