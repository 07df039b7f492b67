import { hasOpenedPayment, insertSkippedSlots, listOpenSlots, type OpenSlotRow } from '../../db/payment-plan-slots.ts';
import {
  type CollectingPlanRow,
  cadenceOf,
  type PaymentPlanRow,
  type PlanChange,
  termsOf,
} from '../../db/payment-plans.ts';
import { type Cadence, firstSlotAfter, slotDate, slotDueAt } from '../../domain/calendar.ts';
import { nextPaymentAmount, type PlanProgress } from '../../domain/plan-schedule.ts';
import type { Db, Tx } from '../../platform/postgres/connection.ts';

/**
 * Returns how far a plan has come. Unpaid payments count as committed, since they are still to be collected: no later
 * slot collects their amount again.
 */
export async function progressOf(db: Db, plan: PaymentPlanRow, open?: OpenSlotRow[]): Promise<PlanProgress> {
  const unpaid = open ?? (await listOpenSlots(db, plan.id));
  const hasOpened = plan.collected_amount_cents > 0 || unpaid.length > 0 || (await hasOpenedPayment(db, plan.id));
  return {
    nextSlot: plan.next_slot,
    paymentsOpened: hasOpened ? 1 : 0,
    committedAmount: committedAmount(plan, unpaid),
  };
}

/** Returns what a plan has collected, plus what its open slots can still collect, in minor units. */
export function committedAmount(plan: PaymentPlanRow, open: readonly Pick<OpenSlotRow, 'amount'>[]): number {
  return open.reduce((sum, slot) => sum + slot.amount, plan.collected_amount_cents);
}

/** Returns when the next slot falls due, a UTC instant. Returns null if nothing would remain to collect in it. */
export function dueInstant(plan: PaymentPlanRow & { time_zone: string }, progress: PlanProgress): Date | null {
  if (nextPaymentAmount(termsOf(plan), progress) === null) return null;
  return slotDueAt(cadenceOf(plan), progress.nextSlot, plan.time_zone);
}

/** Returns the slots from `from` up to, but not including, `until`, with their biller-local dates. */
export function skippedSlots(cadence: Cadence, from: number, until: number): { slot: number; due_date: string }[] {
  return Array.from({ length: Math.max(0, until - from) }, (_, index) => ({
    slot: from + index,
    due_date: slotDate(cadence, from + index),
  }));
}

/**
 * Returns the calendar columns of a locked, active plan after more remains to collect, because the total was raised or
 * a payment was given up. This can restart a calendar that had come to its end. It continues after `at`; slots that
 * have passed are skipped.
 */
export async function wakeCalendar(tx: Tx, plan: CollectingPlanRow, at: Date): Promise<PlanChange> {
  const cadence = cadenceOf(plan);
  const nextSlot =
    plan.next_due_at === null && plan.next_slot > 0
      ? firstSlotAfter(cadence, plan.time_zone, at, plan.next_slot)
      : plan.next_slot;
  const due = dueInstant(plan, { ...(await progressOf(tx, plan)), nextSlot });
  if (due === null) return { next_due_at: null };
  await insertSkippedSlots(tx, plan.id, skippedSlots(cadence, plan.next_slot, nextSlot));
  return { next_slot: nextSlot, next_due_at: due };
}

/**
 * Returns the slot that follows the next one. Slots that had passed at the activation are skipped, except the first
 * payment.
 */
export function slotAfterNext(plan: CollectingPlanRow): number {
  return plan.next_slot === 0 && plan.activated_at !== null
    ? firstSlotAfter(cadenceOf(plan), plan.time_zone, plan.activated_at, 1)
    : plan.next_slot + 1;
}
