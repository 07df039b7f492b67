import { addDays, dateIn, daysBetween } from '../calendar.ts';
import { addMs, type CustomerInstant } from '../instants.ts';
import { taxablePart } from '../tax/taxable.ts';
import type { Days, MinorUnits } from '../units.ts';
import { type PeriodLine, shareOf, sumOf } from './lines.ts';
import { graceEnd, openPeriods, type Period, type SubscriptionWithPeriods } from './subscription.ts';

/** Whether the period that has begun last is not over. */
export function isUnderWay(
  { current, timeZone }: Pick<SubscriptionWithPeriods, 'current' | 'timeZone'>,
  at: CustomerInstant,
): boolean {
  return current !== null && current.end_date > dateIn(at, timeZone);
}

/** Returns the periods whose payment has failed or came back, older first. A first attempt under way is none. */
export function unpaidPeriods(subscription: Pick<SubscriptionWithPeriods, 'periods'>): Period[] {
  return openPeriods(subscription)
    .filter(({ status, first_failed_at: failedAt }) => status !== 'processing' || failedAt !== null)
    .toSorted((a, b) => a.number - b.number);
}

/** Until when a period was in effect, if what is in effect now ends at `at`. */
function servedUntil(
  subscription: SubscriptionWithPeriods,
  { served_until: until }: Period,
  at: CustomerInstant,
): CustomerInstant {
  if (until !== null) return until;
  const grace = graceEnd(subscription);
  return grace !== null && grace < at ? grace : at;
}

/**
 * Whether a period is nothing but what was owed for a former one, with a payment of its own. All of it was served.
 */
export function isOwedAlone({ lines }: Pick<Period, 'lines'>): boolean {
  return lines.length > 0 && lines.every(({ kind }) => kind === 'owed');
}

/** The days of a period that were served, and those after its end. One counts if it began before the service ended. */
interface Served {
  days: Days;
  whole: Days;
  after: Days;
}

function servedDays(subscription: SubscriptionWithPeriods, period: Period, at: CustomerInstant): Served {
  const { start_date: start, end_date: end, number } = period;
  const whole = daysBetween(start, end);
  const until = servedUntil(subscription, period, at);
  const begun = daysBetween(start, addDays(dateIn(addMs(until, -1), subscription.timeZone), 1));
  // The days after an earlier period belong to the next.
  const isLast = number === subscription.terms.current_number;
  return { days: clamp(begun, whole), whole, after: isLast ? Math.max(0, begun - whole) : 0 };
}

/** Whether a period was in effect on all of its days, if what is in effect now ends at `at`. */
export function isServedToEnd(subscription: SubscriptionWithPeriods, period: Period, at: CustomerInstant): boolean {
  const { days, whole } = servedDays(subscription, period, at);
  return isOwedAlone(period) || days === whole;
}

/**
 * Returns the lines of what was served in an unpaid period that is not billed: its share of the days, or all that it
 * takes if it was served to its end; and the days after its end at its price per day. Rounded half up, minor units.
 */
export function owedLines(subscription: SubscriptionWithPeriods, period: Period, at: CustomerInstant): PeriodLine[] {
  if (isOwedAlone(period)) return period.lines;
  const { days, whole, after } = servedDays(subscription, period, at);
  const { number, start_date: start, end_date: end } = period;
  const price = priceOf(period);
  const all = period.amount_cents + period.changed_cents;
  const within = days === whole ? all : shareOf(price, days, whole);
  return [
    ...owedLine(`Period ${number}: ${days} of ${whole} days from ${start}`, within, period),
    ...owedLine(`After period ${number}: ${after} days from ${end}`, shareOf(price, after, whole), period),
  ];
}

/**
 * Returns all that a new period takes for one that is not paid: what was served of it, and what it was to take itself
 * for earlier ones. If it was served to its end, the first has the second.
 */
export function owedFor(subscription: SubscriptionWithPeriods, period: Period, at: CustomerInstant): PeriodLine[] {
  const earlier = isServedToEnd(subscription, period, at) ? [] : period.lines.filter(({ kind }) => kind === 'owed');
  return [...earlier, ...owedLines(subscription, period, at)];
}

/** What is owed for an unpaid period, as a period of its own: its dates until today, and what was served of it. */
interface OwedPart extends Pick<Period, 'start_date' | 'end_date' | 'served_until' | 'lines'> {}

/**
 * Returns what a resume collects for unpaid periods by payments of their own, older first. None if nothing is owed, if
 * a period goes on that is paid, and if one has begun on this day: it has no day for a period of its own.
 */
export function owedParts(subscription: SubscriptionWithPeriods, at: CustomerInstant): OwedPart[] {
  const today = dateIn(at, subscription.timeZone);
  if (subscription.current?.status === 'paid' && isUnderWay(subscription, at)) return [];
  const parts = unpaidPeriods(subscription)
    .map((period) => ({ period, lines: owedFor(subscription, period, at) }))
    .filter(({ lines }) => lines.length > 0)
    .map(({ period: { start_date, end_date: end, served_until }, lines }) => {
      return { start_date, end_date: end < today ? end : today, served_until, lines };
    });
  return parts.every(({ start_date: start, end_date: end }) => start < end) ? parts : [];
}

/**
 * Whether unpaid periods are collected by their own payments, and the calendar stays: always, unless it is paused. Then
 * only while the last period is under way and something was served, or is owed alone.
 */
export function isCollectedAsIs(subscription: SubscriptionWithPeriods, at: CustomerInstant): boolean {
  if (subscription.terms.state !== 'paused') return true;
  const isServed = (period: Period) => isOwedAlone(period) || servedDays(subscription, period, at).days > 0;
  return isUnderWay(subscription, at) && unpaidPeriods(subscription).some(isServed);
}

/** Returns what collecting would take for the past, minor units: the unpaid payments, or what was served of them. */
export function owedAmount(subscription: SubscriptionWithPeriods, at: CustomerInstant): MinorUnits {
  const { state } = subscription.terms;
  if (state === 'pending' || state === 'canceled') return 0;
  const unpaid = unpaidPeriods(subscription);
  if (isCollectedAsIs(subscription, at)) return unpaid.reduce((sum, { amount_cents: amount }) => sum + amount, 0);
  return unpaid.reduce((sum, period) => sum + sumOf(owedFor(subscription, period, at)), 0);
}

/** What its items, discounts and changes cost, without fees and without what earlier periods left. */
function priceOf({ amount_cents: amount, carried_cents: carried, changed_cents: changed, lines }: Period): MinorUnits {
  const fees = sumOf(lines.filter(({ kind }) => kind === 'one_off'));
  return Math.max(0, amount - carried - fees + changed);
}

/** It includes tax as the period does. */
function owedLine(description: string, amount: MinorUnits, { lines }: Pick<Period, 'lines'>): PeriodLine[] {
  const isTold = lines.some(({ taxable_cents: taxable }) => taxable !== undefined);
  const tax = isTold ? { taxable_cents: taxablePart(amount, lines) } : {};
  return amount === 0 ? [] : [{ kind: 'owed', description, quantity: 1, amount_cents: amount, ...tax }];
}

function clamp(days: Days, whole: Days): Days {
  return Math.min(whole, Math.max(0, days));
}
