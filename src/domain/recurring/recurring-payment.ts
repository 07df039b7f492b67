import type { DeclineCode } from '../charge-outcome.ts';
import { afterFailure, type FailureBehaviour, type FailureSeries, isSameRetry, nextRetryAt } from '../dunning.ts';
import type { Id } from '../ids.ts';
import type { CustomerInstant } from '../instants.ts';
import { retryAt, retryDueAt } from '../schemes/debit-dates.ts';
import type { SchemeProfile } from '../schemes/scheme-profile.ts';
import type { MinorUnits } from '../units.ts';

/** The payment of a slot of a plan, or of a period of a subscription: what is owed, and how it is tried. */
export interface RecurringPayment extends FailureSeries {
  /** `processing` while an attempt is under way, `retrying` while the next one waits for its instant. */
  status: string;
  payment_intent_id: Id<'payment_intent'> | null;
  /** When it is tried again. Null unless it is retried. */
  next_attempt_at: CustomerInstant | null;
  /** Until when the payer has time for the challenge of the bank. Null without one. */
  challenge_ends_at: CustomerInstant | null;
}

/** A series that has not begun. */
export const noFailures: FailureSeries = { failures: 0, first_failed_at: null, last_result_at: null };

/** A payment that nothing has tried. */
export const untried = { ...noFailures, next_attempt_at: null, challenge_ends_at: null };

/** What changes of a payment as an attempt to collect it begins: a retry, or one that a payer makes. */
export const attempted = { status: 'processing', next_attempt_at: null } as const;

/** Returns the payment that is retried first, at the same instant the older one. Null if none is to be retried. */
export function firstRetry<P extends RecurringPayment>(oldestFirst: readonly P[]): P | null {
  const retries = oldestFirst.filter(({ status }) => status === 'retrying');
  return retries.toSorted((a, b) => Number(a.next_attempt_at) - Number(b.next_attempt_at))[0] ?? null;
}

/** Returns the payment whose challenge ends first, at the same instant the older one. Null if none has a challenge. */
export function firstChallenge<P extends RecurringPayment>(oldestFirst: readonly P[]): P | null {
  const waiting = oldestFirst.filter(({ status, challenge_ends_at: at }) => status === 'processing' && at !== null);
  return waiting.toSorted((a, b) => Number(a.challenge_ends_at) - Number(b.challenge_ends_at))[0] ?? null;
}

/**
 * Whether a retry is set to the instant that dunning gives. A retry that is due at once is right if it is not later
 * than `latest`.
 */
export function isRightRetry(payment: RecurringPayment, timeZone: string, latest: CustomerInstant): boolean {
  const { next_attempt_at: stored, last_result_at: lastResultAt } = payment;
  const dueAt = retryDueAt(payment, timeZone);
  if (stored === null) return false;
  if (dueAt === null) return stored <= latest;
  // A debit is retried by the clock of its scheme: no zone of an account moves it.
  return lastResultAt === null ? isSameRetry(stored, dueAt) : stored.getTime() === dueAt.getTime();
}

/** What is dunned: a plan or a subscription. */
interface Dunned {
  failure_behaviour: FailureBehaviour;
  /** Of the biller: retries by card are counted in local dates. */
  time_zone: string;
}

/** A payment that failed or came back: its series with that failure, and what dunning makes of it. */
export interface Failure {
  series: FailureSeries;
  step: ReturnType<typeof afterFailure>;
}

/** What is known of a failure. `scheme` is that of a debit under a mandate; null if the payment was no such debit. */
interface Failed {
  at: CustomerInstant;
  code: DeclineCode;
  scheme: SchemeProfile | null;
}

/**
 * Returns what follows an attempt that has failed. `isMadeByService`: no payer or biller made it. A manual attempt is
 * not a step of the series of retries: that continues where it was. But if no series has begun, a debit that a bank
 * refuses begins it, since no debit is tried again at the instant of a result.
 */
export function afterFailedAttempt(
  { failure_behaviour: behaviour, time_zone: timeZone }: Dunned,
  before: Pick<FailureSeries, 'failures' | 'first_failed_at'>,
  { at, code, scheme }: Failed,
  isMadeByService: boolean,
): Failure {
  const isStep = isMadeByService || (scheme !== null && before.failures < 1);
  const failures = isStep ? before.failures + 1 : before.failures;
  const firstFailedAt = before.first_failed_at ?? (isStep ? at : null);
  const series = { failures, first_failed_at: firstFailedAt, last_result_at: scheme === null ? null : at };
  const resumesAt = firstFailedAt === null ? null : nextRetryOf(failures, firstFailedAt, at, { scheme, timeZone });
  const step =
    isStep && firstFailedAt !== null
      ? afterFailure({ behaviour, code, retryAt: resumesAt })
      : { kind: 'retry' as const, at: resumesAt ?? at };
  return { series, step };
}

/** Returns what follows a payment that came back: a new series of retries begins, of which it is the first failure. */
export function afterReturn(
  { failure_behaviour: behaviour, time_zone: timeZone }: Dunned,
  { at, code, scheme }: Failed,
): Failure {
  const step = afterFailure({ behaviour, code, retryAt: nextRetryOf(1, at, at, { scheme, timeZone }) });
  return { series: { failures: 1, first_failed_at: at, last_result_at: scheme === null ? null : at }, step };
}

/** Returns when a payment is retried that has failed this often. Debits are retried by the days of their scheme. */
function nextRetryOf(
  failures: number,
  firstAt: CustomerInstant,
  latestAt: CustomerInstant,
  { scheme, timeZone }: { scheme: SchemeProfile | null; timeZone: string },
): CustomerInstant | null {
  if (scheme === null) return nextRetryAt(failures, firstAt, timeZone);
  return failures < 1 ? null : retryAt(scheme, { failures, firstResultAt: firstAt, latestResultAt: latestAt });
}

/**
 * Returns what is still under way of a plan or a subscription that has stopped, once a payment of this amount has its
 * outcome. Undefined if nothing was.
 */
export function afterInFlightOutcome(
  { in_flight_cents: inFlight }: { in_flight_cents: MinorUnits },
  amount: MinorUnits,
): { in_flight_cents: MinorUnits } | undefined {
  return inFlight > 0 ? { in_flight_cents: Math.max(0, inFlight - amount) } : undefined;
}
