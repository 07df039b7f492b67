import { earliestInstant } from './calendar.ts';

const minuteMs = 60_000;
/** How long a payer has for the challenge of the bank, in milliseconds: 15 minutes. Then the attempt has failed. */
export const challengeMs = 15 * minuteMs;
/** The same for the first payment of a subscription: its biller starts it, and the payer hears of it later. A day. */
const startChallengeMs = 24 * 60 * minuteMs;

/**
 * Returns until when a payer has time for a challenge that was opened at `at`. A period that is over by then is not
 * charged any more. Instants are the customer's time.
 * @param ofStart whether the challenge is of the payment that starts a subscription.
 * @param periodEndsAt when the period ends that is paid; null if it ended before, or there is none.
 */
export function challengeEnd(at: Date, { ofStart = false, periodEndsAt = null as Date | null } = {}): Date {
  const endsAt = new Date(at.getTime() + (ofStart ? startChallengeMs : challengeMs));
  return earliestInstant([endsAt, periodEndsAt]) ?? endsAt;
}
