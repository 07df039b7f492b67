// Renamed on import: here it is the date library of JavaScript, elsewhere "Temporal" is the workflow engine.
import { Temporal as Dates } from 'temporal-polyfill';

/** A calendar date `YYYY-MM-DD` from year 0001 (PostgreSQL knows no year 0) to 9999, without a time zone. */
export type PlainDate = string;

/** When a plan falls due. `startDate` is the anchor of every slot; `firstDate` moves slot 0 alone. */
export interface Cadence {
  frequencyType: 'weekly' | 'monthly';
  frequencyPeriod: number;
  startDate: PlainDate;
  firstDate: PlainDate | null;
}

/** A day of 24 hours, as UTC has them; local days may be shorter or longer. */
export const millisecondsPerDay = 86_400_000;

const lastDate: PlainDate = '9999-12-31';
const datePattern = /^\d{4}-\d{2}-\d{2}$/;

/**
 * Names only: an offset such as `+10:00` is taken by the date library, but is no zone of the IANA database and knows
 * no daylight saving. Everything there begins with a letter.
 */
const zoneNamePattern = /^[A-Za-z][A-Za-z0-9_+/-]*$/;

/** Whether `value` is a day that exists, written `YYYY-MM-DD` (contract: plain dates): no 30 February. Never throws. */
export function isPlainDate(value: string): boolean {
  if (!datePattern.test(value) || value < '0001') return false;
  const time = Date.parse(`${value}T00:00:00Z`);
  // The parser lets 30 February through as 2 March, so the date has to come back as it went in.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value);
}

/** Whether `value` names a time zone of the IANA database (decisions: the biller's time zone). Never throws. */
export function isTimeZone(value: string): boolean {
  if (!zoneNamePattern.test(value)) return false;
  try {
    Dates.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(value);
    return true;
  } catch {
    return false;
  }
}

/**
 * The biller-local date of a slot: slot 0 is `firstDate` or else `startDate`, slot n is `startDate` plus n intervals,
 * counted from the anchor and never from the slot before, so that 31 January gives 28 February and then 31 March
 * (decisions: Slots). Throws RangeError for a slot, period or date that is none, and past the year 9999.
 */
export function slotDate(cadence: Cadence, slot: number): PlainDate {
  if (!Number.isSafeInteger(slot) || slot < 0) throw new RangeError(`not a slot: ${slot}`);
  const { frequencyType, startDate } = cadence;
  if (slot === 0) return checked(cadence.firstDate ?? startDate);
  const intervals = slot * period(cadence);
  if (frequencyType === 'weekly') return addDays(startDate, 7 * intervals);
  return written(Dates.PlainDate.from(checked(startDate)).add({ months: intervals }).toString());
}

/**
 * The highest slot that has a date, the calendar ending with the year 9999: what bounds a walk over a cadence whose
 * period is absurd. Throws RangeError like `slotDate`.
 */
export function lastSlot(cadence: Cadence): number {
  return slotNear(cadence, lastDate);
}

/**
 * The UTC instant at which a local date begins: 00:00, or, where a daylight-saving change removes midnight, the first
 * instant of that day; where midnight comes twice, the first (decisions: due at 00:00 in the biller's time zone). A day
 * that a zone left out (Apia, 30 December 2011) begins with the next one. Throws RangeError for no date or no zone.
 */
export function startOfDay(date: PlainDate, timeZone: string): Date {
  if (timeZone === 'UTC') return new Date(epochDay(date) * millisecondsPerDay);
  return new Date(Dates.PlainDate.from(checked(date)).toZonedDateTime(timeZone).epochMilliseconds);
}

/**
 * The local date at a UTC instant, for "today" in the biller's time zone (decisions: not in the past). Throws
 * RangeError for an invalid Date, no zone, and outside the years 0001 to 9999.
 */
export function dateIn(instant: Date, timeZone: string): PlainDate {
  if (timeZone === 'UTC') return written(instant.toISOString().slice(0, -'T00:00:00.000Z'.length));
  const local = Dates.Instant.fromEpochMilliseconds(instant.getTime()).toZonedDateTimeISO(timeZone);
  return written(local.toPlainDate().toString());
}

/**
 * The UTC instant at which a slot falls due: the start of its biller-local date (decisions: Slots, due at 00:00 in the
 * biller's time zone). Throws RangeError where `slotDate` or `startOfDay` does.
 */
export function slotDueAt(cadence: Cadence, slot: number, timeZone: string): Date {
  return startOfDay(slotDate(cadence, slot), timeZone);
}

/**
 * The lowest slot from `fromSlot` on that falls due strictly after `instant` (UTC): where a plan's calendar goes on
 * when what has passed is skipped (decisions: Never a burst). It jumps to the place instead of walking there, so a
 * century costs no more than a week. Throws RangeError when the calendar ends first, and where `slotDueAt` does.
 */
export function firstSlotAfter(cadence: Cadence, timeZone: string, instant: Date, fromSlot: number): number {
  const time = instant.getTime();
  const isAfter = (slot: number): boolean => slotDueAt(cadence, slot, timeZone).getTime() > time;
  // Apart from the others, because slot 0 has a date of its own; from slot 1 on the instants only rise.
  if (isAfter(fromSlot)) return fromSlot;
  // Nothing is jumped over: all slots before that of the local date lie on earlier dates, and have come.
  let slot = Math.max(fromSlot + 1, slotNear(cadence, dateIn(instant, timeZone)));
  while (!isAfter(slot)) slot += 1;
  return slot;
}

/**
 * The date `n` whole days later, earlier when negative, as for "at most 366 days ahead" (contract: Limits). Throws
 * RangeError when `date` or `n` is none, and for a result outside the years 0001 to 9999.
 */
export function addDays(date: PlainDate, n: number): PlainDate {
  if (!Number.isSafeInteger(n)) throw new RangeError(`not a number of days: ${n}`);
  const time = new Date((epochDay(date) + n) * millisecondsPerDay);
  return written(time.toISOString().slice(0, -'T00:00:00.000Z'.length));
}

/** How many days `b` is after `a`, negative when before (contract: Limits). Throws RangeError if either is no date. */
export function daysBetween(a: PlainDate, b: PlainDate): number {
  return epochDay(b) - epochDay(a);
}

/** The slot by the anchor in the interval that holds `date`: at most one off where months differ in length. */
function slotNear(cadence: Cadence, date: PlainDate): number {
  const { frequencyType, startDate } = cadence;
  const weekly = frequencyType === 'weekly';
  const passed = weekly ? daysBetween(startDate, date) / 7 : monthNumber(date) - monthNumber(startDate);
  return Math.floor(passed / period(cadence));
}

function period({ frequencyPeriod }: Cadence): number {
  if (Number.isSafeInteger(frequencyPeriod) && frequencyPeriod > 0) return frequencyPeriod;
  throw new RangeError(`not a frequency period: ${frequencyPeriod}`);
}

function monthNumber(date: PlainDate): number {
  const { year, month } = Dates.PlainDate.from(checked(date));
  return year * 12 + month;
}

function epochDay(date: PlainDate): number {
  return Date.parse(`${checked(date)}T00:00:00Z`) / millisecondsPerDay;
}

function checked(date: string): PlainDate {
  if (!isPlainDate(date)) throw new RangeError(`not a date: ${date}`);
  return date;
}

/** A day that arithmetic led to, with four digits for its year: the sign of any other sorts below the digits. */
function written(date: string): PlainDate {
  if (date < '0001') throw new RangeError(`outside the calendar: ${date}`);
  return date;
}
