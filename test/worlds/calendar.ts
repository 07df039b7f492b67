// The calendar of plans and subscriptions, written a second time: on whole days, without the service's code.
const dayMs = 86_400_000;

const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
const daysAfter = (date: string, days: number): string => dateOf(Date.parse(date) + days * dayMs);

/** The date that many months after another, or the last day of that month if it is shorter. `day` wins over its day. */
function monthsAfter(date: string, months: number, day = Number(date.slice(8))): string {
  const [year = 0, month = 1] = date.split('-').map(Number);
  const first = new Date(Date.UTC(year, month - 1 + months, 1));
  const last = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate();
  return dateOf(first.getTime() + (Math.min(day, last) - 1) * dayMs);
}

export type Every = 'weekly' | 'monthly' | 'yearly';

/** The date that is `count` intervals after `start`, always counted from there. `day` wins over its day. */
export function dateOfCount(start: string, every: Every, period: number, count: number, day?: number): string {
  if (every === 'weekly') return daysAfter(start, 7 * period * count);
  return monthsAfter(start, (every === 'yearly' ? 12 : 1) * period * count, day);
}

/** The first date from `start` on that is this day of its month, or its last day if the month is shorter. */
export function firstOnDay(start: string, day: number): string {
  const inMonth = monthsAfter(start, 0, day);
  return inMonth >= start ? inMonth : monthsAfter(start, 1, day);
}

/** The date at an instant in a zone. */
export function dateIn(at: number, timeZone: string): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(new Date(at));
}

/** The first instant of a date in a zone, found by looking at what a clock on the wall shows. */
export function midnightIn(date: string, timeZone: string): number {
  const shown = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  const wall = (ms: number) => Date.parse(`${shown.format(new Date(ms)).replace(' ', 'T')}Z`);
  const wanted = Date.parse(`${date}T00:00:00Z`);
  let found = wanted - (wall(wanted) - wanted);
  found -= wall(found) - wanted;
  return found;
}
