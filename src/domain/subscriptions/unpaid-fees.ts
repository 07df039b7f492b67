import type { PeriodNumber } from '../units.ts';
import { type AccountEntry, accountLine, amountEntry } from './account.ts';
import type { Period, SubscriptionWithPeriods } from './course.ts';
import { type PeriodLine, sumOf } from './lines.ts';
import { isOwedAlone, unpaidPeriods } from './owed.ts';
import { type OneOffItem, oneOffItemsOf, oneOffLine } from './pricing.ts';

/** Returns the fees that unpaid periods have taken. While a payment is under way, its fees are not among them. */
export function unpaidFees(subscription: SubscriptionWithPeriods): OneOffItem[] {
  if (subscription.course.state === 'canceled') return [];
  return collectable(subscription).flatMap(({ lines }) => oneOffItemsOf(lines));
}

/** The fees that replace all that are not paid. */
export interface ReplacedFees {
  /** Those that wait for the next period. */
  waiting: OneOffItem[];
  /** The unpaid periods with other fees. */
  periods: { number: PeriodNumber; change: Pick<Period, StatementKey> }[];
  entries: AccountEntry[];
}
type StatementKey = 'lines' | 'amount_cents' | 'carried_cents' | 'credit_used_cents';

/**
 * Replaces all fees that are not paid. The unpaid period that comes first takes the new ones, if its payment can still
 * be made; otherwise they wait. Credit that a period no longer needs goes back.
 */
export function replaceFees(subscription: SubscriptionWithPeriods, fees: OneOffItem[]): ReplacedFees {
  const unpaid = collectable(subscription);
  const taker = unpaid.find((period) => period.lapsed_at === null && !isOwedAlone(period)) ?? null;
  const billed = unpaid
    .map((period) => billedWith(period, period === taker ? fees : []))
    .filter(({ period, change }) => change.amount_cents !== period.amount_cents || period === taker);
  return {
    waiting: taker === null ? fees : [],
    periods: billed.map(({ period: { number }, change }) => ({ number, change })),
    entries: billed.flatMap(({ period: { number, credit_used_cents: before }, change: { credit_used_cents: used } }) =>
      amountEntry('given_back', number, `Credit of period ${number} that its fees no longer need`, used - before),
    ),
  };
}

function collectable(subscription: SubscriptionWithPeriods): Period[] {
  return unpaidPeriods(subscription).filter(({ status }) => status !== 'processing');
}

function billedWith(period: Period, fees: OneOffItem[]): { period: Period; change: Pick<Period, StatementKey> } {
  const { lines, credit_used_cents: before, carried_cents: carried } = period;
  // The credit that a period has used is the last of its lines.
  const withoutCredit = before === 0 ? lines : lines.slice(0, -1);
  const others: PeriodLine[] = [...withoutCredit.filter(({ kind }) => kind !== 'one_off'), ...fees.map(oneOffLine)];
  const due = sumOf(others);
  const used = Math.min(before, due);
  const change = {
    lines: [...others, ...accountLine('Credit balance', 0 - used)],
    amount_cents: due - used,
    carried_cents: carried + before - used,
    credit_used_cents: used,
  };
  return { period, change };
}
