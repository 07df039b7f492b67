// A plan with its slots, a change of them, and what follows from a change: the dates that are derived.

import { type Cadence, isNearSlot, type PlainDate, slotDueAt } from '../calendar.ts';
import type { Id } from '../ids.ts';
import { type CustomerInstant, customerInstant } from '../instants.ts';
import { nextPaymentAmount, type PlanProgress, type PlanTerms } from '../plan-schedule.ts';
import type { PlanState, PlanStateReason } from '../plan-state.ts';
import { firstRetry, type RecurringPayment, untried } from '../recurring/recurring-payment.ts';
import type { MinorUnits, SlotNumber } from '../units.ts';

/** The terms of a plan, and how far it has come. */
export interface Plan {
  state: PlanState;
  state_reason: PlanStateReason | null;
  frequency_type: 'weekly' | 'monthly';
  frequency_period: number;
  recurring_amount_cents: MinorUnits;
  first_amount_cents: MinorUnits | null;
  total_amount_cents: MinorUnits | null;
  start_date: PlainDate;
  first_date: PlainDate | null;
  activated_at: CustomerInstant | null;
  collected_amount_cents: MinorUnits;
  /** The payments that were under way when the plan was suspended or ended, and still are. */
  in_flight_cents: MinorUnits;
  /** The first slot that has not come. */
  next_slot: SlotNumber;
  /** Derived: when the next slot is due. Null while the plan is not active, and if nothing remains to collect. */
  next_due_at: CustomerInstant | null;
  /** Derived: when the earliest retry is due. */
  next_attempt_at: CustomerInstant | null;
}

/**
 * `given_up`: nothing tries the slot again, and its payment is canceled. The API shows it as `failed`. `returned`: it
 * was paid, the bank took the money back, and nothing tries it again unless the plan is resumed.
 */
export type SlotStatus = 'processing' | 'paid' | 'retrying' | 'failed' | 'skipped' | 'given_up' | 'returned';

/** A slot that has come. Without a payment it was skipped. */
export interface Slot extends RecurringPayment {
  slot: SlotNumber;
  due_date: PlainDate;
  status: SlotStatus;
  /** Null if it was skipped. */
  amount: MinorUnits | null;
}

/** What changes of a slot after it has come. */
export type SlotProgress = Omit<Slot, 'slot' | 'due_date' | 'amount' | 'payment_intent_id'>;

/** A slot, and whether its payment came back and was not tried since. */
export interface KnownSlot extends Slot {
  is_returned: boolean;
}

/** A plan with the slots that decide what it does next: the open ones, and the one that a charge is about. */
export interface PlanWithSlots<S extends Slot = KnownSlot> {
  plan: Plan;
  slots: readonly S[];
  timeZone: string;
}

/** Returns the calendar of a plan. */
export function cadenceOf(
  plan: Pick<Plan, 'frequency_type' | 'frequency_period' | 'start_date' | 'first_date'>,
): Cadence {
  return {
    frequencyType: plan.frequency_type,
    frequencyPeriod: plan.frequency_period,
    startDate: plan.start_date,
    firstDate: plan.first_date,
  };
}

/** Returns the calendar and the amounts of a plan. */
export function termsOf(plan: Plan): PlanTerms {
  return {
    ...cadenceOf(plan),
    recurringAmount: plan.recurring_amount_cents,
    firstAmount: plan.first_amount_cents,
    totalAmount: plan.total_amount_cents,
  };
}

/** Whether a slot has an amount that is not collected yet, and can still be. One that was given up is not open. */
export function isOpen({ status }: Pick<Slot, 'status'>): boolean {
  return status === 'processing' || isUnpaid({ status });
}

/** Whether a slot is open and not being charged: a resume tries it again. */
export function isUnpaid({ status }: Pick<Slot, 'status'>): boolean {
  return status === 'retrying' || status === 'failed' || status === 'returned';
}

/** Returns the most that one payment to come of a plan takes, minor units. The first one differs until it is due. */
export function mostToCome(
  plan: Pick<
    Plan,
    'next_slot' | 'first_amount_cents' | 'recurring_amount_cents' | 'total_amount_cents' | 'collected_amount_cents'
  >,
): MinorUnits {
  const { first_amount_cents: first, recurring_amount_cents: recurring, total_amount_cents: total } = plan;
  const most = plan.next_slot === 0 ? Math.max(first ?? 0, recurring) : recurring;
  return total === null ? most : Math.min(most, total - plan.collected_amount_cents);
}

/**
 * Returns how far a plan has come. Unpaid payments count as committed, since they are still to be collected: no later
 * slot collects their amount again.
 * @param isFirst whether no slot of the plan has had a payment yet. It matters for the amount of the next one only.
 */
export function progressOf(
  { plan, slots }: Pick<PlanWithSlots<Slot>, 'plan' | 'slots'>,
  isFirst = false,
): PlanProgress {
  const open = slots.filter(isOpen);
  const committedAmount = open.reduce((sum, { amount }) => sum + (amount ?? 0), plan.collected_amount_cents);
  return { nextSlot: plan.next_slot, paymentsOpened: isFirst ? 0 : 1, committedAmount };
}

/** The end of the name of an event of a plan, `payment_plan.…`. */
type PlanEventName = 'activated' | 'suspended' | 'deactivated' | 'closed';

/**
 * What a step changes. The dates that follow are derived. Nothing is written here, and nothing is charged: the caller
 * stores the change.
 */
export interface PlanStepChange {
  /** Changes of the plan. A change without it leaves the plan's row as it is. */
  plan?: Partial<Plan>;
  /** Changes of slots that have come. */
  slots?: SlotChange[];
  /** Slots that are stored whole, since their rows were lost or wrong. */
  restores?: Slot[];
  /** The slot that gets a payment. */
  opens?: OpenedSlot;
  /** The slots that pass without a payment. */
  skips?: SkippedSlot[];
  events?: PlanEventName[];
}

/** The same change of some slots, by their numbers. */
export interface SlotChange {
  slots: SlotNumber[];
  change: Partial<SlotProgress>;
}

export interface SkippedSlot {
  slot: SlotNumber;
  due_date: PlainDate;
}

export interface OpenedSlot extends SkippedSlot {
  amount: MinorUnits;
}

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
