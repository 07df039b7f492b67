// What Stripe's codes of a declined card (docs.stripe.com/declines/codes), of a debit that has failed
// (docs.stripe.com/error-codes) and of a dispute (docs.stripe.com/disputes/categories) are for the service.

/** The service's code of a decline. */
export type Code = CardCode | DebitCode;

type DebitCode =
  | 'insufficient_funds'
  | 'gateway_timeout'
  | 'account_invalid'
  | 'account_closed'
  | 'payment_stopped'
  | 'debit_disputed'
  | 'processor_rejected';

type CardCode = 'insufficient_funds' | 'gateway_timeout' | 'card_declined' | 'expired_card' | 'authentication_required';

/** Codes that are not in this table are `card_declined`: a decline is never less than that. */
const known: Readonly<Record<string, CardCode>> = {
  insufficient_funds: 'insufficient_funds',
  withdrawal_count_limit_exceeded: 'insufficient_funds',
  card_velocity_exceeded: 'insufficient_funds',
  expired_card: 'expired_card',
  authentication_required: 'authentication_required',
  authentication_not_handled: 'authentication_required',
  payment_intent_authentication_failure: 'authentication_required',
  offline_pin_required: 'authentication_required',
  online_or_offline_pin_required: 'authentication_required',
  processing_error: 'gateway_timeout',
  issuer_not_available: 'gateway_timeout',
  reenter_transaction: 'gateway_timeout',
  try_again_later: 'gateway_timeout',
};

/**
 * Returns the service's code for a decline. Stripe gives a `decline_code` of the issuer, a `code` of its own, or both;
 * the issuer's counts first.
 */
export function codeOf({ decline_code, code }: { decline_code?: string | null; code?: string | null }): CardCode {
  return known[decline_code ?? ''] ?? known[code ?? ''] ?? 'card_declined';
}

/** Codes of debits that are not in this table are `processor_rejected`. */
const ofDebits: Readonly<Record<string, DebitCode>> = {
  insufficient_funds: 'insufficient_funds',
  // The bank's code 6, which may be debited again.
  refer_to_customer: 'insufficient_funds',
  account_closed: 'account_closed',
  no_account: 'account_invalid',
  account_invalid: 'account_invalid',
  account_number_invalid: 'account_invalid',
  routing_number_invalid: 'account_invalid',
  bank_account_unusable: 'account_invalid',
  bank_account_restricted: 'payment_stopped',
  debit_not_authorized: 'payment_stopped',
  payment_method_customer_decline: 'payment_stopped',
  processing_error: 'gateway_timeout',
  payment_method_provider_timeout: 'gateway_timeout',
};

/** Reasons of disputes that are not in this table are `debit_disputed`: the payer has asked for the money. */
const ofDisputes: Readonly<Record<string, DebitCode>> = {
  insufficient_funds: 'insufficient_funds',
  incorrect_account_details: 'account_invalid',
};

/** Returns the service's code for a debit that has failed, by Stripe's code. */
export function codeOfDebit(code: string | null): DebitCode {
  return Object.hasOwn(ofDebits, code ?? '') ? (ofDebits[code ?? ''] ?? 'processor_rejected') : 'processor_rejected';
}

/** Returns the service's code for a debit that was taken back by a dispute, by Stripe's reason. */
export function codeOfDispute(reason: string): DebitCode {
  return Object.hasOwn(ofDisputes, reason) ? (ofDisputes[reason] ?? 'debit_disputed') : 'debit_disputed';
}
