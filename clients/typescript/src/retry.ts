import { ApiError, ConnectionError } from './errors.ts';

const firstDelayMs = 500;
const longestDelayMs = 8_000;
/** A service that asks for more is told of as it is: nobody wants a call that takes an hour. */
const longestRetryAfterSeconds = 60;

/**
 * How long to wait before a request is sent again that has failed like this, in milliseconds; null when sending it again is
 * of no use. `retries` is how often it was sent again already.
 *
 * Every request may be repeated without a second effect: GET, PUT and DELETE by their nature, a POST by its
 * Idempotency-Key. The waits grow exponentially, with full jitter, so that clients that failed together come back apart; a
 * `Retry-After` is the least that is waited.
 */
export function delayBeforeRetry(error: unknown, retries: number, random = Math.random): number | null {
  if (!mayPass(error)) return null;
  const jitter = random() * Math.min(longestDelayMs, firstDelayMs * 2 ** retries);
  const asked = error instanceof ApiError ? (error.retryAfterSeconds ?? 0) : 0;
  return asked > longestRetryAfterSeconds ? null : asked * 1000 + jitter;
}

/** Whether the same request may get another answer in a moment. */
function mayPass(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  if (!(error instanceof ApiError)) return false;
  const { status, code, retryAfterSeconds } = error;
  // Of its own 503s the service says with Retry-After which pass; `processor_not_configured` and the like do not.
  if (status === 503) return code === undefined || retryAfterSeconds !== undefined;
  return [408, 429, 500, 502, 504].includes(status) || code === 'idempotency_key_in_use';
}

/** The seconds of a `Retry-After` header, which has them or a date. */
export function readRetryAfter(header: string | null, now = Date.now()): number | undefined {
  if (header === null) return undefined;
  if (/^\s*\d+\s*$/.test(header)) return Number(header);
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, (at - now) / 1000);
}
