import type { CustomerInstant } from '../instants.ts';
import type { MinorUnits } from '../units.ts';
import { comingPeriods } from './coming.ts';
import type { Period, SubscriptionWithPeriods } from './course.ts';
import { sumOf } from './lines.ts';
import { isCollectedAsIs, unpaidPeriods } from './owed.ts';
import type { Discount } from './pricing.ts';

/**
 * Returns the most that one of the next payments takes, minor units, without surcharge: those of unpaid periods, of the
 * next period with its fees and the lines that wait for it, and of the one after it, because the next may be short.
 * Credit and discounts that end do not count: they help only for a while. What is owed for former periods does not
 * count either: it can be paid on its own. Null if no payment is to come.
 */
export function mostToCome(subscription: SubscriptionWithPeriods, at: CustomerInstant): MinorUnits | null {
  const { course, current, owed, others } = subscription;
  const unpaid = isCollectedAsIs(subscription, at) ? unpaidPeriods(subscription) : [];
  const copy = {
    ...subscription,
    course: {
      ...course,
      credit_balance_cents: 0,
      discounts: course.discounts.filter(hasNoEnd),
      next_discounts: course.next_discounts?.filter(hasNoEnd) ?? null,
      // Its periods go on after a pause.
      pauses_at: null,
    },
    current: current && withoutMonths(current),
    owed: owed && withoutMonths(owed),
    others: others.map(withoutMonths),
  };
  const coming = comingPeriods(copy, at, unpaid.length + 2);
  const amounts = [
    ...unpaid.map(({ amount_cents: amount }) => amount),
    ...coming.map(({ amount, lines }) => amount - sumOf(lines.filter(({ kind }) => kind === 'owed'))),
  ];
  return amounts.length === 0 ? null : Math.max(...amounts);
}

function hasNoEnd({ periods_left: left }: Discount): boolean {
  return left === null;
}

/** A period that gives back no month of a discount. */
function withoutMonths(period: Period): Period {
  return { ...period, discounts: period.discounts.filter(hasNoEnd) };
}
