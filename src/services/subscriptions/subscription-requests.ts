import { markCanceled } from '../../db/payment-intents.ts';
import { listOpenPeriods } from '../../db/subscription-periods.ts';
import { lockSubscription, type ShownSubscriptionRow } from '../../db/subscriptions.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import { allOwed } from '../../domain/subscriptions/course.ts';
import { respondTo, type SubscriptionRefusal, type SubscriptionRequest } from '../../domain/subscriptions/requests.ts';
import { cancelNow } from '../../domain/subscriptions/steps.ts';
import type { Tx, Writer } from '../../platform/postgres/connection.ts';
import { pipelined } from '../../platform/postgres/transaction.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import { timeForWrite } from '../customer-time.ts';
import { InvalidState, NotFound, ValidationFailed } from '../errors.ts';
import { intentEvent, record, transact } from '../events.ts';
import { endSessionOf } from '../links/canceled-payment.ts';
import type { RequestContext } from '../request-context.ts';
import { wake } from '../wake.ts';
import { withoutCharges } from './end.ts';
import { type LockedSubscription, lockedSubscription, shownRow, store } from './locked-subscription.ts';
import { lockIntentOfPeriod } from './opening.ts';
import { getSubscription } from './subscriptions.ts';

/**
 * Pauses or cancels a subscription. Both win every race: after the response no period begins that they exclude.
 * @throws NotFound; InvalidState if its state does not allow it, or while the customer's clock is advancing.
 */
export async function requestOfSubscription(
  db: Writer,
  context: RequestContext,
  id: string,
  request: Extract<SubscriptionRequest, { name: 'pause' | 'cancel' }>,
): Promise<ShownSubscriptionRow> {
  return transact(db, context, async (tx) => {
    const { locked: found, at } = await lockForRequest(tx, context, id);
    const asked = respondTo(request, found.subscription, at);
    if ('refused' in asked) throw refused(id, asked);
    const isEnd = asked.happenings.includes('canceled');
    const locked = isEnd ? await withoutCharges(tx, found, { at, now: context.now }) : found;
    const change = isEnd ? cancelNow(locked.subscription, 'requested') : asked;
    const after = await store(tx, locked, change, at);
    await wake.subscription(tx, after.row, context.now, { start: after.row.state !== 'canceled' });
    return shownRow(after);
  });
}

/** Cancels a subscription whose customer is deleted. The caller has locked the customer. */
export async function endWithCustomer(tx: Tx, context: RequestContext, id: string, at: CustomerInstant): Promise<void> {
  const [row, periods] = await pipelined(tx, [lockSubscription(tx, id), listOpenPeriods(tx, id)]);
  if (row === null || row.state === 'canceled') return;
  const free = await withoutCharges(tx, lockedSubscription(row, periods), { at, now: context.now });
  const after = await store(tx, free, cancelNow(free.subscription, 'customer_deleted'), at);
  await wake.subscription(tx, after.row, context.now);
}

/**
 * Locks a subscription for a request, and returns it with the customer's time.
 * @throws NotFound; InvalidState while the customer's clock is advancing.
 */
export async function lockForRequest(
  tx: Tx,
  context: RequestContext,
  id: string,
): Promise<{ locked: LockedSubscription; at: CustomerInstant }> {
  const { test_clock_id: clockId } = await getSubscription(tx, context, id);
  const at = await timeForWrite(tx, clockId, context.now);
  const [row, periods] = await pipelined(tx, [lockSubscription(tx, id), listOpenPeriods(tx, id)]);
  if (row === null) throw new NotFound('subscription', id);
  return { locked: lockedSubscription(row, periods), at };
}

/** Returns the error of a request that a subscription refuses. */
export function refused(id: string, { refused: why, field }: SubscriptionRefusal): InvalidState | ValidationFailed {
  const message = `Subscription ${id}: ${why}`;
  return field === undefined ? new InvalidState(message) : ValidationFailed.of(`/${field}`, 'out_of_range', message);
}

/** Returns the error of a subscription that has nothing to charge. */
export function methodMissing({ row }: LockedSubscription): ValidationFailed {
  const message = `Neither the subscription nor customer ${row.customer_id} has a payment method that can be charged.`;
  return ValidationFailed.of('/payment_instrument_id', 'payment_method_missing', message);
}

/**
 * Unpaid periods that are over, or that a resume leaves void: their payments are canceled, so no payer can pay them. One that a bank has
 * taken back stays `returned`: it cannot be paid again either.
 */
export async function giveUpUnpaid(
  tx: Tx,
  { row, subscription }: LockedSubscription,
  instants: { at: CustomerInstant; now: RealInstant },
): Promise<void> {
  const { at } = instants;
  for (const period of allOwed(subscription)) {
    const intent = await lockIntentOfPeriod(tx, row, period);
    if (intent.status === 'returned' || intent.status === 'canceled') continue;
    const canceled = await markCanceled(tx, intent.id, at);
    record(tx, intentEvent('payment_intent.canceled', canceled, { testClockId: row.test_clock_id, at }));
    await endSessionOf(tx, intent, instants);
  }
}
