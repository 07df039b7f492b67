import Type, { type Static } from 'typebox';
import type { WebhookEndpointRow } from '../db/webhook-endpoints.ts';
import { exampleId } from '../domain/ids.ts';
import { Id, Livemode, Nullable, present, Reference, Strict, type Tag, Timestamp } from './common.ts';
import { dueAt, example, madeAt, withExamples } from './examples.ts';

export const webhooks: Tag = {
  name: 'Webhooks',
  description: 'The endpoints that events are posted to, and the result of each delivery.',
};

/** What endpoints receive. It is a section of its own: generators write a file for each section. */
export const webhookEvents: Tag = {
  name: 'Webhook events',
  description: 'What is posted to the endpoints.',
};

const Url = Type.String({
  minLength: 1,
  maxLength: 2048,
  description:
    'Where events are posted: `https`, or in the sandbox also `http`, without credentials or fragment. The host ' +
    'must be public, or, in the sandbox of a service on your machine, `127.0.0.1` or `localhost`. The service checks ' +
    'this now, and again at each connection.',
});
const EventTypes = (otherwise: string) =>
  Type.Array(Type.String({ maxLength: 100 }), {
    minItems: 1,
    maxItems: 100,
    description: `Event types, groups such as \`payment_plan.*\`, or \`*\` for everything. ${otherwise}`,
  });
const Description = Nullable(Type.String({ maxLength: 500 }), { description: 'For your own use.' });

export const WebhookEndpointCreate = withExamples(
  Strict(
    {
      url: Url,
      event_types: Type.Optional(EventTypes('By default everything.')),
      description: Type.Optional(Description),
    },
    { title: 'WebhookEndpointCreate' },
  ),
  {
    some: {
      summary: 'Payments and plans',
      value: {
        url: 'https://hooks.example.com/payments',
        event_types: ['payment_intent.*', 'payment_plan.*'],
        description: 'Bookkeeping',
      },
    },
    all: { summary: 'All events', value: { url: 'https://hooks.example.com/payments' } },
  },
);
export type WebhookEndpointCreate = Static<typeof WebhookEndpointCreate>;

export const WebhookEndpointUpdate = withExamples(
  Strict(
    {
      url: Type.Optional(Url),
      event_types: Type.Optional(EventTypes('Unchanged if left out.')),
      description: Type.Optional(Description),
      status: Type.Optional(
        Type.Enum(['enabled', 'disabled'], {
          title: 'WebhookEndpointStatus',
          description:
            'Disabling ends the pending deliveries. After you enable it again, you can replay what happened in between.',
        }),
      ),
    },
    { title: 'WebhookEndpointUpdate' },
  ),
  {
    enable: { summary: 'Enable it again', value: { status: 'enabled' } },
  },
);
export type WebhookEndpointUpdate = Static<typeof WebhookEndpointUpdate>;

export const SecretRotation = withExamples(
  Strict(
    {
      overlap_hours: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 168,
          description: 'How many hours the old secret keeps signing together with the new one; by default 24.',
        }),
      ),
    },
    { title: 'SecretRotation' },
  ),
  {
    overlap: { summary: 'The old secret keeps signing for two more days', value: { overlap_hours: 48 } },
  },
);
export type SecretRotation = Static<typeof SecretRotation>;

export const WebhookReplay = withExamples(
  Strict(
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
  ),
  {
    failed: {
      summary: 'Everything that was not delivered during one night',
      value: { since: '2027-01-11T20:00:00Z', until: '2027-01-12T06:00:00Z' },
    },
  },
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
example(ReplayResult, { enqueued: 12, has_more: false, last_event_id: exampleId('event') });

export const WebhookEndpoint = Strict(
  {
    id: Id('webhook_endpoint', 'The id of the webhook endpoint.'),
    url: Type.String({ description: 'Where events are posted.' }),
    event_types: Type.Array(Type.String(), { description: 'What it subscribes to: event types, groups, or `*`.' }),
    description: Nullable(Type.String(), { description: 'For your own use.' }),
    status: Type.Enum(['enabled', 'disabled'], {
      title: 'WebhookEndpointStatus',
      description: 'Nothing is sent to a disabled endpoint.',
    }),
    disabled_reason: Nullable(Type.Enum(['requested', 'gone', 'failing'], { title: 'WebhookDisabledReason' }), {
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

export const endpointExample = example(WebhookEndpoint, {
  id: exampleId('webhook_endpoint'),
  url: 'https://hooks.example.com/payments',
  event_types: ['payment_intent.*', 'payment_plan.*'],
  description: 'Bookkeeping',
  status: 'enabled',
  disabled_reason: null,
  verified_at: dueAt,
  livemode: false,
  created_at: madeAt,
  updated_at: madeAt,
});

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
example(DeletedWebhookEndpoint, { id: exampleId('webhook_endpoint'), deleted: true });

/** An endpoint as the API shows it, without its signing secret. */
export function presentWebhookEndpoint(row: WebhookEndpointRow): WebhookEndpoint {
  return present(WebhookEndpoint, row);
}
