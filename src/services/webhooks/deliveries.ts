import { selectEvent } from '../../db/events.ts';
import * as store from '../../db/webhook-deliveries.ts';
import { lockWebhookEndpoint, selectWebhookEndpoint, type WebhookEndpointRow } from '../../db/webhook-endpoints.ts';
import { redeliver, replayDeliveries } from '../../db/webhook-redeliveries.ts';
import type { Db, Tx, Writer } from '../../platform/postgres/connection.ts';
import { atomically } from '../../platform/postgres/transaction.ts';
import { realInstant } from '../../platform/real-time.ts';
import type { WebhookDeliveryQuery } from '../../resources/webhook-delivery.ts';
import type { WebhookReplay } from '../../resources/webhook-endpoint.ts';
import { InvalidState, NotFound, orNotFound, ValidationFailed } from '../errors.ts';
import { endpointEvent, record, transact, writeRecorded } from '../events.ts';
import { pageOf, type Rows } from '../paging.ts';
import type { RequestContext, Tenant } from '../request-context.ts';
import { assertVerified } from './challenge.ts';
import { mayReadEvents } from './event-scopes.ts';
import { withinReplayBudget } from './replay-budget.ts';

/**
 * Limits the size of one transaction and of one burst on a receiver. The response says whether there is more, and from
 * where to continue.
 */
const maxReplayed = 10_000;

/** How many deliveries a replay has made, and the event to continue from. */
interface Replayed {
  enqueued: number;
  hasMore: boolean;
  lastEventId: string | null;
}

/**
 * Returns a page of an endpoint's deliveries with their attempts, newest first, as a key with these scopes may see
 * them.
 * @throws NotFound for an unknown endpoint; BadRequest if the cursor is not the id of a delivery.
 */
export async function listWebhookDeliveries(
  db: Db,
  tenant: Tenant,
  endpointId: string,
  query: WebhookDeliveryQuery,
  scopes: readonly string[],
): Promise<Rows<store.AttemptedDelivery>> {
  orNotFound(await selectWebhookEndpoint(db, tenant, endpointId), 'webhook endpoint', endpointId);
  const page = await pageOf(db, 'webhook_deliveries', tenant, query);
  const rows = await store.listDeliveries(db, endpointId, { status: query.status }, page);
  return { rows: rows.map((row) => visibleTo(scopes, row)), limit: page.limit };
}

/**
 * Returns a delivery with all its attempts, as a key with these scopes may see it. Deliveries of a deleted endpoint can
 * still be read.
 * @throws NotFound
 */
export async function getWebhookDelivery(
  db: Db,
  tenant: Tenant,
  id: string,
  scopes: readonly string[],
): Promise<store.AttemptedDelivery> {
  return visibleTo(scopes, await wholeDelivery(db, tenant, id));
}

/** @throws NotFound */
async function wholeDelivery(db: Db, tenant: Tenant, id: string): Promise<store.AttemptedDelivery> {
  return orNotFound(await store.selectDelivery(db, tenant, id), 'webhook delivery', id);
}

/** The receiver's response may repeat the event, so only keys that may read the event see the excerpt. */
function visibleTo(scopes: readonly string[], delivery: store.AttemptedDelivery): store.AttemptedDelivery {
  if (mayReadEvents(scopes, delivery.event_type)) return delivery;
  return { ...delivery, attempts: delivery.attempts.map((attempt) => ({ ...attempt, response_excerpt: null })) };
}

/**
 * Delivers again now. A pending delivery does not wait for its next attempt; an ended one starts a fresh series of
 * attempts.
 * @throws NotFound; InvalidState if the endpoint is disabled or deleted; WebhookReplayLimit.
 */
export async function retryWebhookDelivery(
  db: Writer,
  context: RequestContext,
  id: string,
): Promise<store.AttemptedDelivery> {
  return atomically(db, async (tx) => {
    const { endpoint_id } = await wholeDelivery(tx, context, id);
    const endpoint = await lockEnabled(tx, context, endpoint_id, () => {
      throw new InvalidState(`The webhook endpoint ${endpoint_id} has been deleted.`);
    });
    await withinReplayBudget(tx, context, endpoint.url, 1, async () => {
      await redeliver(tx, id, context.now);
      return { enqueued: 1 };
    });
    return wholeDelivery(tx, context, id);
  });
}

