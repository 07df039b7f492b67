import { instant, slotDate } from '../../lab/model/calendar.ts';
import { nextAttemptAt, remainingOf, upcoming } from './plan-calendar.ts';
import type { Clock, Customer, Intent, Payment, Plan, World } from './world.ts';

// Each object as the API shows it, with names for ids, and without what is the same for all: `livemode`, `biller_id`,
// secrets and the wording of messages.

const iso = (at: number | null) => (at === null ? null : instant(at));

export function shownCustomer(customer: Customer) {
  return {
    id: customer.name,
    fee_preferences: { customer_pays_transaction_fees: customer.paysFees },
    default_payment_method: customer.defaultMethod?.name ?? null,
    test_clock: customer.clock?.name ?? null,
    created_at: iso(customer.createdAt),
    deleted_at: iso(customer.deletedAt),
  };
}

export function shownPlan(plan: Plan) {
  const { cadence } = plan;
  return {
    id: plan.name,
    customer_id: plan.customer.name,
    name: plan.label,
    state: plan.state,
    state_reason: plan.reason,
    frequency_type: cadence.every,
    frequency_period: cadence.period,
    recurring_amount_cents: plan.amount,
    first_amount_cents: plan.firstAmount,
    total_amount_cents: plan.total,
    until_further_notice: plan.isOpenEnded,
    currency: 'AUD',
    start_date: cadence.start,
    first_date: cadence.first,
    payment_instrument_id: plan.method?.name ?? null,
    failure_behaviour: plan.behaviour,
    tax_included: true,
    metadata: plan.metadata,
    collected_amount_cents: plan.collected,
    next_payment_date: nextPaymentDate(plan),
    next_attempt_at: iso(nextAttemptAt(plan)),
    test_clock: plan.customer.clock?.name ?? null,
    created_at: iso(plan.createdAt),
    updated_at: iso(plan.updatedAt),
  };
}

function nextPaymentDate(plan: Plan): string | null {
  if (plan.state === 'pending') return slotDate(plan.cadence, 0);
  return plan.state === 'active' && remainingOf(plan) > 0 ? slotDate(plan.cadence, plan.nextSlot) : null;
}

export function shownPayments(plan: Plan) {
  return plan.payments.toSorted((a, b) => b.slot - a.slot).map(shownPayment);
}

function shownPayment({ slot, dueDate, status, intent }: Payment) {
  const attempts = (intent?.attempts ?? [])
    .map(({ at, outcome }, index) => ({ number: index + 1, at: iso(at), ...shownOutcome(outcome) }))
    .filter(({ outcome }) => outcome !== 'requires_action');
  return {
    slot,
    due_date: dueDate,
    amount: intent?.amount ?? null,
    status,
    payment_intent_id: intent?.name ?? null,
    attempts,
  };
}

function shownOutcome(outcome: string) {
  const isCode = outcome !== 'succeeded' && outcome !== 'requires_action';
  return { outcome: isCode ? 'failed' : outcome, code: isCode ? outcome : null };
}

/** The calendar ahead, `count` payments of it. */
export function shownSchedule(world: World, plan: Plan, count: number) {
  const ahead = upcoming(world, plan, count + 1);
  const data = ahead.slice(0, count).map(({ slot, amount }) => ({
    slot,
    due_date: slotDate(plan.cadence, slot),
    amount,
  }));
  return { data, has_more: ahead.length > count };
}

export function shownIntent(intent: Intent) {
  return {
    id: intent.name,
    amount: intent.amount,
    total_amount: intent.amount + intent.surcharge,
    fee_amount: intent.fee,
    surcharge_amount: intent.surcharge,
    surcharge_applied: intent.surcharge > 0,
    surcharge_reason: null,
    tax: null,
    tax_amount: 0,
    currency: 'AUD',
    status: intent.status,
    ...(intent.method === null ? {} : { payment_method_id: intent.method.name }),
    ...(intent.customer === null ? {} : { customer_id: intent.customer.name }),
    payment_plan_id: intent.plan?.name ?? null,
    metadata: intent.metadata,
    ...(intent.scheduledDate === null ? {} : { scheduled_payment_date: intent.scheduledDate }),
    total_refunded_amount: intent.refunded,
    net_collected_amount: (intent.status === 'succeeded' ? intent.amount + intent.surcharge : 0) - intent.refunded,
    last_payment_error: intent.error === null ? null : { code: intent.error },
    collected_at: intent.collectedAt === null ? null : iso(intent.collectedAt),
    created_at: iso(intent.createdAt),
    updated_at: iso(intent.updatedAt),
  };
}

/** A clock as its events carry it. */
export function shownClockState(world: World, clock: Clock) {
  return {
    id: clock.name,
    object: 'test_clock',
    name: null,
    status: clock.status,
    frozen_time: iso(clock.frozen),
    last_advanced_at: clock.hasAdvanced ? iso(world.realNow) : null,
    failure_reason: null,
  };
}
