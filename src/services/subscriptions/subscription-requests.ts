import { selectPeriodFunds } from '../../db/period-funds.ts';
import { insertFreeChange } from '../../db/subscription-changes.ts';
import type { ShownSubscriptionRow } from '../../db/subscriptions.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import { type Quote, quoteUnused } from '../../domain/subscriptions/changes.ts';
import { respondTo, type SubscriptionRefusal, type SubscriptionRequest } from '../../domain/subscriptions/requests.ts';
import { cancelNow } from '../../domain/subscriptions/steps.ts';
import type { StateReason } from '../../domain/subscriptions/subscription.ts';
import type { Tx, Writer } from '../../platform/postgres/connection.ts';
import type { SubscriptionCancel } from '../../resources/subscription-input.ts';
import { timeForWrite } from '../customer-time.ts';
import { InvalidState, orNotFound, ValidationFailed } from '../errors.ts';
import { transact } from '../events.ts';
import type { RequestContext } from '../request-context.ts';
import { wake } from '../wake.ts';
import { type LockedSubscription, lockWithPeriods, shownRow, store } from './locked-subscription.ts';
import { withoutCharges } from './stopped-payments.ts';
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
    if (asked.events.includes('canceled')) return endAtOnce(tx, context, found, at);
    const after = await store(tx, found, asked, at);
    await wake.subscription(tx, after.row, context.now, { start: true });
    return shownRow(after);
  });
}

/** A subscription that was canceled, and what its unused days are worth if they become credit. */
export interface Canceled {
  subscription: ShownSubscriptionRow;
  quote: Quote | null;
}

/**
 * Cancels a subscription. With `unused: credit` the days that are paid and left become credit, by the lines that a
 * change to nothing would have; with `dry_run` it returns what that would be.
 * @throws NotFound; InvalidState if its state does not allow it, or while the customer's clock is advancing;
 * ValidationFailed for fields that do not go together.
 */
export async function cancelSubscription(
  db: Writer,
  context: RequestContext,
  id: string,
  { at: when = 'period_end', unused = 'keep', dry_run: dryRun = false }: SubscriptionCancel,
): Promise<Canceled> {
  if (unused === 'credit') {
    if (when === 'now') return cancelWithCredit(db, context, id, dryRun);
    throw ValidationFailed.of(
      '/unused',
      'out_of_range',
      'Days are left only if it ends at once: send at: now with it.',
    );
  }
  if (dryRun) {
    throw ValidationFailed.of('/dry_run', 'out_of_range', 'dry_run quotes unused days: send unused: credit with it.');
  }
  const request = { name: 'cancel', when: when === 'now' || when === 'period_end' ? when : { on: when } } as const;
  return { quote: null, subscription: await requestOfSubscription(db, context, id, request) };
}

async function cancelWithCredit(db: Writer, context: RequestContext, id: string, dryRun: boolean): Promise<Canceled> {
  return transact(db, context, async (tx) => {
    const { locked, at } = await lockForRequest(tx, context, id);
    const asked = respondTo({ name: 'cancel', when: 'now' }, locked.subscription, at);
    if ('refused' in asked) throw refused(id, asked);
    const funded = await selectPeriodFunds(tx, id, locked.row.current_number);
    const quoted = quoteUnused(locked.subscription, at, funded?.funds ?? null);
    if ('refused' in quoted) throw refused(id, quoted);
    const { quote, change, own } = quoted;
    if (dryRun) return { quote, subscription: shownRow(locked) };
    const credited = await store(tx, locked, change, at);
    if (own.length > 0) {
      const { id: subscription_id, current_number: period, items } = credited.row;
      await insertFreeChange(tx, { subscription_id, period, items, proration: 'days', lines: own }, at);
    }
    return { quote, subscription: await endAtOnce(tx, context, credited, at) };
  });
}

async function endAtOnce(
  tx: Tx,
  context: RequestContext,
  found: LockedSubscription,
  at: CustomerInstant,
  reason: StateReason = 'requested',
): Promise<ShownSubscriptionRow> {
  const locked = await withoutCharges(tx, found, { at, now: context.now });
  const after = await store(tx, locked, cancelNow(locked.subscription, reason), at);
  await wake.subscription(tx, after.row, context.now);
  return shownRow(after);
}

/** Cancels a subscription whose customer is deleted. The caller has locked the customer. */
export async function endWithCustomer(tx: Tx, context: RequestContext, id: string, at: CustomerInstant): Promise<void> {
  const found = await lockWithPeriods(tx, id);
  if (found === null || found.row.state === 'canceled') return;
  await endAtOnce(tx, context, found, at, 'customer_deleted');
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
  return { locked: orNotFound(await lockWithPeriods(tx, id), 'subscription', id), at };
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
