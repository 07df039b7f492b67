import type { PlainDate } from '../calendar.ts';
import { calendarOf, type SubscriptionWithPeriods } from './course.ts';
import { periodOf } from './periods.ts';

/**
 * Returns the two ends of periods that are nearest to a date, the earlier first, of those after `today`. If the date
 * is such an end itself, that is the first. All dates are biller-local.
 * @throws RangeError if the subscription has no anchor yet, and past the year 9999.
 */
export function endsNear(
  { course, current }: Pick<SubscriptionWithPeriods, 'course' | 'current'>,
  date: PlainDate,
  today: PlainDate,
): [PlainDate, PlainDate] {
  const calendar = calendarOf(course);
  const isRunning = current !== null && current.end_date > today;
  const first = isRunning ? current.end_date : periodOf(calendar, today).end;
  const from = date > first ? periodOf(calendar, date).start : first;
  return [from, periodOf(calendar, from).end];
}
