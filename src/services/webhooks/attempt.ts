import { setTimeout as pause } from 'node:timers/promises';
import { sealedField } from '../../db/sealed-values.ts';
import { tenantOf } from '../../db/tenant.ts';
import {
  type AttemptOutcome,
  type DeliveryToMake,
  failDelivery,
  failPendingDeliveries,
  postponeDelivery,
  recordAttempt,
  selectDeliveryToMake,
  type WebhookDeliveryRow,
} from '../../db/webhook-deliveries.ts';
import {
  type DisabledReason,
  lockWebhookEndpoint,
  updateFailingSince,
  updateWebhookEndpoint,
  type WebhookEndpointRow,
} from '../../db/webhook-endpoints.ts';
import { delayAfter, hasFailedTooLong, parseRetryAfter } from '../../domain/webhook-schedule.ts';
import type { Db, Tx } from '../../platform/postgres/connection.ts';
import { isOutage } from '../../platform/postgres/transaction.ts';
import { traced } from '../../platform/tracing.ts';
import { eventBody } from '../../resources/event.ts';
import type { Vault } from '../accounts/vault.ts';
import { pass } from '../crash-points.ts';
import { endpointEvent, record, transact } from '../events.ts';
import { emit } from '../telemetry.ts';
import { newChallenge, verifyEndpoint } from './challenge.ts';
import { type DeliveryProgress, progressOf, progressTurnedAway } from './delivery-progress.ts';
import { attemptTelemetry } from './delivery-telemetry.ts';
import { recordEndpointChange } from './endpoint-audit.ts';
import type { WebhookRequest, WebhookResponse, WebhookSender } from './sender.ts';
import type { Later, Place } from './sending-turns.ts';
import { signatureHeaders } from './signing.ts';

export interface DeliveryDeps {
  vault: Vault;
  sender: WebhookSender;
  /** Real time. */
  now: () => Date;
  /** From 0 up to, not including, 1, for the jitter. */
  random: () => number;
}

/** A delivery that is due, and the request to send for it. */
interface Prepared {
  kind: 'prepared';
  delivery: DeliveryToMake;
  number: number;
  at: Date;
  request: WebhookRequest;
}

type Preparation = Prepared | { kind: 'ended' | 'waiting' | 'made before'; delivery: DeliveryToMake };

/**
 * In milliseconds, about seven seconds in total. With the 15 seconds that a receiver may take, this is less than
 * Temporal's timeout for an attempt.
 */
const pausesOfAnOutage = [100, 250, 500, 1000, 2000, 3000];

/** In milliseconds. A worker's clock may be a little behind that of the API process that made the delivery due. */
const clockTolerance = 1000;

/** An attempt that was not made within the workflow task. An activity must make it, because it may take long. */
export const needsActivity = 'needs an activity';

/**
 * Makes the next attempt of a delivery and records it: one POST, between two transactions. `after` is the number of
 * attempts that the caller knows of. With it, the attempt is made whether due or not, unless it has been made since.
 * Without it (null), the attempt is made only if due. A failed attempt is a result, not an error. Returns the
 * delivery's progress, or null if there is no delivery with this id. If it is not the endpoint's turn, nothing is sent,
 * no attempt is counted, and the next attempt is postponed. Within a workflow task, the result is `needsActivity` if
 * the receiver may take long; then, too, nothing was sent.
 */
export async function attemptDelivery(
  db: Db,
  deps: DeliveryDeps,
  id: string,
  after: number | null,
): Promise<DeliveryProgress | null>;
export async function attemptDelivery(
  db: Db,
  deps: DeliveryDeps,
  id: string,
  after: number | null,
  from: Place,
): Promise<DeliveryProgress | null | typeof needsActivity>;
export async function attemptDelivery(
  db: Db,
  deps: DeliveryDeps,
  id: string,
  after: number | null,
  from: Place = 'activity',
): Promise<DeliveryProgress | null | typeof needsActivity> {
  const prepared = await prepare(db, deps, id, after);
  if (prepared === null) return null;
  const { delivery } = prepared;
  if (prepared.kind !== 'prepared') return progressOf(delivery, delivery, prepared.kind, deps.now());
  pass('delivery prepared');
  const response = await traced('POST webhook', { kind: 'client', attributes: namesOf(prepared) }, () =>
    deps.sender.send(prepared.request, from),
  );
  if (response.kind === 'in an activity') return needsActivity;
  if (response.kind === 'later') return turnAway(db, delivery, response, deps.now());
  pass('delivery posted');
  const progress = await throughOutages(() => recordResponse(db, deps, prepared, response));
  pass('delivery recorded');
  return progress;
}

