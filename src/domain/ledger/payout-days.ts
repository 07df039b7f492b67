import { isBusinessDay } from '../business-days/business-days.ts';
import { isWeekend } from '../business-days/closed-days.ts';
import { addDays, type PlainDate } from '../calendar.ts';

/** The years of the calendar of the Australian banks. */
const [firstDate, lastDate] = ['2000-01-01', '2099-12-31'];

/**
 * Returns whether the sandbox makes payouts in this currency on a date, in the biller's zone. Business days are those
 * of the Australian banks for AUD, and Monday to Friday for other currencies and outside the years 2000 to 2099 (books,
 * settled points 4 and 5).
 * @throws RangeError for an invalid date.
 */
function isPayoutDay(date: PlainDate, currency: string): boolean {
  const hasCalendar = currency === 'AUD' && date >= firstDate && date <= lastDate;
  return hasCalendar ? isBusinessDay('AU', date) : !isWeekend(date);
}

/**
 * Returns the first day after a date on which the sandbox makes payouts.
 * @throws RangeError for an invalid date, and at the end of the calendar.
 */
export function payoutDayAfter(date: PlainDate, currency: string): PlainDate {
  return payoutDayFrom(addDays(date, 1), currency, 1);
}

/**
 * Returns the date itself if the sandbox makes payouts on it, otherwise the last day before it on which it does.
 * @throws RangeError for an invalid date, and at the beginning of the calendar.
 */
export function payoutDayUntil(date: PlainDate, currency: string): PlainDate {
  return payoutDayFrom(date, currency, -1);
}

function payoutDayFrom(date: PlainDate, currency: string, step: 1 | -1): PlainDate {
  let day = date;
  while (!isPayoutDay(day, currency)) day = addDays(day, step);
  return day;
}
