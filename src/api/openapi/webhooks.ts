import Type from 'typebox';
import { type EventType, eventTypes } from '../../domain/event-types.ts';
import { Strict } from '../../resources/common.ts';
import { Event } from '../../resources/event.ts';
import { eventData } from '../../resources/event-data.ts';
import type { SchemaNode } from '../http/describe-schema.ts';
import { eventDataExamples, exampleEvent } from './examples.ts';
import type { SchemaBook } from './schemas.ts';

/** When each type of event is sent. The first sentence is the summary. */
const occasions: Readonly<Record<EventType, string>> = {
  'payment_intent.succeeded': 'A payment was collected, including payments of plans. This event completes a payment.',
  'payment_intent.failed':
    'An attempt to charge failed, including attempts of plans and scheduled payments. `will_retry` says whether ' +
    'the plan tries again, and `next_attempt_at` when.',
  'payment_intent.canceled': 'A payment intent was canceled.',
  'payment_intent.requires_action': 'The payer must authenticate the payment (3D Secure).',
  'payment_plan.activated': 'A plan became active.',
  'payment_plan.suspended': 'A plan was suspended, on request or because a payment failed (`state_reason`).',
  'payment_plan.deactivated': 'A plan was deactivated.',
  'payment_plan.closed':
    'A plan was closed: on request, with its customer, or because its total was collected (`state_reason`).',
  'refund.succeeded': 'A refund succeeded.',
  'refund.failed': 'A refund failed.',
  'test_clock.created': 'A test clock was created.',
  'test_clock.advancing': 'An advance of a test clock was accepted. `target_time` is its target.',
  'test_clock.ready': 'An advance is complete: all its effects are committed. `effects_manifest` counts them.',
  'test_clock.deleted': 'A test clock was deleted with all its objects, on request or 30 days after its creation.',
  'webhook_endpoint.ping': 'A ping of this endpoint was requested. Return `challenge` to verify the endpoint.',
  'webhook_endpoint.disabled':
    'Another of your endpoints was disabled, because it returned 410 or failed for five days.',
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
    description:
      'The real time of this attempt, in seconds since 1970. Refuse a timestamp that is more than five minutes off.',
    schema: { type: 'string', pattern: '^[0-9]+$' },
  },
  WebhookSignature: {
    name: 'webhook-signature',
    in: 'header',
    required: true,
    description:
      'Signatures, separated by spaces. Each is `v1,` and the base64 of the HMAC-SHA256 of ' +
      '`<id>.<timestamp>.<body>`, with the body byte for byte as received. The key is the base64 text after ' +
      '`whsec_` in the endpoint’s secret. One valid signature is enough.',
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
      '2XX': { description: 'Received. Respond within 15 seconds, and do the work afterwards.' },
      410: { description: 'Gone: the endpoint is disabled.' },
      default: { description: 'Not received. The service tries again: up to ten attempts, over about 76 hours.' },
    },
    security: [],
  };
}

function pascal(type: string): string {
  return type.replace(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
