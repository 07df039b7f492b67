import { dateIn, earliestInstant, laterInstant, type PlainDate, startOfDay } from '../calendar.ts';
import type { CustomerInstant } from '../instants.ts';
import type { MinorUnits } from '../units.ts';
import { foretell } from './apply.ts';
import { derive } from './derive.ts';
import { type PeriodLine, sumOf } from './lines.ts';
import { isCollectedAsIs, owedAmount, owedParts, unpaidPeriods } from './owed.ts';
import type { PeriodDates } from './periods.ts';
import type { Discount } from './pricing.ts';
import { collected, endPeriod, isOver, type Resuming, resume } from './steps.ts';
import { openPeriods, type Period, type SubscriptionWithPeriods, withPeriods } from './subscription.ts';
import { billed } from './taking.ts';

/** A period to come, and what it takes, without surcharge. */
export interface ComingPeriod extends PeriodDates {
  amount: MinorUnits;
  lines: PeriodLine[];
}

/**
 * Returns the periods to come, at most `most`, as if every one were paid: the steps of the subscription on a copy of
 * it. One that is pending is shown as if it were started at `at`, one that is paused as if it were resumed then, or on
 * the day on which its pause ends. The unpaid period that is still under way comes first. None come after the end.
 * @param resuming how it is resumed. What a resume collects by payments of its own comes first.
 */
export function comingPeriods(
  subscription: SubscriptionWithPeriods,
  at: CustomerInstant,
  most: number,
  resuming: Partial<Resuming> = {},
): ComingPeriod[] {
  const first = collecting(subscription, at, resuming);
  if (first === null) return [];
  const coming = first.taken.map(({ number, start_date: start, end_date: end, amount_cents: amount, lines }) => ({
    number,
    start,
    end,
    amount,
    lines,
  }));
  let { copy, now } = first;
  while (coming.length < most) {
    const { next_period_at: boundaryAt, resume_at: resumeAt } = derive(copy, now, true);
    const nextAt = earliestInstant([boundaryAt, resumeAt]);
    if (nextAt === null) break;
    now = laterInstant(now, nextAt);
    const isEnd = resumeAt === null || isOver(copy.terms, dateIn(now, copy.timeZone));
    const change = isEnd
      ? endPeriod(copy, now, { hasMethod: true })
      : resume(copy, now, { anchorDay: copy.terms.resume_anchor_day, unpaid: 'collect' });
    const { begins } = change;
    if (begins === undefined) {
      copy = foretell(copy, change, now);
      continue;
    }
    const full = billed(copy, { ...change, begins }, now);
    copy = allPaid(foretell(copy, full, now), now);
    const { number, start, end, kind, amount_cents: amount, lines } = full.begins;
    if (kind === 'paid') coming.push({ number, start, end, amount, lines });
  }
  return coming.slice(0, most);
}

/** Returns what the next period takes. 0 if none is to come. */
export function nextPeriodAmount(subscription: SubscriptionWithPeriods, at: CustomerInstant): MinorUnits {
  return comingPeriods(subscription, at, 1)[0]?.amount ?? 0;
}

/**
 * Returns how a resume collects what is owed for former periods: by a line of the new period; by payments of its own,
 * if the sum is above the limit of one payment; `impossible` if such a payment is above the limit too.
 * @param isAboveLimit whether one payment takes at most less than an amount, minor units.
 */
export function wayToCollect(
  subscription: SubscriptionWithPeriods,
  at: CustomerInstant,
  anchorDay: number | null,
  isAboveLimit: (amount: MinorUnits) => boolean,
): 'with_period' | 'apart' | 'impossible' {
  const isResumed = subscription.terms.state === 'paused' && !isCollectedAsIs(subscription, at);
  if (!isResumed || owedAmount(subscription, at) === 0) return 'with_period';
  const [next] = comingPeriods(subscription, at, 1, { anchorDay });
  if (next === undefined || !isAboveLimit(next.amount)) return 'with_period';
  const parts = owedParts(subscription, at);
  return parts.length > 0 && !parts.some(({ lines }) => isAboveLimit(sumOf(lines))) ? 'apart' : 'impossible';
}

