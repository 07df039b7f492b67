const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * Milliseconds from a failed attempt to the next one (decisions: Schedule). The first attempt of a series is made at
 * once, so a series has one attempt more than there are delays, and covers a little more than three days.
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

/** Each delay is stretched or shortened by up to this share, so that those who failed together do not return together. */
const jitter = 0.1;

/** A receiver may ask for patience, but not park a delivery for longer than the schedule itself ever waits. */
const longestRetryAfter = DAY;

/** `Sun, 06 Nov 1994 08:49:37 GMT`, and the older `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`. */
const httpDate = /^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? [\w -]+ \d\d:\d\d:\d\d (?:GMT|\d{4})$/i;

/** An endpoint of which nothing but failure has been heard for so long is disabled (decisions: Schedule). */
const longestFailure = 5 * DAY;

/**
 * Milliseconds to wait after the `failures`-th failed attempt of a series (1 or more), or null when it was the last one.
 * `random` is from 0 up to 1. `retryAfter`, the receiver's own wish in milliseconds, can only make the wait longer, to at
 * most 24 hours: ten attempts have to last through an outage of days, so they are not spent at the receiver's haste.
 */
export function delayAfter(failures: number, random: number, retryAfter: number | null): number | null {
  const planned = retryDelays[failures - 1];
  if (planned === undefined) return null;
  const jittered = Math.round(planned * (1 - jitter + 2 * jitter * random));
  // Never before the wish; spread after it, since all of an endpoint's deliveries are told the same.
  const wished = Math.round((retryAfter ?? 0) * (1 + jitter * random));
  return Math.max(jittered, Math.min(wished, longestRetryAfter));
}

/**
 * Milliseconds that a `Retry-After` header asks to wait from `now`: whole seconds or an HTTP date; 0 for a date that has
 * passed, null for anything that is neither. Never throws.
 */
export function parseRetryAfter(header: string, now: Date): number | null {
  const value = header.trim();
  if (/^\d+$/.test(value)) return Number(value) * SECOND;
  // Date.parse alone would take "1.5" or "2027" for dates too.
  if (!httpDate.test(value)) return null;
  // All forms are in GMT, and the oldest one does not say so.
  const instant = Date.parse(value.endsWith(' GMT') ? value : `${value} GMT`);
  return Number.isNaN(instant) ? null : Math.max(0, instant - now.getTime());
}

/** Whether an endpoint that has only failed since `failingSince` is to be disabled at `now`. */
export function hasFailedTooLong(failingSince: Date | null, now: Date): boolean {
  return failingSince !== null && now.getTime() - failingSince.getTime() >= longestFailure;
}
