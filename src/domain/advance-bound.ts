import { type Cadence, millisecondsPerDay } from './calendar.ts';

type Frequency = Pick<Cadence, 'frequencyType' | 'frequencyPeriod'>;

const daysPerPeriod = { weekly: 7, monthly: 30 } as const;

/** The interval of a clock without billing objects (contract: Advance bound, a 62-day window). */
const emptyClockDays = 31;

/** The last instant that ISO 8601 writes with a year of four digits, whatever period a plan may have. */
const lastInstant = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/**
 * The latest UTC instant that one advance may name: `frozenTime` and twice the shortest billing interval of the
 * clock's active plans, in days of 24 hours, weekly times n counting 7n and monthly 30n, 31 with no active plan
 * (contract: Advance bound; decisions: only active plans count, so the caller passes no others). Throws RangeError
 * when a period is not a whole number from 1 up.
 */
export function maxFrozenTime(frozenTime: Date, activePlans: readonly Frequency[]): Date {
  let shortest = Infinity;
  for (const plan of activePlans) shortest = Math.min(shortest, intervalDays(plan));
  const days = activePlans.length === 0 ? emptyClockDays : shortest;
  return new Date(Math.min(frozenTime.getTime() + 2 * days * millisecondsPerDay, lastInstant));
}

function intervalDays({ frequencyType, frequencyPeriod }: Frequency): number {
  if (Number.isSafeInteger(frequencyPeriod) && frequencyPeriod > 0)
    return daysPerPeriod[frequencyType] * frequencyPeriod;
  throw new RangeError(`not a frequency period: ${frequencyPeriod}`);
}
