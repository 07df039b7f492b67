import Type, { type Static } from 'typebox';
import type { AttemptedDelivery } from '../db/webhook-deliveries.ts';
import { exampleId } from '../domain/ids.ts';
import { Id, Livemode, listQuery, Nullable, present, Strict, Timestamp } from './common.ts';
import { EventTypeName } from './event.ts';
import { example, madeAt } from './examples.ts';

const DeliveryStatus = Type.Enum(['pending', 'delivered', 'failed'], {
  title: 'WebhookDeliveryStatus',
  description:
    '`pending`: on its way, or between two attempts. `delivered`: the receiver returned a 2xx. `failed`: given up.',
});

const WebhookAttempt = Strict(
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
    event_type: EventTypeName('The type of that event.'),
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

export const deliveryExample = example(WebhookDelivery, {
  id: exampleId('webhook_delivery'),
  event_id: exampleId('event'),
  event_type: 'payment_intent.succeeded',
  endpoint_id: exampleId('webhook_endpoint'),
  status: 'delivered',
  failure_reason: null,
  attempts: [{ at: madeAt, status_code: 200, error: null, duration_ms: 84, response_excerpt: 'ok' }],
  next_attempt_at: null,
  livemode: false,
  created_at: madeAt,
});

export const WebhookDeliveryQuery = Strict({
  ...listQuery,
  status: Type.Optional(
    Type.Enum(['pending', 'delivered', 'failed'], {
      title: 'WebhookDeliveryStatus',
      description: 'Only deliveries with this status.',
    }),
  ),
});
export type WebhookDeliveryQuery = Static<typeof WebhookDeliveryQuery>;

/** A delivery as the API shows it. */
export function presentWebhookDelivery(row: AttemptedDelivery): WebhookDelivery {
  return present(WebhookDelivery, {
    ...row,
    attempts: row.attempts.map((attempt) => present(WebhookAttempt, attempt)),
  });
}
