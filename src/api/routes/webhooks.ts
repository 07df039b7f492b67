import { ListOf, listQuery, page, Strict } from '../../resources/common.ts';
import {
  deliveryExample,
  presentWebhookDelivery,
  WebhookDelivery,
  WebhookDeliveryQuery,
} from '../../resources/webhook-delivery.ts';
import {
  DeletedWebhookEndpoint,
  endpointExample,
  presentWebhookEndpoint,
  ReplayResult,
  SecretRotation,
  WebhookEndpoint,
  WebhookEndpointCreate,
  WebhookEndpointUpdate,
  WebhookReplay,
  webhooks,
} from '../../resources/webhook-endpoint.ts';
import {
  getWebhookDelivery,
  listWebhookDeliveries,
  pingWebhookEndpoint,
  replayWebhookDeliveries,
  retryWebhookDelivery,
} from '../../services/webhooks/deliveries.ts';
import {
  checkWebhookEndpoint,
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  type EndpointWithSecret,
  getWebhookEndpoint,
  listWebhookEndpoints,
  rotateSecret,
  updateWebhookEndpoint,
} from '../../services/webhooks/endpoints.ts';
import {
  assertMayChangeEndpoint,
  assertMayReadDelivered,
  assertMayReadEvents,
  assertMayReadEventsOf,
  eventScopesInWords,
} from '../../services/webhooks/event-scopes.ts';
import { type Route, route } from '../http/route.ts';

/** For operations that send events: a key must not obtain, through an endpoint, events that it may not read. */
const readsEvents = 'The key must also be able to read the events of the endpoint';
/** Applies in addition to the key's rate limit. */
const replayLimit =
  'The key has exceeded its rate limit. Or replays, retries and pings to the endpoint’s host have reached 20,000 ' +
  'deliveries an hour for the account and mode (`webhook_replay_limit`). Hosts with the same last two labels ' +
  'count as one, whatever the port.';
const secret = 'whsec_c2VjcmV0IG9mIGFuIGVuZHBvaW50LCAzMiBieXRlcy4=';
const reading = { scope: 'webhooks:read' } as const;
const writing = { scope: 'webhooks:write' } as const;

