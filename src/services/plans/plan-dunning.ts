import { noteChallenge } from '../../db/bank-debits.ts';
import { lockPaymentIntent } from '../../db/payment-intents.ts';
import {
  listOpenSlots,
  type PlanSlotRow,
  selectEarliestRetry,
  selectSlotOfIntent,
  stopRetries,
  updateSlot,
} from '../../db/payment-plan-slots.ts';
import { type CollectingPlanRow, lockPlan, updatePlan } from '../../db/payment-plans.ts';
import { challengeEnd } from '../../domain/challenges.ts';
import { hasEnded } from '../../domain/plan-state.ts';
import type { Tx } from '../../platform/postgres/connection.ts';
import { pipelined } from '../../platform/postgres/transaction.ts';
import { withdrawDebits } from '../debits/debit-withdrawal.ts';
import { InvalidState } from '../errors.ts';
import { type NewEvent, planEvent, record } from '../events.ts';
import type { AttemptOutcome, AttemptReturn, ChargeHook } from '../payments/charge.ts';
import { afterFailedAttempt, afterReturn, type DunningStep } from '../payments/dunning-step.ts';
import { cancelUnpaid } from '../payments/payment-cancellation.ts';
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
      assertConfirmable(plan, slot);
      await updateSlot(tx, plan.id, slot.slot, { status: 'processing', next_attempt_at: null });
      if (plan.state === 'active') {
        await updatePlan(tx, plan.id, { next_attempt_at: await selectEarliestRetry(tx, plan.id), updated_at: at });
      }
    },
    async completed(outcome) {
      await noteChallengeOf(tx, plan, slot, outcome);
      if (plan.in_flight_cents > 0 && outcome.outcome.kind !== 'requires_action') {
        const in_flight_cents = Math.max(0, plan.in_flight_cents - outcome.amount);
        await updatePlan(tx, plan.id, { in_flight_cents, updated_at: outcome.at });
      }
      const { nextAttemptAt, events } = await bookOnSlot(tx, plan, slot, outcome);
      record(tx, ...events);
      // The plan's own loop continues by itself after its own charge. After a manual charge it must look again.
      if (!outcome.isOwnStep) await wake.paymentPlan(tx, plan, outcome.now);
      return nextAttemptAt;
    },
    async returned(returned) {
      const { nextAttemptAt, events } = await takeBack(tx, plan, slot, returned);
      record(tx, ...events);
      if (!returned.isOwnStep) await wake.paymentPlan(tx, plan, returned.now);
      return nextAttemptAt;
    },
  };
};

/**
 * A payer or a biller pays what a plan has failed to collect, also if that has suspended it.
 * @throws InvalidState once the plan has ended, or while its biller has suspended it.
 */
function assertConfirmable(plan: CollectingPlanRow, { status }: PlanSlotRow): void {
  const isHalted = plan.state === 'suspended' && plan.state_reason === 'requested';
  if (!hasEnded(plan.state) && !isHalted && status !== 'given_up') return;
  const remedy = isHalted ? ' Resume it first.' : '';
  throw new InvalidState(`Payment plan ${plan.id} is ${plan.state}, so its payments are not charged.${remedy}`);
}

/** Notes until when the payer has time for the challenge that the charge of a slot waits for, or that it has ended. */
async function noteChallengeOf(
  tx: Tx,
  { id }: CollectingPlanRow,
  { slot, challenge_ends_at: before }: PlanSlotRow,
  { outcome, at }: AttemptOutcome,
): Promise<void> {
  const challenge_ends_at = outcome.kind === 'requires_action' ? challengeEnd(at) : null;
  if (challenge_ends_at === before) return;
  await updateSlot(tx, id, slot, { challenge_ends_at });
  await noteChallenge(tx, { planId: id });
}

interface BookedOutcome {
  nextAttemptAt: Date | null;
  events: NewEvent[];
}

async function bookOnSlot(
  tx: Tx,
  plan: CollectingPlanRow,
  slot: PlanSlotRow,
  { attempt, at, now, amount, outcome, scheme }: AttemptOutcome,
): Promise<BookedOutcome> {
  if (outcome.kind === 'requires_action') return { nextAttemptAt: null, events: [] };
  if (outcome.kind === 'succeeded') return collect(tx, plan, slot, amount, at);
  const failed = { at, outcome, scheme };
  const next = afterFailedAttempt(plan.failure_behaviour, slot, failed, attempt.source === 'plan');
  return unpaid(tx, plan, slot, { ...next, at, now, left: 'failed', reason: 'payment_failed' });
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
  { at, now, amount, code, scheme }: AttemptReturn,
): Promise<BookedOutcome> {
  const wasComplete = plan.state === 'closed' && plan.state_reason === 'total_collected';
  await updatePlan(tx, plan.id, {
    collected_amount_cents: plan.collected_amount_cents - amount,
    updated_at: at,
    ...(wasComplete ? { state_reason: 'payment_returned' } : {}),
  });
  const next = afterReturn(plan.failure_behaviour, { at, code, scheme });
  return unpaid(tx, plan, slot, { ...next, at, now, left: 'returned', reason: 'payment_returned' });
}

/** What is done about a payment that failed or came back. */
interface Unpaid extends DunningStep {
  at: Date;
  /** Real time. */
  now: Date;
  /** The status of the slot when nothing tries it again. */
  left: 'failed' | 'returned';
  /** Why the plan is then suspended. */
  reason: string;
}

async function unpaid(
  tx: Tx,
  plan: CollectingPlanRow,
  slot: PlanSlotRow,
  { series, step, at, now, left, reason }: Unpaid,
): Promise<BookedOutcome> {
  if (plan.state !== 'active') {
    await updateSlot(tx, plan.id, slot.slot, { ...series, status: left, next_attempt_at: null });
    if (hasEnded(plan.state)) await giveUpUnpaid(tx, plan, { at, now });
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
  await withdraw(tx, plan, { at, now, keep: 'by_hand' });
  return { nextAttemptAt: null, events: [planEvent('payment_plan.suspended', row, at)] };
}

/** Withdraws the plan's debits that the bank does not have. Their slots count as never tried. */
export async function withdraw(
  tx: Tx,
  { id }: Pick<CollectingPlanRow, 'id'>,
  how: Parameters<typeof withdrawDebits>[2],
): Promise<void> {
  for (const intentId of await withdrawDebits(tx, { planId: id }, how)) {
    const slot = await selectSlotOfIntent(tx, intentId);
    if (slot !== null) await updateSlot(tx, id, slot.slot, { status: 'failed', next_attempt_at: null });
  }
}

/**
 * Cancels the failed payments of a plan that has ended, and those that wait for a challenge, so that they cannot be
 * paid. `at` is customer time, `now` real time.
 */
export async function giveUpUnpaid(
  tx: Tx,
  { id }: Pick<CollectingPlanRow, 'id'>,
  instants: { at: Date; now: Date },
): Promise<void> {
  let isChanged = false;
  for (const slot of await listOpenSlots(tx, id)) {
    const intent = await lockPaymentIntent(tx, slot.payment_intent_id);
    if (intent === null || !(await cancelUnpaid(tx, intent, instants))) continue;
    await updateSlot(tx, id, slot.slot, { status: 'given_up', next_attempt_at: null, challenge_ends_at: null });
    isChanged = true;
  }
  if (isChanged) await noteChallenge(tx, { planId: id });
}

/** Returns the column changes for a plan that stops collecting. */
export function ended(state: 'suspended' | 'deactivated' | 'closed', reason: string) {
  return { state, state_reason: reason, next_due_at: null, next_attempt_at: null };
}
