import { noteChallenge } from '../../db/bank-debits.ts';
import { lockPaymentIntent } from '../../db/payment-intents.ts';
import { withdrawn } from '../../domain/subscriptions/steps.ts';
import { openPeriods, type Period } from '../../domain/subscriptions/subscription.ts';
import type { MinorUnits } from '../../domain/units.ts';
import type { Tx } from '../../platform/postgres/connection.ts';
import type { Instants } from '../customer-time.ts';
import { withdrawDebits } from '../debits/debit-withdrawal.ts';
import { cancelUnpaidPayments, lockPaymentOf } from '../debits/recurring-steps.ts';
import { endSessionOf } from '../links/canceled-payment.ts';
import { cancelLocked } from '../payments/payment-cancellation.ts';
import { type LockedSubscription, store } from './locked-subscription.ts';
import { endOpenChange } from './open-change.ts';

/**
 * Stops what could still be charged of a locked subscription that ends: a change that is not paid, debits that the bank
 * does not have, challenges that payers have open, and payments that have failed. All of them are canceled for good.
 * Money that is on its way goes on, and becomes credit (see `creditAfterEnd`).
 */
export async function withoutCharges(
  tx: Tx,
  locked: LockedSubscription,
  instants: Instants,
): Promise<LockedSubscription> {
  const free = (await endOpenChange(tx, locked, { ...instants, debitsToo: true })) ?? locked;
  const open = openPeriods(free.subscription);
  if (open.length === 0 && free.row.change_payment_intent_id === null) return free;
  await withdrawDebits(tx, { subscriptionId: free.row.id }, instants);
  const stopped: string[] = await cancelUnpaidPayments(tx, open, instants);
  const change = withdrawn(free.subscription, stopped);
  const in_flight_cents = await amountInFlight(tx, free, stopped);
  const after = await store(tx, free, change, instants.at, { in_flight_cents });
  if (open.some(({ challenge_ends_at: endsAt }) => endsAt !== null)) {
    await noteChallenge(tx, { subscriptionId: free.row.id });
  }
  return after;
}

/**
 * Withdraws the debits of a subscription that has paused because a payment failed. What a payer or the biller has
 * confirmed goes on.
 */
export async function withoutDebits(tx: Tx, locked: LockedSubscription, instants: Instants): Promise<void> {
  const how = { ...instants, keep: 'by_hand' } as const;
  const intentIds = await withdrawDebits(tx, { subscriptionId: locked.row.id }, how);
  if (intentIds.length > 0) await store(tx, locked, withdrawn(locked.subscription, intentIds), instants.at);
}

/** What a bank or a processor has of a subscription without those payments that are stopped. */
async function amountInFlight(
  tx: Tx,
  { row, subscription }: LockedSubscription,
  stopped: string[],
): Promise<MinorUnits> {
  const { change_payment_intent_id: changeId } = row;
  const change = changeId === null ? null : await lockPaymentIntent(tx, changeId);
  return openPeriods(subscription)
    .filter(({ status, payment_intent_id: id }) => status === 'processing' && id !== null && !stopped.includes(id))
    .reduce((sum, { amount_cents: amount }) => sum + amount, change?.amount ?? 0);
}

/**
 * Cancels the payment of an unpaid period, so that no payer can pay it. One that a bank has taken back stays
 * `returned`: it cannot be paid again either.
 */
export async function cancelPaymentOfPeriod(
  tx: Tx,
  { row }: LockedSubscription,
  period: Period,
  instants: Instants,
): Promise<void> {
  const intent = await lockPaymentOf(tx, period, row.id);
  if (intent.status === 'returned' || intent.status === 'canceled') return;
  await cancelLocked(tx, intent, null, instants);
  await endSessionOf(tx, intent, instants);
}

/** Cancels the payments of unpaid periods that are over, or that a resume leaves void. */
export async function giveUpUnpaid(tx: Tx, locked: LockedSubscription, instants: Instants): Promise<void> {
  for (const period of openPeriods(locked.subscription)) await cancelPaymentOfPeriod(tx, locked, period, instants);
}
