import { selectUnknownCharge } from '../../db/live-charging.ts';
import { type NewAttempt, restoreLostAttempt, selectLastAttempt } from '../../db/payment-attempts.ts';
import { type LockedIntentRow, lockPaymentIntent } from '../../db/payment-intents.ts';
import { type PaymentMethodRow, selectPaymentMethod } from '../../db/payment-methods.ts';
import { hasReference, restoreReservation } from '../../db/payment-reservations.ts';
import { tenantOf } from '../../db/tenant.ts';
import { declined } from '../../domain/charge-outcome.ts';
import { inMoney } from '../../domain/currencies.ts';
import type { Pool } from '../../platform/postgres/connection.ts';
import { atomically } from '../../platform/postgres/transaction.ts';
import { type RealInstant, realInstant } from '../../platform/real-time.ts';
import type { ChangeOrigin } from '../accounts/audit.ts';
import { CommandRefused } from '../command-refused.ts';
import { orNotFound } from '../errors.ts';
import type { Charging } from './charge.ts';
import { chargeOf, nextAttempt } from './charge-records.ts';
import { askedBefore, recordSettled, type SettledOutcome, type Settlement } from './settle-attempt.ts';

/** What a person has found out about the charge of a payment whose attempt has lost its row. */
export interface LostSettlement extends Pick<Settlement, 'outcome' | 'evidence'> {
  paymentIntentId: string;
  /** The processor's own id of the charge. Null if the person has found none. */
  reference: string | null;
}

/** So long, a process that had opened the attempt may still charge. No request lives longer. */
const mayBeChargedMs = 60_000;

/**
 * Restores the last attempt of a payment that is processing and has lost its row, and records its outcome, as an
 * operator has looked it up. Charges nothing. The list of the live processor counts more than the operator, and so does
 * what the processor says of the reference. The reference is recorded too: refunds need it.
 * @returns a sentence about the result.
 * @throws NotFound
 * @throws CommandRefused when the payment is not processing or has its attempt, when it is a bank debit, within a
 *   minute of the attempt, and when the processor says something else.
 */
export async function settleLostAttempt(
  sql: Pool,
  charging: Charging,
  { paymentIntentId: id, outcome, evidence, reference: given }: LostSettlement,
  origin: ChangeOrigin,
): Promise<string> {
  const { now } = origin;
  const intent = orNotFound(await atomically(sql, (tx) => lockPaymentIntent(tx, id)), 'payment intent', id);
  const { livemode, payment_method_id: methodId } = intent;
  const method = methodId === null ? null : await selectPaymentMethod(sql, tenantOf(intent), methodId);
  const last = await selectLastAttempt(sql, id);
  assertLost(intent, method, last?.number === intent.attempt_count ? last.id : null, now);
  const attempt = lostAttemptOf(intent, now);
  const charge = chargeOf(intent, method, attempt);

  const listed = livemode ? await selectUnknownCharge(sql, attempt.id) : null;
  if (listed !== null) {
    const { reference, amount, currency } = listed;
    const isIts = amount === intent.total_amount && currency === intent.currency && (given ?? reference) === reference;
    if (outcome === 'failed' || !isIts) {
      throw new CommandRefused(
        `The list of the live processor has this charge: ${reference}, ${inMoney(amount, currency)}. Nothing is recorded.`,
      );
    }
  }
  const reference = listed?.reference ?? given;
  // Asking about it could cancel it.
  if (reference !== null && (await hasReference(sql, livemode, reference))) {
    throw new CommandRefused(`Another payment has ${reference} as its charge. Nothing is recorded.`);
  }
  const state = await askedBefore(charging, charge, { reference, outcome, now });
  if (state === null && given !== null && listed === null) {
    throw new CommandRefused(`The processor does not say what ${given} is. Nothing is recorded. Check the reference.`);
  }
  const isNotCharged = state?.kind === 'not_charged' || state?.kind === 'canceled';
  if (state !== null && state.kind !== outcome && !(outcome === 'failed' && isNotCharged)) {
    throw new CommandRefused(`The processor responds, and says: ${state.kind}. Nothing is recorded.`);
  }
  const failure = state?.kind === 'failed' ? state : declined('gateway_timeout');
  const result: SettledOutcome = outcome === 'succeeded' ? { kind: outcome } : failure;
  return atomically(sql, async (tx) => {
    if (!(await restoreLostAttempt(tx, attempt))) {
      throw new CommandRefused(`${id} has changed at this moment. Look at ops stuck again.`);
    }
    if (reference !== null) await restoreReservation(tx, { attempt_id: attempt.id, number: 1, livemode, reference });
    const number = reference === null ? 1 : 2;
    const changes = { row: { from: 'lost', to: 'restored' }, reference: { from: null, to: reference } };
    return recordSettled(
      tx,
      charging,
      { attempt, from: 'processing', charge, number, result, evidence, changes },
      origin,
    );
  });
}

function assertLost(
  { id, status, livemode, attempt_count: count, mandate_id: mandateId, updated_at: openedAt }: LockedIntentRow,
  method: PaymentMethodRow | null,
  attemptId: string | null,
  now: RealInstant,
): void {
  if (status !== 'processing') throw new CommandRefused(`There is nothing to settle: ${id} is ${status}.`);
  if (attemptId !== null) throw new CommandRefused(`${id} has its attempt: settle ${attemptId}.`);
  if (count === 0) throw new CommandRefused(`${id} was never attempted: its status was changed by hand. Restore it.`);
  if (mandateId !== null && (method === null || method.instrument.type === 'au_becs_debit')) {
    throw new CommandRefused(
      `${id} is a bank debit, whose outcome comes later. Restore its rows in payment_attempts and bank_debits.`,
    );
  }
  if (livemode && now.getTime() - openedAt.getTime() < mayBeChargedMs) {
    throw new CommandRefused(`${id} was opened less than a minute ago, and may just be charged. Wait a minute.`);
  }
}

/** The lost attempt, as far as its payment has it. Its id is derived, and so the same as before. */
function lostAttemptOf(intent: LockedIntentRow, now: RealInstant): NewAttempt {
  const { payment_plan_id: planId, subscription_id: subscriptionId, updated_at: at } = intent;
  const ofDate = intent.scheduled_payment_date === null ? 'confirm' : 'schedule';
  const ofSubject = subscriptionId === null ? ofDate : 'subscription';
  return nextAttempt({ ...intent, attempt_count: intent.attempt_count - 1 }, intent.payment_method_id, {
    source: planId === null ? ofSubject : 'plan',
    at,
    now: intent.test_clock_id === null ? realInstant(at.getTime()) : now,
    testClockId: intent.test_clock_id,
  });
}
