import type { PlainDate } from '../calendar.ts';
import type { MinorUnits } from '../units.ts';
import { type CreditAccount, statementOf } from './account.ts';
import { type Course, calendarOf } from './course.ts';
import { lengthOf, type PeriodDates, periodDates } from './periods.ts';
import { priceOfPeriod, type Sold } from './pricing.ts';
import { trialEndOf } from './steps.ts';

/** A period to come, and what it takes, without surcharge. */
export interface ComingPeriod extends PeriodDates {
  amount: MinorUnits;
}

/**
 * Returns the periods to come, at most `most`, as if every one were paid. One that is pending is shown as if it were
 * started today, one that is paused as if it were resumed. `today` is biller-local. None come after the end.
 */
export function comingPeriods(course: Course, today: PlainDate, most: number): ComingPeriod[] {
  if (course.state === 'canceled') return [];
  const running = asIfRunning(course, today);
  const calendar = calendarOf(running);
  const coming: ComingPeriod[] = [];
  let account: CreditAccount = course;
  let sold: Sold = course;
  while (coming.length < most) {
    const dates = periodDates(calendar, running.next_number + coming.length);
    if (isAtOrAfter(dates.start, running.ends_at) || isAtOrAfter(dates.start, running.pauses_at)) break;
    const priced = priceOfPeriod(sold, lengthOf(calendar, dates));
    const statement = statementOf(account, priced.lines);
    sold = priced.sold;
    account = statement.account;
    coming.push({ ...dates, amount: statement.amount_cents });
  }
  return coming;
}

function asIfRunning(course: Course, today: PlainDate): Course {
  if (course.state === 'pending' && course.anchor_start === null) {
    const start = course.start_date > today ? course.start_date : today;
    const trialEnd = trialEndOf(course, start);
    const number = trialEnd === null ? 1 : 2;
    return { ...course, anchor_start: trialEnd ?? start, anchor_number: number, next_number: number };
  }
  if (course.state !== 'paused') return course;
  const number = Math.max(course.next_number, course.current_number + 1);
  const start = course.resumes_at ?? today;
  return { ...course, anchor_start: start, anchor_number: number, anchor_day: null, next_number: number };
}

function isAtOrAfter(date: PlainDate, end: PlainDate | null): boolean {
  return end !== null && date >= end;
}
