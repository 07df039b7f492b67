import { noteChallenge } from '../../db/bank-debits.ts';
import { lockPaymentIntent } from '../../db/payment-intents.ts';
import { insertFreeChange } from '../../db/subscription-changes.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import { allOwed, type Period } from '../../domain/subscriptions/course.ts';
import { creditAfterEnd } from '../../domain/subscriptions/ends.ts';
import { type SubscriptionStepChange, withdrawn } from '../../domain/subscriptions/steps.ts';
import type { MinorUnits } from '../../domain/units.ts';
import type { Tx } from '../../platform/postgres/connection.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import { withdrawDebits } from '../debits/debit-withdrawal.ts';
import { endSessionOf } from '../links/canceled-payment.ts';
import { cancelUnpaid } from '../payments/payment-cancellation.ts';
import { type LockedSubscription, store } from './locked-subscription.ts';
import { endOpenChange } from './open-change.ts';

/**
 * Stops what could still be charged of a locked subscription that ends: a change that is not paid, debits that the bank
 * does not have, challenges that payers have open, and payments that have failed. All of them are canceled for good.
 * Money that is on its way goes on, and becomes credit (see `creditPaidPeriod`).
 */
export async function withoutCharges(
  tx: Tx,
  locked: LockedSubscription,
  instants: { at: CustomerInstant; now: RealInstant },
): Promise<LockedSubscription> {
  const free = (await endOpenChange(tx, locked, { ...instants, debitsToo: true })) ?? locked;
  const owed = allOwed(free.subscription);
  if (owed.length === 0 && free.row.change_payment_intent_id === null) return free;
  await withdrawDebits(tx, { subscriptionId: free.row.id }, instants);
  const stopped: string[] = [];
  for (const { payment_intent_id: intentId } of owed) {
    const intent = intentId === null ? null : await lockPaymentIntent(tx, intentId);
    if (intent === null || !(await cancelUnpaid(tx, intent, instants))) continue;
    await endSessionOf(tx, intent, instants);
    stopped.push(intent.id);
  }
  const change = withdrawn(free.subscription, stopped);
  const in_flight_cents = await amountInFlight(tx, free, stopped);
  const after = await store(tx, free, change, instants.at, null, { in_flight_cents });
  if (owed.some(({ challenge_ends_at: endsAt }) => endsAt !== null)) {
    await noteChallenge(tx, { subscriptionId: free.row.id });
  }
  return after;
}

/**
 * Withdraws the debits of a subscription that has paused because a payment failed. What a payer or the biller has
 * confirmed goes on.
 */
export async function withoutDebits(
  tx: Tx,
  locked: LockedSubscription,
  instants: { at: CustomerInstant; now: RealInstant },
): Promise<void> {
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
  return allOwed(subscription)
    .filter(({ status, payment_intent_id: id }) => status === 'processing' && id !== null && !stopped.includes(id))
    .reduce((sum, { amount_cents: amount }) => sum + amount, change?.amount ?? 0);
}

/**
 * Adds to a change by which a period of a canceled subscription was paid that the money becomes credit, as a change of
 * that period.
 */
export async function creditPaidPeriod(
  tx: Tx,
  { row, subscription }: LockedSubscription,
  period: Period,
  paid: SubscriptionStepChange,
  at: CustomerInstant,
): Promise<SubscriptionStepChange> {
  const credit = creditAfterEnd(subscription.course, period);
  if (credit === null) return paid;
  const { id: subscription_id, items } = row;
  const { number } = period;
  await insertFreeChange(tx, { subscription_id, period: number, items, proration: 'none', lines: credit.lines }, at);
  return {
    ...paid,
    entries: [...(paid.entries ?? []), ...credit.entries],
    owed: { ...paid.owed, changed_cents: period.changed_cents + credit.amount },
  };
}