async function turnAway(db: Db, delivery: DeliveryToMake, turn: Later, now: Date): Promise<DeliveryProgress> {
  const nextAttemptAt = new Date(now.getTime() + turn.waitMs);
  await postponeDelivery(db, delivery, nextAttemptAt);
  emit({ kind: 'delivery refused' });
  return progressTurnedAway({ ...delivery, next_attempt_at: nextAttemptAt }, turn.reason, now);
}

function namesOf({ delivery, number }: Prepared) {
  const { id, endpoint_id, event } = delivery;
  return { delivery_id: id, endpoint_id, event_id: event.id, event_type: event.event_type, attempt: number };
}

/**
 * Retries `work` while the database is unreachable, for as long as an attempt can wait. A response that is not recorded
 * causes another POST, although the receiver has accepted the event or asked for a delay.
 */
async function throughOutages<T>(work: () => Promise<T>): Promise<T> {
  for (const wait of pausesOfAnOutage) {
    try {
      return await work();
    } catch (error) {
      if (!isOutage(error)) throw error;
      await pause(wait);
    }
  }
  return work();
}

async function prepare(db: Db, deps: DeliveryDeps, id: string, after: number | null): Promise<Preparation | null> {
  const at = deps.now();
  const delivery = await selectDeliveryToMake(db, id);
  if (delivery === null) return null;
  if (delivery.status !== 'pending') return { kind: 'ended', delivery };
  const closed = whyClosed(delivery);
  if (closed !== null) {
    await failDelivery(db, id, closed, at);
    return {
      kind: 'ended',
      delivery: { ...delivery, status: 'failed', failure_reason: closed, next_attempt_at: null },
    };
  }
  if (after !== null && delivery.attempt_count > after) return { kind: 'made before', delivery };
  if (after === null && !isDue(delivery, at)) return { kind: 'waiting', delivery };
  const request = requestFor(delivery, deps.vault, at);
  return { kind: 'prepared', delivery, number: delivery.attempt_count + 1, at, request };
}

function whyClosed({ endpoint }: DeliveryToMake): string | null {
  if (endpoint.deleted_at !== null) return 'endpoint deleted';
  return endpoint.status === 'disabled' ? 'endpoint disabled' : null;
}

function isDue({ next_attempt_at }: WebhookDeliveryRow, at: Date): boolean {
  return next_attempt_at === null || next_attempt_at.getTime() <= at.getTime() + clockTolerance;
}

function requestFor(
  { event, endpoint, endpoint_id, biller_id: billerId, livemode }: DeliveryToMake,
  vault: Vault,
  at: Date,
): WebhookRequest {
  const challenge = event.event_type === 'webhook_endpoint.ping' ? newChallenge() : undefined;
  const body = eventBody(event, challenge);
  const tenant = { billerId, livemode };
  const secrets = [vault.open(endpoint.sealed_secret, sealedField('webhook_secrets', tenant, endpoint_id))];
  const overlapEnds = endpoint.previous_secret_expires_at;
  const previous = endpoint.sealed_previous_secret;
  if (previous !== null && overlapEnds !== null && overlapEnds > at) {
    secrets.push(vault.open(previous, sealedField('previous_webhook_secrets', tenant, endpoint_id)));
  }
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'payments-service-webhooks/1.0',
    accept: '*/*',
    'accept-encoding': 'identity',
    ...signatureHeaders({ id: event.id, at, body }, secrets),
  };
  const failingMs = endpoint.failing_since && at.getTime() - endpoint.failing_since.getTime();
  return { endpointId: endpoint_id, failingMs, url: endpoint.url, livemode, headers, body, challenge };
}

async function recordResponse(
  db: Db,
  deps: DeliveryDeps,
  prepared: Prepared,
  response: WebhookResponse,
): Promise<DeliveryProgress | null> {
  const { delivery } = prepared;
  const now = deps.now();
  try {
    const recorded = await transact(db, { requestId: null, now }, (tx) => recordIn(tx, deps, prepared, response, now));
    const error = errorOf(response);
    emit(attemptTelemetry(delivery, { attempt: prepared.number, response, error }, recorded, now));
    return progressOf(recorded, delivery, error ?? 'delivered', now);
  } catch (error) {
    if (!(error instanceof MadeBefore)) throw error;
    const present = await selectDeliveryToMake(db, delivery.id);
    return present === null ? null : progressOf(present, delivery, 'made before', now);
  }
}

