import { eventExample, eventSchemas, pascal } from '../../resources/event.ts';
import { type EventType, eventCatalogue, eventTypes } from '../../resources/event-catalogue.ts';
import { webhookEvents } from '../../resources/webhook-endpoint.ts';
import type { SchemaNode } from '../validation/describe-schema.ts';
import type { SchemaBook } from './schemas.ts';

/**
 * The headers of the Standard Webhooks specification, by name. Each webhook has them in full: oapi-codegen does not
 * write components that only webhooks refer to.
 */
const webhookHeaders = {
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
  const { occasion, example: dataExample } = eventCatalogue[type];
  const example = { ...eventExample, event_type: type, data: dataExample };
  return {
    operationId: `on${pascal(type)}`,
    tags: [webhookEvents.name],
    summary: occasion.split(/[.:;] |\.$/)[0],
    description: occasion,
    parameters: Object.values(webhookHeaders),
    requestBody: {
      required: true,
      content: { 'application/json': { schema: book.refer(eventSchemas[type]), example } },
    },
    responses: {
      '2XX': { description: 'Received. Respond within 15 seconds, and do the work afterwards.' },
      410: { description: 'Gone: the endpoint is disabled.' },
      default: { description: 'Not received. The service tries again: up to ten attempts, over about 76 hours.' },
    },
    security: [],
  };
}
