import { isNearSlot, slotDueAt } from '../calendar.ts';
import type { Id } from '../ids.ts';
import { type CustomerInstant, customerInstant } from '../instants.ts';
import { nextPaymentAmount } from '../plan-schedule.ts';
import { firstRetry, untried } from '../recurring/recurring-payment.ts';
import { cadenceOf, type KnownSlot, type Plan, type PlanWithSlots, progressOf, type Slot, termsOf } from './plan.ts';
import type { PlanStepChange } from './steps.ts';

/** A plan and its slots after a change. */
export interface Applied<P extends Plan> {
  planWithSlots: PlanWithSlots & { plan: P };
  /** The columns of the plan that changed. */
  columns: Partial<Plan>;
}

/**
 * Returns what a change makes of a plan, with the dates that follow from it.
 * @param intentId the payment of the slot that the change opens.
 * @throws RangeError as `derive`.
 */
export function applyChange<P extends Plan>(
  { plan: before, slots, timeZone }: PlanWithSlots & { plan: P },
  change: PlanStepChange,
  intentId: Id<'payment_intent'> | null = null,
): Applied<P> {
  const plan = { ...before, ...change.plan };
  const after = { plan, slots: slotsAfter(slots, change, intentId), timeZone };
  const derived = derive(after);
  return {
    planWithSlots: { ...after, plan: { ...plan, ...derived } },
    columns: differing(before, { ...change.plan, ...derived }),
  };
}

function slotsAfter(
  before: readonly KnownSlot[],
  { slots: changes = [], restores = [], opens, skips = [] }: PlanStepChange,
  intentId: Id<'payment_intent'> | null,
): KnownSlot[] {
  const kept = before.filter(({ slot }) => !restores.some((other) => other.slot === slot));
  const changed = kept.map((slot) => {
    const own = changes.find(({ slots: numbers }) => numbers.includes(slot.slot));
    return { ...slot, ...own?.change };
  });
  const opened = opens === undefined ? [] : [{ ...fresh, ...opens, payment_intent_id: intentId }];
  const skipped = skips.map((slot) => ({ ...fresh, ...slot, status: 'skipped' as const }));
  const restored = restores.map((slot) => ({ ...fresh, ...slot }));
  return [...changed, ...restored, ...opened, ...skipped].toSorted((a, b) => a.slot - b.slot);
}

/** A slot that has just come, before its payment is charged. */
export const fresh: Omit<KnownSlot, 'slot' | 'due_date'> = {
  ...untried,
  status: 'processing',
  amount: null,
  payment_intent_id: null,
  is_returned: false,
};

function differing(before: Plan, after: Partial<Plan>): Partial<Plan> {
  const was: Readonly<Record<string, unknown>> = { ...before };
  return Object.fromEntries(Object.entries(after).filter(([name, value]) => !isSame(was[name], value)));
}

function isSame(a: unknown, b: unknown): boolean {
  return a instanceof Date && b instanceof Date ? a.getTime() === b.getTime() : a === b;
}

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
  return { next_due_at: nextDueAt(planWithSlots), next_attempt_at: firstRetry(slots)?.next_attempt_at ?? null };
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
