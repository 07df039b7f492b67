import { firstSlotAfter, slotDate } from '../calendar.ts';
import type { CustomerInstant } from '../instants.ts';
import { nextPaymentAmount } from '../plan-schedule.ts';
import type { PlanStateReason } from '../plan-state.ts';
import { afterInFlightOutcome, attempted, type Failure, noFailures } from '../recurring/recurring-payment.ts';
import type { MinorUnits, SlotNumber } from '../units.ts';
import {
  cadenceOf,
  isUnpaid,
  type KnownSlot,
  type OpenedSlot,
  type Plan,
  type PlanStepChange,
  type PlanWithSlots,
  progressOf,
  type SkippedSlot,
  type SlotChange,
  type SlotProgress,
  termsOf,
} from './plan.ts';

/** The biller activates a plan. Its first slot is due on its date or, if that has passed, at once. */
export function activate(at: CustomerInstant): PlanStepChange {
  return { plan: { state: 'active', state_reason: null, activated_at: at }, events: ['activated'] };
}

/**
 * The next slot is due, and gets a payment. Slots that had passed when the plan was activated are skipped, except the
 * first, so that they never cause a burst of payments.
 * @param isFirst whether no slot of the plan has had a payment yet.
 * @throws if nothing remains to collect: such a plan has no slot that is due.
 */
export function openNext(planWithSlots: PlanWithSlots, isFirst: boolean): PlanStepChange & { opens: OpenedSlot } {
  const { plan } = planWithSlots;
  const amount = nextPaymentAmount(termsOf(plan), progressOf(planWithSlots, isFirst));
  if (amount === null) throw new Error(`slot ${plan.next_slot} is due with nothing left to collect`);
  const slot = plan.next_slot;
  const next = slotAfterNext(planWithSlots);
  return {
    plan: continuesAt(next),
    opens: { slot, due_date: slotDate(cadenceOf(plan), slot), amount },
    skips: skipped(plan, slot + 1, next),
  };
}

/** An operator skips the next slot, which is due. */
export function skipNext(planWithSlots: PlanWithSlots): PlanStepChange & { skips: SkippedSlot[] } {
  const { plan } = planWithSlots;
  const next = slotAfterNext(planWithSlots);
  return { plan: continuesAt(next), skips: skipped(plan, plan.next_slot, next) };
}

/** An attempt to collect an open slot begins: a retry, or one that a payer makes, whatever the plan's state. */
export function attemptOpened({ plan }: PlanWithSlots, { slot }: Pick<KnownSlot, 'slot'>): PlanStepChange {
  const slots = [{ slots: [slot], change: attempted }];
  return plan.state === 'active' ? { plan: {}, slots } : { slots };
}

/** The charge of a slot waits for a payer until this instant. Null: it no longer waits. */
export function challenged({ slot }: Pick<KnownSlot, 'slot'>, endsAt: CustomerInstant | null): PlanStepChange {
  return { slots: [{ slots: [slot], change: { challenge_ends_at: endsAt } }] };
}

/**
 * A slot was collected. The plan closes once its total is reached. Money that was under way when the plan ended is
 * still counted; the plan stays ended.
 */
export function collected({ plan }: PlanWithSlots, { slot }: KnownSlot, amount: MinorUnits): PlanStepChange {
  const sum = plan.collected_amount_cents + amount;
  const isComplete = plan.total_amount_cents !== null && sum >= plan.total_amount_cents;
  const closes = isComplete && (plan.state === 'active' || plan.state === 'suspended');
  return {
    plan: {
      ...afterInFlightOutcome(plan, amount),
      collected_amount_cents: sum,
      ...(closes ? { state: 'closed', state_reason: 'total_collected' } : {}),
    },
    slots: [{ slots: [slot], change: { ...atRest, status: 'paid' } }],
    events: closes ? ['closed'] : [],
  };
}

/** The charge of a slot has failed. It is retried, or dunning gives up and suspends the plan. */
export function failed(
  planWithSlots: PlanWithSlots,
  slot: KnownSlot,
  amount: MinorUnits,
  failure: Failure,
): PlanStepChange {
  const less = afterInFlightOutcome(planWithSlots.plan, amount);
  return unpaid(planWithSlots, slot, less, failure, ['failed', 'payment_failed']);
}

