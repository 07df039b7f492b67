import { selectAttemptInFlight } from '../../db/payment-attempts.ts';
import { lockPaymentIntent } from '../../db/payment-intents.ts';
import { selectChangeOfIntent, updateSubscriptionChange } from '../../db/subscription-changes.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import { changeFailed } from '../../domain/subscriptions/changes.ts';
import type { Tx } from '../../platform/postgres/connection.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import { cancelLocked } from '../payments/payment-cancellation.ts';
import { type LockedSubscription, store } from './locked-subscription.ts';

/**
 * Ends a change whose payment waits for a challenge, so that no payer can complete it. With `debitsToo`, also one
 * whose bank debit the bank does not have yet. Returns the subscription without an open change, or null if money may
 * already be on its way.
 */
export async function endOpenChange(
  tx: Tx,
  locked: LockedSubscription,
  { at, now, debitsToo }: { at: CustomerInstant; now: RealInstant; debitsToo: boolean },
): Promise<LockedSubscription | null> {
  const { change_payment_intent_id: intentId } = locked.row;
  if (intentId === null) return locked;
  const [intent, change] = [await lockPaymentIntent(tx, intentId), await selectChangeOfIntent(tx, intentId)];
  const attempt = intent && (await selectAttemptInFlight(tx, intent.id));
  if (intent === null || change === null || attempt === null) return null;
  const isWaiting = attempt.outcome === 'requires_action' || (debitsToo && attempt.outcome === 'accepted');
  if (!isWaiting) return null;
  await cancelLocked(tx, intent, attempt, { at, now });
  await updateSubscriptionChange(tx, change, 'failed');
  return store(tx, locked, changeFailed(), at);
}
