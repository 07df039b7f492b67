// Renamed on import: this is JavaScript's date library. Elsewhere, "Temporal" is the workflow engine.
import { Temporal as Dates } from 'temporal-polyfill';
import { addMs, type CustomerInstant, customerInstant } from './instants.ts';
import type { Days, Milliseconds, SlotNumber } from './units.ts';

/** A calendar date `YYYY-MM-DD` without a time zone. Years 0001 to 9999: PostgreSQL has no year 0. */
export type PlainDate = string;

/** A time of day on the clock of some zone, `HH:MM`. */
export type TimeOfDay = `${number}:${number}`;

/**
 * When a plan falls due, or a period of a subscription begins. Every slot is counted from `startDate`; `firstDate`
 * moves slot 0 only. Plans are never yearly.
 */
export interface Cadence {
  frequencyType: 'weekly' | 'monthly' | 'yearly';
  frequencyPeriod: number;
  startDate: PlainDate;
  firstDate: PlainDate | null;
  /** The day of the month of every slot from 1 on, 1 to 31, if it is not that of `startDate`. Never for weeks. */
  anchorDay?: number | null;
}

/** A day of 24 hours, as in UTC. Local days may be shorter or longer. */
export const millisecondsPerDay: Milliseconds = 86_400_000;

const lastDate: PlainDate = '9999-12-31';
const datePattern = /^\d{4}-\d{2}-\d{2}$/;

/**
 * Names only. The date library also accepts an offset such as `+10:00`, but that is not an IANA zone and has no
 * daylight saving. All names in the IANA database begin with a letter.
 */
const zoneNamePattern = /^[A-Za-z][A-Za-z0-9_+/-]*$/;

/**
 * Whether `value` is an existing day, written `YYYY-MM-DD` (contract: plain dates). There is no 30 February. Never
 * throws.
 */
