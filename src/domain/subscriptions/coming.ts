import { dateIn, earliestInstant, laterInstant, type PlainDate, startOfDay } from '../calendar.ts';
import type { CustomerInstant } from '../instants.ts';
import type { MinorUnits } from '../units.ts';
import { applyChange, begunBy, trialPeriod } from './apply.ts';
import { about, allOwed, type Period, type SubscriptionWithPeriods } from './course.ts';
import { derive } from './derive.ts';
import { type PeriodLine, sumOf } from './lines.ts';
import { isCollectedAsIs, owedAmount, owedParts, unpaidPeriods } from './owed.ts';
import type { PeriodDates } from './periods.ts';
import { collected, isOver, passBoundary, type Resuming, resume, type SubscriptionStepChange } from './steps.ts';
import { openedBy, type Taking } from './taking.ts';

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
    const isEnd = resumeAt === null || isOver(copy.course, dateIn(now, copy.timeZone));
    const change = isEnd
      ? passBoundary(copy, now, { hasMethod: true })
      : resume(copy, now, { anchorDay: copy.course.resume_anchor_day, unpaid: 'collect' });
    const { begins } = change;
    if (begins === undefined) {
      copy = after(copy, change, now);
      continue;
    }
    const { copy: next, taking } = begun(copy, { ...change, begins }, now);
    copy = next;
    const { number, start: from, end } = begins;
    if (taking !== null) coming.push({ number, start: from, end, amount: taking.amount_cents, lines: taking.lines });
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
  const isResumed = subscription.course.state === 'paused' && !isCollectedAsIs(subscription, at);
  if (!isResumed || owedAmount(subscription, at) === 0) return 'with_period';
  const [next] = comingPeriods(subscription, at, 1, { anchorDay });
  if (next === undefined || !isAboveLimit(next.amount)) return 'with_period';
  const parts = owedParts(subscription, at);
  return parts.length > 0 && !parts.some(({ lines }) => isAboveLimit(sumOf(lines))) ? 'apart' : 'impossible';
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
  const { course, timeZone } = subscription;
  const isDue = (date: PlainDate) => laterInstant(at, startOfDay(date, timeZone));
  if (course.state === 'canceled') return null;
  if (course.state === 'pending' && subscription.owed === null) {
    const started = { ...course, started_at: at };
    return { copy: { ...subscription, course: started }, now: isDue(course.start_date), taken: [] };
  }
  if (course.state !== 'paused') return { copy: allPaid(subscription, at), now: at, taken: [] };
  const unpaid = unpaidPeriods(subscription);
  if (unpaid.length === 0 && course.resumes_at !== null) return { copy: subscription, now: at, taken: [] };
  if (isOver(course, dateIn(at, timeZone))) return null;
  if (isCollectedAsIs(subscription, at)) {
    return { copy: allPaid(subscription, at), now: at, taken: unpaid };
  }
  const resumed = after(
    subscription,
    resume(subscription, at, { anchorDay: null, unpaid: 'collect', ...resuming }),
    at,
  );
  return { copy: allPaid(resumed, at), now: at, taken: unpaidPeriods(resumed) };
}

/** All that is owed is collected: what waits for a retry when that is due, the rest at once. */
function allPaid(subscription: SubscriptionWithPeriods, at: CustomerInstant): SubscriptionWithPeriods {
  let copy = subscription;
  for (const { number, next_attempt_at: retryAt } of allOwed(subscription).toSorted((a, b) => a.number - b.number)) {
    const paidAt = retryAt === null ? at : laterInstant(at, retryAt);
    const first = about(copy, number);
    copy = after(first, collected(first, paidAt), paidAt);
  }
  return copy;
}

function begun(
  copy: SubscriptionWithPeriods,
  change: SubscriptionStepChange & Required<Pick<SubscriptionStepChange, 'begins'>>,
  now: CustomerInstant,
): { copy: SubscriptionWithPeriods; taking: Taking | null } {
  if (change.begins.kind === 'trial') return { copy: after(copy, change, now, trialPeriod), taking: null };
  const { change: full, taking } = openedBy(copy, change);
  const opened = after(copy, full, now, begunBy(taking, { status: 'processing', payment_intent_id: null }));
  return { copy: allPaid(opened, now), taking };
}

function after(
  copy: SubscriptionWithPeriods,
  change: SubscriptionStepChange,
  at: CustomerInstant,
  period: Parameters<typeof applyChange>[2] = null,
): SubscriptionWithPeriods {
  const before = { in_effect: true, in_effect_until: null, owed_amount_cents: 0 };
  return applyChange(copy, change, period, { before, at }).subscription;
}
