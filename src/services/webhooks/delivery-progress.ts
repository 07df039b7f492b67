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
  row: WebhookDeliveryRow,
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

/** Returns the progress of a delivery whose attempt was not made but postponed. */
export function progressTurnedAway(postponed: DeliveryToMake, reason: string, now: RealInstant): DeliveryProgress {
  return { ...progressOf(postponed, postponed, `not sent, because ${reason}`, now), isTurnedAway: true };
}
