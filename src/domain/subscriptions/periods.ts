import { addMonths, type Cadence, dayOfMonth, daysBetween, type PlainDate, slotDate } from '../calendar.ts';
import type { Days, PeriodNumber } from '../units.ts';

/** The latest date that a subscription may start, resume or end on. It keeps the calendar within four-digit years. */
export const lastDate = '2200-12-31';

/** How long the periods of a subscription are, and from where they are counted. */
export interface PeriodCalendar {
  frequency_type: 'weekly' | 'monthly' | 'yearly';
  frequency_period: number;
  /** The day of the month on which periods begin; null for that of the anchor. Never for weeks. */
  anchor_day: number | null;
  /** The first day of the period that has the number `anchor_number`. The periods after it are counted from here. */
  anchor_start: PlainDate;
  anchor_number: PeriodNumber;
  /**
   * The period that ends early, because the end of the subscription lies in it. Null if no period does. If that end is
   * withdrawn, the next period has the rest.
   */
  cut_number: PeriodNumber | null;
  cut_at: PlainDate | null;
}

/** A period: biller-local dates. The end is the first day that does not belong to it. */
export interface PeriodDates {
  number: PeriodNumber;
  start: PlainDate;
  end: PlainDate;
}

/**
 * Returns the dates of a period. They are counted from the anchor, never from the period before: a subscription of the
 * 31st has a period that begins on the last day of each shorter month. If the anchor is not on the `anchor_day`, its
 * period is short: it ends on the next such day.
 * @throws RangeError for a number before the anchor's, an invalid date or interval, and past the year 9999.
 */
export function periodDates(calendar: PeriodCalendar, number: PeriodNumber): PeriodDates {
  const whole = wholePeriod(calendar, number);
  const { cut_number: cut, cut_at: cutAt } = calendar;
  if (cutAt === null || cut === null || number < cut || number > cut + 1) return whole;
  return number === cut ? { ...whole, end: cutAt } : { ...whole, start: cutAt };
}

/** Returns the dates of a period as if it did not end early. One that is cut and the rest after it are one interval. */
function wholePeriod(calendar: PeriodCalendar, number: PeriodNumber): PeriodDates {
  const cadence = cadenceOfPeriods(calendar);
  const { cut_number: cut } = calendar;
  const slot = number - calendar.anchor_number - (cut !== null && number > cut ? 1 : 0);
  return { number, start: slotDate(cadence, slot), end: slotDate(cadence, slot + 1) };
}

/** Returns a calendar in which a period ends on a day that was set as the end, if that is no end of it anyway. */
export function withEnd<T extends PeriodCalendar>(calendar: T, number: PeriodNumber, endsAt: PlainDate | null): T {
  const { start, end } = periodDates(calendar, number);
  const isCut = endsAt !== null && endsAt > start && endsAt < end;
  return isCut ? { ...calendar, cut_number: number, cut_at: endsAt } : calendar;
}

/**
 * Returns the first period that ends after `date`: the one that contains it, if `date` is not before the anchor.
 * @throws RangeError in the same cases as `periodDates`.
 */
export function periodOf(calendar: PeriodCalendar, date: PlainDate): PeriodDates {
  const { frequency_type: type, frequency_period: length, anchor_start: start, anchor_number: first } = calendar;
  const longest = { weekly: 7, monthly: 31, yearly: 366 }[type] * length;
  // Never past the period that is looked for: no interval is longer than this.
  const passed = Math.max(0, Math.floor(daysBetween(start, date) / longest) - 1);
  for (let number = first + passed; ; number += 1) {
    const period = periodDates(calendar, number);
    if (period.end > date) return period;
  }
}

/** Returns the days of a period, and those of the whole interval that it would be if it were not short. */
export function lengthOf(calendar: PeriodCalendar, { number, start, end }: PeriodDates): { days: Days; whole: Days } {
  const interval = wholePeriod(calendar, number);
  const isShort = interval.start === calendar.anchor_start && !isOnAnchorDay(calendar);
  const from = isShort ? intervalBefore(calendar, interval.end) : interval.start;
  return { days: daysBetween(start, end), whole: daysBetween(from, interval.end) };
}

/** Returns the calendar of the periods as that of slots: slot 0 begins at the anchor. */
function cadenceOfPeriods(calendar: PeriodCalendar): Cadence {
  const { frequency_type: frequencyType, frequency_period: frequencyPeriod, anchor_day: anchorDay } = calendar;
  const { anchor_start: start } = calendar;
  const cadence = { frequencyType, frequencyPeriod, startDate: start, firstDate: null };
  if (anchorDay === null) return cadence;
  if (isOnAnchorDay(calendar)) return { ...cadence, anchorDay };
  const end = firstAnchorDayAfter(start, anchorDay);
  return { ...cadence, startDate: intervalBefore(calendar, end), firstDate: start, anchorDay };
}

function isOnAnchorDay({ anchor_start: start, anchor_day: day }: PeriodCalendar): boolean {
  return day === null || dayOfMonth(start, day) === start;
}

function firstAnchorDayAfter(date: PlainDate, day: number): PlainDate {
  const inMonth = dayOfMonth(date, day);
  return inMonth > date ? inMonth : dayOfMonth(addMonths(`${date.slice(0, 8)}01`, 1), day);
}

/** The date one interval before the end of a short first period: where that period would begin if it were whole. */
function intervalBefore(calendar: PeriodCalendar, end: PlainDate): PlainDate {
  const { frequency_type: type, frequency_period: length, anchor_day: day } = calendar;
  const months = type === 'yearly' ? 12 * length : length;
  return dayOfMonth(addMonths(`${end.slice(0, 8)}01`, -months), day ?? 1);
}
