import type { DeliveryToMake, WebhookDeliveryRow } from '../../db/webhook-deliveries.ts';
import type { DeliveryAbout } from '../../messages/search-attributes.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import { originOf } from '../../platform/redact.ts';

/** The progress of a delivery. Contains only ids, counts, words and an origin: it is kept in workflow histories. */
export interface DeliveryProgress {
  status: 'pending' | 'delivered' | 'failed';
  attempts: number;
  /** The outcome of the last attempt, why the delivery ended, or why an attempt was not made; in a few words. */
  lastAnswer: string;
  /** Real time, ISO 8601. Null if no attempt follows. */
  nextAttemptAt: string | null;
  /** Milliseconds until `nextAttemptAt`. */
  waitMs: number;
  /** The attempt was not made, because it is not the endpoint's turn. */
  isTurnedAway?: true;
  /** Scheme, host and port of the endpoint. */
  goesTo: string;
  about: DeliveryAbout;
}

/** Returns the progress after an attempt, or without one; `outcome` says in a few words why. */
export function progressOf(
  row: Omit<WebhookDeliveryRow, 'event_type'>,
  made: DeliveryToMake,
  outcome: string,
  now: RealInstant,
): DeliveryProgress {
  return {
    status: row.status,
    attempts: row.attempt_count,
    lastAnswer: row.failure_reason ?? outcome,
    nextAttemptAt: row.next_attempt_at?.toISOString() ?? null,
    waitMs: Math.max(0, (row.next_attempt_at ?? now).getTime() - now.getTime()),
    goesTo: originOf(made.endpoint.url),
    about: {
      billerId: made.biller_id,
      livemode: made.livemode,
      eventType: made.event_type,
      endpointId: made.endpoint_id,
      testClockId: made.event.test_clock_id,
    },
  };
}

/** A first attempt that has failed. */
interface FailedAttempt {
  id: string;
  error: string;
}

/** What a batch has done. Contains only ids, counts, words and origins: it is kept in workflow histories. */
export interface BatchProgress {
  /** The first of those that were attempted. */
  attempted: string[];
  delivered: number;
  /** How many were attempted and not delivered. Those with attempts left have workflows of their own. */
  failed: number;
  /** How many were not sent, and have workflows of their own. */
  handedOver: number;
  /** The first of those that failed. */
  failures: FailedAttempt[];
  /** The endpoints that the batch has sent to, with scheme, host and port. */
  endpoints: { id: string; goesTo: string }[];
}

/** How many failures and endpoints are listed, and how many deliveries. */
const listed = 10;
export const mostListed = 500;

/** Returns the progress of a batch that has done nothing yet. */
export function newProgress(): BatchProgress {
  return { attempted: [], delivered: 0, failed: 0, handedOver: 0, failures: [], endpoints: [] };
}

/** Adds attempts that were recorded. */
export function addAttempts(progress: BatchProgress, made: readonly { id: string; error: string | null }[]): void {
  for (const { id, error } of made) {
    if (progress.attempted.length < mostListed) progress.attempted.push(id);
    if (error === null) {
      progress.delivered += 1;
    } else {
      progress.failed += 1;
      if (progress.failures.length < listed) progress.failures.push({ id, error });
    }
  }
}

/** Adds the endpoint of a delivery that the batch sends. */
export function addEndpoint({ endpoints }: BatchProgress, { endpoint_id: id, endpoint }: DeliveryToMake): void {
  if (endpoints.length < listed && !endpoints.some((known) => known.id === id)) {
    endpoints.push({ id, goesTo: originOf(endpoint.url) });
  }
}
