import Type from 'typebox';
import { type EventType, eventTypes } from '../../domain/event-types.ts';
import { Strict } from '../../resources/common.ts';
import { Event } from '../../resources/event.ts';
import { eventData } from '../../resources/event-data.ts';
import type { SchemaNode } from '../validation/describe-schema.ts';
import { eventDataExamples, exampleEvent } from './examples.ts';
import type { SchemaBook } from './schemas.ts';

/** When each type of event is sent. The first sentence is the summary. */
const occasions: Readonly<Record<EventType, string>> = {
  'payment_intent.succeeded': 'A payment was collected, a plan’s too. This is what completes a payment.',
  'payment_intent.failed':
    'An attempt to charge has failed, a plan’s or a scheduled one too. `will_retry` tells whether the plan tries again by ' +
    'itself, and `next_attempt_at` when.',
  'payment_intent.canceled': 'A payment intent was canceled.',
  'payment_intent.requires_action': 'The payer has to authenticate the payment (3D Secure).',
  'payment_plan.activated': 'A plan has become active.',
  'payment_plan.suspended': 'A plan was suspended: by request, or for a payment that failed (`state_reason`).',
  'payment_plan.deactivated': 'A plan was ended.',
  'payment_plan.closed': 'A plan was closed: by request, or since its total was collected.',
  'refund.succeeded': 'A refund was made.',
  'refund.failed': 'A refund has failed.',
  'test_clock.created': 'A test clock was created.',
  'test_clock.advancing': 'An advance of a test clock was accepted; `target_time` is where it goes.',
  'test_clock.ready': 'An advance is complete: every effect of it is committed. `effects_manifest` counts them.',
  'test_clock.deleted': 'A test clock was deleted, on request or 30 days after its creation, with all that it had.',
  'webhook_endpoint.ping': 'A test of this endpoint was asked for. Returning `challenge` verifies the endpoint.',
  'webhook_endpoint.disabled': 'Another endpoint of yours was disabled, since it answered 410 or failed for five days.',
};

/** The headers of the Standard Webhooks specification, by component name. */
export const webhookHeaders = {
  WebhookId: {
    name: 'webhook-id',
    in: 'header',
    required: true,
    description: 'The id of the event: the same on every attempt.',
    schema: { type: 'string' },
  },
  WebhookTimestamp: {
    name: 'webhook-timestamp',
    in: 'header',
    required: true,
    description: 'The real time of this attempt, in seconds since 1970. Refuse what is older than five minutes.',
    schema: { type: 'string', pattern: '^[0-9]+$' },
  },
  WebhookSignature: {
    name: 'webhook-signature',
    in: 'header',
    required: true,
    description:
      'Signatures, separated by spaces: `v1,` and the base64 of the HMAC-SHA256 of `<id>.<timestamp>.<body>`, the body byte ' +
      'for byte as it came. The key is what stands in base64 behind `whsec_` in the endpoint’s secret. One valid signature is ' +
      'enough.',
    schema: { type: 'string' },
  },
};

/** Builds the `webhooks` section: the requests that subscribed endpoints receive, one entry per event type. */
export function webhooksOf(book: SchemaBook): Record<string, SchemaNode> {
  return Object.fromEntries(eventTypes.map((type) => [type, { post: webhookOf(type, book) }]));
}

function webhookOf(type: EventType, book: SchemaBook): SchemaNode {
  const name = pascal(type);
  const payload = Strict(
    { ...Event.properties, event_type: Type.Literal(type), data: eventData[type] },
    { title: `${name}Event` },
  );
  const example = { ...exampleEvent, event_type: type, data: eventDataExamples[type] };
  return {
    operationId: `on${name}`,
    tags: ['Webhooks'],
    summary: occasions[type].split(/[.:;] |\.$/)[0],
    description: occasions[type],
    parameters: Object.keys(webhookHeaders).map((header) => ({ $ref: `#/components/parameters/${header}` })),
    requestBody: { required: true, content: { 'application/json': { schema: book.refer(payload), example } } },
    responses: {
      '2XX': { description: 'Received. Answer within 15 seconds, and do the work afterwards.' },
      410: { description: 'Gone: the endpoint is disabled.' },
      default: { description: 'Not received: it is tried again, up to ten times in all, over about 76 hours.' },
    },
    security: [],
  };
}

function pascal(type: string): string {
  return type.replace(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