/**
 * Delivers the events of a range of time to an endpoint, now. By default these are the events that it has not
 * received, including those from while it was disabled. With status `all` it is everything that the endpoint subscribes
 * to. Sends at most 10,000 events per call, the oldest first.
 * @throws NotFound; ValidationFailed if the range ends before it begins, or the event does not exist; InvalidState if
 * the endpoint is disabled, or live and not verified; WebhookReplayLimit.
 */
export async function replayWebhookDeliveries(
  db: Writer,
  context: RequestContext,
  endpointId: string,
  input: WebhookReplay,
): Promise<Replayed> {
  const since = realInstant(input.since);
  const until = input.until === undefined ? null : realInstant(input.until);
  if ((until ?? context.now) < since)
    throw ValidationFailed.of('/until', 'out_of_range', 'until must not be before since.');
  return atomically(db, async (tx) => {
    const endpoint = await lockEnabled(tx, context, endpointId, unknownEndpoint);
    assertVerified(endpoint);
    const afterSequence = await sequenceOf(tx, context, input.starting_after);
    const range = { since, until, afterSequence, deliveredToo: input.status === 'all' };
    return withinReplayBudget(tx, context, endpoint.url, maxReplayed, async (limit) => {
      const { enqueued, lastEventId } = await replayDeliveries(tx, endpoint, { ...range, limit }, context.now);
      return { enqueued, hasMore: enqueued === limit, lastEventId };
    });
  });
}

async function sequenceOf(tx: Tx, tenant: Tenant, eventId: string | undefined): Promise<number | null> {
  if (eventId === undefined) return null;
  const event = await selectEvent(tx, tenant, eventId);
  if (event === null) throw ValidationFailed.missing('/starting_after', 'event', eventId);
  return event.sequence;
}

/**
 * Sends a `webhook_endpoint.ping` event to this endpoint, whatever it subscribes to. Returns the delivery, which runs
 * after the transaction; its attempts show the outcome. Each attempt adds a challenge to the event. A receiver that
 * returns it verifies the endpoint.
 * @throws NotFound; InvalidState if the endpoint is disabled; WebhookReplayLimit.
 */
export async function pingWebhookEndpoint(
  db: Writer,
  context: RequestContext,
  endpointId: string,
): Promise<store.AttemptedDelivery> {
  return transact(db, context, async (tx) => {
    const endpoint = await lockEnabled(tx, context, endpointId, unknownEndpoint);
    const ping = { ...endpointEvent('webhook_endpoint.ping', endpoint, context.now), onlyEndpointId: endpoint.id };
    const { eventId } = await withinReplayBudget(tx, context, endpoint.url, 1, async () => {
      const [eventId] = record(tx, ping);
      await writeRecorded(tx);
      return { enqueued: 1, eventId };
    });
    const id = eventId === undefined ? null : await store.selectDeliveryOfEvent(tx, eventId, endpoint.id);
    if (id === null) throw new Error(`the ping of ${endpoint.id} created no delivery`);
    return wholeDelivery(tx, context, id);
  });
}

function unknownEndpoint(id: string): never {
  throw new NotFound('webhook endpoint', id);
}

/**
 * Returns the endpoint, locked for update. It cannot be disabled before the caller's deliveries to it are committed.
 */
async function lockEnabled(
  tx: Tx,
  tenant: Tenant,
  id: string,
  missing: (id: string) => never,
): Promise<WebhookEndpointRow> {
  const endpoint = (await lockWebhookEndpoint(tx, tenant, id)) ?? missing(id);
  if (endpoint.status === 'disabled') {
    throw new InvalidState(`The webhook endpoint ${id} is disabled. Enable it first.`);
  }
  return endpoint;
}
