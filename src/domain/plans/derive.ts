import { isNearSlot, slotDueAt } from '../calendar.ts';
import { type CustomerInstant, customerInstant } from '../instants.ts';
import { nextPaymentAmount } from '../plan-schedule.ts';
import { cadenceOf, type Plan, type PlanWithSlots, progressOf, type Slot, termsOf } from './plan.ts';

/** The columns of a plan that follow from the others and from its open slots. */
export type Derived = Pick<Plan, 'next_due_at' | 'next_attempt_at'>;

/**
 * Returns what follows from the rows of a plan: when its next slot is due, and its earliest retry. Only an active plan
 * waits for either. A stored date that is near that of the next slot stays: the rules of a time zone may have changed
 * since it was stored. A step that moves the calendar sets it to null, so that it is derived anew.
 * @throws RangeError if the calendar ends before the next slot, which only a wrong row can bring about.
 */
export function derive(planWithSlots: PlanWithSlots<Slot>): Derived {
  const { plan, slots } = planWithSlots;
  if (plan.state !== 'active') return { next_due_at: null, next_attempt_at: null };
  return { next_due_at: nextDueAt(planWithSlots), next_attempt_at: nextRetry(slots)?.next_attempt_at ?? null };
}

/** Returns the slot that is retried first, at the same instant the older one. Null if none is to be retried. */
export function nextRetry<S extends Slot>(slots: readonly S[]): S | null {
  const retries = slots.filter(({ status }) => status === 'retrying');
  const byTime = (a: S, b: S) => Number(a.next_attempt_at) - Number(b.next_attempt_at) || a.slot - b.slot;
  return retries.toSorted(byTime)[0] ?? null;
}

function nextDueAt({ plan, slots, timeZone }: PlanWithSlots<Slot>): CustomerInstant | null {
  const { next_slot: slot, next_due_at: stored } = plan;
  if (nextPaymentAmount(termsOf(plan), progressOf({ plan, slots })) === null) return null;
  const cadence = cadenceOf(plan);
  return stored !== null && isNearSlot(cadence, slot, stored) ? stored : slotDueAt(cadence, slot, timeZone);
}

/** From when the plan's next slot can be collected: its due instant, or the activation if that is later. */
export function awaitedAt({
  next_due_at: dueAt,
  activated_at: activatedAt,
}: Pick<Plan, 'next_due_at' | 'activated_at'>): CustomerInstant {
  return customerInstant(Math.max(Number(dueAt), Number(activatedAt)));
}
