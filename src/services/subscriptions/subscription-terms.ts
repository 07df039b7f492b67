import { dateIn, isPlainDate } from '../../domain/calendar.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import { lastDate, type PeriodCalendar, periodOf } from '../../domain/subscriptions/periods.ts';
import { trialEndOf } from '../../domain/subscriptions/steps.ts';
import type { SubscriptionTerms } from '../../domain/subscriptions/subscription.ts';
import { type FieldError, fieldError } from '../../resources/field-errors.ts';

type Terms = Pick<
  SubscriptionTerms,
  'start_date' | 'trial_days' | 'trial_end_date' | 'ends_at' | 'frequency_type' | 'frequency_period' | 'anchor_day'
>;

/**
 * Returns the field errors of a subscription's terms as a whole: the rules that involve several fields or the
 * customer's time, `at`.
 */
export function termErrors(terms: Terms, { at, timeZone }: { at: CustomerInstant; timeZone: string }): FieldError[] {
  const today = dateIn(at, timeZone);
  const { start_date: start, trial_end_date: trialEnd, anchor_day: anchorDay, frequency_type: type } = terms;
  const errors: FieldError[] = [];
  if (start < today)
    errors.push(outOfRange('start_date', `must not be in the past: today is ${today} for this customer`));
  if (start > lastDate) errors.push(outOfRange('start_date', `must not be after ${lastDate}`));
  if (terms.trial_days !== null && trialEnd !== null) {
    const message = 'A trial has either trial_days or trial_end_date, not both.';
    errors.push(fieldError('/trial_end_date', 'out_of_range', message));
  }
  if (trialEnd !== null && (trialEnd <= start || trialEnd > lastDate)) {
    errors.push(outOfRange('trial_end_date', `must be after start_date, ${start}, and not after ${lastDate}`));
  }
  if (anchorDay !== null && type === 'weekly') {
    errors.push(outOfRange('anchor_day', 'is a day of the month: a weekly subscription has none'));
  }
  return errors.length > 0 ? errors : endErrors(terms, start);
}

/** Returns the error of an end that is not on a period's end, if the subscription starts on this day. */
export function endErrors(terms: Terms, start: string): FieldError[] {
  const { ends_at: endsAt } = terms;
  if (endsAt === null || !isPlainDate(endsAt)) return [];
  const trialEnd = trialEndOf(terms, start);
  const first = trialEnd ?? start;
  if (endsAt > lastDate) return [outOfRange('ends_at', `must not be after ${lastDate}`)];
  if (endsAt === trialEnd) return [];
  if (endsAt <= first) {
    return [outOfRange('ends_at', `must be on the end of a period: the first of them begins on ${first}`)];
  }
  const calendar: PeriodCalendar = { ...terms, anchor_start: first, anchor_number: 1, cut_number: null, cut_at: null };
  const period = periodOf(calendar, endsAt);
  if (period.start === endsAt) return [];
  return [outOfRange('ends_at', `must be on the end of a period: the nearest are ${period.start} and ${period.end}`)];
}

function outOfRange(field: string, what: string): FieldError {
  return fieldError(`/${field}`, 'out_of_range', `${field} ${what}.`);
}
