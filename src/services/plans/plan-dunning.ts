import type { PaymentAttemptRow } from '../../db/payment-attempts.ts';
import {
  type PlanSlotRow,
  selectEarliestRetry,
  selectSlotOfIntent,
  stopRetries,
  updateSlot,
} from '../../db/payment-plan-slots.ts';
import { type CollectingPlanRow, lockPlan, updatePlan } from '../../db/payment-plans.ts';
import type { ChargeOutcome } from '../../domain/charge-outcome.ts';
import { afterFailure, nextRetryAt } from '../../domain/dunning.ts';
import type { Tx } from '../../platform/postgres/connection.ts';
import { pipelined } from '../../platform/postgres/transaction.ts';
import { planEvent } from '../events.ts';
import type { AttemptOutcome, BookedOutcome, ChargeHook } from '../payments/charge.ts';
import { wake } from '../wake.ts';

/**
 * Records the charges of a plan's payment on its slot and on the plan: the collected amount, the next retry, or the
 * close or suspension of the plan. Locks the plan.
 * @throws if the slot's row is missing. The attempt then stays open, so its outcome is recorded once the row is back.
 */
export const planHook: ChargeHook = async (tx, { paymentIntentId, paymentPlanId }) => {
  if (paymentPlanId === null) return null;
  const [plan, slot] = await pipelined(tx, [lockPlan(tx, paymentPlanId), selectSlotOfIntent(tx, paymentIntentId)]);
  if (plan === null) return null;
  if (slot === null) {
    throw new Error(
      `the slot that ${paymentIntentId} pays has no row, so no outcome is recorded. ` +
        `To restore the row: npm run --silent ops -- recalculate ${plan.id}.`,
    );
  }
  return {
    async opened(at) {
      await updateSlot(tx, plan.id, slot.slot, { status: 'processing', next_attempt_at: null });
      if (plan.state !== 'active') return;
      await updatePlan(tx, plan.id, { next_attempt_at: await selectEarliestRetry(tx, plan.id), updated_at: at });
    },
    async completed(outcome) {
      const booked = await bookOnSlot(tx, plan, slot, outcome);
      // The plan's own loop continues by itself after its own charge. After a manual charge it must look again.
      if (outcome.attempt.source !== 'plan') await wake.plan(tx, plan, outcome.now);
      return booked;
    },
  };
};

async function bookOnSlot(
  tx: Tx,
  plan: CollectingPlanRow,
  slot: PlanSlotRow,
  { attempt, at, amount, outcome }: AttemptOutcome,
): Promise<BookedOutcome> {
  if (outcome.kind === 'requires_action') return { nextAttemptAt: null, events: [] };
  if (outcome.kind === 'succeeded') return collect(tx, plan, slot, amount, at);
  return fail(tx, plan, slot, attempt, outcome.code, at);
}

async function collect(
  tx: Tx,
  plan: CollectingPlanRow,
  slot: PlanSlotRow,
  amount: number,
  at: Date,
): Promise<BookedOutcome> {
  const collected = plan.collected_amount_cents + amount;
  const isComplete = plan.total_amount_cents !== null && collected >= plan.total_amount_cents;
  // Money that was under way when the plan ended is still booked. The plan stays ended.
  const closes = isComplete && (plan.state === 'active' || plan.state === 'suspended');
  const [row] = await pipelined(tx, [
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
  tx: Tx,
  plan: CollectingPlanRow,
  slot: PlanSlotRow,
  attempt: PaymentAttemptRow,
  code: (ChargeOutcome & { kind: 'failed' })['code'],
  at: Date,
): Promise<BookedOutcome> {
  // A manual attempt is not a step of the retry series. The series continues where it was.
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
    // The plan shows the earliest retry of all its slots. While this slot was being charged, it was not among them.
    const earliest = plan.next_attempt_at !== null && plan.next_attempt_at < step.at ? plan.next_attempt_at : step.at;
    await pipelined(tx, [
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

/** Returns the column changes for a plan that stops collecting. */
export function ended(state: 'suspended' | 'deactivated' | 'closed', reason: string) {
  return { state, state_reason: reason, next_due_at: null, next_attempt_at: null };
}
