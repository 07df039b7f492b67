import { selectPaymentMethod } from '../../db/payment-methods.ts';
import { listOpenPeriods } from '../../db/subscription-periods.ts';
import { lockSubscription, type SubscriptionRow } from '../../db/subscriptions.ts';
import { tenantOf } from '../../db/tenant.ts';
import { dateIn } from '../../domain/calendar.ts';
import type { Id } from '../../domain/ids.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import { fitsCurrency } from '../../domain/schemes/schemes.ts';
import type { SubscriptionWithPeriods } from '../../domain/subscriptions/course.ts';
import { respondTo } from '../../domain/subscriptions/requests.ts';
import type { Resuming, SubscriptionStepChange } from '../../domain/subscriptions/steps.ts';
import type { Tx } from '../../platform/postgres/connection.ts';
import { pipelined } from '../../platform/postgres/transaction.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import { wake } from '../wake.ts';
import { withAllCreditCovered } from './covered-credit.ts';
import { lockedSubscription, store } from './locked-subscription.ts';
import { assertPayable } from './payable.ts';
import { giveUpUnpaid } from './subscription-requests.ts';
import { endErrors } from './subscription-terms.ts';

/** What a payer has done for a subscription: paid, or saved a method. */
interface AppliedMethod {
  subscriptionId: Id<'subscription'>;
  paymentMethodId: Id<'payment_method'>;
  at: CustomerInstant;
  now: RealInstant;
}

const nothing: SubscriptionStepChange = { happenings: [] };

/**
 * Gives a subscription the method of a completed link as its instrument, in the caller's transaction. One that waits
 * for its start is started, one that a failed payment has paused is resumed, and an unpaid payment that is retried is
 * tried again at once. The workflow of the subscription charges. One that has ended stays as it is.
 */
export async function applyMethodToSubscription(tx: Tx, applied: AppliedMethod): Promise<void> {
  const { subscriptionId, paymentMethodId, at, now } = applied;
  const [row, periods] = await pipelined(tx, [
    lockSubscription(tx, subscriptionId),
    listOpenPeriods(tx, subscriptionId),
  ]);
  if (row === null || row.state === 'canceled') return;
  const tenant = tenantOf(row);
  const method = await selectPaymentMethod(tx, tenant, paymentMethodId);
  if (method === null || !fitsCurrency(method, row.currency)) return;
  const locked = lockedSubscription(row, periods);
  const change = changeByNewMethod(locked, at);
  const isResumed = change.happenings.includes('resumed');
  if (isResumed) await giveUpUnpaid(tx, locked, at);
  const instrument = { payment_instrument_id: paymentMethodId };
  const after = await store(tx, locked, change, at, null, instrument);
  if (isResumed) await withAllCreditCovered(tx, after, at);
  await wake.subscription(tx, after.row, now, { start: after.row.started_at !== null });
}

/**
 * Says before a method becomes the instrument of a subscription that it allows less than what it would pay.
 * @throws InvalidState `mandate_limit_exceeded`.
 */
export async function assertPaysSubscription(
  tx: Tx,
  id: Id<'subscription'>,
  methodId: Id<'payment_method'>,
  at: CustomerInstant,
): Promise<void> {
  const [row, periods] = await pipelined(tx, [lockSubscription(tx, id), listOpenPeriods(tx, id)]);
  if (row === null || row.state === 'canceled') return;
  const { subscription } = lockedSubscription(row, periods);
  await assertPayable(tx, { ...row, payment_instrument_id: methodId }, subscription, at);
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
  unpaid: Resuming['unpaid'] = 'collect',
): SubscriptionStepChange {
  const { state, state_reason: reason } = row;
  if (state === 'pending') return started(row, subscription, at);
  const isPausedUnpaid = state === 'paused' && reason === 'payment_failed';
  if (!isPausedUnpaid && state !== 'past_due') return nothing;
  const request = isPausedUnpaid ? ({ name: 'resume', unpaid } as const) : ({ name: 'retry_now' } as const);
  const change = respondTo(request, subscription, at);
  return 'refused' in change ? nothing : change;
}

/** What is unpaid and past due is tried at once by a new method. */
export function retryWithNewMethod(subscription: SubscriptionWithPeriods, at: CustomerInstant): SubscriptionStepChange {
  if (subscription.course.state !== 'past_due') return nothing;
  const change = respondTo({ name: 'retry_now' }, subscription, at);
  return 'refused' in change ? nothing : change;
}

/** From now on the subscription starts automatically: on its start date or, if that has come, at once. */
function started(
  row: Read['row'],
  { owed, timeZone }: SubscriptionWithPeriods,
  at: CustomerInstant,
): SubscriptionStepChange {
  const today = dateIn(at, timeZone);
  const start_date = row.start_date > today ? row.start_date : today;
  if (row.started_at !== null || owed !== null || endErrors(row, start_date).length > 0) return nothing;
  return { course: { started_at: at, start_date }, happenings: [] };
}
