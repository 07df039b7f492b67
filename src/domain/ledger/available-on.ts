import type { PlainDate } from '../calendar.ts';
import { payoutDayAfter } from './payout-days.ts';

const businessDays = 2;

/**
 * Returns the date on which a payment of the sandbox is available: the second business day after its success, both
 * dates in the biller's zone (books, settled point 4).
 * @throws RangeError for an invalid date.
 */
export function availableOn(succeededOn: PlainDate, currency: string): PlainDate {
  let day = succeededOn;
  for (let left = businessDays; left > 0; left--) day = payoutDayAfter(day, currency);
  return day;
}
