import type { Db } from '../db/connection.ts';
import { hasOpenedPayment, type OpenSlotRow, openSlots } from '../db/payment-plan-slots.ts';
import { cadenceOf, type PaymentPlanRow, termsOf } from '../db/payment-plans.ts';
import { type Cadence, slotDate, slotDueAt } from '../domain/calendar.ts';
import { nextPaymentAmount, type PlanProgress } from '../domain/plan-schedule.ts';

/** How far a plan has come. Unpaid payments count as committed: they are still to be collected, so nobody plans with them. */
export async function progressOf(db: Db, plan: PaymentPlanRow, open?: OpenSlotRow[]): Promise<PlanProgress> {
  const unpaid = open ?? (await openSlots(db, plan.id));
  const committed = unpaid.reduce((sum, slot) => sum + slot.amount, plan.collected_amount_cents);
  const hasOpened = plan.collected_amount_cents > 0 || unpaid.length > 0 || (await hasOpenedPayment(db, plan.id));
  return { nextSlot: plan.next_slot, paymentsOpened: hasOpened ? 1 : 0, committedAmount: committed };
}

/** When the next slot falls due, a UTC instant; null when nothing would remain to collect in it. */
export function dueInstant(plan: PaymentPlanRow & { time_zone: string }, progress: PlanProgress): Date | null {
  if (nextPaymentAmount(termsOf(plan), progress) === null) return null;
  return slotDueAt(cadenceOf(plan), progress.nextSlot, plan.time_zone);
}

/** The slots from `from` up to, not including, `until`, with their biller-local dates. */
export function skippedSlots(cadence: Cadence, from: number, until: number): { slot: number; due_date: string }[] {
  return Array.from({ length: Math.max(0, until - from) }, (_, index) => ({
    slot: from + index,
    due_date: slotDate(cadence, from + index),
  }));
}