export const webhookRoutes: Route[] = [
  route({
    method: 'POST',
    path: '/api/v1/webhook_endpoints',
    operation: 'createWebhookEndpoint',
    tag: webhooks,
    summary: 'Register a webhook endpoint',
    description:
      'Events are posted as JSON and signed by Standard Webhooks (`webhook-id`, `webhook-timestamp`, ' +
      '`webhook-signature`). The signing `secret` is in this response and is not shown again. `webhook-id` is the ' +
      'event’s id on every attempt. Only a 2xx response within 15 seconds is success. Redirects are not followed.\n\n' +
      'After a failure, the next attempts come 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h later, each ' +
      'give or take a tenth. `Retry-After` can make a wait longer, to at most 24 h. A 410 response, or five days of ' +
      'nothing but failure, disables the endpoint. Each mode has at most 16 endpoints.\n\n' +
      `${readsEvents}: ${eventScopesInWords}. \`*\`, the default, needs \`events:read\`.`,
    access: writing,
    assertScopes: (scopes, { body }) => assertMayReadEvents(scopes, body.event_types ?? ['*']),
    invalid: 422,
    bodyLimit: {
      kib: 64,
      since: 'a URL has up to 2,048 characters, each of up to 12 bytes, and there are 100 event types',
    },
    body: WebhookEndpointCreate,
    response: { status: 201, schema: WebhookEndpoint, example: { ...endpointExample, verified_at: null, secret } },
    prepare: ({ context, body, deps }) => checkWebhookEndpoint(context, body, deps.outbound),
    handle: async ({ context, body, deps }) => withSecret(await createWebhookEndpoint(deps.db, context, body, deps)),
  }),
  route({
    method: 'GET',
    path: '/api/v1/webhook_endpoints',
    operation: 'listWebhookEndpoints',
    tag: webhooks,
    summary: 'List webhook endpoints, newest first',
    access: reading,
    invalid: 422,
    query: Strict(listQuery),
    response: { status: 200, schema: ListOf(WebhookEndpoint) },
    handle: async ({ context, query, deps }) =>
      page(await listWebhookEndpoints(deps.db, context, query), presentWebhookEndpoint),
  }),
  route({
    method: 'GET',
    path: '/api/v1/webhook_endpoints/:webhook_endpoint_id',
    operation: 'getWebhookEndpoint',
    tag: webhooks,
    summary: 'Fetch a webhook endpoint',
    access: reading,
    invalid: 422,
    response: { status: 200, schema: WebhookEndpoint },
    handle: async ({ context, params, deps }) =>
      presentWebhookEndpoint(await getWebhookEndpoint(deps.db, context, params.webhook_endpoint_id)),
  }),
  route({
    method: 'PUT',
    path: '/api/v1/webhook_endpoints/:webhook_endpoint_id',
    operation: 'updateWebhookEndpoint',
    tag: webhooks,
    summary: 'Change, enable or disable a webhook endpoint',
    description:
      'Enabling an endpoint does not send what it missed. Use replay for that.\n\n' +
      `${readsEvents} to change \`url\` or \`event_types\` or to enable it: see *Register a webhook endpoint*.`,
    access: writing,
    assertScopes: (scopes, { context, params, body, db }) =>
      assertMayChangeEndpoint(db, context, scopes, params.webhook_endpoint_id, body),
    invalid: 422,
    bodyLimit: {
      kib: 64,
      since: 'a URL has up to 2,048 characters, each of up to 12 bytes, and there are 100 event types',
    },
    body: WebhookEndpointUpdate,
    response: { status: 200, schema: WebhookEndpoint },
    handle: async ({ context, params, body, deps }) =>
      presentWebhookEndpoint(await updateWebhookEndpoint(deps.db, context, params.webhook_endpoint_id, body, deps)),
  }),
  route({
    method: 'DELETE',
    path: '/api/v1/webhook_endpoints/:webhook_endpoint_id',
    operation: 'deleteWebhookEndpoint',
    tag: webhooks,
    summary: 'Delete a webhook endpoint',
    description: 'Its pending deliveries become `failed`. Its deliveries stay readable.',
    access: writing,
    invalid: 422,
    response: { status: 200, schema: DeletedWebhookEndpoint },
    handle: async ({ context, params: { webhook_endpoint_id: id }, deps }) => {
      await deleteWebhookEndpoint(deps.db, context, id);
      return { id, deleted: true as const };
    },
  }),
  route({
    method: 'POST',
    path: '/api/v1/webhook_endpoints/:webhook_endpoint_id/rotate_secret',
    operation: 'rotateWebhookSecret',
    tag: webhooks,
    summary: 'Replace the signing secret',
    description:
      'While the old secret is valid, `webhook-signature` has a signature by each secret, separated by a space.',
    access: writing,
    invalid: 422,
    body: SecretRotation,
    response: { status: 200, schema: WebhookEndpoint, example: { ...endpointExample, secret } },
    handle: async ({ context, params, body, deps }) =>
      withSecret(await rotateSecret(deps.db, context, params.webhook_endpoint_id, body, deps)),
  }),
  route({
    method: 'POST',
    path: '/api/v1/webhook_endpoints/:webhook_endpoint_id/ping',
    operation: 'pingWebhookEndpoint',
    tag: webhooks,
    summary: 'Send a test event',
    description:
      'Sends a `webhook_endpoint.ping` to this endpoint alone, whatever it subscribes to. Returns the delivery. ' +
      'Fetch it again to see the result. Each attempt has a `challenge` in its `data`. To verify the endpoint ' +
      '(`verified_at`), the receiver returns the challenge, as `{"challenge": …}` or as the bare text, within ' +
      'the first 2 KiB of a 2xx response.',
    access: writing,
    invalid: 422,
    errors: { 429: replayLimit },
    response: {
      status: 200,
      schema: WebhookDelivery,
      example: { ...deliveryExample, event_type: 'webhook_endpoint.ping', status: 'pending', attempts: [] },
    },
    handle: async ({ context, params, deps }) =>
      presentWebhookDelivery(await pingWebhookEndpoint(deps.db, context, params.webhook_endpoint_id)),
  }),
  route({
    method: 'GET',
    path: '/api/v1/webhook_endpoints/:webhook_endpoint_id/deliveries',
    operation: 'listWebhookDeliveries',
    tag: webhooks,
    summary: 'List the deliveries to an endpoint, newest first',
    access: reading,
    invalid: 422,
    query: WebhookDeliveryQuery,
    response: { status: 200, schema: ListOf(WebhookDelivery) },
    handle: async ({ context, key, params, query, deps }) =>
      page(
        await listWebhookDeliveries(deps.db, context, params.webhook_endpoint_id, query, key.scopes),
        presentWebhookDelivery,
      ),
  }),
  route({
    method: 'POST',
    path: '/api/v1/webhook_endpoints/:webhook_endpoint_id/replay',
    operation: 'replayWebhookDeliveries',
    tag: webhooks,
    summary: 'Deliver the events of a time range again',
    description:
      'Delivers events that the endpoint subscribes to and has not received, also from while it was disabled. ' +
      'With `all`, also those that it has received. Events keep their ids, so a receiver can recognise a ' +
      'repeated one.\n\nA live endpoint must be verified first: ping it. The sandbox needs no verification.\n\n' +
      `${readsEvents}: see *Register a webhook endpoint*.`,
    access: writing,
    assertScopes: (scopes, { context, params, db }) =>
      assertMayReadEventsOf(db, context, scopes, params.webhook_endpoint_id),
    invalid: 422,
    errors: { 429: replayLimit },
    body: WebhookReplay,
    response: { status: 200, schema: ReplayResult },
    handle: async ({ context, params, body, deps }) => {
      const id = params.webhook_endpoint_id;
      const { enqueued, hasMore, lastEventId } = await replayWebhookDeliveries(deps.db, context, id, body);
      return { enqueued, has_more: hasMore, last_event_id: lastEventId };
    },
  }),
  route({
    method: 'GET',
    path: '/api/v1/webhook_deliveries/:webhook_delivery_id',
    operation: 'getWebhookDelivery',
    tag: webhooks,
    summary: 'Fetch a delivery with every attempt',
    access: reading,
    invalid: 422,
    response: { status: 200, schema: WebhookDelivery },
    handle: async ({ context, key, params, deps }) =>
      presentWebhookDelivery(await getWebhookDelivery(deps.db, context, params.webhook_delivery_id, key.scopes)),
  }),
  route({
    method: 'POST',
    path: '/api/v1/webhook_deliveries/:webhook_delivery_id/retry',
    operation: 'retryWebhookDelivery',
    tag: webhooks,
    summary: 'Deliver again, now',
    description:
      'A pending delivery is attempted now, without waiting for its next attempt. A delivered or failed one ' +
      'starts the schedule again. The endpoint must be enabled.\n\nThe key must also be able to read the event: ' +
      'see *Register a webhook endpoint*.',
    access: writing,
    assertScopes: (scopes, { context, params, db }) =>
      assertMayReadDelivered(db, context, scopes, params.webhook_delivery_id),
    invalid: 422,
    errors: { 429: replayLimit },
    response: { status: 200, schema: WebhookDelivery },
    handle: async ({ context, params, deps }) =>
      presentWebhookDelivery(await retryWebhookDelivery(deps.db, context, params.webhook_delivery_id)),
  }),
];

/** Presents an endpoint with its new signing secret. No other response contains a secret. */
function withSecret(endpoint: EndpointWithSecret): WebhookEndpoint {
  return { ...presentWebhookEndpoint(endpoint), secret: endpoint.secret };
}
