import type { Db } from '../db/connection.ts';
import { findAttemptInFlight } from '../db/payment-attempts.ts';
import { lockPaymentIntent, type PaymentIntentRow } from '../db/payment-intents.ts';
import { lockPlan } from '../db/payment-plans.ts';
import { atomically } from '../db/transaction.ts';
import { declined } from '../domain/charge-outcome.ts';
import type { Call } from './call.ts';
import { settleCharge } from './charge.ts';
import { timeForWrite } from './customer-time.ts';
import { InvalidState, NotFound } from './errors.ts';
import { fetchPaymentIntent } from './payment-intents.ts';

/**
 * Stands, in sandbox, for the customer who answers a 3D Secure challenge: settles the attempt that waits for it; it is no
 * new attempt.
 * @throws NotFound; InvalidState when no challenge is waiting, or while the customer's clock is advancing.
 */
export async function completeChallenge(
  db: Db,
  call: Call,
  id: string,
  result: 'succeed' | 'fail',
): Promise<PaymentIntentRow> {
  return atomically(db, async (tx) => {
    const { payment_plan_id: planId } = await fetchPaymentIntent(tx, call, id);
    if (planId !== null) await lockPlan(tx, planId); // before the intent, as everybody does
    const intent = await lockPaymentIntent(tx, id);
    if (intent === null) throw new NotFound('payment intent', id);
    const at = await timeForWrite(tx, intent.test_clock_id, call.now);
    const attempt = intent.status === 'requires_action' ? await findAttemptInFlight(tx, id) : null;
    if (attempt === null) {
      throw new InvalidState(`Payment intent ${id} is ${intent.status}; no challenge is waiting to be completed.`);
    }
    const outcome = result === 'succeed' ? { kind: 'succeeded' as const } : declined('authentication_required');
    const settled = await settleCharge(
      tx,
      { attemptId: attempt.id, paymentIntentId: id, paymentPlanId: planId },
      { outcome, requestId: call.requestId, now: call.now, at, from: 'requires_action' },
    );
    return settled ?? intent;
  });
}
