import type { Event } from '../generated/models.ts';
import { pause } from '../pause.ts';
import { signWebhook } from '../webhooks.ts';

/** One attempt to post an event. */
export interface Forwarded {
  event_id: string;
  event_type: string;
  sequence: number;
  attempt: number;
  /** The receiver's HTTP status; null if there was no response. */
  status: number | null;
  error: string | null;
  duration_ms: number;
  /** How long the next attempt waits; null if there is none. */
  next_attempt_ms: number | null;
  skipped: boolean;
}

/** As long as the service waits for a receiver. */
const timeoutMs = 15_000;
const firstWaitMs = 200;
const longestWaitMs = 5_000;

/**
 * Returns a function that posts an event until the receiver returns a 2xx, or `attempts` are used up. It yields each
 * attempt. The body and the headers are those of the service's webhooks; each attempt is signed anew.
 */
export function createForwarder(options: { url: URL; secret: string; signal: AbortSignal; attempts: number }) {
  const { url, secret, signal, attempts } = options;
  return async function* forward(event: Event): AsyncGenerator<Forwarded, void, undefined> {
    const body = JSON.stringify(event);
    for (let attempt = 1; ; attempt += 1) {
      const { status, error, duration_ms } = await post(url, body, event.id, secret, signal);
      const isReceived = status !== null && status >= 200 && status < 300;
      const skipped = !isReceived && attempt >= attempts;
      const wait = Math.min(longestWaitMs, firstWaitMs * 2 ** (attempt - 1));
      const next_attempt_ms = isReceived || skipped ? null : wait;
      const { id: event_id, event_type, sequence } = event;
      yield { event_id, event_type, sequence, attempt, status, error, duration_ms, next_attempt_ms, skipped };
      if (next_attempt_ms === null) return;
      await pause(next_attempt_ms, signal);
    }
  };
}

async function post(url: URL, body: string, id: string, secret: string, signal: AbortSignal) {
  const begun = performance.now();
  const duration = () => Math.round(performance.now() - begun);
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'payments-listen/1.0',
    ...signWebhook(body, secret, { id }),
  };
  try {
    const response = await fetch(url, {
      ...{ method: 'POST', body, headers, redirect: 'manual' },
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    await response.body?.cancel();
    return { status: response.status, error: null, duration_ms: duration() };
  } catch (error) {
    signal.throwIfAborted();
    return { status: null, error: reasonOf(error), duration_ms: duration() };
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `no response within ${timeoutMs / 1000} s`;
  const { cause } = error;
  return cause instanceof Error ? cause.message || String(Object(cause).code ?? cause.name) : error.message;
}
