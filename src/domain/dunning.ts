import { addLocalDays } from './calendar.ts';
import type { DeclineCode } from './charge-outcome.ts';
import type { CustomerInstant } from './instants.ts';
import type { Days, Milliseconds } from './units.ts';

/** What a plan does about a failed payment (decisions: `failure_behaviour`). */
export type FailureBehaviour = 'retry' | 'stop';

/** When a failed payment is retried, in local dates after its first failure (decisions: 1, 3 and 5 days). */
export const retryDays: readonly Days[] = [1, 3, 5];

/** Final declines: a retry cannot help before the issuer, the payer or the biller has acted. */
const isFinal: Readonly<Record<DeclineCode, boolean>> = {
  insufficient_funds: false,
  gateway_timeout: false,
  card_declined: true,
  expired_card: true,
  authentication_required: true,
  payment_method_unavailable: true,
  processor_rejected: true,
  account_invalid: true,
  account_closed: true,
  account_holder_deceased: true,
  payment_stopped: true,
  debit_disputed: true,
  mandate_unavailable: true,
  mandate_limit_exceeded: true,
  // A withdrawn debit is no attempt: a plan does not retry it, it opens the slot again when it is resumed.
  debit_withdrawn: true,
};

/**
 * Returns what follows a plan's failed charge (decisions: `failure_behaviour`): a retry of the same intent, or the
 * suspension of the plan if its behaviour is `stop`, the decline is final, or no retries are left. If an attempt was
 * late, the instant of the retry may have passed: it is then due at once.
 * @param retryAt when the payment would be retried. Null when no retries are left.
 */
export function afterFailure({
  behaviour,
  code,
  retryAt,
}: {
  behaviour: FailureBehaviour;
  code: DeclineCode;
  retryAt: CustomerInstant | null;
}): { kind: 'retry'; at: CustomerInstant } | { kind: 'suspend' } {
  const isOver = behaviour === 'stop' || isFinal[code] || retryAt === null;
  return isOver ? { kind: 'suspend' } : { kind: 'retry', at: retryAt };
}

/**
 * Returns the UTC instant of the retry by card after this many failures of a series: 1, 3 or 5 dates after the first
 * failure, at its local time in the biller's time zone. Null when no retries are left. A resume begins a new series.
 * @throws RangeError when `failures` is not a whole number from 1 up, and for an invalid zone.
 */
export function nextRetryAt(
  failures: number,
  firstFailedAt: CustomerInstant,
  timeZone: string,
): CustomerInstant | null {
  if (!Number.isSafeInteger(failures) || failures < 1) throw new RangeError(`not a count of failures: ${failures}`);
  const days = retryDays[failures - 1];
  return days === undefined ? null : addLocalDays(firstFailedAt, days, timeZone);
}

/**
 * A stored retry by card that is at most so far from the one that dunning gives is right: the time zone of the account,
 * or the rules of that zone, have changed since it was stored. It is counted from an instant, so only a change of the
 * clocks between the two moves it, never a whole day. In milliseconds.
 */
export const retryToleranceMs: Milliseconds = 3 * 3_600_000;
