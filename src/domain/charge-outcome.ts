/**
 * Why a charge failed, shown as `last_payment_error.code` (contract: coarse decline category; decisions: Decline
 * codes).
 */
export type DeclineCode =
  | 'insufficient_funds'
  | 'gateway_timeout'
  | 'card_declined'
  | 'authentication_required'
  | 'payment_method_unavailable'
  | 'mandate_unavailable'
  | 'mandate_limit_exceeded'
  | 'processor_rejected';

/** The outcome of one attempt to charge. A decline is an outcome, never an exception. */
export type ChargeOutcome =
  | { kind: 'succeeded' }
  | { kind: 'failed'; code: DeclineCode; message: string }
  | { kind: 'requires_action' };

/** For the biller, who sees these messages in the API and decides what the payer is shown. */
const messages: Readonly<Record<DeclineCode, string>> = {
  insufficient_funds: 'The account does not have enough funds for this payment.',
  gateway_timeout: 'The payment processor did not answer in time, and the payment was not taken.',
  card_declined: 'The card was declined by its issuer.',
  authentication_required: 'The payment needs the customer to authenticate it, and the customer was not present.',
  payment_method_unavailable: 'There is no payment method that could be charged: it was detached, or none is set.',
  mandate_unavailable: 'The mandate of the bank account is pending or has ended, so the account was not debited.',
  mandate_limit_exceeded:
    'The amount is more than the mandate of the bank account, or its scheme, allows for one debit.',
  processor_rejected: 'The payment processor refused the request as it is, and nothing was taken.',
};

/** Returns the failed outcome for a decline code, with its message (contract: `last_payment_error`). */
export function declined(code: DeclineCode): ChargeOutcome {
  return { kind: 'failed', code, message: declineMessage(code) };
}

/**
 * Returns the message that explains a decline code to a biller (contract: `last_payment_error.message`, always present
 * beside its code). Never throws.
 */
export function declineMessage(code: DeclineCode): string {
  return messages[code];
}

/**
 * Returns the outcome of a charge without a payer to authenticate it, as for a plan or a scheduled payment. A 3D Secure
 * challenge becomes a decline; other outcomes are unchanged (decisions: Decline codes, `authentication_required`).
 * Never throws.
 */
export function unattended(outcome: ChargeOutcome): Exclude<ChargeOutcome, { kind: 'requires_action' }> {
  if (outcome.kind !== 'requires_action') return outcome;
  const code = 'authentication_required';
  return { kind: 'failed', code, message: declineMessage(code) };
}
