// What the loops of a plan and of a subscription do alike with the payments of slots and periods.

import type { BankDebitRow } from '../../db/bank-debits.ts';
import { selectAttemptInFlight } from '../../db/payment-attempts.ts';
import { type LockedIntentRow, lockPaymentIntent } from '../../db/payment-intents.ts';
import type { Id } from '../../domain/ids.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import type { RecurringPayment } from '../../domain/recurring/recurring-payment.ts';
import type { Db, Tx } from '../../platform/postgres/connection.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import type { Instants } from '../customer-time.ts';
import { endSessionOf } from '../links/canceled-payment.ts';
import { endChallenge } from '../payments/challenge-completion.ts';
import { type Charging, isOwnAttempt, reopenCharge } from '../payments/charge.ts';
import type { Charge } from '../payments/charge-records.ts';
import { cancelUnpaid } from '../payments/payment-cancellation.ts';
import { chargeAndRecord } from '../payments/recurring-charge.ts';
import { lockDebit } from './debit-reports.ts';
import { type DebitStep, finishDebitStep, openDebitStep, ownStep } from './debit-steps.ts';

type Payment = Pick<RecurringPayment, 'status' | 'payment_intent_id'>;

/**
 * Takes what follows once a step is committed: the processor is asked about a charge or a debit, and what it says is
 * recorded. Null: nothing follows.
 * @throws as `askProcessor`. The attempt stays open, and is asked about again.
 */
export async function finishStep(
  sql: Db,
  charging: Charging,
  opened: Charge | DebitStep | null,
  now: RealInstant,
): Promise<void> {
  if (opened === null) return;
  if ('ask' in opened) return finishDebitStep(sql, charging, opened, ownStep(now));
  await chargeAndRecord(sql, charging, opened, now);
}

/** Returns the charge of an attempt that a dead worker left open: the processor may have taken the money. Or null. */
export async function findInterrupted(tx: Tx, payments: readonly Payment[], ownerId: string): Promise<Charge | null> {
  for (const payment of payments) {
    const { status, payment_intent_id: intentId } = payment;
    const attempt = status === 'processing' && intentId !== null ? await selectAttemptInFlight(tx, intentId) : null;
    if (attempt === null || !isOwnAttempt(attempt) || attempt.outcome !== 'processing') continue;
    return reopenCharge(tx, await lockPaymentOf(tx, payment, ownerId), attempt);
  }
  return null;
}

/**
 * Returns the intent of a slot or a period, locked. `ownerId` is its plan or subscription.
 * @throws Error if there is none, which only a damaged database can have.
 */
export async function lockPaymentOf(
  tx: Tx,
  { payment_intent_id: id, status }: Payment,
  ownerId: string,
): Promise<LockedIntentRow> {
  const intent = id === null ? null : await lockPaymentIntent(tx, id);
  if (intent === null) throw new Error(`${ownerId} is ${status} without its payment (${id ?? 'no id'})`);
  return intent;
}

/** Opens the step of a debit that is due: see `openDebitStep`. What the debit pays is locked. */
export async function openDebit(
  tx: Tx,
  charging: Charging,
  debit: BankDebitRow,
  at: CustomerInstant,
  now: RealInstant,
): Promise<DebitStep | null> {
  const locked = await lockDebit(tx, debit.attempt_id, charging.hook);
  return locked && openDebitStep(tx, charging, locked, at, ownStep(now));
}

/**
 * Fails the challenge of a payment, if the payment waits for one. Returns whether it did. A row that was changed by
 * hand may have the end of a challenge without one: the caller clears it, or its workflow would wake for it forever.
 */
export async function endChallengeOf(
  tx: Tx,
  { hook }: Pick<Charging, 'hook'>,
  { payment_intent_id: id }: Payment,
  instants: Instants,
): Promise<boolean> {
  return id !== null && endChallenge(tx, hook, id, instants);
}

/**
 * Cancels for good the payments of a plan or a subscription that has ended: those that have failed, and those that wait
 * for a challenge. Returns the ids of those that were canceled. Locks them.
 */
export async function cancelUnpaidPayments(
  tx: Tx,
  payments: readonly Payment[],
  instants: Instants,
): Promise<Id<'payment_intent'>[]> {
  const canceled: Id<'payment_intent'>[] = [];
  for (const { payment_intent_id: id } of payments) {
    const intent = id === null ? null : await lockPaymentIntent(tx, id);
    if (intent === null || !(await cancelUnpaid(tx, intent, instants))) continue;
    await endSessionOf(tx, intent, instants);
    canceled.push(intent.id);
  }
  return canceled;
}