/**
 * The bank took the debit of a slot back. It begins a new series of retries, of which it is the first failure. A plan
 * that has ended stays so; one that was closed by its total then says that money came back.
 */
export function returned(
  planWithSlots: PlanWithSlots,
  slot: KnownSlot,
  amount: MinorUnits,
  failure: Failure,
): PlanStepChange {
  const { plan } = planWithSlots;
  const wasComplete = plan.state === 'closed' && plan.state_reason === 'total_collected';
  const less: Partial<Plan> = {
    collected_amount_cents: plan.collected_amount_cents - amount,
    ...(wasComplete ? { state_reason: 'payment_returned' } : {}),
  };
  return unpaid(planWithSlots, slot, less, failure, ['returned', 'payment_returned']);
}

/** @param less what else changes of the plan. @param left the status of a slot that nothing tries again, and why. */
function unpaid(
  planWithSlots: PlanWithSlots,
  { slot }: KnownSlot,
  less: Partial<Plan> | undefined,
  { series, step }: Failure,
  [left, reason]: ['failed', 'payment_failed'] | ['returned', 'payment_returned'],
): PlanStepChange {
  const own = (change: Partial<SlotProgress>) => ({ slots: [slot], change: { ...atRest, ...series, ...change } });
  if (planWithSlots.plan.state !== 'active') return { ...(less && { plan: less }), slots: [own({ status: left })] };
  if (step.kind === 'retry') {
    return { plan: { ...less }, slots: [own({ status: 'retrying', next_attempt_at: step.at })] };
  }
  const others = planWithSlots.slots.filter((other) => other.slot !== slot);
  return {
    plan: { ...less, state: 'suspended', state_reason: reason },
    slots: [own({ status: left }), ...stopRetries(others)],
    events: ['suspended'],
  };
}

/** The biller suspends or ends a plan, or its customer was deleted. Retries end; a charge that is under way goes on. */
export function stop(
  { slots }: PlanWithSlots,
  state: 'suspended' | 'deactivated' | 'closed',
  reason: PlanStateReason,
): PlanStepChange {
  return { plan: { state, state_reason: reason }, slots: stopRetries(slots) };
}

/** All is stopped that could be. What is still under way of the plan may yet be collected. */
export function stopped({ plan, slots }: PlanWithSlots): PlanStepChange {
  const underWay = slots.filter(({ status }) => status === 'processing');
  const { state } = plan;
  return {
    plan: { in_flight_cents: underWay.reduce((sum, { amount }) => sum + (amount ?? 0), 0) },
    events: state === 'pending' || state === 'active' ? [] : [state],
  };
}

/** The debits of these slots were withdrawn before the bank had them. They count as never tried. */
export function withdrawn(slots: SlotNumber[]): PlanStepChange {
  return { slots: [{ slots, change: { status: 'failed', next_attempt_at: null } }] };
}

/** The payments of these slots were canceled, because their plan has ended. */
export function givenUp(slots: SlotNumber[]): PlanStepChange {
  return { slots: [{ slots, change: { ...atRest, status: 'given_up' } }] };
}

/** An operator gives an unpaid slot up. Its amount remains to be collected, so the calendar may go on. */
export function giveUp(
  planWithSlots: PlanWithSlots,
  { slot }: Pick<KnownSlot, 'slot'>,
  at: CustomerInstant,
): PlanStepChange {
  const slots = planWithSlots.slots.filter((other) => other.slot !== slot);
  const calendar = wakeCalendar({ ...planWithSlots, slots }, at);
  return { ...calendar, slots: [{ slots: [slot], change: { status: 'given_up', next_attempt_at: null } }] };
}

/**
 * The biller resumes a plan, or its payer has given it a new method. What is unpaid is tried at once, with a new series
 * of retries. Slots that have passed meanwhile are skipped.
 */
export function resume(planWithSlots: PlanWithSlots, at: CustomerInstant): PlanStepChange {
  const { plan, skips } = skipPassed(planWithSlots, at);
  return { plan: { ...plan, state: 'active', state_reason: null }, slots: restartRetries(planWithSlots, at), skips };
}

