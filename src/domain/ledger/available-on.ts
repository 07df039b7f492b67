import { addBusinessDays } from '../business-days/business-days.ts';
import { isWeekend } from '../business-days/closed-days.ts';
import { addDays, type PlainDate } from '../calendar.ts';

const businessDays = 2;

/** The years of the calendar of the Australian banks. */
const [firstDate, lastDate] = ['2000-01-01', '2099-12-15'];

/**
 * Returns the date on which a payment of the sandbox is available: the second business day after its success, both
 * dates in the biller's zone. Business days are those of the Australian banks for AUD, and Monday to Friday for other
 * currencies and outside the years 2000 to 2099 (books, settled point 4).
 * @throws RangeError for an invalid date.
 */
export function availableOn(succeededOn: PlainDate, currency: string): PlainDate {
  const hasCalendar = currency === 'AUD' && succeededOn >= firstDate && succeededOn <= lastDate;
  if (hasCalendar) return addBusinessDays('AU', succeededOn, businessDays);
  let day = succeededOn;
  for (let left = businessDays; left > 0; ) {
    day = addDays(day, 1);
    if (!isWeekend(day)) left -= 1;
  }
  return day;
}
