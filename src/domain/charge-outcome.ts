/**
 * Why a charge failed, as `last_payment_error.code` shows it (contract: coarse decline category; decisions: Decline
 * codes).
 */
export type DeclineCode =
  | 'insufficient_funds'
  | 'gateway_timeout'
  | 'card_declined'
  | 'authentication_required'
  | 'payment_method_unavailable';

/** What came of one attempt to charge. A decline is a result, never an exception. */
export type ChargeOutcome =
  | { kind: 'succeeded' }
  | { kind: 'failed'; code: DeclineCode; message: string }
  | { kind: 'requires_action' };

/** Written to the biller, who sees them in the API and decides what to tell the customer. */
const messages: Readonly<Record<DeclineCode, string>> = {
  insufficient_funds: 'The account does not have enough funds for this payment.',
  gateway_timeout: 'The payment processor did not answer in time, and the payment was not taken.',
  card_declined: 'The card was declined by its issuer.',
  authentication_required: 'The payment needs the customer to authenticate it, and the customer was not present.',
  payment_method_unavailable: 'There is no payment method that could be charged: it was detached, or none is set.',
};

/** The failed outcome of a decline code, with the message that goes with it (contract: `last_payment_error`). */
export function declined(code: DeclineCode): ChargeOutcome {
  return { kind: 'failed', code, message: declineMessage(code) };
}

/**
 * The sentence that tells a biller in plain words what a decline code means (contract: `last_payment_error.message`,
 * always present beside its code). Never throws.
 */
export function declineMessage(code: DeclineCode): string {
  return messages[code];
}

/**
 * The outcome where nobody is present to authenticate, as in a plan's or a scheduled charge: a 3D Secure challenge
 * becomes a decline, all else stays (decisions: Decline codes, `authentication_required`). Never throws.
 */
export function unattended(outcome: ChargeOutcome): Exclude<ChargeOutcome, { kind: 'requires_action' }> {
  if (outcome.kind !== 'requires_action') return outcome;
  const code = 'authentication_required';
  return { kind: 'failed', code, message: declineMessage(code) };
}
