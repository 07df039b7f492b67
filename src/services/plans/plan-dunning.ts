import { lockPaymentIntent } from '../../db/payment-intents.ts';
import { challengeEnd } from '../../domain/challenges.ts';
import type { Id } from '../../domain/ids.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import { hasEnded } from '../../domain/plan-state.ts';
import type { KnownSlot, PlanStepChange } from '../../domain/plans/plan.ts';
import {
  attemptOpened,
  challenged,
  collected,
  failed,
  givenUp,
  returned,
  withdrawn,
} from '../../domain/plans/steps.ts';
import { afterFailedAttempt, afterReturn } from '../../domain/recurring/recurring-payment.ts';
import type { SlotNumber } from '../../domain/units.ts';
import type { Tx } from '../../platform/postgres/connection.ts';
import type { Instants } from '../customer-time.ts';
import { withdrawDebits } from '../debits/debit-withdrawal.ts';
import { cancelUnpaidPayments } from '../debits/recurring-steps.ts';
import { InvalidState } from '../errors.ts';
import { endSessionOf } from '../links/canceled-payment.ts';
import { type ChargeHook, type CompletedAttempt, isOwnAttempt } from '../payments/charge.ts';
import { wake } from '../wake.ts';
import { type LockedPlan, lockPlanWithSlots, store } from './store.ts';

/**
 * Records the charges of a plan's payment on its slot and on the plan: the collected amount, the next retry, or the
 * close or suspension of the plan. A debit that comes back takes the amount out again. Locks the plan.
 * @throws if the slot's row is missing. The attempt then stays open, so its outcome is recorded once the row is back.
 */
export const planHook: ChargeHook = async (tx, { paymentIntentId, paymentPlanId }) => {
  if (paymentPlanId === null) return null;
  const locked = await lockPlanWithSlots(tx, paymentPlanId, paymentIntentId);
  if (locked === null) return null;
  const { plan } = locked;
  const slot = locked.slots.find(({ payment_intent_id: id }) => id === paymentIntentId);
  if (slot === undefined) {
    throw new Error(
      `the slot that ${paymentIntentId} pays has no row, so no outcome is recorded. ` +
        `To restore the row: npm run --silent ops -- recalculate ${plan.id}.`,
    );
  }
  const assertOpens = () => assertConfirmable(locked, slot);
  return {
    assertOpens,
    challengeEnd: (_attempt, at) => challengeEnd(at),
    async opened(at) {
      assertOpens();
      await store(tx, locked, attemptOpened(locked, slot), at);
    },
    async completed(outcome) {
      const retryAt = await recordOnSlot(tx, locked, slot, outcome);
      if (outcome.outcome.kind === 'failed' && isHalted(plan)) await endSessionOfPayment(tx, paymentIntentId, outcome);
      // The plan's own loop continues on its own after its own charge. After a manual charge it must look again.
      if (!outcome.isOwnStep) await wake.paymentPlan(tx, plan, outcome.now);
      return retryAt;
    },
    async returned(came) {
      const next = afterReturn(plan, came);
      const retryAt = await recordUnpaid(tx, locked, slot, returned(locked, slot, came.amount, next), came);
      if (!came.isOwnStep) await wake.paymentPlan(tx, plan, came.now);
      return retryAt;
    },
  };
};

/**
 * A payer or a biller pays what a plan has failed to collect, also if that has suspended it.
 * @throws InvalidState once the plan has ended, or while its biller has suspended it.
 */
function assertConfirmable({ plan }: LockedPlan, { status }: KnownSlot): void {
  if (!hasEnded(plan.state) && !isHalted(plan) && status !== 'given_up') return;
  const remedy = isHalted(plan) ? ' Resume it first.' : '';
  throw new InvalidState(`Payment plan ${plan.id} is ${plan.state}, so its payments are not charged.${remedy}`);
}

/** Whether the biller has suspended a plan: no payer pays it then. */
function isHalted({ state, state_reason: reason }: LockedPlan['plan']): boolean {
  return state === 'suspended' && reason === 'requested';
}

/** A payment that was under way when its plan was suspended has failed: its page takes no more. */
async function endSessionOfPayment(tx: Tx, id: Id<'payment_intent'>, instants: Instants): Promise<void> {
  const intent = await lockPaymentIntent(tx, id);
  if (intent !== null) await endSessionOf(tx, intent, instants);
}

/** Returns when the payment is tried again, or null. */
async function recordOnSlot(
  tx: Tx,
  locked: LockedPlan,
  slot: KnownSlot,
  { attempt, at, now, amount, outcome, scheme, challengeEndsAt }: CompletedAttempt,
): Promise<CustomerInstant | null> {
  if (outcome.kind === 'failed') {
    const next = afterFailedAttempt(locked.plan, slot, { at, code: outcome.code, scheme }, isOwnAttempt(attempt));
    return recordUnpaid(tx, locked, slot, failed(locked, slot, amount, next), { at, now });
  }
  const isPaid = outcome.kind === 'succeeded';
  await store(tx, locked, isPaid ? collected(locked, slot, amount) : challenged(slot, challengeEndsAt), at);
  return null;
}

/**
 * Stores that a payment has failed or come back, and stops what else would be charged of a plan that stops by it.
 * Returns when the payment is tried again, or null.
 */
async function recordUnpaid(
  tx: Tx,
  locked: LockedPlan,
  { slot }: KnownSlot,
  change: PlanStepChange,
  { at, now }: Instants,
): Promise<CustomerInstant | null> {
  const isSuspended = change.events?.includes('suspended') ?? false;
  const before = isSuspended ? await withdraw(tx, locked, { at, now, keep: 'by_hand' }) : locked;
  const after = await store(tx, before, change, at);
  if (hasEnded(after.plan.state)) await giveUpUnpaid(tx, after, { at, now });
  return after.slots.find((other) => other.slot === slot)?.next_attempt_at ?? null;
}

/** Withdraws the plan's debits that the bank does not have. Their slots count as never tried. */
export async function withdraw(
  tx: Tx,
  locked: LockedPlan,
  how: Parameters<typeof withdrawDebits>[2],
): Promise<LockedPlan> {
  const intentIds = await withdrawDebits(tx, { planId: locked.plan.id }, how);
  return store(tx, locked, withdrawn(slotsOf(locked, intentIds)), how.at);
}

/**
 * Cancels the failed payments of a plan that has ended, and those that wait for a challenge, so that they cannot be
 * paid.
 */
export async function giveUpUnpaid(tx: Tx, locked: LockedPlan, instants: Instants): Promise<LockedPlan> {
  const canceled = await cancelUnpaidPayments(tx, locked.slots, instants);
  return store(tx, locked, givenUp(slotsOf(locked, canceled)), instants.at);
}

/** Returns the slots that these payments pay. */
function slotsOf({ slots }: LockedPlan, intentIds: readonly string[]): SlotNumber[] {
  return slots.flatMap(({ slot, payment_intent_id: id }) => (id !== null && intentIds.includes(id) ? [slot] : []));
}
