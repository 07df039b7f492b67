import { hasOwnWorkflow, selectDebit, updateDebit } from '../../db/bank-debits.ts';
import { completeAttempt, type PaymentAttemptRow, selectAttemptInFlight } from '../../db/payment-attempts.ts';
import { type LockedIntentRow, markCanceled, type PaymentIntentRow } from '../../db/payment-intents.ts';
import type { Pool, Tx } from '../../platform/postgres/connection.ts';
import type { Instants } from '../customer-time.ts';
import { InvalidState } from '../errors.ts';
import { intentEvent, record, transact } from '../events.ts';
import type { RequestContext } from '../request-context.ts';
import { wake } from '../wake.ts';
import { leaveToProcessor } from './challenge-completion.ts';
import type { Charging } from './charge.ts';
import { getPaymentIntent, lockIntentForUpdate } from './payment-intents.ts';
import { giveChallengeUp } from './processor-challenge.ts';
import { claimKey, type RepeatableRequest, storeResponse, unrepeatable } from './repeatable-request.ts';

/** The statuses in which no money was taken or is being taken. A debit that the bank does not have yet is added. */
const cancelable: readonly PaymentIntentRow['status'][] = ['requires_payment_method', 'requires_action', 'failed'];

/**
 * Cancels an intent for good, together with its schedule, or its debit before the hand-over to the bank. After the
 * commit it is not charged. A challenge at a live processor is given up there first.
 * @throws NotFound
 * @throws ProcessorUnavailable if a challenge waits at a processor that gives no outcome. Nothing has changed then.
 * @throws InvalidState when the intent has succeeded, is being charged or was canceled; when it belongs to a plan
 * or a subscription, because only that decides about its payments; while the customer's clock is advancing.
 */
export async function cancelPaymentIntent(
  pool: Pool,
  charging: Charging,
  context: RequestContext,
  id: string,
  request: RepeatableRequest<PaymentIntentRow> = unrepeatable,
): Promise<PaymentIntentRow> {
  const found = await getPaymentIntent(pool, context, id);
  const givenUp = isOfNothingElse(found) ? await giveChallengeUp(pool, charging, found, context) : null;
  return transact(pool, context, async (tx) => {
    await claimKey(tx, request);
    const { intent, at, recorder } = await lockIntentForUpdate(tx, context, id, charging.hook);
    assertOfNothingElse(intent);
    const open = ['requires_action', 'processing'].includes(intent.status) ? await selectAttemptInFlight(tx, id) : null;
    const isAccepted = open?.outcome === 'accepted';
    if (!isAccepted && !cancelable.includes(intent.status)) {
      const instead = open?.outcome === 'submitted' ? ' The bank already has the debit.' : '';
      throw new InvalidState(
        `Payment intent ${id} is ${intent.status}; it can be canceled while ${cancelable.join(' or ')}.${instead}`,
      );
    }
    if (intent.livemode && open?.outcome === 'requires_action' && open.id !== givenUp) {
      throw new InvalidState(`Payment intent ${id} was being charged, and waits for its payer since. Cancel it again.`);
    }
    if (open !== null) await endAttempt(tx, open, { at, now: context.now });
    const row = await markCanceled(tx, id, at);
    if (intent.scheduled_at !== null) await wake.scheduledPayment(tx, row, context.now);
    record(tx, intentEvent('payment_intent.canceled', row, { testClockId: intent.test_clock_id, at }));
    await recorder?.canceled?.({ at, now: context.now });
    storeResponse(tx, request, row);
    return row;
  });
}

function isOfNothingElse({ payment_plan_id: plan, subscription_id: subscription }: PaymentIntentRow): boolean {
  return plan === null && subscription === null;
}

/** @throws InvalidState if a plan or a subscription decides about the payment. */
function assertOfNothingElse({ id, payment_plan_id: plan, subscription_id: subscription }: PaymentIntentRow): void {
  if (plan !== null) {
    throw new InvalidState(`Payment intent ${id} belongs to plan ${plan}. Suspend or close the plan instead.`);
  }
  if (subscription !== null) {
    const whose = `Payment intent ${id} belongs to subscription ${subscription}.`;
    throw new InvalidState(`${whose} Cancel the subscription instead.`);
  }
}

/** Cancels a locked intent and its open attempt, if it has one. */
export async function cancelLocked(
  tx: Tx,
  intent: LockedIntentRow,
  open: PaymentAttemptRow | null,
  instants: Instants,
): Promise<void> {
  if (open !== null) await endAttempt(tx, open, instants);
  const row = await markCanceled(tx, intent.id, instants.at);
  const { test_clock_id: testClockId } = intent;
  record(tx, intentEvent('payment_intent.canceled', row, { testClockId, at: instants.at }));
}

/**
 * Cancels for good a locked payment of a plan or a subscription that has ended: one that has failed, or that waits for
 * a challenge. Returns whether it was canceled: in another status it is not, nor with a challenge at a live processor.
 * What a bank has taken back cannot be paid again anyway.
 */
export async function cancelUnpaid(tx: Tx, intent: LockedIntentRow, instants: Instants): Promise<boolean> {
  if (intent.status !== 'failed' && intent.status !== 'requires_action') return false;
  const open = intent.status === 'requires_action' ? await selectAttemptInFlight(tx, intent.id) : null;
  if (open !== null && (await leaveToProcessor(tx, intent, open))) return false;
  await cancelLocked(tx, intent, open, instants);
  return true;
}

/** Ends the attempt that waits for a challenge or for the hand-over to the bank. */
async function endAttempt(tx: Tx, attempt: PaymentAttemptRow, { at, now }: Instants): Promise<void> {
  const isDebit = attempt.outcome === 'accepted';
  const message = isDebit
    ? 'The payment was canceled before the bank had the debit.'
    : 'The payment was canceled before the customer had authenticated it.';
  const from = isDebit ? 'accepted' : 'requires_action';
  await completeAttempt(tx, attempt.id, from, { outcome: 'failed', code: 'canceled', message, now });
  const debit = isDebit ? await selectDebit(tx, attempt.id) : null;
  if (debit === null) return;
  await updateDebit(tx, debit, { result_at: at, next_at: null });
  if (hasOwnWorkflow(debit)) await wake.bankDebit(tx, { id: attempt.id, livemode: debit.livemode }, now);
}
