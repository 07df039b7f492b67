import { millisecondsPerDay } from './calendar.ts';
import type { DeclineCode } from './charge-outcome.ts';

/** What a plan does about a failed payment (decisions: `failure_behaviour`). */
export type FailureBehaviour = 'retry' | 'stop';

/** When a failed payment is tried again, in days of 24 hours after its first failure (decisions: 1, 3 and 5 days). */
export const retryDays: readonly number[] = [1, 3, 5];

/** Trying again cannot help with these: the issuer, the payer or the biller has to do something first. */
const isFinal: Readonly<Record<DeclineCode, boolean>> = {
  insufficient_funds: false,
  gateway_timeout: false,
  card_declined: true,
  authentication_required: true,
  payment_method_unavailable: true,
};

/**
 * What follows a plan's failed charge: the same intent again at a UTC instant 1, 3 or 5 days of 24 hours after the
 * series' first failure, or suspension when the plan says `stop`, the decline is final or the retries are used up
 * (decisions: `failure_behaviour`). `failures` counts this series with the failure at hand; a resume begins a new one.
 * The instant may have passed when an attempt came late: then it is due at once. Throws RangeError when `failures` is
 * not a whole number from 1 up.
 */
export function afterFailure(input: {
  behaviour: FailureBehaviour;
  code: DeclineCode;
  failures: number;
  firstFailedAt: Date;
}): { kind: 'retry'; at: Date } | { kind: 'suspend' } {
  const { behaviour, code, failures, firstFailedAt } = input;
  const at = nextRetryAt(failures, firstFailedAt);
  return behaviour === 'stop' || isFinal[code] || at === null ? { kind: 'suspend' } : { kind: 'retry', at };
}

/**
 * The UTC instant of the retry that follows so many failures of a series; null when its retries are used up. Throws
 * RangeError when `failures` is not a whole number from 1 up.
 */
export function nextRetryAt(failures: number, firstFailedAt: Date): Date | null {
  if (!Number.isSafeInteger(failures) || failures < 1) throw new RangeError(`not a count of failures: ${failures}`);
  const days = retryDays[failures - 1];
  return days === undefined ? null : new Date(firstFailedAt.getTime() + days * millisecondsPerDay);
}
