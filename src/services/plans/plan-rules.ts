import type { PaymentPlanRow } from '../../db/payment-plans.ts';
import { dateIn, isPlainDate, slotDate } from '../../domain/calendar.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import { cadenceOf } from '../../domain/plans/plan.ts';
import { type FieldError, fieldError } from '../../resources/field-errors.ts';
import { totalErrors } from '../../resources/payment-plan-input.ts';

/** The latest date that a plan may start on. It keeps the calendar within four-digit years. */
const lastStartDate = '2200-12-31';

/**
 * Returns the field errors of a plan's terms as a whole: the rules that involve several fields or the present date.
 * @param at the dates of a plan must not lie before it, in the biller's time zone.
 * @param dates the dates that are new, and so must not lie in the past. In a new plan these are all dates.
 */
export function planErrors(
  plan: PaymentPlanRow,
  { at, timeZone }: { at: CustomerInstant; timeZone: string },
  dates: readonly ('start_date' | 'first_date')[] = ['start_date', 'first_date'],
): FieldError[] {
  const today = dateIn(at, timeZone);
  const total = totalErrors({ hasTotal: plan.total_amount_cents !== null, isOpenEnded: plan.until_further_notice });
  return [...total, ...dates.flatMap((field) => dateErrors(plan, field, today)), ...firstDateErrors(plan)];
}

function dateErrors(plan: PaymentPlanRow, field: 'start_date' | 'first_date', today: string): FieldError[] {
  const date = plan[field];
  if (date === null || (date >= today && date <= lastStartDate)) return [];
  const message =
    date < today
      ? `${field} must not be in the past: today is ${today} for this customer.`
      : `${field} must not be after ${lastStartDate}.`;
  return [fieldError(`/${field}`, 'out_of_range', message)];
}

function firstDateErrors(plan: PaymentPlanRow): FieldError[] {
  if (plan.first_date === null || !isPlainDate(plan.start_date) || plan.start_date > lastStartDate) return [];
  const second = slotDate(cadenceOf(plan), 1);
  if (plan.first_date < second) return [];
  const message = `first_date must be before the second payment, which is due on ${second}.`;
  return [fieldError('/first_date', 'out_of_range', message)];
}
