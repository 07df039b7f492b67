import { listPeriods, type SubscriptionPeriodRow } from '../../db/subscription-periods.ts';
import { selectClock } from '../../db/test-clocks.ts';
import { dateIn } from '../../domain/calendar.ts';
import { type Course, calendarOf } from '../../domain/subscriptions/course.ts';
import { linesOf, sumOf } from '../../domain/subscriptions/lines.ts';
import { lengthOf, type PeriodDates, periodDates } from '../../domain/subscriptions/periods.ts';
import { trialEndOf } from '../../domain/subscriptions/steps.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import { defaultLimit } from '../../resources/common.ts';
import { fieldError } from '../../resources/field-errors.ts';
import { BadParameters } from '../errors.ts';
import type { PageQuery, Rows } from '../paging.ts';
import type { RequestContext } from '../request-context.ts';
import { getSubscription } from './subscriptions.ts';

/**
 * Returns the periods of a subscription that have begun, newest first. The cursor is a period's number.
 * @throws NotFound; BadParameters if the cursor is not a period of this subscription.
 */
export async function subscriptionPeriods(
  db: Db,
  context: RequestContext,
  id: string,
  query: PageQuery,
): Promise<Rows<SubscriptionPeriodRow>> {
  await getSubscription(db, context, id);
  const limit = query.limit ?? defaultLimit;
  const before = query.starting_after === undefined ? undefined : await periodCursor(db, id, query.starting_after);
  return { rows: await listPeriods(db, id, { limit, before }), limit };
}

/** A period to come, and its price in minor units. */
export interface ComingPeriod extends PeriodDates {
  amount: number;
}

/**
 * Returns the periods to come, at most `count`, as if every one were paid. One that is pending is shown as if it were
 * started now, one that is paused as if it were resumed. None come after the end.
 * @throws NotFound
 */
export async function subscriptionSchedule(
  db: Db,
  context: RequestContext,
  id: string,
  count: number,
): Promise<{ periods: ComingPeriod[]; hasMore: boolean }> {
  const row = await getSubscription(db, context, id);
  if (row.state === 'canceled') return { periods: [], hasMore: false };
  const clock = row.test_clock_id === null ? null : await selectClock(db, context, row.test_clock_id);
  const course = asIfRunning(row, dateIn(clock?.frozen_time ?? context.now, context.timeZone));
  const calendar = calendarOf(course);
  const periods: ComingPeriod[] = [];
  for (let number = course.next_number; ; number += 1) {
    const dates = periodDates(calendar, number);
    const isOver = isAtOrAfter(dates.start, course.ends_at);
    if (isOver || isAtOrAfter(dates.start, course.pauses_at)) return { periods, hasMore: false };
    if (periods.length >= count) return { periods, hasMore: true };
    periods.push({ ...dates, amount: sumOf(linesOf(course.items, lengthOf(calendar, dates))) });
  }
}

function asIfRunning(course: Course, today: string): Course {
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

function isAtOrAfter(date: string, end: string | null): boolean {
  return end !== null && date >= end;
}

async function periodCursor(db: Db, id: string, text: string): Promise<number> {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : null;
  const [found] = number === null ? [] : await listPeriods(db, id, { limit: 1, before: number + 1 });
  if (number !== null && found?.number === number) return number;
  const message = `starting_after must be the number of a period in this list: ${text}.`;
  throw new BadParameters([fieldError('query/starting_after', 'invalid_value', message)]);
}
