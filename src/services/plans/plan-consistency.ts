// Whether the rows of a plan agree. Its dates follow from its calendar and from dunning. What it collects, and whether
// it still collects, is stored twice: as it is used, and as the service has written it. A person who changes a row by
// hand changes the first. A change of both alike is not found.

import { wasRetriedNow } from '../../db/audit-log.ts';
import type { AgreedAmounts, PaymentPlanRow } from '../../db/payment-plans.ts';
import { laterInstant } from '../../domain/calendar.ts';
import { type Currency, inMoney } from '../../domain/currencies.ts';
import { addMs, type CustomerInstant, isoOrNone } from '../../domain/instants.ts';
import { hasEnded } from '../../domain/plan-state.ts';
import { type Derived, derive, type Plan, type PlanWithSlots, type Slot } from '../../domain/plans/plan.ts';
import { isRightRetry } from '../../domain/recurring/recurring-payment.ts';
import { retryDueAt } from '../../domain/schemes/debit-dates.ts';
import type { MinorUnits, SlotNumber } from '../../domain/units.ts';
import { slotInWords } from '../../messages/slot-in-words.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import { clockToleranceMs } from '../customer-time.ts';
import type { LockedPlan } from './store.ts';

/** A plan, and what its calendar depends on. */
export type DatedPlan = PaymentPlanRow & { time_zone: string };

/** A stored date that is missing, or that the plan's calendar or dunning does not give. */
interface WrongDate {
  /** Part of a sentence, for an operator. */
  why: string;
  /** A retry that is earlier than dunning gives. It is right if an operator has brought it forward. */
  isEarly: { slot: SlotNumber; date: CustomerInstant } | null;
}

/** The rows of a plan do not agree, so nothing is charged by them. */
export class PlanInconsistent extends Error {
  constructor(planId: string, reasons: readonly string[]) {
    const remedy = `npm run --silent ops -- recalculate ${planId}`;
    super(`${reasons.join('; ')}. Nothing is charged before that is corrected: ${remedy}.`);
  }
}

/**
 * Throws unless a locked, active plan has the terms that the service has given it, and all its dates are those that its
 * calendar and dunning give. Reads nothing, unless a retry is early.
 * @param at the time of the plan's last change counts, if it is later.
 * @throws PlanInconsistent
 */
export async function assertConsistent(db: Db, { plan, slots }: LockedPlan, at: CustomerInstant): Promise<void> {
  const wrong = await withoutBroughtForward(db, plan, wrongDates(plan, slots, laterInstant(at, plan.updated_at)));
  const reasons = [...wrongTerms(plan), ...wrong.map(({ why }) => why)];
  if (reasons.length > 0) throw new PlanInconsistent(plan.id, reasons);
}

/** As `assertConsistent`, for a plan without open slots: returns whether all is right. Reads nothing. */
export function isConsistent(plan: DatedPlan, at: CustomerInstant): boolean {
  return wrongDates(plan, [], at).length === 0 && wrongTerms(plan).length === 0;
}

/** Leaves out the retries that an operator has brought forward. The audit log has the date of each. */
export async function withoutBroughtForward(
  db: Db,
  plan: Pick<PaymentPlanRow, 'id' | 'biller_id'>,
  wrong: readonly WrongDate[],
): Promise<WrongDate[]> {
  const confirmed: WrongDate[] = [];
  for (const date of wrong) {
    if (date.isEarly === null || !(await wasRetriedNow(db, plan, date.isEarly))) confirmed.push(date);
  }
  return confirmed;
}

/**
 * Returns what is wrong with the dates of a plan: those that are not as `derive` gives them. A plan that is not active
 * has none.
 * @param open the open slots of the plan.
 */
export function wrongDates(plan: DatedPlan, open: readonly Slot[], at: CustomerInstant): WrongDate[] {
  const retries = open.filter(({ status }) => status === 'retrying');
  if (plan.state !== 'active') {
    return retries.map(({ slot }) => wrong(`${slotInWords(slot)} is to be retried, but the plan is ${plan.state}`));
  }
  const derived = derivedOrError({ plan, slots: open, timeZone: plan.time_zone });
  const what = slotInWords(plan.next_slot);
  if (derived instanceof RangeError) return [wrong(`its calendar has no ${what}: ${derived.message}`)];
  return [
    ...wrongNextDate(plan, derived, what),
    ...wrongNextRetry(plan, derived),
    ...retries.flatMap((retry) => wrongRetry(retry, plan.time_zone, at)),
  ];
}

/** An error if the calendar ends before the next slot, which only a wrong row can bring about. */
function derivedOrError(planWithSlots: PlanWithSlots<Slot>): Derived | RangeError {
  try {
    return derive(planWithSlots);
  } catch (error) {
    if (error instanceof RangeError) return error;
    throw error;
  }
}

function wrongNextDate({ next_due_at: stored }: DatedPlan, { next_due_at: due }: Derived, slot: string): WrongDate[] {
  if (stored?.getTime() === due?.getTime()) return [];
  if (due === null) return [wrong(`its next date is ${isoOrNone(stored)}, but nothing is left to collect`)];
  const is = stored === null ? 'its next date is missing:' : `its next date is ${isoOrNone(stored)}, but`;
  return [wrong(`${is} ${slot} falls due at ${isoOrNone(due)} by its calendar`)];
}

