import { addLocalDays } from './calendar.ts';
import type { DeclineCode } from './charge-outcome.ts';
import type { CustomerInstant } from './instants.ts';
import type { Days, Milliseconds } from './units.ts';

/** What a plan does about a failed payment (decisions: `failure_behaviour`). */
export type FailureBehaviour = 'retry' | 'stop';

/** A series of failures of one payment. */
export interface FailureSeries {
  /** How often the payment has failed in the present series of retries. */
  failures: number;
  first_failed_at: CustomerInstant | null;
  /** When the bank reported the last failure of the series. Null if that was no debit under a mandate. */
  last_result_at: CustomerInstant | null;
}

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
  payment_disputed: true,
  mandate_unavailable: true,
  mandate_limit_exceeded: true,
  // A withdrawn debit is no attempt: a plan does not retry it, it opens the slot again when it is resumed.
  debit_withdrawn: true,
};

/**
 * Returns what follows a plan's failed charge (decisions: `failure_behaviour`): a retry of the same intent, at the UTC
 * instant `retryAt`. The plan is suspended instead if its behaviour is `stop`, the decline is final, or no retries are
 * left (`retryAt` is null). If an attempt was late, the instant may have passed: the retry is then due at once.
 * `isFinal`: retries were left, and the decline has ended them.
 */
export function afterFailure(input: {
  behaviour: FailureBehaviour;
  code: DeclineCode;
  retryAt: CustomerInstant | null;
}): { kind: 'retry'; at: CustomerInstant } | { kind: 'suspend'; isFinal: boolean } {
  const { behaviour, code, retryAt: at } = input;
  if (behaviour === 'stop' || at === null) return { kind: 'suspend', isFinal: false };
  return isFinal[code] ? { kind: 'suspend', isFinal: true } : { kind: 'retry', at };
}

/**
 * Returns the UTC instant of the retry by card after this many failures of a series: 1, 3 or 5 local dates after the
 * first failure, at its local time. Null when no retries are left. `failures` counts the present failure too.
 * @throws RangeError when `failures` is not a whole number from 1 up.
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

const halfHourMs: Milliseconds = 1_800_000;

/**
 * Whether a stored retry is the one that dunning gives. The zone of the account, or its rules, may have changed since:
 * then a change of clocks between makes it half an hour or an hour earlier or later.
 */
export function isSameRetry(stored: CustomerInstant, due: CustomerInstant): boolean {
  const apart = Math.abs(stored.getTime() - due.getTime());
  return apart % halfHourMs === 0 && apart <= 2 * halfHourMs;
}
