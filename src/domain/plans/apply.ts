import type { Id } from '../ids.ts';
import { derive } from './derive.ts';
import type { KnownSlot, Plan, PlanWithSlots } from './plan.ts';
import type { PlanStepChange } from './steps.ts';

/** A plan and its slots after a change. */
export interface Applied<P extends Plan> {
  planWithSlots: PlanWithSlots & { plan: P };
  /** The columns of the plan that are others than before. */
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
  status: 'processing',
  amount: null,
  payment_intent_id: null,
  failures: 0,
  first_failed_at: null,
  last_result_at: null,
  next_attempt_at: null,
  challenge_ends_at: null,
  is_returned: false,
};

function differing(before: Plan, after: Partial<Plan>): Partial<Plan> {
  const was: Readonly<Record<string, unknown>> = { ...before };
  return Object.fromEntries(Object.entries(after).filter(([name, value]) => !isSame(was[name], value)));
}

function isSame(a: unknown, b: unknown): boolean {
  return a instanceof Date && b instanceof Date ? a.getTime() === b.getTime() : a === b;
}