/**
 * Returns the most that one of the next payments takes, minor units, without surcharge: those of unpaid periods, of the
 * next period with its fees and the lines that wait for it, and of the one after it, because the next may be short.
 * Credit and discounts that end do not count: they help only for a while. What is owed for former periods does not
 * count either: it can be paid on its own. Null if no payment is to come.
 */
export function mostToCome(subscription: SubscriptionWithPeriods, at: CustomerInstant): MinorUnits | null {
  const { terms, periods, timeZone } = subscription;
  const unpaid = isCollectedAsIs(subscription, at) ? unpaidPeriods(subscription) : [];
  const lasting = {
    ...terms,
    credit_balance_cents: 0,
    discounts: terms.discounts.filter(hasNoEnd),
    next_discounts: terms.next_discounts?.filter(hasNoEnd) ?? null,
    // Its periods go on after a pause.
    pauses_at: null,
  };
  const copy = withPeriods(lasting, periods.map(withoutMonths), timeZone);
  const coming = comingPeriods(copy, at, unpaid.length + 2);
  const amounts = [
    ...unpaid.map(({ amount_cents: amount }) => amount),
    ...coming.map(({ amount, lines }) => amount - sumOf(lines.filter(({ kind }) => kind === 'owed'))),
  ];
  return amounts.length === 0 ? null : Math.max(...amounts);
}

/** A copy of a subscription that collects, from an instant on. */
interface Copy {
  copy: SubscriptionWithPeriods;
  now: CustomerInstant;
  /** Periods that it takes by being resumed. */
  taken: Period[];
}

/** What has failed or is under way is paid, what is paused is resumed. Null if nothing comes. */
function collecting(
  subscription: SubscriptionWithPeriods,
  at: CustomerInstant,
  resuming: Partial<Resuming>,
): Copy | null {
  const { terms, timeZone } = subscription;
  const isDue = (date: PlainDate) => laterInstant(at, startOfDay(date, timeZone));
  if (terms.state === 'canceled') return null;
  if (terms.state === 'pending' && openPeriods(subscription).length === 0) {
    const started = { ...terms, started_at: at };
    return { copy: { ...subscription, terms: started }, now: isDue(terms.start_date), taken: [] };
  }
  if (terms.state !== 'paused') return { copy: allPaid(subscription, at), now: at, taken: [] };
  const unpaid = unpaidPeriods(subscription);
  if (unpaid.length === 0 && terms.resumes_at !== null) return { copy: subscription, now: at, taken: [] };
  if (isOver(terms, dateIn(at, timeZone))) return null;
  if (isCollectedAsIs(subscription, at)) {
    return { copy: allPaid(subscription, at), now: at, taken: unpaid };
  }
  const resumed = foretell(
    subscription,
    resume(subscription, at, { anchorDay: null, unpaid: 'collect', ...resuming }),
    at,
  );
  return { copy: allPaid(resumed, at), now: at, taken: unpaidPeriods(resumed) };
}

/** All that is open is collected: what waits for a retry when that is due, the rest at once. */
function allPaid(subscription: SubscriptionWithPeriods, at: CustomerInstant): SubscriptionWithPeriods {
  let copy = subscription;
  for (const period of openPeriods(subscription).toSorted((a, b) => a.number - b.number)) {
    const paidAt = laterInstant(at, period.next_attempt_at ?? at);
    copy = foretell(copy, collected(copy, period, paidAt), paidAt);
  }
  return copy;
}

function hasNoEnd({ periods_left: left }: Discount): boolean {
  return left === null;
}

/** A period that gives back no month of a discount. */
function withoutMonths(period: Period): Period {
  return { ...period, discounts: period.discounts.filter(hasNoEnd) };
}
