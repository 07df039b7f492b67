import { afterFailure, type FailureBehaviour } from '../../domain/dunning.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import { retryAt, retryDueAt } from '../../domain/schemes/debit-dates.ts';
import type { AttemptReturn, CompletedAttempt } from './charge.ts';

/** A series of failures of one payment. */
export interface FailureSeries {
  failures: number;
  first_failed_at: CustomerInstant | null;
  /** When the bank reported the last failure. Null if that was no debit under a mandate. */
  last_result_at: CustomerInstant | null;
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
 * @param timeZone the biller's.
 */
export function afterFailedAttempt(
  behaviour: FailureBehaviour,
  before: Pick<FailureSeries, 'failures' | 'first_failed_at'>,
  timeZone: string,
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
  const dueAt = retryDueAt(series, timeZone);
  const step = isStep
    ? afterFailure({ behaviour, code: outcome.code, retryAt: dueAt })
    : { kind: 'retry' as const, at: dueAt ?? at };
  return { series, step };
}

/** Returns what follows a debit that came back: it begins a new series of retries, of which it is the first failure. */
export function afterReturn(
  behaviour: FailureBehaviour,
  { at, code, scheme }: Pick<AttemptReturn, 'at' | 'code' | 'scheme'>,
): DunningStep {
  const dueAt = retryAt(scheme, { failures: 1, firstResultAt: at, latestResultAt: at });
  const step = afterFailure({ behaviour, code, retryAt: dueAt });
  return { series: { failures: 1, first_failed_at: at, last_result_at: at }, step };
}
