import { completeAttempt, selectAttemptInFlight } from '../../db/payment-attempts.ts';
import { markCanceled, type PaymentIntentRow } from '../../db/payment-intents.ts';
import type { Writer } from '../../platform/postgres/connection.ts';
import { atomically } from '../../platform/postgres/transaction.ts';
import { InvalidState } from '../errors.ts';
import { intentEvent, recordEvents } from '../events.ts';
import type { RequestContext } from '../request-context.ts';
import { wake } from '../wake.ts';
import { lockIntentForUpdate } from './payment-intents.ts';

/** The statuses in which no money was taken and none is being taken. */
const cancelable: readonly string[] = ['requires_payment_method', 'requires_action', 'failed'];

/**
 * Cancels an intent for good, together with its schedule. After the commit it is not charged.
 * @throws NotFound
 * @throws InvalidState when the intent has succeeded, is being charged or was canceled; when it belongs to a plan,
 * because only the plan decides about its payments; while the customer's clock is advancing.
 */
export async function cancelPaymentIntent(db: Writer, context: RequestContext, id: string): Promise<PaymentIntentRow> {
  return atomically(db, async (tx) => {
    const { intent, at } = await lockIntentForUpdate(tx, context, id);
    if (intent.payment_plan_id !== null) {
      throw new InvalidState(
        `Payment intent ${id} belongs to plan ${intent.payment_plan_id}. Suspend or close the plan instead.`,
      );
    }
    if (!cancelable.includes(intent.status)) {
      throw new InvalidState(
        `Payment intent ${id} is ${intent.status}; it can be canceled while ${cancelable.join(' or ')}.`,
      );
    }
    const challenge = intent.status === 'requires_action' ? await selectAttemptInFlight(tx, id) : null;
    if (challenge !== null) {
      const message = 'The payment was canceled before the customer had authenticated it.';
      const failure = { outcome: 'failed' as const, code: 'canceled', message, now: context.now };
      await completeAttempt(tx, challenge.id, 'requires_action', failure);
    }
    const row = await markCanceled(tx, id, at);
    if (intent.scheduled_at !== null) await wake.scheduledPayment(tx, row, context.now);
    const event = intentEvent('payment_intent.canceled', row, { testClockId: intent.test_clock_id, at });
    await recordEvents(tx, context, [event]);
    return row;
  });
}
