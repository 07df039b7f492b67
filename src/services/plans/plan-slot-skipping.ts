import { lockPaymentIntent, markCanceled } from '../../db/payment-intents.ts';
import {
  insertSkippedSlots,
  listOpenSlots,
  type PlanSlotRow,
  selectEarliestRetry,
  selectSlot,
  updateSlot,
} from '../../db/payment-plan-slots.ts';
import { type CollectingPlanRow, cadenceOf, updatePlan } from '../../db/payment-plans.ts';
import { slotDate } from '../../domain/calendar.ts';
import { hasEnded } from '../../domain/plan-state.ts';
import { slotInWords } from '../../messages/slot-in-words.ts';
import type { Db, Tx } from '../../platform/postgres/connection.ts';
import { type ChangeOrigin, changesBetween, recordAudit } from '../accounts/audit.ts';
import { CommandRefused } from '../command-refused.ts';
import { intentEvent, record } from '../events.ts';
import { dueInstant, progressOf, skippedSlots, slotAfterNext, wakeCalendar } from './plan-calendar.ts';
import { capital, entryOf, inWords, type LockedPlan, ofSlot, withPlan } from './plan-operations.ts';

/**
 * Gives up one slot of a plan, by its number, so that the calendar continues without it. There are two cases:
 * - The slot was charged and is unpaid: the API shows it as `failed`, and no retry or resume tries it again. Its intent
 *   is canceled, and the event `payment_intent.canceled` notifies the biller.
 * - The slot is due and was never charged: it becomes `skipped`.
 * A plan with a total runs longer for it. While an attempt is in flight nothing is done, since it may succeed.
 * Repeating the command skips no further slot. Returns what was done, as a sentence.
 * @throws CommandRefused
 */
export async function skipPlanSlot(db: Db, planId: string, slot: number, origin: ChangeOrigin): Promise<string> {
  return withPlan(db, planId, origin.now, async (tx, locked) => {
    if (hasEnded(locked.plan.state)) throw new CommandRefused(`Nothing to skip: the plan is ${locked.plan.state}.`);
    const found = await selectSlot(tx, planId, slot);
    if (found !== null) return giveUp(tx, locked, found, origin);
    const { plan, at } = locked;
    if (slot === plan.next_slot && plan.next_due_at !== null && plan.next_due_at <= at)
      return skipDue(tx, locked, origin);
    throw new CommandRefused(
      `Nothing to skip: ${slotInWords(slot)} has not come yet; the next is ${slotInWords(plan.next_slot)}.`,
    );
  });
}

async function giveUp(tx: Tx, locked: LockedPlan, slot: PlanSlotRow, origin: ChangeOrigin): Promise<string> {
  const refusal = whyNotGivenUp(slot);
  if (refusal !== null) throw new CommandRefused(refusal);
  const { plan, at } = locked;
  const intent = slot.payment_intent_id === null ? null : await lockPaymentIntent(tx, slot.payment_intent_id);
  if (intent === null) throw new Error(`slot ${slot.slot} of plan ${plan.id} is ${slot.status} without a payment`);
  const canceled = await markCanceled(tx, intent.id, at);
  const change = { status: 'given_up', next_attempt_at: null } as const;
  await updateSlot(tx, plan.id, slot.slot, change);
  const calendar = plan.state === 'active' ? await wakeCalendar(tx, plan, at) : {};
  await updatePlan(tx, plan.id, {
    ...calendar,
    next_attempt_at: await selectEarliestRetry(tx, plan.id),
    updated_at: at,
  });
  const { status, next_attempt_at } = slot;
  const changes = ofSlot(slot, changesBetween({ status, next_attempt_at }, change));
  await recordAudit(tx, { ...entryOf(plan, origin), action: 'payment_plan.slot_skipped', changes });
  record(tx, intentEvent('payment_intent.canceled', canceled, { testClockId: plan.test_clock_id, at }));
  return `${capital(inWords(slot))} is given up: its payment ${intent.id} is canceled. ${await howItGoesOn(tx, locked)}`;
}

/** Returns why a slot that has come cannot be given up, in a sentence. Returns null if it can be given up. */
function whyNotGivenUp(slot: PlanSlotRow): string | null {
  switch (slot.status) {
    case 'paid':
      return `Nothing to skip: ${inWords(slot)} is paid.`;
    case 'given_up':
      return `Nothing to skip: ${inWords(slot)} was given up before.`;
    case 'skipped':
      return `Nothing to skip: ${inWords(slot)} was skipped before.`;
    case 'processing':
      return `Not skipped: ${inWords(slot)} is being charged, and may succeed. Wait for the outcome, then send it again.`;
    default:
      return null;
  }
}

/** Skips the next slot, which is due but not opened yet. It does not check what keeps the slot from being collected. */
async function skipDue(tx: Tx, locked: LockedPlan, origin: ChangeOrigin): Promise<string> {
  const { plan, at } = locked;
  const cadence = cadenceOf(plan);
  const nextSlot = slotAfterNext(plan);
  const due = dueInstant(plan, { ...(await progressOf(tx, plan)), nextSlot });
  await insertSkippedSlots(tx, plan.id, skippedSlots(cadence, plan.next_slot, nextSlot));
  await updatePlan(tx, plan.id, { next_slot: nextSlot, next_due_at: due, updated_at: at });
  const skipped = { slot: plan.next_slot, due_date: slotDate(cadence, plan.next_slot) };
  const changes = ofSlot(skipped, { status: { from: null, to: 'skipped' } });
  await recordAudit(tx, { ...entryOf(plan, origin), action: 'payment_plan.slot_skipped', changes });
  return `${capital(inWords(skipped))} is skipped; it was never charged. ${await howItGoesOn(tx, locked)}`;
}

async function howItGoesOn(tx: Tx, { plan }: { plan: CollectingPlanRow }): Promise<string> {
  const unpaid = (await listOpenSlots(tx, plan.id)).length;
  if (unpaid > 0) return `Still unpaid: ${unpaid === 1 ? 'one payment' : `${unpaid} payments`}.`;
  return plan.state === 'active'
    ? 'The calendar continues.'
    : `The plan stays ${plan.state}; none of its payments is unpaid.`;
}
