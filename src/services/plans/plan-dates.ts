import { wasRetriedNow } from '../../db/audit-log.ts';
import type { OpenSlotRow } from '../../db/payment-plan-slots.ts';
import { cadenceOf, type PaymentPlanRow } from '../../db/payment-plans.ts';
import { earliestInstant, isNearSlot, laterInstant } from '../../domain/calendar.ts';
import { retryDueAt } from '../../domain/schemes/debit-dates.ts';
import { slotInWords } from '../../messages/slot-in-words.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import { clockToleranceMs } from '../customer-time.ts';
import { committedAmount, dueInstant } from './plan-calendar.ts';

/** A plan, and what its calendar depends on. */
export type DatedPlan = PaymentPlanRow & { time_zone: string };

/** A retry, as its slot has it. */
type Retry = Pick<OpenSlotRow, 'slot' | 'failures' | 'first_failed_at' | 'next_attempt_at' | 'last_result_at'>;

/** A stored date that is missing, or that the plan's calendar or dunning does not give. */
export interface WrongDate {
  /** Part of a sentence, for an operator. */
  why: string;
  /** A retry that is earlier than dunning gives. It is right if an operator has brought it forward. */
  isEarly: { slot: number; date: Date } | null;
}

/** The rows of a plan do not agree, so nothing is charged by them. */
export class PlanInconsistent extends Error {
  constructor(planId: string, reasons: readonly string[]) {
    const remedy = `npm run --silent ops -- recalculate ${planId}`;
    super(`${reasons.join('; ')}. Nothing is charged before that is corrected: ${remedy}.`);
  }
}

/**
 * Throws unless all dates of a locked, active plan are those that its calendar and dunning give. Reads nothing, unless
 * a retry is early.
 * @param open the open slots of the plan.
 * @param at the customer's time; that of the plan's last change counts, if it is later.
 * @throws PlanInconsistent
 */
export async function assertDates(db: Db, plan: DatedPlan, open: readonly OpenSlotRow[], at: Date): Promise<void> {
  const wrong = await withoutBroughtForward(db, plan, wrongDates(plan, open, laterInstant(at, plan.updated_at)));
  if (wrong.length === 0) return;
  throw new PlanInconsistent(
    plan.id,
    wrong.map(({ why }) => why),
  );
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
 * Returns what is wrong with the dates of a plan. A plan that is not active has none.
 * @param open the open slots of the plan.
 * @param at the customer's time.
 */
export function wrongDates(plan: DatedPlan, open: readonly OpenSlotRow[], at: Date): WrongDate[] {
  const retries = open.filter(({ status }) => status === 'retrying');
  if (plan.state !== 'active') {
    return retries.map(({ slot }) => wrong(`${slotInWords(slot)} is to be retried, but the plan is ${plan.state}`));
  }
  return [
    ...wrongNextDate(plan, open),
    ...wrongNextRetry(plan, retries),
    ...retries.flatMap((retry) => wrongRetry(retry, at)),
  ];
}

function wrongNextDate(plan: DatedPlan, open: readonly OpenSlotRow[]): WrongDate[] {
  const { next_slot: slot, next_due_at: stored } = plan;
  const due = calendarDate(plan, open);
  if (due instanceof RangeError) return [wrong(`its calendar has no ${slotInWords(slot)}: ${due.message}`)];
  if (due === null) {
    return stored === null ? [] : [wrong(`its next date is ${iso(stored)}, but nothing is left to collect`)];
  }
  const byCalendar = `${slotInWords(slot)} falls due at ${iso(due)} by its calendar`;
  if (stored === null) return [wrong(`its next date is missing: ${byCalendar}`)];
  return isNearSlot(cadenceOf(plan), slot, stored) ? [] : [wrong(`its next date is ${iso(stored)}, but ${byCalendar}`)];
}

/** When the next slot is due. An error if the calendar ends before it, which only a wrong row can bring about. */
function calendarDate(plan: DatedPlan, open: readonly OpenSlotRow[]): Date | RangeError | null {
  const progress = { nextSlot: plan.next_slot, paymentsOpened: 1, committedAmount: committedAmount(plan, open) };
  try {
    return dueInstant(plan, progress);
  } catch (error) {
    if (error instanceof RangeError) return error;
    throw error;
  }
}

function wrongNextRetry({ next_attempt_at: stored }: DatedPlan, retries: readonly Retry[]): WrongDate[] {
  const earliest = earliestInstant(retries.map(({ next_attempt_at: date }) => date));
  if (stored?.getTime() === earliest?.getTime()) return [];
  if (earliest === null) {
    return [wrong(`it waits for a retry at ${iso(stored)}, but none of its payments is to be retried`)];
  }
  const wait = stored === null ? 'no retry' : `a retry at ${iso(stored)}`;
  return [wrong(`it waits for ${wait}, but its earliest retry is at ${iso(earliest)}`)];
}

/** Returns what is wrong with the date of a retry. `at` is the customer’s time. */
export function wrongRetry(retry: Retry, at: Date): WrongDate[] {
  const { slot, first_failed_at: firstFailedAt, next_attempt_at: stored } = retry;
  const due = retryDueAt(retry);
  const what = `the retry of ${slotInWords(slot)} is set to ${iso(stored)}`;
  if (stored === null) return [wrong(`the retry of ${slotInWords(slot)} has no date`)];
  if (due === null) {
    const latest = at.getTime() + clockToleranceMs;
    return stored.getTime() <= latest ? [] : [wrong(`${what}, but is due at once`)];
  }
  if (stored.getTime() === due.getTime()) return [];
  const isEarly = stored < due && firstFailedAt !== null && stored >= firstFailedAt;
  return [{ why: `${what}, but dunning gives ${iso(due)}`, isEarly: isEarly ? { slot, date: stored } : null }];
}

function wrong(why: string): WrongDate {
  return { why, isEarly: null };
}

function iso(date: Date | null): string {
  return date?.toISOString() ?? 'none';
}
