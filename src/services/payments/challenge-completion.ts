import { bringChallengeEndForward, type PaymentAttemptRow, selectAttemptInFlight } from '../../db/payment-attempts.ts';
import { lockPaymentIntent, type PaymentIntentRow } from '../../db/payment-intents.ts';
import { declined } from '../../domain/charge-outcome.ts';
import type { Id } from '../../domain/ids.ts';
import type { Tx, Writer } from '../../platform/postgres/connection.ts';
import { atomically } from '../../platform/postgres/transaction.ts';
import type { Instants } from '../customer-time.ts';
import { InvalidState } from '../errors.ts';
import type { RequestContext } from '../request-context.ts';
import { type ChargeHook, recordOutcome } from './charge.ts';
import { lockIntentForUpdate } from './payment-intents.ts';

/**
 * Sandbox: plays the payer who completes a 3D Secure challenge. Records the outcome of the attempt that waits for the
 * challenge; no new attempt is opened. After the time that the payer has for it, or once the customer was deleted, it
 * has failed, whatever the result.
 * @throws NotFound
 * @throws InvalidState when no challenge is waiting, or while the customer's clock is advancing.
 */
export async function completeChallenge(
  db: Writer,
  hook: ChargeHook,
  context: RequestContext,
  id: string,
  result: 'succeed' | 'fail',
): Promise<PaymentIntentRow> {
  return atomically(db, async (tx) => {
    const { intent, customer, at, recorder } = await lockIntentForUpdate(tx, context, id, hook);
    const attempt = intent.status === 'requires_action' ? await selectAttemptInFlight(tx, id) : null;
    if (attempt === null) {
      throw new InvalidState(`Payment intent ${id} is ${intent.status}; no challenge is waiting to be completed.`);
    }
    // The workflow that ends a challenge may be late.
    const endsAt = recorder?.challengeEndsAt ?? null;
    const isInTime = endsAt === null || at < endsAt;
    const hasPassed = result === 'succeed' && isInTime && customer?.deleted_at == null;
    const outcome = hasPassed ? { kind: 'succeeded' as const } : declined('authentication_required');
    const completed = await recordOutcome(
      tx,
      { attemptId: attempt.id, paymentIntentId: intent.id, paymentPlanId: intent.payment_plan_id },
      { outcome, requestId: context.requestId, now: context.now, at, from: 'requires_action' },
      hook,
    );
    return completed ?? intent;
  });
}

/**
 * Leaves the challenge of a locked payment to the live processor, and returns true, if it waits there. Only the
 * processor knows whether the payer has passed it, and a transaction cannot ask. So a caller that ends the payment
 * leaves it as it is, like one that is being charged. It is given up from now on: the processor is asked
 * (`settleChallenges`), and the outcome is recorded on what has ended.
 */
export async function leaveToProcessor(
  tx: Tx,
  { livemode }: Pick<PaymentIntentRow, 'livemode'>,
  { id, outcome }: Pick<PaymentAttemptRow, 'id' | 'outcome'>,
): Promise<boolean> {
  if (!livemode || outcome !== 'requires_action') return false;
  await bringChallengeEndForward(tx, id);
  return true;
}

/**
 * Fails the challenge that no payer has completed, if a payment still waits for one. Returns whether it did. What the
 * payment is for is locked before it. One at a live processor is left to that (`leaveToProcessor`).
 */
export async function endChallenge(
  tx: Tx,
  hook: ChargeHook,
  paymentIntentId: Id<'payment_intent'>,
  { at, now }: Instants,
): Promise<boolean> {
  const intent = await lockPaymentIntent(tx, paymentIntentId);
  const attempt = intent?.status === 'requires_action' ? await selectAttemptInFlight(tx, intent.id) : null;
  if (intent === null || attempt === null || (await leaveToProcessor(tx, intent, attempt))) return false;
  const outcome = declined('authentication_required');
  const record = { outcome, requestId: null, now, at, from: 'requires_action' } as const;
  await recordOutcome(
    tx,
    { attemptId: attempt.id, paymentIntentId, paymentPlanId: intent.payment_plan_id },
    record,
    hook,
  );
  return true;
}
