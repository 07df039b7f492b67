import { earliestInstant } from './calendar.ts';
import { addMs, type CustomerInstant } from './instants.ts';

const minuteMs = 60_000;
/** How long a payer has for the challenge of the bank, in milliseconds: 15 minutes. Then the attempt has failed. */
export const challengeMs = 15 * minuteMs;
/** How long if a biller starts or resumes a subscription: a day, because the payer is told of it later. */
const byBillerMs = 24 * 60 * minuteMs;

/**
 * Returns the deadline of a challenge that was opened at `at`. A period that is over by then is no
 * longer charged.
 * @param byBiller whether it is of the payment by which a biller starts or resumes a subscription.
 * @param periodEndsAt when the period ends that is paid; null if it ended before, or there is none.
 */
export function challengeEnd(
  at: CustomerInstant,
  { byBiller = false, periodEndsAt = null }: { byBiller?: boolean; periodEndsAt?: CustomerInstant | null } = {},
): CustomerInstant {
  const endsAt = addMs(at, byBiller ? byBillerMs : challengeMs);
  return earliestInstant([endsAt, periodEndsAt]) ?? endsAt;
}
