import { addDays, type PlainDate } from '../calendar.ts';
import type { Days } from '../units.ts';
import { closedWeekdays, isWeekend, type SettlementCalendar } from './closed-days.ts';

/** The last date of the calendars. The first is 2000-01-01. */
const lastDate: PlainDate = '2099-12-31';

/** The closed weekdays of a year are the same each time, and finding them takes longer than all else here. */
const closedByYear = new Map<string, ReadonlySet<PlainDate>>();

/**
 * Returns whether a system settles payments on a date. Dates are the system's own: of Sydney, Frankfurt or New York.
 * @throws RangeError for an invalid date, and outside the years 2000 to 2099.
 */
export function isBusinessDay(calendar: SettlementCalendar, date: PlainDate): boolean {
  return !closedIn(calendar, date.slice(0, 4)).has(date) && !isWeekend(date);
}

/**
 * Returns the date itself if it is a business day, otherwise the first business day after it.
 * @throws RangeError for an invalid date, and outside the years 2000 to 2099.
 */
export function nextBusinessDay(calendar: SettlementCalendar, date: PlainDate): PlainDate {
  let day = date;
  while (!isBusinessDay(calendar, day)) day = addDays(day, 1);
  return day;
}

/**
 * Returns the n-th business day after a date, which may itself be closed: the first after a Saturday is Monday.
 * @throws RangeError if `n` is not a whole number from 1 up, for an invalid date, and outside the years 2000 to 2099.
 */
export function addBusinessDays(calendar: SettlementCalendar, date: PlainDate, n: Days): PlainDate {
  checkCount(n);
  let day = date;
  for (let left = n; left > 0; left -= 1) day = nextBusinessDay(calendar, addDays(day, 1));
  return day;
}

/**
 * Returns the first `count` business days from a date on, the date included if it is one. There are fewer where the
 * year 2099 ends.
 * @throws RangeError if `count` is not a whole number from 1 up, for an invalid date, and outside 2000 to 2099.
 */
export function businessDaysFrom(calendar: SettlementCalendar, from: PlainDate, count: Days): PlainDate[] {
  checkCount(count);
  const days: PlainDate[] = [];
  for (let day = from; days.length < count; day = addDays(day, 1)) {
    if (isBusinessDay(calendar, day)) days.push(day);
    if (day === lastDate) break;
  }
  return days;
}

function checkCount(n: number): void {
  if (!Number.isSafeInteger(n) || n < 1) throw new RangeError(`not a number of business days: ${n}`);
}

function closedIn(calendar: SettlementCalendar, year: string): ReadonlySet<PlainDate> {
  const key = `${calendar} ${year}`;
  const known = closedByYear.get(key);
  if (known !== undefined) return known;
  const closed = closedWeekdays(calendar, Number(year));
  closedByYear.set(key, closed);
  return closed;
}
