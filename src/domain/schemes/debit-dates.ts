import { addBusinessDays, nextBusinessDay } from '../business-days/business-days.ts';
import { addDays, addMonths, dateIn, instantAt, type PlainDate, startOfDay } from '../calendar.ts';
import { type FailureSeries, nextRetryAt, retryDays } from '../dunning.ts';
import type { CustomerInstant } from '../instants.ts';
import { auBecs } from './au-becs.ts';
import type { SchemeProfile } from './scheme-profile.ts';

// Every function throws a RangeError for an invalid date or instant, and for a date that the scheme's calendar does not
// have: it ends with 2099.

/**
 * Returns the date on which a debit is charged, on the scheme's clock: today if it is accepted before the cut-off of a
 * business day, otherwise the next business day.
 */
export function chargeDate(scheme: SchemeProfile, acceptedAt: CustomerInstant): PlainDate {
  const today = dateIn(acceptedAt, scheme.timeZone);
  const isInTime = acceptedAt < handOverAt(scheme, today);
  return nextBusinessDay(scheme.calendar, isInTime ? today : addDays(today, 1));
}

/** Returns the UTC instant at which a debit is handed to the bank: the cut-off of its charge date. */
export function handOverAt(scheme: SchemeProfile, charged: PlainDate): CustomerInstant {
  return instantAt(charged, scheme.cutOff, scheme.timeZone);
}

/** Returns the date, on the scheme's clock, on which the bank is expected to report whether it collected a debit. */
export function resultDate(scheme: SchemeProfile, charged: PlainDate): PlainDate {
  return addBusinessDays(scheme.calendar, charged, scheme.result.businessDays);
}

/** Returns the UTC instant at which the bank is expected to report whether it collected a debit. */
export function resultAt(scheme: SchemeProfile, charged: PlainDate): CustomerInstant {
  return reportedAt(scheme, resultDate(scheme, charged));
}

/** Returns the last date on which a collected debit can come back. Both dates are on the scheme's clock. */
export function returnableUntil(scheme: SchemeProfile, resultOn: PlainDate): PlainDate {
  return addBusinessDays(scheme.calendar, resultOn, scheme.returnWindow);
}

/** Returns the UTC instant at which the sandbox's bank takes a debit back, by a late dishonour or the payer's claim. */
export function sandboxReturnAt(
  scheme: SchemeProfile,
  kind: keyof SchemeProfile['sandboxReturn'],
  resultOn: PlainDate,
): CustomerInstant {
  return reportedAt(scheme, addBusinessDays(scheme.calendar, resultOn, scheme.sandboxReturn[kind]));
}

/**
 * Returns the UTC instant of the retry after this many failures of a series, or null when no retries are left. It is 1,
 * 3 or 5 days after the date of the first result, or the next business day if that one is closed. It is never before
 * the business day after the latest result: results take days, so the next would otherwise be due before the last one
 * is known. Results are UTC instants; a retry is due when the scheme's bank reports, before the cut-off.
 * @throws RangeError also when `failures` is not a whole number from 1 up.
 */
export function retryAt(
  scheme: SchemeProfile,
  series: { failures: number; firstResultAt: CustomerInstant; latestResultAt: CustomerInstant },
): CustomerInstant | null {
  const { failures, firstResultAt, latestResultAt } = series;
  if (!Number.isSafeInteger(failures) || failures < 1) throw new RangeError(`not a count of failures: ${failures}`);
  const days = retryDays[failures - 1];
  if (days === undefined) return null;
  const planned = addDays(dateIn(firstResultAt, scheme.timeZone), days);
  const earliest = addDays(dateIn(latestResultAt, scheme.timeZone), 1);
  return reportedAt(scheme, nextBusinessDay(scheme.calendar, planned > earliest ? planned : earliest));
}

/**
 * Returns when a failed payment is retried by dunning, a UTC instant. Null: at once, as a resume or a payer's own try
 * makes it. A payment of which a bank has reported is retried by the days of its scheme, another one by local dates.
 */
export function retryDueAt(series: FailureSeries, timeZone: string): CustomerInstant | null {
  const { failures, first_failed_at: firstResultAt, last_result_at: latestResultAt } = series;
  if (firstResultAt === null || failures < 1) return null;
  if (latestResultAt === null) return nextRetryAt(failures, firstResultAt, timeZone);
  return retryAt(auBecs, { failures, firstResultAt, latestResultAt });
}

/**
 * Returns when a series of retries ends if every retry fails: at the last retry, or, for a payment of which a bank has
 * reported, when the result of its last retry is expected. Null if no failure has begun a series.
 */
export function seriesEndsAt(series: FailureSeries, timeZone: string): CustomerInstant | null {
  const { first_failed_at: firstResultAt, last_result_at: latest } = series;
  if (firstResultAt === null || series.failures < 1) return null;
  if (latest === null) return nextRetryAt(retryDays.length, firstResultAt, timeZone);
  let latestResultAt = latest;
  for (let failures = series.failures; ; failures += 1) {
    const dueAt = retryAt(auBecs, { failures, firstResultAt, latestResultAt });
    if (dueAt === null) return latestResultAt;
    latestResultAt = resultAt(auBecs, chargeDate(auBecs, dueAt));
  }
}

/**
 * Returns the UTC instant at which an unused mandate lapses: the start of the day, on the scheme's clock, that is as
 * many months after the last debit as the scheme allows. Before the first debit, `usedAt` is the acceptance.
 */
export function mandateLapsesAt(scheme: SchemeProfile, usedAt: CustomerInstant): CustomerInstant {
  return startOfDay(addMonths(dateIn(usedAt, scheme.timeZone), scheme.mandateMonths), scheme.timeZone);
}

function reportedAt(scheme: SchemeProfile, date: PlainDate): CustomerInstant {
  return instantAt(date, scheme.result.time, scheme.timeZone);
}
