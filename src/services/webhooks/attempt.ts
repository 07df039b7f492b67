import { setTimeout as pause } from 'node:timers/promises';
import { noteLostDeliveries } from '../../db/lost-deliveries.ts';
import {
  type DeliveryToMake,
  failDelivery,
  postponeDelivery,
  selectDeliveryToMake,
  type WebhookDeliveryRow,
} from '../../db/webhook-deliveries.ts';
import { addMs } from '../../domain/instants.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import { isOutage } from '../../platform/postgres/transaction.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import { traced } from '../../platform/tracing.ts';
import type { Vault } from '../accounts/vault.ts';
import { pass } from '../crash-points.ts';
import { transact } from '../events.ts';
import { emit } from '../telemetry.ts';
import { type DeliveryProgress, progressOf, progressTurnedAway } from './delivery-progress.ts';
import { attemptTelemetry } from './delivery-telemetry.ts';
import { errorOf, type MadeAttempt, MadeBefore, recordResponse } from './record-attempt.ts';
import { openSecrets, requestFor } from './request.ts';
import type { WebhookRequest, WebhookResponse, WebhookSender } from './sender.ts';
import type { Later, Place } from './sending-turns.ts';

export interface DeliveryDeps {
  vault: Vault;
  sender: WebhookSender;
  now: () => RealInstant;
  /** From 0 up to, not including, 1, for the jitter. */
  random: () => number;
}

/** A delivery that is due, and the request to send for it. */
interface Prepared extends MadeAttempt {
  kind: 'prepared';
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
 * delivery's progress, or null if there is no delivery with this id, which is noted for operators. If it is not the
 * endpoint's turn, nothing is sent, no attempt is counted, and the next attempt is postponed. Within a workflow task,
 * the result is `needsActivity` if the receiver may take long; then, too, nothing was sent.
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
  if (prepared === null) {
    await noteLostDeliveries(db, [id]);
    return null;
  }
  const { delivery } = prepared;
  if (prepared.kind !== 'prepared') return progressOf(delivery, delivery, prepared.kind, deps.now());
  pass('delivery prepared');
  const response = await traced('POST webhook', { kind: 'client', attributes: namesOf(prepared) }, () =>
    deps.sender.send(prepared.request, from),
  );
  if (response.kind === 'in an activity') return needsActivity;
  if (response.kind === 'later') return turnAway(db, delivery, response, deps.now());
  pass('delivery posted');
  const progress = await throughOutages(() => recordMade(db, deps, prepared, response));
  pass('delivery recorded');
  return progress;
}

async function turnAway(db: Db, delivery: DeliveryToMake, turn: Later, now: RealInstant): Promise<DeliveryProgress> {
  const nextAttemptAt = addMs(now, turn.waitMs);
  await postponeDelivery(db, delivery, nextAttemptAt);
  emit({ kind: 'delivery refused' });
  return progressTurnedAway({ ...delivery, next_attempt_at: nextAttemptAt }, turn.reason, now);
}

export function namesOf({ delivery, number }: Pick<Prepared, 'delivery' | 'number'>) {
  const { id, endpoint_id, event } = delivery;
  return { delivery_id: id, endpoint_id, event_id: event.id, event_type: event.event_type, attempt: number };
}

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
  const request = requestFor(delivery, openSecrets(delivery, deps.vault, at), at);
  return { kind: 'prepared', delivery, number: delivery.attempt_count + 1, at, request };
}

export function whyClosed({ endpoint }: DeliveryToMake): string | null {
  if (endpoint.deleted_at !== null) return 'endpoint deleted';
  return endpoint.status === 'disabled' ? 'endpoint disabled' : null;
}

export function isDue({ next_attempt_at }: WebhookDeliveryRow, at: RealInstant): boolean {
  return next_attempt_at === null || next_attempt_at.getTime() <= at.getTime() + clockTolerance;
}

async function recordMade(
  db: Db,
  deps: DeliveryDeps,
  prepared: Prepared,
  response: WebhookResponse,
): Promise<DeliveryProgress | null> {
  const { delivery } = prepared;
  const now = deps.now();
  try {
    const recorded = await transact(db, { requestId: null, now }, (tx) =>
      recordResponse(tx, prepared, response, { now, random: deps.random() }),
    );
    const error = errorOf(response);
    emit(attemptTelemetry(delivery, { attempt: prepared.number, response, error }, recorded, now));
    return progressOf(recorded, delivery, error ?? 'delivered', now);
  } catch (error) {
    if (!(error instanceof MadeBefore)) throw error;
    const present = await selectDeliveryToMake(db, delivery.id);
    return present === null ? null : progressOf(present, delivery, 'made before', now);
  }
}
