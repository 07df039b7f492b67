import { millisecondsPerDay } from './calendar.ts';
import { type CustomerInstant, customerInstant } from './instants.ts';
import type { Days } from './units.ts';

/** How often a plan collects. A subscription counts as a monthly plan, whatever its interval. */
interface Frequency {
  frequencyType: 'weekly' | 'monthly';
  frequencyPeriod: number;
}

const daysPerPeriod = { weekly: 7, monthly: 30 } as const;

/** The interval of a clock without billing objects (contract: Advance bound, a 62-day window). */
const emptyClockDays = 31;

/** The last instant that ISO 8601 can write with a four-digit year. It applies whatever a plan's period is. */
const lastInstant = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/**
 * Returns the latest UTC instant that one advance may name (contract: Advance bound). It is `frozenTime` plus twice the
 * shortest billing interval of the clock's active plans, in days of 24 hours. A weekly interval with period n counts 7n
 * days, a monthly one 30n. Without active plans, the interval is 31 days. The caller passes active plans only
 * (decisions: only active plans count).
 * @throws RangeError when a period is not a whole number from 1 up.
 */
export function maxFrozenTime(frozenTime: CustomerInstant, activePlans: readonly Frequency[]): CustomerInstant {
  let shortest = Infinity;
  for (const plan of activePlans) shortest = Math.min(shortest, intervalDays(plan));
  const days = activePlans.length === 0 ? emptyClockDays : shortest;
  return customerInstant(Math.min(frozenTime.getTime() + 2 * days * millisecondsPerDay, lastInstant));
}

function intervalDays({ frequencyType, frequencyPeriod }: Frequency): Days {
  if (Number.isSafeInteger(frequencyPeriod) && frequencyPeriod > 0)
    return daysPerPeriod[frequencyType] * frequencyPeriod;
  throw new RangeError(`not a frequency period: ${frequencyPeriod}`);
}
