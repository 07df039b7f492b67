import { type PlanSlotRow, selectSlot } from '../../db/payment-plan-slots.ts';
import { slotDate } from '../../domain/calendar.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import { hasEnded } from '../../domain/plan-state.ts';
import { cadenceOf, isOpen, type Slot } from '../../domain/plans/plan.ts';
import { giveUp, skipNext } from '../../domain/plans/steps.ts';
import type { SlotNumber } from '../../domain/units.ts';
import { slotInWords } from '../../messages/slot-in-words.ts';
import type { Db, Tx } from '../../platform/postgres/connection.ts';
import { type ChangeOrigin, changesBetween, recordAudit } from '../accounts/audit.ts';
import { CommandRefused } from '../command-refused.ts';
import { lockPaymentOf } from '../debits/recurring-steps.ts';
import { endSessionOf } from '../links/canceled-payment.ts';
import { cancelLocked } from '../payments/payment-cancellation.ts';
import { capital, entryOf, inWords, ofSlot, withPlan } from './plan-operations.ts';
import { type LockedPlan, store } from './store.ts';

/**
 * Gives up one slot of a plan, by its number, so that the calendar continues without it. There are two cases:
 * - The slot was charged and is unpaid: the API shows it as `failed`, and no retry or resume tries it again. Its intent
 *   is canceled, and the event `payment_intent.canceled` notifies the biller.
 * - The slot is due and was never charged: it becomes `skipped`.
 * A plan with a total runs longer for it. While an attempt is in flight nothing is done, since it may succeed.
 * Repeating the command skips no further slot. Returns what was done, as a sentence.
 * @throws CommandRefused
 */
export async function skipPlanSlot(db: Db, planId: string, slot: SlotNumber, origin: ChangeOrigin): Promise<string> {
  return withPlan(db, planId, origin.now, async (tx, locked, at) => {
    if (hasEnded(locked.plan.state)) throw new CommandRefused(`Nothing to skip: the plan is ${locked.plan.state}.`);
    const found = await selectSlot(tx, planId, slot);
    if (found !== null) return giveUpSlot(tx, locked, found, at, origin);
    const { plan } = locked;
    const isDue = slot === plan.next_slot && plan.next_due_at !== null && plan.next_due_at <= at;
    if (isDue) return skipDue(tx, locked, at, origin);
    throw new CommandRefused(
      `Nothing to skip: ${slotInWords(slot)} has not come yet; the next is ${slotInWords(plan.next_slot)}.`,
    );
  });
}

async function giveUpSlot(
  tx: Tx,
  locked: LockedPlan,
  slot: PlanSlotRow,
  at: CustomerInstant,
  origin: ChangeOrigin,
): Promise<string> {
  const refusal = whyNotGivenUp(slot);
  if (refusal !== null) throw new CommandRefused(refusal);
  const { plan } = locked;
  const intent = await lockPaymentOf(tx, slot, plan.id);
  await cancelLocked(tx, intent, null, { at, now: origin.now });
  const after = await store(tx, locked, giveUp(locked, slot, at), at);
  const shown = ({ status, next_attempt_at }: Slot) => ({ status, next_attempt_at });
  const given = { ...slot, status: 'given_up', next_attempt_at: null } as const;
  const changes = ofSlot(slot, changesBetween(shown(slot), shown(given)));
  await recordAudit(tx, { ...entryOf(plan, origin), action: 'payment_plan.slot_skipped', changes });
  await endSessionOf(tx, intent, { at, now: origin.now });
  return `${capital(inWords(slot))} is given up: its payment ${intent.id} is canceled. ${howItGoesOn(after)}`;
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
async function skipDue(tx: Tx, locked: LockedPlan, at: CustomerInstant, origin: ChangeOrigin): Promise<string> {
  const { plan } = locked;
  const after = await store(tx, locked, skipNext(locked), at);
  const skipped = { slot: plan.next_slot, due_date: slotDate(cadenceOf(plan), plan.next_slot) };
  const changes = ofSlot(skipped, { status: { from: null, to: 'skipped' } });
  await recordAudit(tx, { ...entryOf(plan, origin), action: 'payment_plan.slot_skipped', changes });
  return `${capital(inWords(skipped))} is skipped; it was never charged. ${howItGoesOn(after)}`;
}

function howItGoesOn({ plan, slots }: LockedPlan): string {
  const unpaid = slots.filter(isOpen).length;
  if (unpaid > 0) return `Still unpaid: ${unpaid === 1 ? 'one payment' : `${unpaid} payments`}.`;
  return plan.state === 'active'
    ? 'The calendar continues.'
    : `The plan stays ${plan.state}; none of its payments is unpaid.`;
}
