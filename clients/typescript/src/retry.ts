import { ApiError, ConnectionError } from './errors.ts';

const firstDelayMs = 500;
const longestDelayMs = 8_000;
/** If `Retry-After` is longer, the error is thrown at once, so that no call takes an hour. */
const longestRetryAfterSeconds = 60;

/**
 * Returns how long to wait before the next try of a request that failed with `error`, in milliseconds. Returns null if
 * another try does not help. `retries` is the number of retries so far.
 *
 * Every request can be repeated without a second effect: GET, PUT and DELETE by their nature, a POST by its
 * Idempotency-Key. The waits grow exponentially, with full jitter, so that clients that failed together return at
 * different times. A wait is at least `Retry-After`.
 */
export function delayBeforeRetry(error: unknown, retries: number, random = Math.random): number | null {
  if (!mayPass(error)) return null;
  const jitter = random() * Math.min(longestDelayMs, firstDelayMs * 2 ** retries);
  const asked = error instanceof ApiError ? (error.retryAfterSeconds ?? 0) : 0;
  return asked > longestRetryAfterSeconds ? null : asked * 1000 + jitter;
}

/** Whether the same request may succeed later. */
function mayPass(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  if (!(error instanceof ApiError)) return false;
  const { status, code, retryAfterSeconds } = error;
  // The service sends Retry-After with a temporary 503. Others, such as `processor_not_configured`, stay.
  if (status === 503) return code === undefined || retryAfterSeconds !== undefined;
  return [408, 429, 500, 502, 504].includes(status) || code === 'idempotency_key_in_use';
}

/** Returns a `Retry-After` header in seconds. The header has seconds or a date. */
export function readRetryAfter(header: string | null, now = Date.now()): number | undefined {
  if (header === null) return undefined;
  if (/^\s*\d+\s*$/.test(header)) return Number(header);
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, (at - now) / 1000);
}
