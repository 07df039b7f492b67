import type { RealInstant } from '../platform/real-time.ts';

/**
 * Why a charge failed, shown as `last_payment_error.code` (contract: coarse decline category; decisions: Decline
 * codes).
 */
export type DeclineCode =
  | 'insufficient_funds'
  | 'gateway_timeout'
  | 'card_declined'
  | 'expired_card'
  | 'authentication_required'
  | 'payment_method_unavailable'
  | 'processor_rejected'
  | 'account_invalid'
  | 'account_closed'
  | 'account_holder_deceased'
  | 'payment_stopped'
  | 'debit_disputed'
  | 'payment_disputed'
  | 'mandate_unavailable'
  | 'mandate_limit_exceeded'
  | 'debit_withdrawn';

/** The outcome of one attempt to charge. A decline is an outcome, never an exception. */
export type ChargeOutcome = { kind: 'succeeded' } | ChargeFailure | Challenge;

/** The payer has to approve the payment. */
export interface Challenge {
  kind: 'requires_action';
  /** Where the processor takes the payer for it. Without it, the service cannot send the payer there. */
  redirect?: ChallengeRedirect;
}

interface ChallengeRedirect {
  url: string;
  /** When the processor ends the challenge; null if it did not say. */
  expiresAt: RealInstant | null;
}

export interface ChargeFailure {
  kind: 'failed';
  code: DeclineCode;
  message: string;
  /** The bank's own code for a debit that it refused, as the scheme has it. */
  bankCode?: string;
}

/** For the biller, who sees these messages in the API and decides what the payer is shown. */
const messages: Readonly<Record<DeclineCode, string>> = {
  insufficient_funds: 'The account does not have enough funds for this payment.',
  gateway_timeout: 'The payment processor did not respond in time, and the payment was not taken.',
  card_declined: 'The card was declined by its issuer.',
  expired_card: 'The card has expired.',
  authentication_required: 'The payment needs the customer to authenticate it, and the customer was not present.',
  payment_method_unavailable: 'There is no payment method that could be charged: it was detached, or none is set.',
  processor_rejected: 'The payment processor refused the request as it is, and nothing was taken.',
  account_invalid: 'The bank account does not exist, or it cannot be debited.',
  account_closed: 'The bank account is closed.',
  account_holder_deceased: 'The holder of the bank account has died.',
  payment_stopped: 'The payer has asked the bank to stop this debit.',
  debit_disputed: 'The payer has disputed this debit, and the bank returned the money.',
  payment_disputed: 'The payer has disputed this payment, and the bank gave the money back.',
  mandate_unavailable: 'The bank account no longer has an active mandate, so it was not debited.',
  mandate_limit_exceeded: 'The amount is above the limit of the mandate, so the account was not debited.',
  debit_withdrawn: 'The debit was withdrawn before it went to the bank, and nothing was taken.',
};

/** Returns the failed outcome for a decline code, with its message (contract: `last_payment_error`). Never throws. */
export function declined(code: DeclineCode): ChargeFailure {
  return { kind: 'failed', code, message: declineMessage(code) };
}

/**
 * Returns the message that explains a decline code to a biller (contract: `last_payment_error.message`, always present
 * next to its code). Never throws.
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
