import type { BoundRange } from '../../db/reports/report-rows.ts';
import { dateIn, daysBetween, isPlainDate, isTimeZone, startOfDay } from '../../domain/calendar.ts';
import { type CustomerInstant, customerInstant } from '../../domain/instants.ts';
import { fieldError } from '../../resources/field-errors.ts';
import type { ReportQuery } from '../../resources/reports/report.ts';
import { BadParameters } from '../errors.ts';

/** A report reads at most this many days (books, settled point 9). */
const mostDays = 400;

/**
 * Returns the instants that a query names, and the time zone of its dates: its own, or that of the biller. A date is
 * 00:00 in that zone.
 * @throws BadParameters for an unknown zone, an instant outside the years 1 to 9999, an end before the begin, and more
 * than 400 days.
 */
export function rangeOf(
  { from, to, timezone }: Pick<ReportQuery, 'from' | 'to' | 'timezone'>,
  billersZone: string,
): BoundRange & { timeZone: string } {
  const timeZone = timezone ?? billersZone;
  if (!isTimeZone(timeZone)) {
    throw refused('timezone', 'There is no such time zone. Name one of the IANA database, such as Australia/Sydney.');
  }
  const [first, end] = [instantOf('from', from, timeZone), instantOf('to', to, timeZone)];
  if (first !== undefined && end !== undefined) assertRange(first, end, timeZone);
  return { from: first, to: end, timeZone };
}

function instantOf(name: string, text: string | undefined, timeZone: string): CustomerInstant | undefined {
  if (text === undefined) return undefined;
  const at = isPlainDate(text) ? startOfDay(text, timeZone) : customerInstant(text);
  const year = at.getUTCFullYear();
  if (year >= 1 && year <= 9999) return at;
  throw refused(name, 'It must be in the years 1 to 9999 in UTC.');
}

function assertRange(from: CustomerInstant, to: CustomerInstant, timeZone: string): void {
  if (to < from) throw refused('to', 'It must not be before `from`.');
  // In local days: a day at a change to daylight saving counts as one.
  if (daysBetween(localDate(from, timeZone), localDate(to, timeZone)) <= mostDays) return;
  throw refused('to', `It must be at most ${mostDays} days after \`from\`. Ask for a longer time in parts.`);
}

/** In UTC at the two ends of the calendar, where the local date has no year. */
function localDate(at: CustomerInstant, timeZone: string): string {
  const year = at.getUTCFullYear();
  return dateIn(at, year === 1 || year === 9999 ? 'UTC' : timeZone);
}

function refused(name: string, message: string): BadParameters {
  return new BadParameters([fieldError(`query/${name}`, 'invalid_value', message)]);
}
