import { WebhookDelivery } from '../../resources/webhook-delivery.ts';
import { findWebhookDelivery, retryWebhookDelivery } from '../../services/webhooks/deliveries.ts';
import { type Route, route } from '../http/route.ts';
import { replayLimit } from './webhook-endpoints.ts';

const tag = 'Webhooks';

export const webhookDeliveryRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/api/v1/webhook_deliveries/:webhook_delivery_id',
    operation: 'getWebhookDelivery',
    tag,
    summary: 'Fetch a delivery with every attempt',
    access: { scope: 'webhooks:read' },
    invalid: 422,
    response: { status: 200, schema: WebhookDelivery },
    handle: ({ call, key, params, deps }) =>
      findWebhookDelivery(deps.sql, call, params.webhook_delivery_id, key.scopes),
  }),
  route({
    method: 'POST',
    path: '/api/v1/webhook_deliveries/:webhook_delivery_id/retry',
    operation: 'retryWebhookDelivery',
    tag,
    summary: 'Deliver again, now',
    description:
      'A pending delivery is attempted now, without waiting for its next attempt. A delivered or failed one ' +
      'starts the schedule again. The endpoint must be enabled.\n\nThe key must also be able to read the event: ' +
      'see *Register a webhook endpoint*.',
    access: { scope: 'webhooks:write' },
    invalid: 422,
    errors: { 429: replayLimit },
    response: { status: 200, schema: WebhookDelivery },
    handle: ({ call, key, params, deps }) =>
      retryWebhookDelivery(deps.sql, call, params.webhook_delivery_id, key.scopes),
  }),
];
