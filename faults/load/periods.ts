// The rules of subscriptions, written a second time: nothing here is shared with the service, so an agreement of the
// two means something. All dates are UTC; instants are epoch ms.
import { dateOf, day } from '../../lab/model/calendar.ts';
import { dueDate } from '../../lab/model/plans.ts';
import { type Bill, billOf, type PriceAsk } from './prices.ts';

/** How the payments of a subscription go, from its second period on. */
type Manner = 'paid' | 'recovers' | 'gives up';

export interface Terms {
  every: 'week' | 'month';
  /** Weeks or months in a period. */
  period: number;
  trialDays: number;
  /** `recovers`: the second payment fails once; `gives up`: it always fails. All others succeed at once. */
  manner: Manner;
  /** What happens when no retry is left. */
  unpaid: 'pause' | 'cancel';
}

/** A subscription that was started. Each resume counts its periods anew, from its own day. */
export interface Course {
  terms: Terms;
  /** The price of a whole period at the start, and what was asked since that changes what is paid. */
  price: number;
  asks: PriceAsk[];
  trial: { start: string; end: string } | null;
  counts: { from: string /** No period begins at this instant or later. */; until: number | null }[];
  /** What was requested, and when it takes effect. */
  stop: { kind: 'pause' | 'cancel'; at: number } | null;
}

/** A period that has begun. */
export interface BegunPeriod {
  start: string;
  end: string;
  status: 'paid' | 'retrying' | 'unpaid';
  isTrial: boolean;
  amount: number;
  /** When it was charged. Only the last attempt can have succeeded. Never, if credit has paid it. */
  attempts: number[];
}

/** How long after the first failure it is charged again. */
const retryDays = [0, 1, 3, 5];

/** A subscription that is started at this instant, with the price of a whole period. */
export function startedAt(terms: Terms, now: number, price = 1_000): Course {
  const today = dateOf(now);
  const end = dateOf(Date.parse(today) + terms.trialDays * day);
  const trial = terms.trialDays === 0 ? null : { start: today, end };
  return { terms, price, asks: [], trial, counts: [{ from: end, until: null }], stop: null };
}

/** The periods that have begun by this instant, oldest first. */
export function begunBy(course: Course, now: number): BegunPeriod[] {
  const begun = calendarOf(course, now);
  const { amounts } = billOf(course.price, begun, course.asks);
  return begun.map((period, index) => {
    const amount = amounts[index] ?? 0;
    return { ...period, amount, attempts: amount === 0 ? [] : period.attempts };
  });
}

/** What it has cost by this instant. */
export function billBy(course: Course, now: number): Bill {
  return billOf(course.price, calendarOf(course, now), course.asks);
}

function calendarOf({ terms, trial, counts }: Course, now: number): Omit<BegunPeriod, 'amount'>[] {
  const begun: Omit<BegunPeriod, 'amount'>[] = [];
  if (trial !== null) begun.push({ ...trial, status: 'paid', isTrial: true, attempts: [] });
  for (const { from, until } of counts) {
    const dates = { ...terms, start: from, amount: 0, total: null };
    for (let nth = 0; ; nth += 1) {
      const [start, end] = [dueDate(dates, nth), dueDate(dates, nth + 1)];
      const at = Date.parse(start);
      if (at > now || (until !== null && at >= until)) break;
      const isSecond = begun.filter(({ isTrial }) => !isTrial).length === 1;
      const period = charged(isSecond ? terms.manner : 'paid', at, now);
      begun.push({ start, end, isTrial: false, ...period });
      // While one is unpaid, the next does not begin; here it is given up, or paid before its end.
      if (period.status !== 'paid') return begun;
    }
  }
  return begun;
}

function charged(manner: Manner, at: number, now: number): Pick<BegunPeriod, 'status' | 'attempts'> {
  if (manner === 'paid') return { status: 'paid', attempts: [at] };
  const times = manner === 'recovers' ? 2 : retryDays.length;
  const attempts = retryDays.map((days) => at + days * day).filter((one, index) => index < times && one <= now);
  if (attempts.length < times) return { status: 'retrying', attempts };
  return { status: manner === 'recovers' ? 'paid' : 'unpaid', attempts };
}

/** The state at this instant. */
export function stateAt(course: Course, now: number): string {
  const { terms, stop, trial } = course;
  if (stop !== null && stop.at <= now) return stop.kind === 'pause' ? 'paused' : 'canceled';
  if (trial !== null && now < Date.parse(trial.end)) return 'trialing';
  const last = begunBy(course, now).at(-1);
  if (last?.status === 'unpaid') return terms.unpaid === 'pause' ? 'paused' : 'canceled';
  return last?.status === 'retrying' ? 'past_due' : 'active';
}

/** When the period ends that has begun last. */
export function endOfPeriod(course: Course, now: number): number {
  return Date.parse(begunBy(course, now).at(-1)?.end ?? '');
}

/** A pause or an end was requested that takes effect at this instant. */
export function stopAt(course: Course, kind: 'pause' | 'cancel', at: number): void {
  course.stop = { kind, at };
  const last = course.counts.at(-1);
  if (last !== undefined) last.until = at;
}

/** A pause is taken back or, if it has begun, ends: a new period begins on this day. */
export function resumeAt(course: Course, now: number): void {
  const hasBegun = course.stop !== null && course.stop.at <= now;
  course.stop = null;
  const last = course.counts.at(-1);
  if (hasBegun) course.counts.push({ from: dateOf(now), until: null });
  else if (last !== undefined) last.until = null;
}

/** What an advance from `before` to `now` counts: subscriptions of which a period began, and payments tried. */
export function countsOf(courses: readonly Course[], before: number, now: number) {
  const isIn = (at: number) => at > before && at <= now;
  const periods = courses.map((course) => begunBy(course, now).filter(({ isTrial }) => !isTrial));
  return {
    subscriptions_rolled: periods.filter((of) => of.some(({ start }) => isIn(Date.parse(start)))).length,
    payment_intents_enqueued: periods.flat().filter(({ attempts }) => attempts.some(isIn)).length,
  };
}
