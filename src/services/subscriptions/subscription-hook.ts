import { noteChallenge } from '../../db/bank-debits.ts';
import type { PaymentAttemptRow } from '../../db/payment-attempts.ts';
import { insertFreeChange, selectChangeOfIntent } from '../../db/subscription-changes.ts';
import { listPeriodsOfIntent, type SubscriptionPeriodRow, updatePeriod } from '../../db/subscription-periods.ts';
import { lockSubscriptionOfIntent, type SubscriptionRowChange } from '../../db/subscriptions.ts';
import { startOfDay } from '../../domain/calendar.ts';
import { challengeEnd } from '../../domain/challenges.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import { afterFailedAttempt, afterInFlightOutcome, afterReturn } from '../../domain/recurring/recurring-payment.ts';
import { retryDueAt } from '../../domain/schemes/debit-dates.ts';
import {
  attemptOpened,
  collected,
  failed,
  returned,
  type SubscriptionStepChange,
} from '../../domain/subscriptions/steps.ts';
import type { Period, SubscriptionState, SubscriptionWithPeriods } from '../../domain/subscriptions/subscription.ts';
import { creditAfterEnd } from '../../domain/subscriptions/taking.ts';
import type { Tx } from '../../platform/postgres/connection.ts';
import { pipelined } from '../../platform/postgres/transaction.ts';
import type { Instants } from '../customer-time.ts';
import { InvalidState } from '../errors.ts';
import { positionHere } from '../events.ts';
import type { AttemptReturn, ChargeHook, CompletedAttempt } from '../payments/charge.ts';
import { wake } from '../wake.ts';
import { type LockedSubscription, lockedSubscription, store, withCoveredCredit } from './locked-subscription.ts';
import { changeRecorder } from './open-change.ts';
import { withoutCharges, withoutDebits } from './stopped-payments.ts';

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
  if (change !== null) return changeRecorder(tx, lockedSubscription(row, periods), change);
  const locked = lockedSubscription(row, periods);
  const assertOpens = () => assertConfirmable(locked, period);
  return {
    assertOpens,
    ...(period === null ? {} : { challengeEnd: (attempt, at) => challengeEndOf(locked, period, attempt, at) }),
    async opened(at) {
      assertOpens();
      if (period !== null) await store(tx, locked, attemptOpened(period), at);
    },
    async completed(outcome) {
      const { outcome: result } = outcome;
      if (period?.status !== 'processing') return null;
      const isChallenge = result.kind === 'requires_action';
      await noteChallengeOf(tx, locked, period, outcome.challengeEndsAt);
      if (isChallenge) {
        await wake.subscription(tx, row, outcome.now, { start: true });
        return null;
      }
      const { nextAttemptAt, state } = await recordCompleted(tx, locked, period, { ...outcome, outcome: result });
      // Its own loop continues on its own after its own charge. After any other it must look again.
      const start = state !== 'canceled' && state !== 'pending';
      if (!outcome.isOwnStep) await wake.subscription(tx, row, outcome.now, { start });
      return nextAttemptAt;
    },
    async returned(came) {
      if (period?.status !== 'paid') return null;
      const nextAttemptAt = await recordReturned(tx, locked, period, came);
      if (!came.isOwnStep) await wake.subscription(tx, row, came.now, { start: row.state !== 'canceled' });
      return nextAttemptAt;
    },
  };
};

/**
 * A payer or a biller pays what the subscription has failed to collect.
 * @throws InvalidState if nothing waits for this payment; it says what to do instead.
 */
function assertConfirmable({ row }: LockedSubscription, period: Period | null): void {
  const isUnpaid = period?.status === 'retrying' || period?.status === 'unpaid';
  const isLapsed = period !== null && period.lapsed_at !== null;
  const hasEnded = row.state === 'canceled';
  if (isUnpaid && !isLapsed && !hasEnded) return;
  const isOver = isLapsed || period?.status === 'void';
  const remedy = row.state === 'pending' ? ' Start it again instead.' : isOver && !hasEnded ? remedyForLapsed : '';
  throw new InvalidState(`Subscription ${row.id} no longer waits for this payment.${remedy}`);
}

const remedyForLapsed =
  ' Its period is over. Resume the subscription, or create a checkout session with its subscription_id.';

/** Until when the payer has time for the challenge of a period's payment. */
function challengeEndOf(
  { subscription: { timeZone } }: LockedSubscription,
  { end_date }: Pick<Period, 'end_date'>,
  { number }: Pick<PaymentAttemptRow, 'number'>,
  at: CustomerInstant,
): CustomerInstant {
  const endsAt = startOfDay(end_date, timeZone);
  // A start or a resume makes the first attempt. Later ones are confirmed by a payer, who is there.
  return challengeEnd(at, { byBiller: number === 1, periodEndsAt: endsAt > at ? endsAt : null });
}

async function noteChallengeOf(tx: Tx, { row }: LockedSubscription, period: Period, endsAt: CustomerInstant | null) {
  if (endsAt === period.challenge_ends_at) return;
  await updatePeriod(tx, row.id, period.number, { challenge_ends_at: endsAt });
  await noteChallenge(tx, { subscriptionId: row.id });
}

