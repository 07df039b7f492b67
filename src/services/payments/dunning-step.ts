import { afterFailure, type FailureBehaviour, nextRetryAt } from '../../domain/dunning.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import { retryAt } from '../../domain/schemes/debit-dates.ts';
import type { SchemeProfile } from '../../domain/schemes/scheme-profile.ts';
import type { AttemptReturn, CompletedAttempt } from './charge.ts';

/** A series of failures of one payment. */
export interface FailureSeries {
  failures: number;
  first_failed_at: CustomerInstant | null;
  /** When the bank reported the last failure. Null if that was no debit under a mandate. */
  last_result_at: CustomerInstant | null;
}

/** What is dunned: a plan or a subscription. */
interface Dunned {
  failure_behaviour: FailureBehaviour;
  /** Of the biller: retries by card are counted in local dates. */
  time_zone: string;
}

/** A series with its latest failure, and what follows. */
export interface DunningStep {
  series: FailureSeries;
  step: ReturnType<typeof afterFailure>;
}

/**
 * Returns what follows an attempt that has failed. `isMadeByService`: no payer or biller made it. A manual attempt is
 * not a step of the series of retries: that continues where it was. But if no series has begun, a debit that a bank
 * refuses begins it, since no debit is tried again at the instant of a result.
 */
export function afterFailedAttempt(
  { failure_behaviour: behaviour, time_zone: timeZone }: Dunned,
  before: Pick<FailureSeries, 'failures' | 'first_failed_at'>,
  {
    at,
    outcome,
    scheme,
  }: Pick<CompletedAttempt, 'at' | 'scheme'> & { outcome: Extract<CompletedAttempt['outcome'], { kind: 'failed' }> },
  isMadeByService: boolean,
): DunningStep {
  const isStep = isMadeByService || (scheme !== null && before.failures < 1);
  const failures = isStep ? before.failures + 1 : before.failures;
  const firstFailedAt = before.first_failed_at ?? (isStep ? at : null);
  const series = { failures, first_failed_at: firstFailedAt, last_result_at: scheme === null ? null : at };
  const resumesAt = firstFailedAt === null ? null : nextRetryOf(failures, firstFailedAt, at, { scheme, timeZone });
  const step =
    isStep && firstFailedAt !== null
      ? afterFailure({ behaviour, code: outcome.code, retryAt: resumesAt })
      : { kind: 'retry' as const, at: resumesAt ?? at };
  return { series, step };
}

/** Returns what follows a debit that came back: it begins a new series of retries, of which it is the first failure. */
export function afterReturn(
  { failure_behaviour: behaviour, time_zone: timeZone }: Dunned,
  { at, code, scheme }: Pick<AttemptReturn, 'at' | 'code' | 'scheme'>,
): DunningStep {
  const retryAt = nextRetryOf(1, at, at, { scheme, timeZone });
  const step = afterFailure({ behaviour, code, retryAt });
  return { series: { failures: 1, first_failed_at: at, last_result_at: at }, step };
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
