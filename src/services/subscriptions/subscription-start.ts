import { selectAttemptOfRequest, updateAttemptKeyExpiry } from '../../db/payment-attempts.ts';
import { lockPaymentIntent } from '../../db/payment-intents.ts';
import type { ShownSubscriptionRow } from '../../db/subscriptions.ts';
import { priceOfItems } from '../../domain/subscriptions/lines.ts';
import { respondTo } from '../../domain/subscriptions/requests.ts';
import { pass } from '../../platform/crash-points.ts';
import type { Pool, Tx } from '../../platform/postgres/connection.ts';
import { atomically } from '../../platform/postgres/transaction.ts';
import { InvalidState, NotFound, ValidationFailed } from '../errors.ts';
import { recordEvents } from '../events.ts';
import { askProcessor, processorFor } from '../payments/ask-processor.ts';
import { type Charge, type Charging, openCharge, recordOutcome, reopenCharge } from '../payments/charge.ts';
import { chargeWay, refusalError } from '../payments/charge-way.ts';
import { acceptDebit } from '../payments/debit-acceptance.ts';
import { isAboveLimit } from '../payments/fitting-method.ts';
import { chargeableMethod } from '../payments/recurring-intent.ts';
import { type RepeatableRequest, unrepeatable } from '../payments/repeatable-request.ts';
import type { RequestContext } from '../request-context.ts';
import { wake } from '../wake.ts';
import { openPeriod, takeEffect } from './opening.ts';
import { type LockedSubscription, shownRow, store } from './situation.ts';
import { lockForRequest, methodMissing, refused } from './subscription-requests.ts';
import { endErrors } from './subscription-terms.ts';
import { getSubscription } from './subscriptions.ts';

/**
 * Starts a subscription: its trial begins, or its first period is charged now. If the charge is declined, it stays
 * pending and nothing is owed. With a start date to come, it starts by itself then. Like a confirm, it commits the
 * attempt before the processor is asked, and a repetition of the request continues with that attempt.
 * @throws NotFound
 * @throws InvalidState if it has been started or was canceled, or while the customer's clock is advancing.
 * @throws ValidationFailed if there is no method that can be charged, or its end is no end of a period.
 * @throws ProcessorNotConfigured in live mode without a live processor. Nothing has changed then.
 * @throws ProcessorUnavailable when the processor gave no outcome. The payment stays processing.
 */
export async function startSubscription(
  pool: Pool,
  charging: Charging,
  context: RequestContext,
  id: string,
  request: RepeatableRequest<ShownSubscriptionRow> = unrepeatable,
): Promise<ShownSubscriptionRow> {
  const opened = await atomically(pool, (tx) => openStart(tx, charging, context, id, request));
  if ('completed' in opened) return opened.completed;
  const { charge } = opened;
  pass('confirm opened');
  const outcome = await askProcessor(pool, charging.processors, charge);
  pass('confirm charged');
  const started = await atomically(pool, async (tx) => {
    const record = { outcome, requestId: context.requestId, now: context.now };
    if ((await recordOutcome(tx, charge, record, charging.hook)) === null) return null;
    const row = await getSubscription(tx, context, id);
    await request.storeResponse(tx, row);
    return row;
  });
  pass('confirm completed');
  if (started === null) throw new NotFound('subscription', id);
  return started;
}

type Opened = { charge: Charge } | { completed: ShownSubscriptionRow };

