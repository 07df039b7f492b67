import { tenantOf } from '../../db/tenant.ts';
import {
  type DeliveryToMake,
  failPendingDeliveries,
  recordAttempt,
  type SendingOutcome,
  type WebhookAttemptRow,
  type WebhookDeliveryRow,
} from '../../db/webhook-deliveries.ts';
import {
  type DisabledReason,
  lockWebhookEndpoint,
  updateResponding,
  updateWebhookEndpoint,
  type WebhookEndpointRow,
} from '../../db/webhook-endpoints.ts';
import { addMs } from '../../domain/instants.ts';
import { delayAfter, hasFailedTooLong, parseRetryAfter } from '../../domain/webhook-schedule.ts';
import type { Tx } from '../../platform/postgres/connection.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import { endpointEvent, record } from '../events.ts';
import { verifyEndpoint } from './challenge.ts';
import { recordEndpointChange } from './endpoint-audit.ts';
import type { WebhookResponse } from './sender.ts';
import { promptMs } from './sending-turns.ts';

/** An attempt that was made: the number of a delivery's attempt, and when it began. */
export interface MadeAttempt {
  delivery: DeliveryToMake;
  number: number;
  at: RealInstant;
}

/**
 * Another worker has made this attempt. Its record stands. Nothing from this attempt is recorded, not even on the
 * endpoint.
 */
export class MadeBefore extends Error {}

/**
 * Records an attempt and its response in the caller's transaction, disables the endpoint if that follows, and returns
 * the delivery. `random`, from 0 to 1, is the jitter of the next attempt.
 * @throws MadeBefore
 */
export async function recordResponse(
  tx: Tx,
  made: MadeAttempt,
  response: WebhookResponse,
  { now, random }: { now: RealInstant; random: number },
): Promise<WebhookDeliveryRow> {
  const { delivery, number, at } = made;
  const error = errorOf(response);
  // Lock order: the endpoint first, then its deliveries.
  const address = { id: delivery.endpoint_id, url: delivery.endpoint.url };
  await updateResponding(tx, address, { failingSince: error === null ? null : at, isPrompt: promptnessOf(response) });
  if (error === null && response.kind === 'responded' && response.returnsChallenge)
    await verifyEndpoint(tx, address, now);
  const locked = whyDisable(delivery.endpoint, response, now) === null ? null : await lockEndpointOf(tx, delivery);
  // If the endpoint's URL has changed meanwhile, a response from the old URL does not count against the endpoint.
  const endpoint = locked?.url === delivery.endpoint.url ? locked : null;
  const disable = endpoint === null ? null : whyDisable(endpoint, response, now);
  const retryAfter = response.kind === 'responded' ? parseRetryAfter(response.retryAfter ?? '', now) : null;
  const delay = delayAfter(number - delivery.series_start, random, retryAfter);
  const row = await recordAttempt(tx, attemptRow(made, response), outcomeOf(error, disable, delay, now), now);
  if (row === null) throw new MadeBefore();
  if (endpoint !== null && disable !== null) await disableEndpoint(tx, endpoint, disable, now);
  return row;
}

/** Returns an attempt as it is stored. */
export function attemptRow({ delivery, number, at }: MadeAttempt, response: WebhookResponse): WebhookAttemptRow {
  return {
    delivery_id: delivery.id,
    number,
    at,
    status_code: response.kind === 'responded' ? response.statusCode : null,
    error: errorOf(response),
    duration_ms: response.durationMs,
    response_excerpt: response.kind === 'responded' ? response.excerpt : null,
  };
}

/** Whether the receiver responds promptly, as this response shows; null if a failure came at once. */
export function promptnessOf(response: WebhookResponse): boolean | null {
  if (response.durationMs > promptMs) return false;
  return response.kind === 'responded' ? true : null;
}

function outcomeOf(
  error: string | null,
  disable: DisabledReason | null,
  delay: number | null,
  now: RealInstant,
): SendingOutcome {
  if (error === null) return { status: 'delivered', nextAttemptAt: null, failureReason: null };
  if (disable !== null) return { status: 'failed', nextAttemptAt: null, failureReason: 'endpoint disabled' };
  if (delay === null) return { status: 'failed', nextAttemptAt: null, failureReason: 'all attempts have failed' };
  return { status: 'pending', nextAttemptAt: addMs(now, delay), failureReason: null };
}

/** Why an attempt has failed, in a few words. Null if the receiver has accepted the event. */
export function errorOf(response: WebhookResponse): string | null {
  if (response.kind === 'failed') return response.error;
  if (response.statusCode >= 200 && response.statusCode < 300) return null;
  const redirects = response.statusCode >= 300 && response.statusCode < 400;
  return `status ${response.statusCode}${redirects ? ': redirects are not followed' : ''}`;
}

function whyDisable(
  endpoint: { status: 'enabled' | 'disabled'; failing_since: RealInstant | null },
  response: WebhookResponse,
  now: RealInstant,
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
async function disableEndpoint(
  tx: Tx,
  locked: WebhookEndpointRow,
  reason: DisabledReason,
  now: RealInstant,
): Promise<void> {
  const changes = { status: 'disabled' as const, disabled_reason: reason, failing_since: null };
  const endpoint = await updateWebhookEndpoint(tx, locked.id, changes, now);
  await failPendingDeliveries(tx, endpoint.id, 'endpoint disabled', now);
  const tenant = tenantOf(endpoint);
  const whose = { by: { kind: 'service', id: 'webhook delivery' } as const, at: now, tenant };
  await recordEndpointChange(tx, 'webhook_endpoint.disabled', [locked, endpoint], whose);
  record(tx, endpointEvent('webhook_endpoint.disabled', endpoint, now));
}
