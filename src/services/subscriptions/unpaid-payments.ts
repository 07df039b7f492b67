import { lockPaymentIntent, markCanceled } from '../../db/payment-intents.ts';
import type { CollectingSubscriptionRow } from '../../db/subscriptions.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import { allOwed, type Period } from '../../domain/subscriptions/course.ts';
import type { Tx } from '../../platform/postgres/connection.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import { intentEvent, record } from '../events.ts';
import { endSessionOf } from '../links/canceled-payment.ts';
import type { LockedSubscription } from './locked-subscription.ts';

/** Returns the intent of an owed period, locked. @throws if it is gone, which only a damaged database can have. */
export async function lockIntentOfPeriod(tx: Tx, row: Pick<CollectingSubscriptionRow, 'id'>, period: Period | null) {
  const intent = period?.payment_intent_id ? await lockPaymentIntent(tx, period.payment_intent_id) : null;
  if (intent === null) throw new Error(`subscription ${row.id} has no payment for its unpaid period`);
  return intent;
}

/**
 * Cancels the payment of an unpaid period, so that no payer can pay it. One that a bank has taken back stays
 * `returned`: it cannot be paid again either.
 */
export async function cancelPaymentOfPeriod(
  tx: Tx,
  row: CollectingSubscriptionRow,
  period: Period | null,
  { at, now }: { at: CustomerInstant; now: RealInstant },
): Promise<void> {
  const intent = await lockIntentOfPeriod(tx, row, period);
  if (intent.status === 'returned' || intent.status === 'canceled') return;
  const canceled = await markCanceled(tx, intent.id, at);
  record(tx, intentEvent('payment_intent.canceled', canceled, { testClockId: row.test_clock_id, at }));
  await endSessionOf(tx, intent, { at, now });
}

/** Cancels the payments of unpaid periods that are over, or that a resume leaves void. */
export async function giveUpUnpaid(
  tx: Tx,
  { row, subscription }: LockedSubscription,
  instants: { at: CustomerInstant; now: RealInstant },
): Promise<void> {
  for (const period of allOwed(subscription)) await cancelPaymentOfPeriod(tx, row, period, instants);
}