/** An outcome that changes something: a challenge that waits does not. */
type FinalAttempt = Omit<CompletedAttempt, 'outcome'> & {
  outcome: Exclude<CompletedAttempt['outcome'], { kind: 'requires_action' }>;
};

async function recordCompleted(
  tx: Tx,
  locked: LockedSubscription,
  period: SubscriptionPeriodRow,
  { attempt, at, now, outcome, scheme }: FinalAttempt,
): Promise<{ nextAttemptAt: CustomerInstant | null; state: SubscriptionState }> {
  const inFlight = afterInFlightOutcome(locked.row, period.amount_cents);
  if (outcome.kind === 'succeeded') {
    const covered = await withCoveredCredit(tx, locked, period, at);
    const paid = await creditPaidPeriod(tx, covered, period, collected(covered.subscription, period, at), at);
    const noError = { last_error_code: null, last_error_message: null, ...inFlight };
    const { row } = await store(tx, covered, paid, at, noError);
    return { nextAttemptAt: null, state: row.state };
  }
  // The attempt that `start` or `resume` makes is the first of its payment, and the first step of the series too.
  const isStep = attempt.source === 'subscription' || attempt.number === 1;
  const next = afterFailedAttempt(locked.row, period, { at, code: outcome.code, scheme }, isStep);
  // What a payer tries by hand does not bring back retries that a final decline has ended.
  const isGivenUp = !isStep && period.gives_up_at !== null;
  const step = isGivenUp ? ({ kind: 'suspend', isFinal: true } as const) : next.step;
  const dueAt = scheme === null && attempt.source === 'subscription' ? attemptDueAt(locked, period, at) : at;
  const change = failed(locked.subscription, period, { series: next.series, step }, dueAt);
  const error = { last_error_code: outcome.code, last_error_message: outcome.message, ...inFlight };
  const { row, subscription } = await storeUnpaid(tx, locked, change, { at, now }, error);
  return { nextAttemptAt: retryOf(subscription, period), state: row.state };
}

/** When the attempt of a period was due that its subscription has made on its own. */
function attemptDueAt(
  { subscription: { timeZone } }: LockedSubscription,
  period: SubscriptionPeriodRow,
  at: CustomerInstant,
): CustomerInstant {
  const { failures, retry_asked_at: askedAt, start_date: start } = period;
  // What is owed alone is first tried when it is resumed.
  const dueAt = failures < 1 ? (askedAt ?? startOfDay(start, timeZone)) : retryDueAt(period, timeZone);
  return dueAt !== null && dueAt < at ? dueAt : at;
}

/**
 * Stores that a payment has failed or come back. If that ends or pauses the subscription, what else would be charged of
 * it is stopped; the events of that come first.
 */
export async function storeUnpaid(
  tx: Tx,
  locked: LockedSubscription,
  change: SubscriptionStepChange,
  instants: Instants,
  error: SubscriptionRowChange = {},
): Promise<LockedSubscription> {
  const stopped = positionHere(tx);
  const after = await store(tx, locked, change, instants.at, error);
  const isEnd = after.row.state === 'canceled';
  if (isEnd) await stopped.during(() => withoutCharges(tx, after, instants));
  else if (change.events.includes('paused')) await stopped.during(() => withoutDebits(tx, after, instants));
  return after;
}

/** A debit came back: its period is unpaid again, and a new series of retries begins. */
async function recordReturned(
  tx: Tx,
  locked: LockedSubscription,
  period: SubscriptionPeriodRow,
  came: AttemptReturn,
): Promise<CustomerInstant | null> {
  const { at } = came;
  const covered = await withCoveredCredit(tx, locked, period, at);
  const change = returned(covered.subscription, period, afterReturn(locked.row, came), at);
  const { subscription } = await storeUnpaid(tx, covered, change, came);
  return retryOf(subscription, period);
}

/** Returns when the payment of a period is tried again, or null. */
function retryOf({ periods }: SubscriptionWithPeriods, { number }: Period): CustomerInstant | null {
  return periods.find((period) => period.number === number)?.next_attempt_at ?? null;
}

/**
 * Adds to a change by which a period of a canceled subscription was paid that the money becomes credit, as a change of
 * that period.
 */
async function creditPaidPeriod(
  tx: Tx,
  { row, subscription }: LockedSubscription,
  period: Period,
  paid: SubscriptionStepChange,
  at: CustomerInstant,
): Promise<SubscriptionStepChange> {
  const credit = creditAfterEnd(subscription.terms, period);
  if (credit === null) return paid;
  const { id: subscription_id, items } = row;
  const { number } = period;
  await insertFreeChange(tx, { subscription_id, period: number, items, proration: 'none', lines: credit.lines }, at);
  return {
    ...paid,
    entries: [...(paid.entries ?? []), ...credit.entries],
    periods: [...(paid.periods ?? []), { number, change: { changed_cents: period.changed_cents + credit.amount } }],
  };
}
