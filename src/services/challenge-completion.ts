import type { Db } from '../db/connection.ts';
import { findAttemptInFlight } from '../db/payment-attempts.ts';
import type { PaymentIntentRow } from '../db/payment-intents.ts';
import { atomically } from '../db/transaction.ts';
import { declined } from '../domain/charge-outcome.ts';
import type { Call } from './call.ts';
import { settleCharge } from './charge.ts';
import { InvalidState } from './errors.ts';
import { holdIntent } from './intent-locks.ts';

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
    const { intent, at } = await holdIntent(tx, call, id);
    const attempt = intent.status === 'requires_action' ? await findAttemptInFlight(tx, id) : null;
    if (attempt === null) {
      throw new InvalidState(`Payment intent ${id} is ${intent.status}; no challenge is waiting to be completed.`);
    }
    const outcome = result === 'succeed' ? { kind: 'succeeded' as const } : declined('authentication_required');
    const settled = await settleCharge(
      tx,
      { attemptId: attempt.id, paymentIntentId: id, paymentPlanId: intent.payment_plan_id },
      { outcome, requestId: call.requestId, now: call.now, at, from: 'requires_action' },
    );
    return settled ?? intent;
  });
}
