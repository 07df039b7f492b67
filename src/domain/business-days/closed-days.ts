import { addDays, dayOfWeek, type PlainDate } from '../calendar.ts';
import { easterSunday } from './easter.ts';

/**
 * A settlement system, named by its place: AU is RITS of the Reserve Bank of Australia, EU is TARGET of the Eurosystem,
 * US is the Federal Reserve Banks. The days are those on which money moves between banks, not a country's holidays.
 */
export type SettlementCalendar = 'AU' | 'EU' | 'US';

const monday = 1;
const thursday = 4;
const saturday = 6;
const sunday = 7;

/**
 * Returns whether a date is a Saturday or a Sunday, on which all three systems are closed. Sources: as for
 * `closedWeekdays`.
 * @throws RangeError if `date` is not a date.
 */
export function isWeekend(date: PlainDate): boolean {
  return dayOfWeek(date) >= saturday;
}

/**
 * Returns the dates of a year on which a system is closed although they are weekdays. The year is from 2000 to 2099;
 * docs/bank-debits.md says which dates were compared with what the systems published.
 * @throws RangeError for a year for which there is no rule.
 */
export function closedWeekdays(calendar: SettlementCalendar, year: number): ReadonlySet<PlainDate> {
  if (!Number.isInteger(year) || year < 2000 || year > 2099) throw new RangeError(`no business days for ${year}`);
  const once = closedOnce[calendar].filter((date) => date.startsWith(`${year}-`));
  return new Set([...rules[calendar](year), ...once].filter((date) => !isWeekend(date)));
}

const rules: Readonly<Record<SettlementCalendar, (year: number) => PlainDate[]>> = {
  AU: closedByRits,
  EU: closedByTarget,
  US: closedByFederalReserve,
};

/** Days that no rule gives. docs/bank-debits.md says what was seen of each. */
const closedOnce: Readonly<Record<SettlementCalendar, readonly PlainDate[]>> = {
  AU: [
    '2011-04-26', // Anzac Day was Easter Monday; NSW and Victoria kept the Tuesday too (ASX trading calendar 2011)
    '2022-09-22', // National Day of Mourning (Australian Banking Association, 19 September 2022: a bank close day)
  ],
  EU: [
    '2001-12-31', // the day before euro notes and coins; before the long-term calendar of 2002
  ],
  US: [], // not days of mourning: the payment systems worked on 5 December 2018 and 9 January 2025
};

/**
 * RITS is closed on these holidays "where they are observed in NSW and Victoria" (Reserve Bank of Australia, "RITS
 * Business Hours"). Both states observe them on the same days: NSW Public Holidays Act 2010, section 4; Victoria Public
 * Holidays Act 1993, section 6. Neither act moves Anzac Day from a weekend. NSW declared the Monday after it a holiday
 * in 2026 and 2027, Victoria did not, so RITS is open.
 */
function closedByRits(year: number): PlainDate[] {
  const easter = easterSunday(year);
  const christmas = `${year}-12-25`;
  const boxingDay = `${year}-12-26`;
  return [
    orNextMonday(`${year}-01-01`), // New Year's Day
    orNextMonday(`${year}-01-26`), // Australia Day
    addDays(easter, -2), // Good Friday
    addDays(easter, 1), // Easter Monday
    `${year}-04-25`, // Anzac Day
    firstFrom(`${year}-06-08`, monday), // the King's Birthday: the second Monday
    // From a Saturday to the next Monday, from a Sunday to the next Tuesday: either way to the 27th and to the 28th.
    isWeekend(christmas) ? `${year}-12-27` : christmas,
    isWeekend(boxingDay) ? `${year}-12-28` : boxingDay,
  ];
}

/**
 * TARGET is closed on six days, none of which moves (European Central Bank, "Long-term calendar for TARGET closing
 * days", 14 December 2000: from 2002 until further notice). They were the same in 2000 ("TARGET closing days in 2000",
 * 15 July 1999).
 */
function closedByTarget(year: number): PlainDate[] {
  const easter = easterSunday(year);
  return [
    `${year}-01-01`, // New Year's Day
    addDays(easter, -2), // Good Friday
    addDays(easter, 1), // Easter Monday
    `${year}-05-01`, // Labour Day
    `${year}-12-25`, // Christmas Day
    `${year}-12-26`,
  ];
}

/**
 * The Federal Reserve Banks are closed on the federal holidays (5 U.S.C. 6103(a)). One on a Sunday moves to Monday. One
 * on a Saturday does not move: the Banks are open on the Friday, though the Board and federal offices are closed (Board
 * of Governors, statistical release K.8, "Holidays Observed by the Federal Reserve System").
 */
function closedByFederalReserve(year: number): PlainDate[] {
  const fixed = [`${year}-01-01`, `${year}-07-04`, `${year}-11-11`, `${year}-12-25`];
  if (year >= 2021) fixed.push(`${year}-06-19`); // Juneteenth: Public Law 117-17 of 17 June 2021
  return [
    ...fixed.map((date) => (dayOfWeek(date) === sunday ? addDays(date, 1) : date)),
    firstFrom(`${year}-01-15`, monday), // Birthday of Martin Luther King, Jr.: the third Monday
    firstFrom(`${year}-02-15`, monday), // Washington's Birthday: the third Monday
    firstFrom(`${year}-05-25`, monday), // Memorial Day: the last Monday
    firstFrom(`${year}-09-01`, monday), // Labor Day: the first Monday
    firstFrom(`${year}-10-08`, monday), // Columbus Day: the second Monday
    firstFrom(`${year}-11-22`, thursday), // Thanksgiving Day: the fourth Thursday
  ];
}

/** The date, or the first one after it, on that day of the week. */
function firstFrom(date: PlainDate, weekday: number): PlainDate {
  return addDays(date, (weekday - dayOfWeek(date) + 7) % 7);
}

function orNextMonday(date: PlainDate): PlainDate {
  return isWeekend(date) ? firstFrom(date, monday) : date;
}
