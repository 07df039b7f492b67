import {
  type PlanSlotRow,
  selectEarliestRetry,
  selectSlotOfIntent,
  stopRetries,
  updateSlot,
} from '../../db/payment-plan-slots.ts';
import { type CollectingPlanRow, lockPlan, updatePlan } from '../../db/payment-plans.ts';
import type { Tx } from '../../platform/postgres/connection.ts';
import { pipelined } from '../../platform/postgres/transaction.ts';
import { planEvent } from '../events.ts';
import type { AttemptOutcome, AttemptReturn, BookedOutcome, ChargeHook } from '../payments/charge.ts';
import { afterFailedAttempt, afterReturn, type DunningStep } from '../payments/dunning-step.ts';
import { wake } from '../wake.ts';

/**
 * Records the charges of a plan's payment on its slot and on the plan: the collected amount, the next retry, or the
 * close or suspension of the plan. A debit that comes back takes the amount out again. Locks the plan.
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
      if (!outcome.isOwnStep) await wake.plan(tx, plan, outcome.now);
      return booked;
    },
    async returned(returned) {
      const booked = await takeBack(tx, plan, slot, returned);
      if (!returned.isOwnStep) await wake.plan(tx, plan, returned.now);
      return booked;
    },
  };
};

async function bookOnSlot(
  tx: Tx,
  plan: CollectingPlanRow,
  slot: PlanSlotRow,
  { attempt, at, amount, outcome, scheme }: AttemptOutcome,
): Promise<BookedOutcome> {
  if (outcome.kind === 'requires_action') return { nextAttemptAt: null, events: [] };
  if (outcome.kind === 'succeeded') return collect(tx, plan, slot, amount, at);
  const failed = { at, outcome, scheme };
  const next = afterFailedAttempt(plan.failure_behaviour, slot, failed, attempt.source === 'plan');
  return unpaid(tx, plan, slot, { ...next, at, left: 'failed', reason: 'payment_failed' });
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

/**
 * Takes the amount of a returned debit out of the plan. It begins a new series of retries, of which it is the first
 * failure. A plan that has ended stays as it is; one that was closed by its total then says that money came back.
 */
async function takeBack(
  tx: Tx,
  plan: CollectingPlanRow,
  slot: PlanSlotRow,
  { at, amount, code, scheme }: AttemptReturn,
): Promise<BookedOutcome> {
  const wasComplete = plan.state === 'closed' && plan.state_reason === 'total_collected';
  await updatePlan(tx, plan.id, {
    collected_amount_cents: plan.collected_amount_cents - amount,
    updated_at: at,
    ...(wasComplete ? { state_reason: 'payment_returned' } : {}),
  });
  const next = afterReturn(plan.failure_behaviour, { at, code, scheme });
  return unpaid(tx, plan, slot, { ...next, at, left: 'returned', reason: 'payment_returned' });
}

/** What is done about a payment that failed or came back. */
interface Unpaid extends DunningStep {
  at: Date;
  /** The status of the slot when nothing tries it again. */
  left: 'failed' | 'returned';
  /** Why the plan is then suspended. */
  reason: string;
}

async function unpaid(
  tx: Tx,
  plan: CollectingPlanRow,
  slot: PlanSlotRow,
  { series, step, at, left, reason }: Unpaid,
): Promise<BookedOutcome> {
  if (plan.state !== 'active') {
    await updateSlot(tx, plan.id, slot.slot, { ...series, status: left, next_attempt_at: null });
    return { nextAttemptAt: null, events: [] };
  }
  if (step.kind === 'retry') {
    // The plan shows the earliest retry of all its slots. While this slot was being charged, it was not among them.
    const earliest = plan.next_attempt_at !== null && plan.next_attempt_at < step.at ? plan.next_attempt_at : step.at;
    await pipelined(tx, [
      updateSlot(tx, plan.id, slot.slot, { ...series, status: 'retrying', next_attempt_at: step.at }),
      updatePlan(tx, plan.id, { updated_at: at, next_attempt_at: earliest }),
    ]);
    return { nextAttemptAt: step.at, events: [] };
  }
  await updateSlot(tx, plan.id, slot.slot, { ...series, status: left, next_attempt_at: null });
  await stopRetries(tx, plan.id);
  const row = await updatePlan(tx, plan.id, { updated_at: at, ...ended('suspended', reason) });
  return { nextAttemptAt: null, events: [planEvent('payment_plan.suspended', row, at)] };
}

/** Returns the column changes for a plan that stops collecting. */
export function ended(state: 'suspended' | 'deactivated' | 'closed', reason: string) {
  return { state, state_reason: reason, next_due_at: null, next_attempt_at: null };
}
