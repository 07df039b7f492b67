// The periods of the second model of subscriptions: their calendar, and what of them was served. All instants are epoch
// ms; the biller's zone is UTC.
import { dateOf, day, daysBetween } from './calendar.ts';
import { dueDate } from './plans.ts';
import type { Off, SubscriptionTerms } from './subscription-asks.ts';

/** A payment, in the order in which they were opened. `amount` is what it still holds once it is paid. */
export interface Charge {
  amount: number;
  isPaid: boolean;
}

export interface Period {
  number: number;
  start: string;
  end: string;
  /** Days of the period of the calendar in which it is. */
  whole: number;
  isTrial: boolean;
  /** What its items cost for its days, less discounts. Minor units. */
  price: number;
  fee: number;
  /** The discount that it takes a month of. */
  off: Off | null;
  /** What earlier periods owed. */
  owed: number;
  /** What waited for it: positive, lines of changes; negative, credit. */
  took: number;
  amount: number;
  charge: Charge | null;
  /** Its first payment is under way. */
  isCharging: boolean;
  status: 'paid' | 'retrying' | 'unpaid' | 'void';
  attempts: number;
  outcomes: boolean[] | null;
  failures: number;
  firstFailedAt: number | null;
  nextAt: number | null;
  /** When the series of its retries would have ended, after a decline for good. */
  givesUpAt: number | null;
  /** Its fees were corrected, so its attempts may be those of another payment. */
  isCorrected: boolean;
}

export const never = Number.POSITIVE_INFINITY;
export const instantOf = (date: string | null) => (date === null ? never : Date.parse(date));
export const halfUp = (amount: number) => Math.floor(amount + 0.5);

/** What an advance of a clock reports about subscriptions: those of which a period began, and the payments tried. */
export interface Counted {
  subscriptions_rolled: number;
  payment_intents_enqueued: number;
}

/** Counts what `advance` makes of these subscriptions. */
export function countedIn(subscriptions: readonly { all: readonly Period[] }[], advance: () => void): Counted {
  const triedBefore = new Map(subscriptions.flatMap(({ all }) => all.map((period) => [period, period.attempts])));
  advance();
  const sold = subscriptions.map(({ all }) => all.filter(({ isTrial }) => !isTrial));
  return {
    subscriptions_rolled: sold.filter((periods) => periods.some((period) => !triedBefore.has(period))).length,
    payment_intents_enqueued: sold.flat().filter((period) => period.attempts > (triedBefore.get(period) ?? 0)).length,
  };
}

/** Boundaries of periods, counted from an anchor. */
export class PeriodCalendar {
  readonly #terms: SubscriptionTerms;
  readonly #anchor: string;

  constructor(terms: SubscriptionTerms, anchor: string) {
    this.#terms = terms;
    this.#anchor = anchor;
  }

  /** The first boundary after a date that is not before the anchor, and the last one up to it. */
  around(date: string): { before: string; after: string } {
    let [before, count] = [this.#anchor, 1];
    for (;;) {
      const after = dueDate({ ...this.#terms, start: this.#anchor, amount: 0, total: null }, count);
      if (after > date) return { before, after };
      before = after;
      count += 1;
    }
  }

  after = (date: string): string => this.around(date).after;
  isBoundary = (date: string): boolean => date <= this.#anchor || this.around(date).before === date;
}

/** What is left of a price. */
export function discounted(price: number, off: Off | null): number {
  const amount = off === null ? 0 : (off.amount ?? halfUp((price * (off.percent ?? 0)) / 100));
  return Math.max(0, price - amount);
}

/** When the customer could use the service, oldest first; `to` is null while this goes on. */
export type Span = { from: number; to: number | null };

/** On how many days from `start` on, before `end`, the service was there. */
function daysInEffect(spans: readonly Span[], start: string, end: string, now: number): number {
  let count = 0;
  for (let at = Date.parse(start); at < Date.parse(end) && at <= now; at += day) {
    if (spans.some(({ from, to }) => from < at + day && (to ?? now) > at)) count += 1;
  }
  return count;
}

/**
 * What an unpaid period owes for the days that were served: of the period, and after its end. `isWhole`: it was served
 * to its end, so its payment is owed and nothing goes back.
 */
export function owedFor(period: Period, spans: readonly Span[], now: number) {
  const { start, end, price, amount } = period;
  const days = daysBetween(start, end);
  const served = daysInEffect(spans, start, end, now);
  const isWhole = served >= days;
  const extra = isWhole ? daysInEffect(spans, end, dateOf(now + day), now) : 0;
  const share = isWhole ? amount : halfUp((price * served) / days) + period.owed;
  return { served, isWhole, amount: share + halfUp((price * extra) / days) };
}
