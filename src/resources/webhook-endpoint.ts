import Type, { type Static } from 'typebox';
import type { WebhookEndpointRow } from '../db/webhook-endpoints.ts';
import { Id, instant, Livemode, Nullable, Reference, Strict, Timestamp } from './common.ts';

const Url = Type.String({
  minLength: 1,
  maxLength: 2048,
  description:
    'Where events are posted: `https`, or in the sandbox also `http`, without credentials or fragment. The host ' +
    'must be public. The service checks this now, and again at each connection.',
});
const EventTypes = (otherwise: string) =>
  Type.Array(Type.String({ maxLength: 100 }), {
    minItems: 1,
    maxItems: 100,
    description: `Event types, groups such as \`payment_plan.*\`, or \`*\` for everything. ${otherwise}`,
  });
const Description = Nullable(Type.String({ maxLength: 500 }), { description: 'For your own use.' });

export const WebhookEndpointCreate = Strict(
  {
    url: Url,
    event_types: Type.Optional(EventTypes('By default everything.')),
    description: Type.Optional(Description),
  },
  { title: 'WebhookEndpointCreate' },
);
export type WebhookEndpointCreate = Static<typeof WebhookEndpointCreate>;

export const WebhookEndpointUpdate = Strict(
  {
    url: Type.Optional(Url),
    event_types: Type.Optional(EventTypes('Unchanged if left out.')),
    description: Type.Optional(Description),
    status: Type.Optional(
      Type.Enum(['enabled', 'disabled'], {
        description:
          'Disabling ends the pending deliveries. After you enable it again, you can replay what happened in between.',
      }),
    ),
  },
  { title: 'WebhookEndpointUpdate' },
);
export type WebhookEndpointUpdate = Static<typeof WebhookEndpointUpdate>;

export const SecretRotation = Strict(
  {
    overlap_hours: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 168,
        description: 'How many hours the old secret keeps signing beside the new one; by default 24.',
      }),
    ),
  },
  { title: 'SecretRotation' },
);
export type SecretRotation = Static<typeof SecretRotation>;

export const WebhookReplay = Strict(
  {
    since: Type.String({ format: 'date-time', description: 'Only events from this real time on.' }),
    until: Type.Optional(
      Type.String({ format: 'date-time', description: 'Only events up to this real time; by default until now.' }),
    ),
    status: Type.Optional(
      Type.Enum(['failed', 'all'], {
        description: '`failed`, the default: what was not delivered. `all`: also what was delivered.',
      }),
    ),
    starting_after: Type.Optional(
      Reference(
        'Only events after this one. Pass `last_event_id` of the previous replay while that returns `has_more`.',
      ),
    ),
  },
  { title: 'WebhookReplay' },
);
export type WebhookReplay = Static<typeof WebhookReplay>;

export const ReplayResult = Strict(
  {
    enqueued: Type.Integer({ description: 'How many deliveries were created, the oldest events first.' }),
    has_more: Type.Boolean({
      description:
        'Whether the range may hold more than this replay took (10,000, or what was left of the hourly budget). ' +
        'If so, replay again with `starting_after`.',
    }),
    last_event_id: Nullable(Id('event', 'The last event that this replay delivers; null if there is none.')),
  },
  { title: 'ReplayResult' },
);
export type ReplayResult = Static<typeof ReplayResult>;

export const WebhookEndpoint = Strict(
  {
    id: Id('webhook_endpoint', 'The id of the webhook endpoint.'),
    url: Type.String({ description: 'Where events are posted.' }),
    event_types: Type.Array(Type.String(), { description: 'What it subscribes to: event types, groups, or `*`.' }),
    description: Nullable(Type.String(), { description: 'For your own use.' }),
    status: Type.Enum(['enabled', 'disabled'], { description: 'Nothing is sent to a disabled endpoint.' }),
    disabled_reason: Nullable(Type.Enum(['requested', 'gone', 'failing']), {
      description: '`requested`: by you. `gone`: it returned 410. `failing`: five days of nothing but failure.',
    }),
    verified_at: Nullable(Timestamp, {
      description:
        'When the receiver first returned the challenge of a ping from this URL. Null until then, and again ' +
        'after the URL changes. In live mode, nothing is replayed to an unverified endpoint.',
    }),
    livemode: Livemode,
    created_at: Timestamp,
    updated_at: Timestamp,
    secret: Type.Optional(
      Type.String({ description: 'The signing secret (Standard Webhooks). Shown only when it is created or rotated.' }),
    ),
  },
  { title: 'WebhookEndpoint' },
);
export type WebhookEndpoint = Static<typeof WebhookEndpoint>;

/** The data of a ping event. */
export const PingedWebhookEndpoint = Strict(
  {
    ...WebhookEndpoint.properties,
    challenge: Type.Optional(
      Type.String({
        description:
          'Return it to verify the endpoint: as `{"challenge": …}` or as the bare text of a 2xx response. Each ' +
          'attempt has its own. It is only in the webhook, not in `GET /events`.',
      }),
    ),
  },
  { title: 'PingedWebhookEndpoint' },
);

export const DeletedWebhookEndpoint = Strict(
  { id: Type.String({ description: 'The id of the deleted endpoint.' }), deleted: Type.Literal(true) },
  { title: 'DeletedWebhookEndpoint' },
);
export type DeletedWebhookEndpoint = Static<typeof DeletedWebhookEndpoint>;

/** An endpoint as the API shows it, without its signing secret. */
export function presentWebhookEndpoint(row: WebhookEndpointRow): WebhookEndpoint {
  return {
    id: row.id,
    url: row.url,
    event_types: row.event_types,
    description: row.description,
    status: row.status,
    disabled_reason: row.disabled_reason,
    verified_at: instant(row.verified_at),
    livemode: row.livemode,
    created_at: instant(row.created_at),
    updated_at: instant(row.updated_at),
  };
}
