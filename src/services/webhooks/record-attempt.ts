import { setTimeout as pause } from 'node:timers/promises';
import { tenantOf } from '../../db/tenant.ts';
import { leaveBatch } from '../../db/webhook-batches.ts';
import {
  type DeliveryToMake,
  failPendingDeliveries,
  recordAttempts,
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
import { workflowIdOf } from '../../messages/workflow-types.ts';
import type { Db, Tx } from '../../platform/postgres/connection.ts';
import { atomically, isOutage } from '../../platform/postgres/transaction.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import { secondsBetween } from '../../platform/telemetry.ts';
import { pass } from '../crash-points.ts';
import { endpointEvent, record, transact } from '../events.ts';
import { type DeliveryAttempted, emit } from '../telemetry.ts';
import { verifyEndpoint } from './challenge.ts';
import { recordEndpointChange } from './endpoint-audit.ts';
import type { WebhookResponse } from './sender.ts';
import { promptMs } from './sending-turns.ts';

/** An attempt that was made: the number of a delivery's attempt, when it began, and the receiver's response. */
export interface MadeAttempt {
  delivery: DeliveryToMake;
  number: number;
  at: RealInstant;
  response: WebhookResponse;
}

/** The batch that made attempts. */
export interface MakingBatch {
  workflowId: string;
  /** Returns the ids of a delivery's entries in the outbox. */
  entriesOf(deliveryId: string): number[];
}

/** A delivery as it was recorded. */
type RecordedDelivery = Omit<WebhookDeliveryRow, 'event_type'>;

/** `random`, from 0 up to 1, is the jitter of a next attempt. */
interface RecordingDeps {
  now: () => RealInstant;
  random: () => number;
}

/** Another worker has made this attempt. Its record stands: nothing is recorded, not even on the endpoint. */
class MadeBefore extends Error {}

/**
 * In milliseconds, about seven seconds in total. With the 15 seconds that a receiver may take, this is less than
 * Temporal's timeout for an attempt.
 */
const pausesOfAnOutage = [100, 250, 500, 1000, 2000, 3000];

/**
 * Retries `work` while the database is unreachable, for as long as an attempt can wait. A response that is not recorded
 * causes another POST, although the receiver has accepted the event or asked for a delay.
 */
export async function throughOutages<T>(work: () => Promise<T>): Promise<T> {
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

/**
 * Records attempts at one endpoint: each that failed in a transaction of its own, then all that succeeded in one. An
 * endpoint that has failed too long, or is gone, is disabled. Returns the deliveries as recorded, without those whose
 * attempt another worker has recorded before. `batch` says which batch made the attempts: then a delivery with attempts
 * left gets a workflow of its own, enqueued in the same transaction.
 */
export async function recordMade(
  db: Db,
  deps: RecordingDeps,
  made: readonly MadeAttempt[],
  batch?: MakingBatch,
): Promise<RecordedDelivery[]> {
  const recorded: RecordedDelivery[] = [];
  for (const each of made.filter(({ response }) => errorOf(response) !== null)) {
    const row = await throughOutages(() => recordFailure(db, deps, each, batch));
    if (row !== null) recorded.push(row);
  }
  const successes = made.filter(({ response }) => errorOf(response) === null);
  if (successes.length > 0) recorded.push(...(await throughOutages(() => recordSuccesses(db, deps, successes, batch))));
  return recorded;
}

async function recordFailure(
  db: Db,
  { now: clock, random }: RecordingDeps,
  made: MadeAttempt,
  batch: MakingBatch | undefined,
): Promise<RecordedDelivery | null> {
  const now = clock();
  try {
    const recorded = await transact(db, { requestId: null, now }, async (tx) => {
      const row = await recordFailureIn(tx, made, now, random());
      if (batch !== undefined) await leaveBatch(tx, batch.entriesOf(row.id));
      return row;
    });
    if (batch !== undefined) pass('batch child enqueued');
    emit(telemetryOf(made, recorded, now, batch?.workflowId));
    return recorded;
  } catch (error) {
    if (error instanceof MadeBefore) return null;
    throw error;
  }
}

/** @throws MadeBefore */
async function recordFailureIn(tx: Tx, made: MadeAttempt, now: RealInstant, random: number): Promise<RecordedDelivery> {
  const { delivery, number, at, response } = made;
  // Lock order: the endpoint first, then its deliveries.
  const address = { id: delivery.endpoint_id, url: delivery.endpoint.url };
  await updateResponding(tx, address, { failingSince: at, isPrompt: promptnessOf(response) });
  const locked =
    whyDisable(delivery.endpoint, response, now) === null
      ? null
      : await lockWebhookEndpoint(tx, tenantOf(delivery), delivery.endpoint_id);
  // If the endpoint's URL has changed meanwhile, a response from the old URL does not count against the endpoint.
  const endpoint = locked?.url === delivery.endpoint.url ? locked : null;
  const disable = endpoint === null ? null : whyDisable(endpoint, response, now);
  const retryAfter = response.kind === 'responded' ? parseRetryAfter(response.retryAfter ?? '', now) : null;
  const delay = delayAfter(number - delivery.series_start, random, retryAfter);
  const [row] = await recordAttempts(tx, [attemptRow(made)], outcomeOfFailure(disable, delay, now), now);
  if (row === undefined) throw new MadeBefore();
  if (endpoint !== null && disable !== null) await disableEndpoint(tx, endpoint, disable, now);
  return row;
}

async function recordSuccesses(
  db: Db,
  { now: clock }: RecordingDeps,
  made: readonly MadeAttempt[],
  batch: MakingBatch | undefined,
): Promise<RecordedDelivery[]> {
  const now = clock();
  const recorded = changesEndpoint(made)
    ? await atomically(db, (tx) => recordWithEndpoint(tx, made, now, batch)).catch(nothingIfMadeBefore)
    : await recordDelivered(db, made, now, batch);
  for (const each of made) {
    const row = recorded.find(({ id }) => id === each.delivery.id);
    if (row !== undefined) emit(telemetryOf(each, row, now, batch?.workflowId));
  }
  return recorded;
}

/** Whether these successes say something new of their endpoint: that it responds promptly, or not, or is verified. */
function changesEndpoint(made: readonly MadeAttempt[]): boolean {
  return made.some(
    ({ delivery: { endpoint }, response }) =>
      endpoint.failing_since !== null ||
      endpoint.responds_promptly !== promptnessOf(response) ||
      (response.kind === 'responded' && response.returnsChallenge),
  );
}

/** @throws MadeBefore if none of them is recorded */
async function recordWithEndpoint(
  tx: Tx,
  made: readonly MadeAttempt[],
  now: RealInstant,
  batch: MakingBatch | undefined,
): Promise<RecordedDelivery[]> {
  const [first] = made;
  if (first === undefined) return [];
  // Lock order: the endpoint first, then its deliveries.
  const address = { id: first.delivery.endpoint_id, url: first.delivery.endpoint.url };
  const isPrompt = made.every(({ response }) => promptnessOf(response));
  await updateResponding(tx, address, { failingSince: null, isPrompt });
  const isVerified = made.some(({ response }) => response.kind === 'responded' && response.returnsChallenge);
  if (isVerified) await verifyEndpoint(tx, address, now);
  const recorded = await recordDelivered(tx, made, now, batch);
  if (recorded.length === 0) throw new MadeBefore();
  return recorded;
}

function recordDelivered(
  db: Db,
  made: readonly MadeAttempt[],
  now: RealInstant,
  batch: MakingBatch | undefined,
): Promise<RecordedDelivery[]> {
  const delivered = { status: 'delivered' as const, nextAttemptAt: null, failureReason: null };
  const entries = made.flatMap(({ delivery }) => batch?.entriesOf(delivery.id) ?? []);
  return recordAttempts(db, made.map(attemptRow), delivered, now, entries);
}

function nothingIfMadeBefore(error: unknown): never[] {
  if (error instanceof MadeBefore) return [];
  throw error;
}

function attemptRow({ delivery, number, at, response }: MadeAttempt): WebhookAttemptRow {
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
function promptnessOf(response: WebhookResponse): boolean | null {
  if (response.durationMs > promptMs) return false;
  return response.kind === 'responded' ? true : null;
}

function outcomeOfFailure(disable: DisabledReason | null, delay: number | null, now: RealInstant): SendingOutcome {
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
  if (endpoint.status === 'disabled') return null;
  if (response.kind === 'responded' && response.statusCode === 410) return 'gone';
  return hasFailedTooLong(endpoint.failing_since, now) ? 'failing' : null;
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

function telemetryOf(
  { delivery: { id, event, ...delivery }, number, response }: MadeAttempt,
  recorded: RecordedDelivery,
  now: RealInstant,
  workflowId = workflowIdOf('webhookDelivery', id),
): DeliveryAttempted {
  const error = errorOf(response);
  return {
    kind: 'delivery attempted',
    billerId: delivery.biller_id,
    livemode: delivery.livemode,
    testClockId: event.test_clock_id,
    deliveryId: id,
    workflowId,
    endpointId: delivery.endpoint_id,
    eventId: event.id,
    eventType: event.event_type,
    subjectId: event.subject_id,
    ...ownersOf(event),
    requestId: event.request_id,
    attempt: number,
    outcome: error === null ? 'delivered' : recorded.status === 'pending' ? 'retrying' : 'failed',
    statusCode: response.kind === 'responded' ? response.statusCode : null,
    error,
    seconds: response.durationMs / 1000,
    lagSeconds: error === null ? secondsBetween(event.recorded_at, now) : null,
  };
}

/**
 * Returns the plan and the subscription of a payment's event: the first `payment_plan_id` and `subscription_id` in its
 * JSON are the payment's own, before any metadata. A regular expression is enough, since nothing else here needs the
 * parsed body.
 */
function ownersOf({ event_type: type, data }: { event_type: string; data: string }) {
  if (!type.startsWith('payment_intent.')) return { paymentPlanId: null, subscriptionId: null };
  return {
    paymentPlanId: /"payment_plan_id":(?:null|"(pp_[0-9A-Za-z]{32})")/.exec(data)?.[1] ?? null,
    subscriptionId: /"subscription_id":(?:null|"(sub_[0-9A-Za-z]{32})")/.exec(data)?.[1] ?? null,
  };
}
