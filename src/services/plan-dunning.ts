import type { Db } from '../db/connection.ts';
import type { PaymentAttemptRow } from '../db/payment-attempts.ts';
import { type PlanSlotRow, stopRetries, updateSlot } from '../db/payment-plan-slots.ts';
import { type CollectingPlanRow, type PaymentPlanRow, updatePlan } from '../db/payment-plans.ts';
import type { ChargeOutcome } from '../domain/charge-outcome.ts';
import { afterFailure, nextRetryAt } from '../domain/dunning.ts';
import { presentPaymentPlan } from '../resources/payment-plan.ts';
import type { NewEvent } from './events.ts';

/** What a settled attempt has come to for its plan. */
export interface SettledSlot {
  /** When the payment is tried again, the customer's time; null when it is not. */
  nextAttemptAt: Date | null;
  events: NewEvent[];
}

/** An attempt, what it was for (base amount, minor units), what came of it, and when (the customer's time). */
interface SettledAttempt {
  attempt: PaymentAttemptRow;
  at: Date;
  amount: number;
  outcome: ChargeOutcome;
}

/**
 * Books a settled attempt on its slot and its locked plan: what was collected, or when it is tried again, or that the
 * plan is closed or suspended by it.
 */
export async function settleSlot(
  tx: Db,
  plan: CollectingPlanRow,
  slot: PlanSlotRow,
  { attempt, at, amount, outcome }: SettledAttempt,
): Promise<SettledSlot> {
  if (outcome.kind === 'requires_action') return { nextAttemptAt: null, events: [] };
  if (outcome.kind === 'succeeded') return collect(tx, plan, slot, amount, at);
  return fail(tx, plan, slot, attempt, outcome.code, at);
}

async function collect(
  tx: Db,
  plan: CollectingPlanRow,
  slot: PlanSlotRow,
  amount: number,
  at: Date,
): Promise<SettledSlot> {
  const collected = plan.collected_amount_cents + amount;
  const isComplete = plan.total_amount_cents !== null && collected >= plan.total_amount_cents;
  // Money that was under way when the plan was ended is booked all the same; the plan stays ended.
  const closes = isComplete && (plan.state === 'active' || plan.state === 'suspended');
  const [row] = await Promise.all([
    updatePlan(tx, plan.id, {
      collected_amount_cents: collected,
      updated_at: at,
      ...(closes ? ended('closed', 'total_collected') : {}),
    }),
    updateSlot(tx, plan.id, slot.slot, { status: 'paid', next_attempt_at: null }),
  ]);
  return { nextAttemptAt: null, events: closes ? [planEvent('payment_plan.closed', row, at)] : [] };
}

async function fail(
  tx: Db,
  plan: CollectingPlanRow,
  slot: PlanSlotRow,
  attempt: PaymentAttemptRow,
  code: (ChargeOutcome & { kind: 'failed' })['code'],
  at: Date,
): Promise<SettledSlot> {
  // An attempt that somebody made by hand is no step of the series: the series goes on where it was.
  const isStep = attempt.source === 'plan';
  const failures = isStep ? slot.failures + 1 : slot.failures;
  const firstFailedAt = slot.first_failed_at ?? (isStep ? at : null);
  const series = { failures, first_failed_at: firstFailedAt };
  if (plan.state !== 'active') {
    await updateSlot(tx, plan.id, slot.slot, { ...series, status: 'failed', next_attempt_at: null });
    return { nextAttemptAt: null, events: [] };
  }
  const resumesAt = firstFailedAt === null ? null : nextRetryAt(failures, firstFailedAt);
  const step =
    isStep && firstFailedAt !== null
      ? afterFailure({ behaviour: plan.failure_behaviour, code, failures, firstFailedAt })
      : { kind: 'retry' as const, at: resumesAt ?? at };
  if (step.kind === 'retry') {
    // What the plan shows is the earliest retry of all its slots; this one was not among them while it was charged.
    const earliest = plan.next_attempt_at !== null && plan.next_attempt_at < step.at ? plan.next_attempt_at : step.at;
    await Promise.all([
      updateSlot(tx, plan.id, slot.slot, { ...series, status: 'retrying', next_attempt_at: step.at }),
      updatePlan(tx, plan.id, { updated_at: at, next_attempt_at: earliest }),
    ]);
    return { nextAttemptAt: step.at, events: [] };
  }
  await updateSlot(tx, plan.id, slot.slot, { ...series, status: 'failed', next_attempt_at: null });
  await stopRetries(tx, plan.id);
  const row = await updatePlan(tx, plan.id, { updated_at: at, ...ended('suspended', 'payment_failed') });
  return { nextAttemptAt: null, events: [planEvent('payment_plan.suspended', row, at)] };
}

/** The columns of a plan that stops collecting. */
export function ended(state: 'suspended' | 'deactivated' | 'closed', reason: string) {
  return { state, state_reason: reason, next_due_at: null, next_attempt_at: null };
}

/** The event that tells of a plan as it is now. */
export function planEvent(
  type: Extract<NewEvent['type'], `payment_plan.${string}`>,
  plan: PaymentPlanRow,
  at: Date,
): NewEvent {
  return {
    type,
    subjectId: plan.id,
    customerId: plan.customer_id,
    testClockId: plan.test_clock_id,
    at,
    data: presentPaymentPlan(plan),
  };
}