function wrongNextRetry({ next_attempt_at: stored }: DatedPlan, { next_attempt_at: earliest }: Derived): WrongDate[] {
  if (stored?.getTime() === earliest?.getTime()) return [];
  if (earliest === null) {
    return [wrong(`it waits for a retry at ${isoOrNone(stored)}, but none of its payments is to be retried`)];
  }
  const wait = stored === null ? 'no retry' : `a retry at ${isoOrNone(stored)}`;
  return [wrong(`it waits for ${wait}, but its earliest retry is at ${isoOrNone(earliest)}`)];
}

/** Returns what is wrong with the date of a retry. */
export function wrongRetry(retry: Slot, timeZone: string, at: CustomerInstant): WrongDate[] {
  const { slot, first_failed_at: firstFailedAt, next_attempt_at: stored } = retry;
  if (isRightRetry(retry, timeZone, addMs(at, clockToleranceMs))) return [];
  if (stored === null) return [wrong(`the retry of ${slotInWords(slot)} has no date`)];
  const due = retryDueAt(retry, timeZone);
  const what = `the retry of ${slotInWords(slot)} is set to ${isoOrNone(stored)}`;
  if (due === null) return [wrong(`${what}, but is due at once`)];
  const isEarly = stored < due && firstFailedAt !== null && stored >= firstFailedAt;
  return [{ why: `${what}, but dunning gives ${isoOrNone(due)}`, isEarly: isEarly ? { slot, date: stored } : null }];
}

/** What is wrong with a slot whose payment has another amount, as a part of a sentence. */
export function otherAmount(
  { slot, amount }: Pick<Slot, 'slot' | 'amount'>,
  payment: { amount: MinorUnits; currency: Currency },
): string {
  const { currency } = payment;
  return `${slotInWords(slot)} is of ${inMoney(amount ?? 0, currency)}, but its payment of ${inMoney(payment.amount, currency)}`;
}

function wrong(why: string): WrongDate {
  return { why, isEarly: null };
}

/** Each amount of a plan, the column in which it is kept as the service has written it, and its name for operators. */
const amounts = [
  ['recurring_amount_cents', 'agreed_recurring_cents', 'recurring amount'],
  ['first_amount_cents', 'agreed_first_cents', 'first amount'],
  ['total_amount_cents', 'agreed_total_cents', 'total'],
] as const;

type Amounts = Pick<Plan, (typeof amounts)[number][0]>;
type StoredTerms = Pick<PaymentPlanRow, keyof AgreedAmounts | keyof Amounts | 'state' | 'state_reason' | 'ended_as'>;

/** Returns what is agreed in a new plan: its amounts. */
export function agreedInNew(plan: Amounts): AgreedAmounts {
  return {
    agreed_recurring_cents: plan.recurring_amount_cents,
    agreed_first_cents: plan.first_amount_cents,
    agreed_total_cents: plan.total_amount_cents,
  };
}

/**
 * Returns what is agreed once a biller has set these amounts. What was agreed of the others stays, even if their
 * columns were changed by hand.
 */
export function agreedAfter(before: AgreedAmounts, set: Partial<Amounts>): AgreedAmounts {
  const { recurring_amount_cents: recurring, first_amount_cents: first, total_amount_cents: total } = set;
  return {
    agreed_recurring_cents: recurring ?? before.agreed_recurring_cents,
    agreed_first_cents: first === undefined ? before.agreed_first_cents : first,
    agreed_total_cents: total === undefined ? before.agreed_total_cents : total,
  };
}

/**
 * Returns what is wrong with the terms of a plan, each as a part of a sentence for an operator: amounts that were not
 * agreed, and a state that it has left for good.
 */
export function wrongTerms(plan: StoredTerms & { currency: Currency }): string[] {
  const { state, state_reason: reason, ended_as: end, currency } = plan;
  if (end !== null && !hasEnded(state))
    return [`it is ${state}, but it was ${end}, and a plan that has ended stays so`];
  if (hasEnded(state)) return [];
  const money = (amount: MinorUnits | null) => (amount === null ? 'none' : inMoney(amount, currency));
  return [
    ...(state === 'active' && reason !== null ? [`it is active, but it was suspended (${reason})`] : []),
    ...wrongAmounts(plan).map(([amount, agreed, name]) => {
      return `its ${name} is ${money(plan[amount])}, but ${money(plan[agreed])} was agreed`;
    }),
  ];
}

/** Returns the terms as the service has written them, of those that are otherwise. */
export function rightTerms(plan: StoredTerms): Partial<Plan> {
  const { state, state_reason: reason, ended_as: end } = plan;
  if (end !== null && !hasEnded(state)) return { state: end, state_reason: reason ?? 'requested' };
  if (hasEnded(state)) return {};
  return {
    ...(state === 'active' && reason !== null ? { state: 'suspended' } : {}),
    ...Object.fromEntries(wrongAmounts(plan).map(([amount, agreed]) => [amount, plan[agreed]])),
  };
}

function wrongAmounts(plan: Amounts & AgreedAmounts) {
  return amounts.filter(([amount, agreed]) => plan[amount] !== plan[agreed]);
}
