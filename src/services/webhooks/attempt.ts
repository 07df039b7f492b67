import { noteLostDeliveries } from '../../db/lost-deliveries.ts';
import {
  type DeliveryToMake,
  failDeliveries,
  postponeDelivery,
  selectDeliveryToMake,
  type WebhookDeliveryRow,
} from '../../db/webhook-deliveries.ts';
import { addMs } from '../../domain/instants.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import { traced } from '../../platform/tracing.ts';
import type { Vault } from '../accounts/vault.ts';
import { pass } from '../crash-points.ts';
import { emit } from '../telemetry.ts';
import { type DeliveryProgress, progressOf } from './progress.ts';
import { errorOf, type MadeAttempt, recordMade } from './record-attempt.ts';
import type { WebhookRequest, WebhookSender } from './sender.ts';
import type { Later } from './sending-turns.ts';
import { openSecrets, requestFor } from './signing.ts';

// An attempt is prepared (`failIfClosed`, `isDue`, `prepare`), sent (`post`) and recorded (`recordMade`). A single
// delivery and a batch (`batch.ts`) do so with the same functions.

export interface DeliveryDeps {
  vault: Vault;
  sender: WebhookSender;
  now: () => RealInstant;
  /** From 0 up to, not including, 1, for the jitter. */
  random: () => number;
}

/** An attempt that is about to be made, and its signed request. */
export interface PreparedAttempt extends Omit<MadeAttempt, 'response'> {
  request: WebhookRequest;
}

/** In milliseconds. A worker's clock may be a little behind that of the API process that made the delivery due. */
const clockTolerance = 1000;

/**
 * Makes the next attempt of a delivery and records it: one POST, between two transactions. `after` is the number of
 * attempts that the caller knows of. With it, the attempt is made whether due or not, unless it has been made since.
 * Without it (null), the attempt is made only if due. A failed attempt is a result, not an error. Returns the
 * delivery's progress, or null if there is no delivery with this id, which is noted for operators. If it is not the
 * endpoint's turn, nothing is sent, no attempt is counted, and the next attempt is postponed.
 */
export async function attemptDelivery(
  db: Db,
  deps: DeliveryDeps,
  id: string,
  after: number | null,
): Promise<DeliveryProgress | null> {
  const at = deps.now();
  const delivery = await selectDeliveryToMake(db, id);
  if (delivery === null) {
    await noteLostDeliveries(db, [id]);
    return null;
  }
  const notMade = await whyNotMade(db, delivery, after, at);
  if (notMade !== null) return progressOf(notMade.row, delivery, notMade.why, deps.now());
  const prepared = prepare(delivery, openSecrets(delivery, deps.vault, at), at);
  pass('delivery prepared');
  const response = await post(prepared, () => deps.sender.send(prepared.request));
  if (response.kind === 'later') return turnAway(db, delivery, response, deps.now());
  pass('delivery posted');
  const [recorded] = await recordMade(db, deps, [{ ...prepared, response }]);
  pass('delivery recorded');
  if (recorded !== undefined) return progressOf(recorded, delivery, errorOf(response) ?? 'delivered', deps.now());
  const present = await selectDeliveryToMake(db, id);
  return present === null ? null : progressOf(present, delivery, 'made before', deps.now());
}

async function turnAway(db: Db, delivery: DeliveryToMake, turn: Later, now: RealInstant): Promise<DeliveryProgress> {
  const nextAttemptAt = addMs(now, turn.waitMs);
  await postponeDelivery(db, delivery, nextAttemptAt);
  emit({ kind: 'delivery refused' });
  const postponed = { ...delivery, next_attempt_at: nextAttemptAt };
  return { ...progressOf(postponed, delivery, `not sent, because ${turn.reason}`, now), isTurnedAway: true };
}

/** Returns why no attempt is to be made now, and the delivery as it is then. Null if one is. */
async function whyNotMade(
  db: Db,
  delivery: DeliveryToMake,
  after: number | null,
  at: RealInstant,
): Promise<{ row: WebhookDeliveryRow; why: 'ended' | 'waiting' | 'made before' } | null> {
  if (delivery.status !== 'pending') return { row: delivery, why: 'ended' };
  const closed = await failIfClosed(db, [delivery], at);
  if (closed !== null) {
    const row = { ...delivery, status: 'failed' as const, failure_reason: closed, next_attempt_at: null };
    return { row, why: 'ended' };
  }
  if (after === null) return isDue(delivery, at) ? null : { row: delivery, why: 'waiting' };
  return delivery.attempt_count > after ? { row: delivery, why: 'made before' } : null;
}

/** Fails these deliveries to one endpoint if it is deleted or disabled, and returns why. Otherwise returns null. */
export async function failIfClosed(
  db: Db,
  deliveries: readonly DeliveryToMake[],
  now: RealInstant,
): Promise<string | null> {
  const endpoint = deliveries[0]?.endpoint;
  if (endpoint === undefined || (endpoint.deleted_at === null && endpoint.status === 'enabled')) return null;
  const reason = endpoint.deleted_at === null ? 'endpoint disabled' : 'endpoint deleted';
  const ids = deliveries.map(({ id }) => id);
  await failDeliveries(db, ids, reason, now);
  return reason;
}

/** Whether the next attempt of a delivery is due. */
export function isDue({ next_attempt_at }: WebhookDeliveryRow, at: RealInstant): boolean {
  return next_attempt_at === null || next_attempt_at.getTime() <= at.getTime() + clockTolerance;
}

/** Returns the next attempt of a delivery, signed with these secrets (`openSecrets`). It begins at `at`. */
export function prepare(delivery: DeliveryToMake, secrets: string[], at: RealInstant): PreparedAttempt {
  return { delivery, number: delivery.attempt_count + 1, at, request: requestFor(delivery, secrets, at) };
}

/** Sends a prepared attempt by `send`, as a span of the trace of `parent`, or the present one. Returns its result. */
export function post<T>(
  { delivery, number }: PreparedAttempt,
  send: () => Promise<T>,
  parent: string | null = null,
): Promise<T> {
  const { id, endpoint_id, event } = delivery;
  const attributes = {
    delivery_id: id,
    endpoint_id,
    event_id: event.id,
    event_type: event.event_type,
    attempt: number,
  };
  return traced('POST webhook', { kind: 'client', attributes, parent }, send);
}
