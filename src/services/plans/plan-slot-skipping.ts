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
import type { Db, Tx } from '../../platform/postgres/connection.ts';
import { presentPaymentIntent } from '../../resources/payment-intent.ts';
import { changesBetween, recordAudit } from '../accounts/audit.ts';
import { recordEvents } from '../events.ts';
import { dueInstant, progressOf, skippedSlots, slotAfterNext, wakeCalendar } from './plan-calendar.ts';
import { capital, entryOf, inWords, type LockedPlan, ofSlot, type Press, withPlan } from './plan-operations.ts';

/**
 * Gives up one slot of a plan, by its number, so that the calendar continues without it. There are two cases:
 * - The slot was charged and is unpaid: the API shows it as `failed`, and no retry or resume tries it again. Its intent
 *   is canceled, and the event `payment_intent.canceled` notifies the biller.
 * - The slot is due and was never charged: it becomes `skipped`.
 * A plan with a total runs longer for it. While an attempt is in flight nothing is done, since it may succeed.
 * Repeating the command skips no further slot. Returns a sentence: what was done, or why nothing was.
 */
export async function skipPlanSlot(db: Db, planId: string, slot: number, press: Press): Promise<string> {
  return withPlan(db, planId, press.now, async (tx, held) => {
    if (hasEnded(held.plan.state)) return `Nothing to skip: the plan is ${held.plan.state}.`;
    const found = await selectSlot(tx, planId, slot);
    if (found !== null) return giveUp(tx, held, found, press);
    const { plan, at } = held;
    if (slot === plan.next_slot && plan.next_due_at !== null && plan.next_due_at <= at) return skipDue(tx, held, press);
    return `Nothing to skip: slot ${slot} has not come yet; the next is slot ${plan.next_slot}.`;
  });
}

async function giveUp(tx: Tx, held: LockedPlan, slot: PlanSlotRow, press: Press): Promise<string> {
  const refusal = whyKept(slot);
  if (refusal !== null) return refusal;
  const { plan, at } = held;
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
  await recordAudit(tx, { ...entryOf(plan, press), action: 'payment_plan.slot_skipped', changes });
  await recordEvents(tx, { billerId: plan.biller_id, livemode: plan.livemode, requestId: null, now: press.now }, [
    {
      type: 'payment_intent.canceled',
      subjectId: intent.id,
      customerId: plan.customer_id,
      testClockId: plan.test_clock_id,
      at,
      data: presentPaymentIntent(canceled),
    },
  ]);
  return `${capital(inWords(slot))} is given up: its payment ${intent.id} is canceled. ${await howItGoesOn(tx, held)}`;
}

/** Returns why a slot that has come cannot be given up, in a sentence. Returns null if it can be given up. */
function whyKept(slot: PlanSlotRow): string | null {
  switch (slot.status) {
    case 'paid':
      return `Nothing to skip: ${inWords(slot)} is paid.`;
    case 'given_up':
      return `Nothing to skip: ${inWords(slot)} was given up before.`;
    case 'skipped':
      return `Nothing to skip: ${inWords(slot)} was skipped before.`;
    case 'processing':
      return `Not skipped: ${inWords(slot)} is being charged, and may succeed. Wait for the outcome, then press again.`;
    default:
      return null;
  }
}

/** Skips the next slot, which is due but not opened yet. It does not check what keeps the slot from being collected. */
async function skipDue(tx: Tx, held: LockedPlan, press: Press): Promise<string> {
  const { plan, at } = held;
  const cadence = cadenceOf(plan);
  const nextSlot = slotAfterNext(plan);
  const due = dueInstant(plan, { ...(await progressOf(tx, plan)), nextSlot });
  await insertSkippedSlots(tx, plan.id, skippedSlots(cadence, plan.next_slot, nextSlot));
  await updatePlan(tx, plan.id, { next_slot: nextSlot, next_due_at: due, updated_at: at });
  const skipped = { slot: plan.next_slot, due_date: slotDate(cadence, plan.next_slot) };
  const changes = ofSlot(skipped, { status: { from: null, to: 'skipped' } });
  await recordAudit(tx, { ...entryOf(plan, press), action: 'payment_plan.slot_skipped', changes });
  return `${capital(inWords(skipped))} is skipped; it was never charged. ${await howItGoesOn(tx, held)}`;
}

async function howItGoesOn(tx: Tx, { plan }: { plan: CollectingPlanRow }): Promise<string> {
  const unpaid = (await listOpenSlots(tx, plan.id)).length;
  if (unpaid > 0) return `Unpaid besides: ${unpaid === 1 ? 'one slot' : `${unpaid} slots`}.`;
  return plan.state === 'active' ? 'The calendar goes on.' : `The plan stays ${plan.state}; nothing of it is unpaid.`;
}