/**
 * Another worker has made this attempt. Its record stands. Nothing from this attempt is recorded, not even on the
 * endpoint.
 */
class MadeBefore extends Error {}

async function recordIn(
  tx: Tx,
  deps: DeliveryDeps,
  { delivery, number, at }: Prepared,
  response: WebhookResponse,
  now: Date,
): Promise<WebhookDeliveryRow> {
  const error = errorOf(response);
  // Lock order: the endpoint first, then its deliveries.
  const address = { id: delivery.endpoint_id, url: delivery.endpoint.url };
  await updateFailingSince(tx, address, error === null ? null : at);
  if (error === null && response.kind === 'responded' && response.returnsChallenge)
    await verifyEndpoint(tx, address, now);
  const locked = whyDisable(delivery.endpoint, response, now) === null ? null : await lockEndpointOf(tx, delivery);
  // If the endpoint's URL has changed meanwhile, a response from the old URL does not count against the endpoint.
  const endpoint = locked?.url === delivery.endpoint.url ? locked : null;
  const disable = endpoint === null ? null : whyDisable(endpoint, response, now);
  const attempt = {
    delivery_id: delivery.id,
    number,
    at,
    status_code: response.kind === 'responded' ? response.statusCode : null,
    error,
    duration_ms: response.durationMs,
    response_excerpt: response.kind === 'responded' ? response.excerpt : null,
  };
  const retryAfter = response.kind === 'responded' ? parseRetryAfter(response.retryAfter ?? '', now) : null;
  const delay = delayAfter(number - delivery.series_start, deps.random(), retryAfter);
  const row = await recordAttempt(tx, attempt, outcomeOf(error, disable, delay, now), now);
  if (row === null) throw new MadeBefore();
  if (endpoint !== null && disable !== null) await disableEndpoint(tx, endpoint, disable, now);
  return row;
}

function outcomeOf(
  error: string | null,
  disable: DisabledReason | null,
  delay: number | null,
  now: Date,
): AttemptOutcome {
  if (error === null) return { status: 'delivered', nextAttemptAt: null, failureReason: null };
  if (disable !== null) return { status: 'failed', nextAttemptAt: null, failureReason: 'endpoint disabled' };
  if (delay === null) return { status: 'failed', nextAttemptAt: null, failureReason: 'all attempts have failed' };
  return { status: 'pending', nextAttemptAt: new Date(now.getTime() + delay), failureReason: null };
}

function errorOf(response: WebhookResponse): string | null {
  if (response.kind === 'failed') return response.error;
  if (response.statusCode >= 200 && response.statusCode < 300) return null;
  const redirects = response.statusCode >= 300 && response.statusCode < 400;
  return `status ${response.statusCode}${redirects ? ': redirects are not followed' : ''}`;
}

function whyDisable(
  endpoint: { status: 'enabled' | 'disabled'; failing_since: Date | null },
  response: WebhookResponse,
  now: Date,
): DisabledReason | null {
  if (endpoint.status === 'disabled' || errorOf(response) === null) return null;
  if (response.kind === 'responded' && response.statusCode === 410) return 'gone';
  return hasFailedTooLong(endpoint.failing_since, now) ? 'failing' : null;
}

function lockEndpointOf(tx: Tx, delivery: DeliveryToMake): Promise<WebhookEndpointRow | null> {
  const tenant = tenantOf(delivery);
  return lockWebhookEndpoint(tx, tenant, delivery.endpoint_id);
}

/** Disables a locked endpoint, fails its pending deliveries, and notifies the biller's other endpoints. */
async function disableEndpoint(tx: Tx, locked: WebhookEndpointRow, reason: DisabledReason, now: Date): Promise<void> {
  const changes = { status: 'disabled' as const, disabled_reason: reason, failing_since: null };
  const endpoint = await updateWebhookEndpoint(tx, locked.id, changes, now);
  await failPendingDeliveries(tx, endpoint.id, 'endpoint disabled', now);
  const tenant = tenantOf(endpoint);
  const whose = { by: { kind: 'service', id: 'webhook delivery' } as const, at: now, tenant };
  await recordEndpointChange(tx, 'webhook_endpoint.disabled', [locked, endpoint], whose);
  const event = endpointEvent('webhook_endpoint.disabled', endpoint, now);
  record(tx, event);
}
