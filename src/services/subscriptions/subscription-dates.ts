import { laterInstant } from '../../domain/calendar.ts';
import { addMs, type CustomerInstant, isoOrNone } from '../../domain/instants.ts';
import { isRightRetry } from '../../domain/recurring/recurring-payment.ts';
import { retryDueAt } from '../../domain/schemes/debit-dates.ts';
import { derive } from '../../domain/subscriptions/derive.ts';
import { periodDates } from '../../domain/subscriptions/periods.ts';
import {
  calendarOf,
  openPeriods,
  type Period,
  type SubscriptionWithPeriods,
} from '../../domain/subscriptions/subscription.ts';
import { clockToleranceMs } from '../customer-time.ts';
import type { LockedSubscription } from './locked-subscription.ts';

/** The stored instants that follow from a subscription. */
type StoredDates = Record<(typeof dateNames)[number], CustomerInstant | null>;
type BegunPeriod = Pick<Period, 'number' | 'kind' | 'status' | 'start_date' | 'end_date'>;
const dateNames = ['next_period_at', 'next_attempt_at', 'notice_at', 'resume_at', 'lapses_at'] as const;
const inWords: Record<keyof StoredDates, string> = {
  next_period_at: 'its next period or its end',
  next_attempt_at: 'its next retry',
  notice_at: 'the notice of the end of its trial',
  resume_at: 'the end of its pause',
  lapses_at: 'the end of what is not paid',
};

/** The rows of a subscription do not agree, so nothing is collected by them, and no period begins. */
export class SubscriptionInconsistent extends Error {
  constructor(reasons: readonly string[], remedy: string) {
    super(`${reasons.join('; ')}. Nothing is collected and no period begins before that is corrected: ${remedy}.`);
  }
}

/**
 * Throws unless the dates of a locked subscription follow from its rows, and its current period and what it owes are as
 * its calendar gives them. If its last change is later than `at`, the time of the change counts.
 * @throws SubscriptionInconsistent
 */
export function assertSubscriptionDates({ row, subscription }: LockedSubscription, at: CustomerInstant): void {
  const next = wrongInstants(row, subscription, laterInstant(at, row.updated_at));
  const periods = subscription.periods.flatMap((period) => wrongPeriod(subscription, period));
  if (next.length + periods.length === 0) return;
  const recheck = `npm run --silent ops -- recheck ${row.id}`;
  const remedy = periods.length === 0 ? recheck : `restore the period from a back-up, then ${recheck}`;
  throw new SubscriptionInconsistent([...next, ...periods], remedy);
}

/**
 * Less than a day apart: the time zone of the account or the rules of that zone have changed since. In milliseconds.
 */
const toleranceMs = 26 * 3_600_000;
/** A retry is due at an instant, in no time zone. */
const toleranceOf = (name: keyof StoredDates) => (name === 'next_attempt_at' ? 0 : toleranceMs);

/**
 * Returns what is wrong with the dates of a subscription, each part of a sentence for an operator: an instant that does
 * not follow from its rows, or a period that its calendar does not give.
 * @param begun periods that have begun. Those before the last resume are counted from an anchor that is not stored.
 */
export function wrongSubscriptionDates(
  stored: StoredDates,
  subscription: SubscriptionWithPeriods,
  begun: readonly BegunPeriod[],
  at: CustomerInstant,
): string[] {
  return [...wrongInstants(stored, subscription, at), ...begun.flatMap((period) => wrongPeriod(subscription, period))];
}

/**
 * Returns when an open period is retried: the instant that dunning gives, or that of a request to retry at once. Null
 * if it is not retried.
 */
export function retryOf(period: Period, timeZone: string, at: CustomerInstant): CustomerInstant | null {
  if (period.status !== 'retrying') return null;
  const { next_attempt_at: stored, retry_asked_at: askedAt } = period;
  const isAsked = stored !== null && stored.getTime() === askedAt?.getTime();
  const isRight = isAsked || isRightRetry(period, timeZone, addMs(at, clockToleranceMs));
  return isRight ? stored : (retryDueAt(period, timeZone) ?? at);
}

function wrongInstants(stored: StoredDates, subscription: SubscriptionWithPeriods, at: CustomerInstant): string[] {
  const derived = derive(subscription, at, false);
  const instants = dateNames.flatMap((name) => {
    const [is, shouldBe] = [stored[name], derived[name]];
    const isRight =
      is === null || shouldBe === null ? is === shouldBe : Math.abs(Number(is) - Number(shouldBe)) <= toleranceOf(name);
    return isRight ? [] : [`${inWords[name]} is set to ${isoOrNone(is)}, but its periods give ${isoOrNone(shouldBe)}`];
  });
  return [...instants, ...openPeriods(subscription).flatMap((period) => wrongRetry(period, subscription.timeZone, at))];
}

function wrongRetry(period: Period, timeZone: string, at: CustomerInstant): string[] {
  const retryAt = retryOf(period, timeZone, at);
  if (period.status !== 'retrying' || period.next_attempt_at?.getTime() === retryAt?.getTime()) return [];
  return [
    `the retry of period ${period.number} is set to ${isoOrNone(period.next_attempt_at)}, but dunning gives ${isoOrNone(retryAt)}`,
  ];
}

function wrongPeriod(
  { terms }: SubscriptionWithPeriods,
  { number, kind, status, start_date: start, end_date: end }: BegunPeriod,
): string[] {
  if (kind === 'trial' || status === 'void' || terms.anchor_start === null || number < terms.anchor_number) return [];
  const dates = periodDates(calendarOf(terms), number);
  if (dates.start === start && dates.end === end) return [];
  return [`period ${number} is from ${start} to ${end}, but its calendar gives ${dates.start} to ${dates.end}`];
}
