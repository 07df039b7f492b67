import Type, { type Static } from 'typebox';
import type { AttemptedDelivery, WebhookAttemptRow } from '../db/webhook-deliveries.ts';
import { eventTypes } from '../domain/event-types.ts';
import { Id, instant, Livemode, listQuery, Nullable, Strict, Timestamp } from './common.ts';

const DeliveryStatus = Type.Enum(['pending', 'delivered', 'failed'], {
  description:
    '`pending`: on its way, or between two attempts. `delivered`: the receiver returned a 2xx. `failed`: given up.',
});

export const WebhookAttempt = Strict(
  {
    at: Timestamp,
    status_code: Nullable(Type.Integer(), { description: 'The HTTP status of the response; null if there was none.' }),
    error: Nullable(Type.String(), { description: 'Why it failed; null if it succeeded.' }),
    duration_ms: Type.Integer({ description: 'How long it took, in milliseconds.' }),
    response_excerpt: Nullable(Type.String(), {
      description:
        'The first 2 KiB of the response. Null without a response, and for a key that may not read the event.',
    }),
  },
  { title: 'WebhookAttempt' },
);

export const WebhookDelivery = Strict(
  {
    id: Id('webhook_delivery', 'The id of the delivery.'),
    event_id: Type.String({ description: 'The event that is delivered. Its id is the `webhook-id` of every attempt.' }),
    event_type: Type.Enum([...eventTypes], { description: 'The type of that event.' }),
    endpoint_id: Type.String({ description: 'The endpoint that it is delivered to.' }),
    status: DeliveryStatus,
    failure_reason: Nullable(Type.String(), {
      description: 'Why it was given up: all attempts were used, or the endpoint was disabled or deleted.',
    }),
    attempts: Type.Array(WebhookAttempt, { description: 'Oldest first.' }),
    next_attempt_at: Nullable(Timestamp, {
      description: 'When the next attempt is due. Like all times here, in real time.',
    }),
    livemode: Livemode,
    created_at: Timestamp,
  },
  { title: 'WebhookDelivery' },
);
export type WebhookDelivery = Static<typeof WebhookDelivery>;

export const WebhookDeliveryQuery = Strict({
  ...listQuery,
  status: Type.Optional(
    Type.Enum(['pending', 'delivered', 'failed'], { description: 'Only deliveries with this status.' }),
  ),
});
export type WebhookDeliveryQuery = Static<typeof WebhookDeliveryQuery>;

/** A delivery as the API shows it. */
export function presentWebhookDelivery(row: AttemptedDelivery): WebhookDelivery {
  return {
    id: row.id,
    event_id: row.event_id,
    event_type: row.event_type,
    endpoint_id: row.endpoint_id,
    status: row.status,
    failure_reason: row.failure_reason,
    attempts: row.attempts.map(presentAttempt),
    next_attempt_at: instant(row.next_attempt_at),
    livemode: row.livemode,
    created_at: instant(row.created_at),
  };
}

function presentAttempt(row: WebhookAttemptRow): Static<typeof WebhookAttempt> {
  return {
    at: instant(row.at),
    status_code: row.status_code,
    error: row.error,
    duration_ms: row.duration_ms,
    response_excerpt: row.response_excerpt,
  };
}
