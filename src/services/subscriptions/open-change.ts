import { selectAttemptInFlight } from '../../db/payment-attempts.ts';
import { lockPaymentIntent } from '../../db/payment-intents.ts';
import { selectPeriodFunds } from '../../db/period-funds.ts';
import {
  type SubscriptionChangeRow,
  selectChangeOfIntent,
  updateSubscriptionChange,
} from '../../db/subscription-changes.ts';
import { challengeEnd } from '../../domain/challenges.ts';
import type { Id } from '../../domain/ids.ts';
import { afterInFlightOutcome } from '../../domain/recurring/recurring-payment.ts';
import { changeFailed, changePaid, changeReturned } from '../../domain/subscriptions/changes.ts';
import type { Tx } from '../../platform/postgres/connection.ts';
import type { Instants } from '../customer-time.ts';
import { InvalidState } from '../errors.ts';
import { leaveToProcessor } from '../payments/challenge-completion.ts';
import type { ChargeRecorder } from '../payments/charge.ts';
import { cancelLocked } from '../payments/payment-cancellation.ts';
import { type LockedSubscription, store, withAllCreditCovered } from './locked-subscription.ts';

interface EndOfChange extends Instants {
  debitsToo: boolean;
  /** The attempt whose challenge was given up at the live processor before. */
  givenUp?: Id<'payment_attempt'> | null;
}

/**
 * Ends a change whose payment waits for a challenge, so that no payer can complete it. With `debitsToo`, also one
 * whose bank debit the bank does not have yet. Returns the subscription without an open change, or null if money may
 * already be on its way: also if the challenge is at a live processor.
 */
export async function endOpenChange(
  tx: Tx,
  locked: LockedSubscription,
  { at, now, debitsToo, givenUp = null }: EndOfChange,
): Promise<LockedSubscription | null> {
  const { change_payment_intent_id: intentId } = locked.row;
  if (intentId === null) return locked;
  const [intent, change] = [await lockPaymentIntent(tx, intentId), await selectChangeOfIntent(tx, intentId)];
  const attempt = intent && (await selectAttemptInFlight(tx, intent.id));
  if (intent === null || change === null || attempt === null) return null;
  const isWaiting = attempt.outcome === 'requires_action' || (debitsToo && attempt.outcome === 'accepted');
  if (!isWaiting) return null;
  if (attempt.id !== givenUp && (await leaveToProcessor(tx, intent, attempt))) return null;
  await cancelLocked(tx, intent, attempt, { at, now });
  await updateSubscriptionChange(tx, change, 'failed');
  return store(tx, locked, changeFailed(), at);
}

/**
 * Records the charge of a change on the change and its subscription, which the caller has locked. The change is made
 * once it is paid. It is never retried: a payer who still wants it asks for it again.
 */
export function changeRecorder(tx: Tx, locked: LockedSubscription, open: SubscriptionChangeRow): ChargeRecorder {
  return {
    challengeEnd: (_attempt, at) => challengeEnd(at, { byBiller: true, periodEndsAt: locked.row.next_period_at }),
    async opened() {
      const { row } = locked;
      throw new InvalidState(`Subscription ${row.id} no longer waits for this payment. Change it again instead.`);
    },
    async completed({ outcome, at }) {
      if (open.status !== 'processing' || outcome.kind === 'requires_action') return null;
      const inFlight = afterInFlightOutcome(locked.row, open.amount_cents);
      if (outcome.kind === 'failed') {
        await updateSubscriptionChange(tx, open, 'failed');
        const error = { last_error_code: outcome.code, last_error_message: outcome.message, ...inFlight };
        await store(tx, locked, changeFailed(), at, error);
        return null;
      }
      const period = await selectPeriodFunds(tx, locked.row.id, open.period);
      const { change, isMade } = changePaid(locked.subscription, open, period?.funds);
      await updateSubscriptionChange(tx, open, isMade ? 'made' : 'credited');
      const noError = isMade ? { last_error_code: null, last_error_message: null } : {};
      await store(tx, locked, change, at, { ...noError, ...inFlight });
      return null;
    },
    async returned({ at }) {
      if (open.status !== 'made' && open.status !== 'credited') return null;
      const covered = await withAllCreditCovered(tx, locked, at);
      await store(tx, covered, changeReturned(open), at);
      return null;
    },
  };
}