/** Opens the first charge, or finds the one that an earlier try of the same request has opened. */
async function openStart(
  tx: Tx,
  { processors }: Charging,
  context: RequestContext,
  id: string,
  request: RepeatableRequest<ShownSubscriptionRow>,
): Promise<Opened> {
  await request.claimKey(tx);
  const { locked, at } = await lockForRequest(tx, context, id);
  const before = await findEarlierTry(tx, locked, context, request);
  if (before !== null) return before;
  const { row, situation } = locked;
  const change = respondTo({ name: 'start' }, situation, at);
  if ('refused' in change) throw refused(id, change);
  if (row.customer_deleted_at !== null) throw new InvalidState(`Customer ${row.customer_id} has been deleted.`);
  const fieldErrors = endErrors(row, change.course?.start_date ?? row.start_date);
  if (fieldErrors.length > 0) throw new ValidationFailed(fieldErrors);
  await assertWithinLimit(tx, locked, at);
  const record = { billerId: row.biller_id, livemode: row.livemode, requestId: context.requestId, now: context.now };
  if (change.begins?.kind !== 'paid') {
    const { events, ...after } =
      change.begins === undefined ? await store(tx, locked, change, at) : await trial(tx, locked, change, at);
    return { completed: await finish(tx, { ...after, events }, record, request) };
  }
  processorFor(processors, row.livemode);
  const opened = await openPeriod(tx, locked, change, at);
  if (opened.payment === null) {
    return { completed: await finish(tx, { ...opened.locked, events: opened.events }, record, request) };
  }
  const { intent, method } = opened.payment;
  const path = '/payment_instrument_id';
  if (method === null) throw methodMissing(locked);
  const way = await chargeWay(tx, intent, method, at);
  if (way.kind === 'refused') throw refusalError(way.refusal, method.id, path);
  const { requestKey, keyExpiresAt = null } = request;
  const about = { at, now: context.now, testClockId: row.test_clock_id, requestKey, keyExpiresAt };
  const newCharge = { source: 'confirm' as const, ...about };
  if (way.kind === 'at_once') return { charge: await openCharge(tx, intent, method, newCharge) };
  await acceptDebit(tx, intent, method, way, newCharge, context.requestId);
  const { locked: after, events } = await takeEffect(tx, opened, at);
  return { completed: await finish(tx, { ...after, events }, record, request) };
}

/** Says before the first payment that a whole period costs more than the mandate allows for one debit. */
async function assertWithinLimit(tx: Tx, { row }: LockedSubscription, at: Date): Promise<void> {
  const method = await chargeableMethod(tx, row);
  if (method === null || !(await isAboveLimit(tx, method, row, priceOfItems(row.items), at))) return;
  throw refusalError('mandate_limit_exceeded', method.id, '/payment_instrument_id');
}

async function trial(tx: Tx, locked: LockedSubscription, change: Parameters<typeof openPeriod>[2], at: Date) {
  const { locked: after, events } = await openPeriod(tx, locked, change, at);
  return { ...after, events };
}

/** Ends a start that waits for nothing: its workflow goes on from here. */
async function finish(
  tx: Tx,
  { events, ...locked }: Awaited<ReturnType<typeof store>>,
  record: Parameters<typeof recordEvents>[1],
  request: RepeatableRequest<ShownSubscriptionRow>,
): Promise<ShownSubscriptionRow> {
  const shown = shownRow(locked);
  await wake.subscription(tx, locked.row, record.now, { start: true });
  await request.storeResponse(tx, shown);
  await recordEvents(tx, record, events);
  return shown;
}

async function findEarlierTry(
  tx: Tx,
  { row }: LockedSubscription,
  context: RequestContext,
  { requestKey, keyExpiresAt }: RepeatableRequest<ShownSubscriptionRow>,
): Promise<Opened | null> {
  const intentId = row.latest_payment_intent_id;
  if (intentId === null || requestKey === null) return null;
  const attempt = await selectAttemptOfRequest(tx, intentId, requestKey, context.now);
  if (attempt === null) return null;
  // The attempt's key now expires when the response of this try expires.
  if (keyExpiresAt) await updateAttemptKeyExpiry(tx, attempt.id, keyExpiresAt);
  const intent = attempt.outcome === 'processing' ? await lockPaymentIntent(tx, intentId) : null;
  if (intent !== null) return { charge: await reopenCharge(tx, intent, attempt) };
  return { completed: await getSubscription(tx, context, row.id) };
}
