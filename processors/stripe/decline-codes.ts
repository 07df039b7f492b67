// What Stripe's codes of a declined card are for the service (docs.stripe.com/declines/codes).

/** The service's code of a decline. */
export type Code =
  | 'insufficient_funds'
  | 'gateway_timeout'
  | 'card_declined'
  | 'expired_card'
  | 'authentication_required';

/** Codes that are not in this table are `card_declined`: a decline is never less than that. */
const known: Readonly<Record<string, Code>> = {
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
export function codeOf({ decline_code, code }: { decline_code?: string | null; code?: string | null }): Code {
  return known[decline_code ?? ''] ?? known[code ?? ''] ?? 'card_declined';
}
