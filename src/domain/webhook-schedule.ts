import type { RealInstant } from '../platform/real-time.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * Milliseconds from a failed attempt to the next one (decisions: Schedule). The first attempt is made at once, so a
 * series has one attempt more than delays. It covers a little more than three days.
 */
export const retryDelays: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

/** Each delay varies by up to this share, so that deliveries that failed together do not come back together. */
const jitter = 0.1;

/** A receiver may ask for a longer wait, but never longer than the longest wait of the schedule. */
const longestRetryAfter = DAY;

/** `Sun, 06 Nov 1994 08:49:37 GMT`, and the older `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`. */
const httpDate = /^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? [\w -]+ \d\d:\d\d:\d\d (?:GMT|\d{4})$/i;

/** An endpoint that only fails for this long is disabled (decisions: Schedule). */
const longestFailure = 5 * DAY;

/**
 * Returns the milliseconds to wait after the `failures`-th failed attempt of a series (from 1), or null after the last
 * one. `random` is from 0 up to 1. `retryAfter` is the receiver's own request in milliseconds. It can only lengthen the
 * wait, to at most 24 hours. Ten attempts must last through an outage of days, so a receiver cannot shorten the waits.
 */
export function delayAfter(failures: number, random: number, retryAfter: number | null): number | null {
  const planned = retryDelays[failures - 1];
  if (planned === undefined) return null;
  const jittered = Math.round(planned * (1 - jitter + 2 * jitter * random));
  // Never before the requested instant. Spread after it, since all deliveries to an endpoint get the same request.
  const wished = Math.round((retryAfter ?? 0) * (1 + jitter * random));
  return Math.max(jittered, Math.min(wished, longestRetryAfter));
}

/**
 * Returns the milliseconds that a `Retry-After` header asks to wait from `now`: whole seconds or an HTTP date. 0 for a
 * date in the past, null for any other text. Never throws.
 */
export function parseRetryAfter(header: string, now: RealInstant): number | null {
  const value = header.trim();
  if (/^\d+$/.test(value)) return Number(value) * SECOND;
  // Date.parse alone would also read "1.5" or "2027" as a date.
  if (!httpDate.test(value)) return null;
  // All forms are in GMT, but the oldest one does not say so.
  const instant = Date.parse(value.endsWith(' GMT') ? value : `${value} GMT`);
  return Number.isNaN(instant) ? null : Math.max(0, instant - now.getTime());
}

/** Whether an endpoint that has only failed since `failingSince` must be disabled at `now`. */
export function hasFailedTooLong(failingSince: RealInstant | null, now: RealInstant): boolean {
  return failingSince !== null && now.getTime() - failingSince.getTime() >= longestFailure;
}
