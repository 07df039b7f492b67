import { millisecondsPerDay } from './calendar.ts';
import type { DeclineCode } from './charge-outcome.ts';
import { addMs, type CustomerInstant } from './instants.ts';
import type { Days } from './units.ts';

/** What a plan does about a failed payment (decisions: `failure_behaviour`). */
export type FailureBehaviour = 'retry' | 'stop';

/** When a failed payment is retried, in days of 24 hours after its first failure (decisions: 1, 3 and 5 days). */
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
 * Returns what follows a plan's failed charge (decisions: `failure_behaviour`). A retry charges the same intent again,
 * at a UTC instant 1, 3 or 5 days of 24 hours after the first failure of the series. The plan is suspended instead if
 * its behaviour is `stop`, the decline is final, or no retries are left. `failures` counts this series, the present
 * failure included; a resume begins a new series. If an attempt was late, the instant may have passed: the retry is
 * then due at once. A bank debit is retried by the rule of its scheme: `retryAt` is then the instant of the retry, or
 * null when none are left. `isFinal`: retries were left, and the decline has ended them.
 * @throws RangeError when `failures` is not a whole number from 1 up.
 */
export function afterFailure(input: {
  behaviour: FailureBehaviour;
  code: DeclineCode;
  failures: number;
  firstFailedAt: CustomerInstant;
  retryAt?: CustomerInstant | null;
}): { kind: 'retry'; at: CustomerInstant } | { kind: 'suspend'; isFinal: boolean } {
  const { behaviour, code, failures, firstFailedAt } = input;
  const at = input.retryAt === undefined ? nextRetryAt(failures, firstFailedAt) : input.retryAt;
  if (behaviour === 'stop' || at === null) return { kind: 'suspend', isFinal: false };
  return isFinal[code] ? { kind: 'suspend', isFinal: true } : { kind: 'retry', at };
}

/**
 * Returns the UTC instant of the retry after this many failures of a series. Null when no retries are left.
 * @throws RangeError when `failures` is not a whole number from 1 up.
 */
export function nextRetryAt(failures: number, firstFailedAt: CustomerInstant): CustomerInstant | null {
  if (!Number.isSafeInteger(failures) || failures < 1) throw new RangeError(`not a count of failures: ${failures}`);
  const days = retryDays[failures - 1];
  return days === undefined ? null : addMs(firstFailedAt, days * millisecondsPerDay);
}
