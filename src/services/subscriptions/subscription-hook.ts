import { selectChangeOfIntent } from '../../db/subscription-changes.ts';
import { listPeriodsOfIntent, type SubscriptionPeriodRow } from '../../db/subscription-periods.ts';
import { lockSubscriptionOfIntent } from '../../db/subscriptions.ts';
import type { SubscriptionState } from '../../domain/subscriptions/course.ts';
import { collected, failed, returned } from '../../domain/subscriptions/steps.ts';
import type { Tx } from '../../platform/postgres/connection.ts';
import { pipelined } from '../../platform/postgres/transaction.ts';
import { InvalidState } from '../errors.ts';
import type { AttemptOutcome, AttemptReturn, BookedOutcome, ChargeHook } from '../payments/charge.ts';
import { afterFailedAttempt, afterReturn } from '../payments/dunning-step.ts';
import { wake } from '../wake.ts';
import { changeRecorder } from './change-hook.ts';
import { type LockedSubscription, situationOf, store } from './situation.ts';

const nothing: BookedOutcome = { nextAttemptAt: null, events: [] };

/**
 * Records the charges of a subscription's payment on its period or change and on the subscription: whether it is in
 * effect, and what comes next. Locks the subscription.
 */
export const subscriptionHook: ChargeHook = async (tx, { paymentIntentId }) => {
  const [row, periods] = await pipelined(tx, [
    lockSubscriptionOfIntent(tx, paymentIntentId),
    listPeriodsOfIntent(tx, paymentIntentId),
  ]);
  if (row === null) return null;
  const period = periods.find(({ payment_intent_id: id }) => id === paymentIntentId) ?? null;
  const change = period === null ? await selectChangeOfIntent(tx, paymentIntentId) : null;
  if (change !== null) return changeRecorder(tx, situationOf(row, periods), change);
  const locked = situationOf(row, periods, period);
  return {
    async opened(at) {
      if (period?.status !== 'retrying' && period?.status !== 'unpaid') {
        const remedy = row.state === 'pending' ? ' Start it again instead.' : '';
        throw new InvalidState(`Subscription ${row.id} does not wait for this payment any more.${remedy}`);
      }
      await store(tx, locked, { owed: { status: 'processing', next_attempt_at: null }, happenings: [] }, at);
    },
    async completed(outcome) {
      const { outcome: result } = outcome;
      if (period?.status !== 'processing' || result.kind === 'requires_action') return nothing;
      const { booked, state } = await book(tx, locked, period, { ...outcome, outcome: result });
      // Its own loop continues by itself after its own charge. After any other it must look again.
      const start = state !== 'canceled' && state !== 'pending';
      if (!outcome.isOwnStep) await wake.subscription(tx, row, outcome.now, { start });
      return booked;
    },
    async returned(came) {
      if (period?.status !== 'paid') return nothing;
      const booked = await takeBack(tx, locked, came);
      await wake.subscription(tx, row, came.now, { start: row.state !== 'canceled' });
      return booked;
    },
  };
};

/** An outcome that changes something: a challenge that waits does not. */
type Booked = Omit<AttemptOutcome, 'outcome'> & {
  outcome: Exclude<AttemptOutcome['outcome'], { kind: 'requires_action' }>;
};

async function book(
  tx: Tx,
  locked: LockedSubscription,
  period: SubscriptionPeriodRow,
  { attempt, at, outcome, scheme }: Booked,
): Promise<{ booked: BookedOutcome; state: SubscriptionState }> {
  if (outcome.kind === 'succeeded') {
    const noError = { last_error_code: null, last_error_message: null };
    const { events, row } = await store(tx, locked, collected(locked.situation, at), at, null, noError);
    return { booked: { nextAttemptAt: null, events }, state: row.state };
  }
  const isStep = attempt.source === 'subscription';
  const next = afterFailedAttempt(locked.row.failure_behaviour, period, { at, outcome, scheme }, isStep);
  const change = failed(locked.situation, next);
  const error = { last_error_code: outcome.code, last_error_message: outcome.message };
  const { events, row } = await store(tx, locked, change, at, null, error);
  return { booked: { nextAttemptAt: change.owed?.next_attempt_at ?? null, events }, state: row.state };
}

/** A debit came back: its period is unpaid again, and a new series of retries begins. */
async function takeBack(
  tx: Tx,
  locked: LockedSubscription,
  { at, code, scheme }: AttemptReturn,
): Promise<BookedOutcome> {
  const next = afterReturn(locked.row.failure_behaviour, { at, code, scheme });
  const change = returned(locked.situation, next);
  const { events } = await store(tx, locked, change, at);
  return { nextAttemptAt: change.owed?.next_attempt_at ?? null, events };
}
