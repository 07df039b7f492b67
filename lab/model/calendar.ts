// The calendar, written a second time on JavaScript's own dates and zones: nothing is shared with the service, so an
// agreement of the two means something. Instants are epoch ms.

export const day = 86_400_000;

export type Every = 'weekly' | 'monthly' | 'yearly';

/** When a plan's payments fall due. */
export interface Cadence {
  every: Every;
  /** Weeks or months between two payments. */
  period: number;
  /** The anchor of every due date, `YYYY-MM-DD`. */
  start: string;
  /** The date of slot 0 instead of the anchor. */
  first: string | null;
}

const formats = new Map<string, Intl.DateTimeFormat>();
const walls = new Map<string, Intl.DateTimeFormat>();
const starts = new Map<string, number>();

/** The date `days` later, earlier when negative. */
export function dateAfter(date: string, days: number): string {
  return dateOf(Date.parse(`${date}T00:00:00Z`) + days * day);
}

/** How many days lie between two dates. */
export function daysBetween(start: string, end: string): number {
  return (Date.parse(end) - Date.parse(start)) / day;
}

/** The date of a slot: the first one may have its own. */
export function slotDate({ every, period, start, first }: Cadence, slot: number): string {
  return slot === 0 && first !== null ? first : dateOfCount(start, every, period, slot);
}

/**
 * The date that is `count` intervals after `start`: always counted from there, so that 31 January gives 28 February and
 * 31 March again. `dayOfMonth` wins over the day of `start`.
 */
export function dateOfCount(start: string, every: Every, period: number, count: number, dayOfMonth?: number): string {
  if (every === 'weekly') return dateAfter(start, 7 * period * count);
  return monthsAfter(start, (every === 'yearly' ? 12 : 1) * period * count, dayOfMonth);
}

/** The first date from `start` on that is this day of its month, or its last day if the month is shorter. */
export function firstOnDay(start: string, dayOfMonth: number): string {
  const inMonth = monthsAfter(start, 0, dayOfMonth);
  return inMonth >= start ? inMonth : monthsAfter(start, 1, dayOfMonth);
}

function monthsAfter(start: string, count: number, dayOfMonth = Number(start.slice(8))): string {
  const [year = 0, month = 0] = start.split('-').map(Number);
  const lastOfMonth = new Date(Date.UTC(year, month + count, 0)).getUTCDate();
  return dateOf(Date.UTC(year, month - 1 + count, Math.min(dayOfMonth, lastOfMonth)));
}

/** The date at an instant, in a zone. */
export function dateAt(at: number, zone: string): string {
  if (zone === 'UTC') return dateOf(at);
  let format = formats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' });
    formats.set(zone, format);
  }
  const [{ value: month } = { value: '' }, , { value: date } = { value: '' }, , { value: year } = { value: '' }] =
    format.formatToParts(at);
  return `${year}-${month}-${date}`;
}

/** The first instant of a date in a zone: looked for, since no offset can be trusted on a day on which it changes. */
export function startOf(date: string, zone: string): number {
  const key = `${zone} ${date}`;
  const known = starts.get(key);
  if (known !== undefined) return known;
  const midnight = Date.parse(`${date}T00:00:00Z`);
  let before = midnight - 16 * 3_600_000;
  let from = midnight + 16 * 3_600_000;
  while (from - before > 1) {
    const middle = Math.floor((before + from) / 2);
    if (dateAt(middle, zone) < date) before = middle;
    else from = middle;
  }
  starts.set(key, from);
  return from;
}

/** The first instant at which a clock on the wall shows the same time so many dates later, or one past it in a gap. */
export function daysLater(at: number, days: number, zone: string): number {
  if (zone === 'UTC') return at + days * day;
  const wanted = wallAt(at, zone) + days * day;
  const offsets = [-2 * day, 2 * day].map((shift) => wallAt(wanted + shift, zone) - (wanted + shift));
  const shown = offsets.map((offset) => wanted - offset).filter((instant) => wallAt(instant, zone) === wanted);
  if (shown.length > 0) return Math.min(...shown);
  let [before, from] = [wanted - 2 * day, wanted + 2 * day];
  while (from - before > 1) {
    const middle = Math.floor((before + from) / 2);
    if (wallAt(middle, zone) < wanted) before = middle;
    else from = middle;
  }
  return from;
}

/** What a clock on the wall shows, as if it were UTC. */
function wallAt(at: number, zone: string): number {
  let format = walls.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' });
    walls.set(zone, format);
  }
  return Date.parse(`${format.format(at).replace(' ', 'T')}Z`) + (((at % 1000) + 1000) % 1000);
}

/** An instant as the API writes it. */
export function instant(at: number): string {
  return new Date(at).toISOString();
}

/** The date at an instant in UTC. */
export function dateOf(at: number): string {
  return instant(at).slice(0, 10);
}