export function isPlainDate(value: string): boolean {
  if (!datePattern.test(value) || value < '0001') return false;
  const time = Date.parse(`${value}T00:00:00Z`);
  // The parser reads 30 February as 2 March, so the result must be the same date again.
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
 * Returns the biller-local date of a slot. Slot 0 is `firstDate`, or `startDate` without one. Slot n is `startDate`
 * plus n intervals. It is counted from the start, never from the previous slot: 31 January gives 28 February and then
 * 31 March (decisions: Slots).
 * @throws RangeError for an invalid slot, period or date, and past the year 9999.
 */
export function slotDate(cadence: Cadence, slot: SlotNumber): PlainDate {
  if (!Number.isSafeInteger(slot) || slot < 0) throw new RangeError(`not a slot: ${slot}`);
  const { frequencyType, startDate } = cadence;
  if (slot === 0) return checked(cadence.firstDate ?? startDate);
  const intervals = slot * period(cadence);
  if (frequencyType === 'weekly') return addDays(startDate, 7 * intervals);
  const { anchorDay = null } = cadence;
  const months = frequencyType === 'yearly' ? 12 * intervals : intervals;
  if (anchorDay === null) return addMonths(startDate, months);
  return dayOfMonth(addMonths(`${startDate.slice(0, 8)}01`, months), anchorDay);
}

/**
 * Returns the highest slot that has a date: the calendar ends with the year 9999. It bounds a walk over a cadence with
 * an absurd period.
 * @throws RangeError for an invalid period or date.
 */
export function lastSlot(cadence: Cadence): SlotNumber {
  return slotNear(cadence, lastDate);
}

/**
 * Returns the UTC instant at which a local date begins: 00:00 (decisions: due at 00:00 in the biller's time zone). If a
 * daylight-saving change removes midnight, it is the first instant of the day. If midnight comes twice, it is the first
 * one. A day that a zone skipped (Apia, 30 December 2011) begins with the next day.
 * @throws RangeError for an invalid date or zone.
 */
export function startOfDay(date: PlainDate, timeZone: string): CustomerInstant {
  if (timeZone === 'UTC') return customerInstant(epochDay(date) * millisecondsPerDay);
  return customerInstant(Dates.PlainDate.from(checked(date)).toZonedDateTime(timeZone).epochMilliseconds);
}

/**
 * Returns the UTC instant at which a zone's clock shows a time on a date. If a daylight-saving change skips that time,
 * the clock shows as much more as it skipped: 02:30 becomes 03:30. If the time comes twice, it is the first one.
 * @throws RangeError for an invalid date, time or zone.
 */
export function instantAt(date: PlainDate, time: TimeOfDay, timeZone: string): CustomerInstant {
  const local = Dates.PlainDate.from(checked(date)).toZonedDateTime({ timeZone, plainTime: time });
  return customerInstant(local.epochMilliseconds);
}

/**
 * Returns the local date at a UTC instant, for "today" in the biller's time zone (decisions: not in the past).
 * @throws RangeError for an invalid Date or zone, and outside the years 0001 to 9999.
 */
export function dateIn(instant: CustomerInstant, timeZone: string): PlainDate {
  if (timeZone === 'UTC') return written(instant.toISOString().slice(0, -'T00:00:00.000Z'.length));
  const local = Dates.Instant.fromEpochMilliseconds(instant.getTime()).toZonedDateTimeISO(timeZone);
  return written(local.toPlainDate().toString());
}

/**
 * Returns the UTC instant that is so many local dates after another, at the same local time. A local time that a
 * daylight-saving change skips: the first instant after it. One that comes twice: the first. After 0 days it is the
 * instant itself.
 * @throws RangeError for an invalid Date or zone, and outside the calendar.
 */
export function addLocalDays(instant: CustomerInstant, n: Days, timeZone: string): CustomerInstant {
  if (timeZone === 'UTC' || n === 0) return addMs(instant, n * millisecondsPerDay);
  const local = Dates.Instant.fromEpochMilliseconds(instant.getTime()).toZonedDateTimeISO(timeZone).toPlainDateTime();
  const wanted = local.add({ days: n });
  const earlier = wanted.toZonedDateTime(timeZone, { disambiguation: 'earlier' });
  const isSkipped = !earlier.toPlainDateTime().equals(wanted);
  const found = isSkipped ? (earlier.getTimeZoneTransition('next') ?? earlier) : earlier;
  return customerInstant(found.epochMilliseconds);
}

/**
 * Returns the UTC instant at which a slot falls due: the start of its biller-local date (decisions: Slots, due at 00:00
 * in the biller's time zone).
 * @throws RangeError in the same cases as `slotDate` and `startOfDay`.
 */
export function slotDueAt(cadence: Cadence, slot: SlotNumber, timeZone: string): CustomerInstant {
  return startOfDay(slotDate(cadence, slot), timeZone);
}

/**
 * Returns whether an instant can be the due instant of a slot: it is within two days of the slot's date, 00:00 UTC. A
 * time zone moves midnight by 14 hours, a day that a zone skipped by 24 more; and the rules of a zone may change after
 * the instant was stored. No two slots are nearer than a week. PostgreSQL has the same rule, `is_near_slot`.
 * @throws RangeError in the same cases as `slotDate`.
 */
export function isNearSlot(cadence: Cadence, slot: SlotNumber, instant: CustomerInstant): boolean {
  return Math.abs(instant.getTime() - startOfDay(slotDate(cadence, slot), 'UTC').getTime()) <= 2 * millisecondsPerDay;
}

/**
 * Returns the lowest slot from `fromSlot` on that falls due strictly after `instant` (UTC). There a plan continues when
 * it skips the slots that have passed (decisions: Never a burst). It computes the slot instead of walking to it, so a
 * century costs no more than a week.
 * @throws RangeError when the calendar ends first, and in the same cases as `slotDueAt`.
 */
export function firstSlotAfter(
  cadence: Cadence,
  timeZone: string,
  instant: CustomerInstant,
  fromSlot: SlotNumber,
): SlotNumber {
  const time = instant.getTime();
  const isAfter = (slot: SlotNumber): boolean => slotDueAt(cadence, slot, timeZone).getTime() > time;
  // Checked separately, because slot 0 has a date of its own. From slot 1 on, the instants only increase.
  if (isAfter(fromSlot)) return fromSlot;
  // This skips no future slot: every slot before the one of the local date has an earlier date, so it has passed.
  let slot = Math.max(fromSlot + 1, slotNear(cadence, dateIn(instant, timeZone)));
  while (!isAfter(slot)) slot += 1;
  return slot;
}

/**
 * Returns the date `n` whole days later, or earlier if `n` is negative. Used for "at most 366 days ahead" (contract:
 * Limits).
 * @throws RangeError when `date` or `n` is invalid, and for a result outside the years 0001 to 9999.
 */
export function addDays(date: PlainDate, n: Days): PlainDate {
  if (!Number.isSafeInteger(n)) throw new RangeError(`not a number of days: ${n}`);
  const time = new Date((epochDay(date) + n) * millisecondsPerDay);
  return written(time.toISOString().slice(0, -'T00:00:00.000Z'.length));
}

/**
 * Returns the date `n` months later, or earlier if `n` is negative. A day that the month does not have becomes its last
 * day: 31 August plus 15 months is 30 November.
 * @throws RangeError when `date` or `n` is invalid, and for a result outside the years 0001 to 9999.
 */
export function addMonths(date: PlainDate, n: number): PlainDate {
  return written(Dates.PlainDate.from(checked(date)).add({ months: n }).toString());
}

/**
 * Returns the date with this day in the month of `date`, or the month's last day if it has no such day.
 * @throws RangeError for an invalid date or day.
 */
export function dayOfMonth(date: PlainDate, day: number): PlainDate {
  return written(Dates.PlainDate.from(checked(date)).with({ day }).toString());
}

/**
 * Returns the day of the week, from 1 for Monday to 7 for Sunday (as ISO 8601 counts).
 * @throws RangeError if `date` is not a date.
 */
export function dayOfWeek(date: PlainDate): number {
  const sinceMonday = (epochDay(date) + 3) % 7; // day 0, 1 January 1970, was a Thursday
  return (sinceMonday < 0 ? sinceMonday + 7 : sinceMonday) + 1;
}

/**
 * Returns how many days `b` is after `a`, negative if it is before (contract: Limits).
 * @throws RangeError if either is not a date.
 */
export function daysBetween(a: PlainDate, b: PlainDate): Days {
  return epochDay(b) - epochDay(a);
}

/**
 * Returns the slot whose interval, counted from `startDate`, contains `date`. At most one off, since months differ in
 * length.
 */
function slotNear(cadence: Cadence, date: PlainDate): SlotNumber {
  const { frequencyType, startDate } = cadence;
  if (frequencyType === 'weekly') return Math.floor(daysBetween(startDate, date) / 7 / period(cadence));
  const months = monthNumber(date) - monthNumber(startDate);
  return Math.floor((frequencyType === 'yearly' ? months / 12 : months) / period(cadence));
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

/** Checks that a computed date has a four-digit year. The sign of any other year sorts before the digits. */
function written(date: string): PlainDate {
  if (date < '0001') throw new RangeError(`outside the calendar: ${date}`);
  return date;
}

/** Returns the later one of two instants of one time. */
export function laterInstant<T extends Date>(a: T, b: NoInfer<T>): T {
  return a > b ? a : b;
}

/** Returns the earliest of the instants that are known, or null. They are of one time. */
export function earliestInstant<T extends Date>(instants: readonly (T | null)[]): T | null {
  const known = instants.filter((instant) => instant !== null);
  return known.reduce<T | null>((first, instant) => (first === null || instant < first ? instant : first), null);
}
