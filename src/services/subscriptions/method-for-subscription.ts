import { type PaymentMethodRow, selectPaymentMethod } from '../../db/payment-methods.ts';
import type { SubscriptionRow } from '../../db/subscriptions.ts';
import { tenantOf } from '../../db/tenant.ts';
import { dateIn } from '../../domain/calendar.ts';
import type { Id } from '../../domain/ids.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import { fitsCurrency } from '../../domain/schemes/schemes.ts';
import { respondTo, type SubscriptionRefusal } from '../../domain/subscriptions/requests.ts';
import type { Resuming, SubscriptionStepChange } from '../../domain/subscriptions/steps.ts';
import { openPeriods, type SubscriptionWithPeriods } from '../../domain/subscriptions/subscription.ts';
import type { Tx } from '../../platform/postgres/connection.ts';
import type { Instants } from '../customer-time.ts';
import { wake } from '../wake.ts';
import { lockWithPeriods, store } from './locked-subscription.ts';
import { assertOwedPayable, assertPayable, readWayToCollect } from './payable.ts';
import { storeResumed } from './subscription-steps.ts';
import { endErrors } from './subscription-terms.ts';

/** What a payer has done for a subscription: paid, or saved a method. */
interface AppliedMethod extends Instants {
  subscriptionId: Id<'subscription'>;
  paymentMethodId: Id<'payment_method'>;
  /** Whether what was served unpaid is collected, or let go, if it is resumed. */
  unpaid: Resuming['unpaid'];
}

const nothing: SubscriptionStepChange = { events: [] };

/**
 * Gives a subscription the method of a completed link as its instrument, in the caller's transaction. One that waits
 * for its start is started, one that a failed payment has paused is resumed, and an unpaid payment that is retried is
 * tried again at once. The workflow of the subscription charges. One that has ended stays as it is.
 */
export async function applyMethodToSubscription(tx: Tx, applied: AppliedMethod): Promise<void> {
  const { subscriptionId, paymentMethodId, unpaid, at, now } = applied;
  const locked = await lockWithPeriods(tx, subscriptionId);
  if (locked === null || locked.row.state === 'canceled') return;
  const { row } = locked;
  const method = await selectPaymentMethod(tx, tenantOf(row), paymentMethodId);
  if (method === null || !fitsCurrency(method, row.currency)) return;
  const instrument = { payment_instrument_id: paymentMethodId };
  const { way } = await readWayToCollect(tx, { ...locked, row: { ...row, ...instrument } }, at);
  const change = changeByNewMethod(locked, at, { unpaid, isOwedApart: way === 'apart' });
  const after = change.events.includes('resumed')
    ? await storeResumed(tx, locked, change, { at, now }, instrument)
    : await store(tx, locked, change, at, instrument);
  await wake.subscription(tx, after.row, now, { start: after.row.started_at !== null });
}

/**
 * Says before a method becomes the instrument of a subscription that it allows less than what it would pay.
 * @throws InvalidState `mandate_limit_exceeded`.
 */
export async function assertPaysSubscription(
  tx: Tx,
  { subscriptionId: id, paymentMethodId, unpaid, at }: Omit<AppliedMethod, 'now'>,
): Promise<void> {
  const found = await lockWithPeriods(tx, id);
  if (found === null || found.row.state === 'canceled') return;
  const locked = { ...found, row: { ...found.row, payment_instrument_id: paymentMethodId } };
  await assertPayable(tx, locked, at);
  if (unpaid === 'collect') assertOwedPayable(await readWayToCollect(tx, locked, at));
}

/**
 * The customer has another default. A subscription that names no method takes it, and what is unpaid and past due is
 * tried at once; if it cannot pay in this currency, the former one stays, as the subscription's own.
 */
export async function takeNewDefault(
  tx: Tx,
  id: Id<'subscription'>,
  { method, former, at, now }: Instants & { method: PaymentMethodRow; former: PaymentMethodRow | null },
): Promise<void> {
  const locked = await lockWithPeriods(tx, id);
  if (locked === null || locked.row.payment_instrument_id !== null) return;
  const { row } = locked;
  if (!fitsCurrency(method, row.currency)) {
    if (former !== null && fitsCurrency(former, row.currency))
      await store(tx, locked, nothing, at, { payment_instrument_id: former.id });
    return;
  }
  const change = retryWithNewMethod(locked.subscription, at);
  if (change === nothing) return;
  const after = await store(tx, locked, change, at);
  await wake.subscription(tx, after.row, now, { start: true });
}

/** A subscription as it is read: what a new method would change. */
interface Read {
  row: SubscriptionRow;
  subscription: SubscriptionWithPeriods;
}

/** Returns the change of a subscription that can be charged again: nothing if its state does not wait for that. */
export function changeByNewMethod(
  { row, subscription }: Read,
  at: CustomerInstant,
  how: Partial<Resuming> = {},
): SubscriptionStepChange {
  if (row.state === 'pending') return started(row, subscription, at);
  const change = collectByNewMethod({ row, subscription }, at, how);
  return 'refused' in change ? nothing : change;
}

/** Returns the change by which a subscription collects what is unpaid with a new method, or why it collects nothing. */
export function collectByNewMethod(
  { row: { state, state_reason: reason }, subscription }: Read,
  at: CustomerInstant,
  how: Partial<Resuming> = {},
): SubscriptionStepChange | SubscriptionRefusal {
  if (state === 'past_due') return respondTo({ name: 'retry_now' }, subscription, at);
  if (state === 'paused' && reason === 'payment_failed') return respondTo({ name: 'resume', ...how }, subscription, at);
  const remedy = {
    pending: ' A session of mode setup whose apply_to names it starts it.',
    trialing: '',
    active: '',
    paused: ' Resume it, or charge what is unpaid with retry_now.',
    canceled: ' It has ended for good.',
  }[state];
  return { refused: `It is ${state}, so no payment that has failed can be collected on a page.${remedy}` };
}

/** What is unpaid and past due is tried at once by a new method. */
export function retryWithNewMethod(subscription: SubscriptionWithPeriods, at: CustomerInstant): SubscriptionStepChange {
  if (subscription.terms.state !== 'past_due') return nothing;
  const change = respondTo({ name: 'retry_now' }, subscription, at);
  return 'refused' in change ? nothing : change;
}

/** From now on the subscription starts automatically: on its start date or, if that has come, at once. */
function started(row: Read['row'], subscription: SubscriptionWithPeriods, at: CustomerInstant): SubscriptionStepChange {
  const today = dateIn(at, subscription.timeZone);
  const start_date = row.start_date > today ? row.start_date : today;
  const isStarted = row.started_at !== null || openPeriods(subscription).length > 0;
  if (isStarted || endErrors(row, start_date).length > 0) return nothing;
  return { terms: { started_at: at, start_date }, events: [] };
}