/** The calendar continues after `at`. Slots that have passed are skipped. */
export function skipPassed(
  { plan, timeZone }: PlanWithSlots,
  at: CustomerInstant,
): PlanStepChange & { skips: SkippedSlot[] } {
  const next = firstSlotAfter(cadenceOf(plan), timeZone, at, plan.next_slot);
  return { plan: continuesAt(next), skips: skipped(plan, plan.next_slot, next) };
}

/** An active plan has a new method: what is unpaid is tried at once, with a new series of retries. */
export function retryAll(planWithSlots: PlanWithSlots, at: CustomerInstant): PlanStepChange {
  return { plan: {}, slots: restartRetries(planWithSlots, at) };
}

/** An operator brings the retry of a slot forward. It stays the next step of its series. */
export function retryNow({ slot }: Pick<KnownSlot, 'slot'>, at: CustomerInstant): PlanStepChange {
  return { plan: {}, slots: [{ slots: [slot], change: { next_attempt_at: at } }] };
}

/** The biller changes the terms. A higher total can restart a calendar that had come to its end. */
export function amend(planWithSlots: PlanWithSlots, terms: Partial<Plan>, at: CustomerInstant): PlanStepChange {
  const { plan, skips = [] } = wakeCalendar({ ...planWithSlots, plan: { ...planWithSlots.plan, ...terms } }, at);
  return { plan: { ...terms, ...plan }, skips };
}

/**
 * The calendar of an active plan after more remains to collect. One that had come to its end continues after `at`, if
 * something remains; slots that have passed are skipped.
 */
function wakeCalendar(planWithSlots: PlanWithSlots, at: CustomerInstant): PlanStepChange {
  const { plan } = planWithSlots;
  if (plan.state !== 'active' || plan.next_due_at !== null) return { plan: {} };
  const isOver = nextPaymentAmount(termsOf(plan), progressOf(planWithSlots)) === null;
  return isOver ? { plan: {} } : skipPassed(planWithSlots, at);
}

/** Returns the slot after the next one. Slots that had passed at the activation are skipped, except the first. */
function slotAfterNext({ plan, timeZone }: PlanWithSlots): SlotNumber {
  const { next_slot: slot, activated_at: activatedAt } = plan;
  return slot === 0 && activatedAt !== null ? firstSlotAfter(cadenceOf(plan), timeZone, activatedAt, 1) : slot + 1;
}

/** The calendar continues with this slot, whose due date is derived anew. */
function continuesAt(slot: SlotNumber): Pick<Plan, 'next_slot' | 'next_due_at'> {
  return { next_slot: slot, next_due_at: null };
}

/** Returns the slots from `from` up to, but not including, `until`, with their biller-local dates. */
function skipped(plan: Plan, from: SlotNumber, until: SlotNumber): SkippedSlot[] {
  const cadence = cadenceOf(plan);
  return Array.from({ length: Math.max(0, until - from) }, (_, index) => ({
    slot: from + index,
    due_date: slotDate(cadence, from + index),
  }));
}

/** Nothing is awaited: no retry, no challenge. */
const atRest = { next_attempt_at: null, challenge_ends_at: null } as const;

/** Ends the retries. A slot whose payment came back, and was not tried since, says so again. */
function stopRetries(slots: readonly KnownSlot[]): SlotChange[] {
  const retrying = slots.filter(({ status }) => status === 'retrying');
  const change = (isReturned: boolean, status: 'returned' | 'failed') => ({
    slots: retrying.filter(({ is_returned: came }) => came === isReturned).map(({ slot }) => slot),
    change: { status, next_attempt_at: null },
  });
  return [change(true, 'returned'), change(false, 'failed')];
}

/** Starts a new series of retries, of which the first is at `at`. What is being charged goes on. */
function restartRetries({ slots }: PlanWithSlots, at: CustomerInstant): SlotChange[] {
  const change = { ...noFailures, status: 'retrying', next_attempt_at: at } as const;
  return [{ slots: slots.filter(isUnpaid).map(({ slot }) => slot), change }];
}
