/** What a code means, and what the caller can do about it. One sentence each, for the documentation. */
export interface CodeText {
  meaning: string;
  remedy: string;
}

/** Every `code` of an item in `error.details`: what is wrong with one field. */
export const fieldCodes = {
  parameter_missing: {
    meaning: 'The field is required but missing.',
    remedy: 'Send it.',
  },
  unknown_parameter: {
    meaning: 'There is no such field here. The message suggests the one that you may have meant.',
    remedy: 'Correct its name, or leave it out.',
  },
  invalid_type: {
    meaning: 'The value has the wrong JSON type.',
    remedy: 'Send the type that the message names.',
  },
  invalid_value: {
    meaning: 'The value is not an allowed one.',
    remedy: 'Send a value that the message names.',
  },
  invalid_format: {
    meaning: 'The text does not have the required format.',
    remedy: 'Send the format that the message names.',
  },
  out_of_range: {
    meaning: 'The number, date or time is outside the allowed range.',
    remedy: 'Stay within the limits that the message names.',
  },
  too_long: { meaning: 'The text is too long.', remedy: 'Shorten it.' },
  too_short: { meaning: 'The text is too short.', remedy: 'Lengthen it.' },
  too_many: { meaning: 'There are too many items or members.', remedy: 'Send fewer.' },
  too_few: { meaning: 'There are too few items or members.', remedy: 'Send more.' },
  duplicate: { meaning: 'The item is listed twice.', remedy: 'List it once.' },
  immutable: {
    meaning: 'The field cannot be changed, or not in the current state of the object.',
    remedy: 'Leave it out.',
  },
  resource_missing: {
    meaning: 'There is no object with this id for this account and mode.',
    remedy: 'Check the id and the key.',
  },
  customer_reference_ambiguous: {
    meaning: 'Several customers have this reference: outside of test clocks, or on one test clock.',
    remedy: 'Send the id of the customer.',
  },
  customer_deleted: { meaning: 'The customer has been deleted.', remedy: 'Use another customer.' },
  payment_method_detached: {
    meaning: 'The payment method was detached and cannot be charged.',
    remedy: 'Use another payment method.',
  },
  payment_method_of_other_customer: {
    meaning: 'The payment method belongs to another customer.',
    remedy: 'Use a payment method of this customer.',
  },
  payment_method_not_allowed: {
    meaning:
      'The payment method belongs to a customer, and neither the payment intent nor the request names this customer.',
    remedy: 'Name the customer in `customer_id`, if it is the one who pays. Do not take it from the browser.',
  },
  payment_method_of_other_intent: {
    meaning: 'The payment method has no customer. A publishable key has used it for another payment intent.',
    remedy: 'Attach it to a customer first.',
  },
  payment_method_limit: {
    meaning: 'The customer already has 50 payment methods that are not detached, the maximum.',
    remedy: 'Detach one of them first.',
  },
  payment_method_missing: {
    meaning: 'Neither the subscription nor its customer has a payment method that can be charged.',
    remedy: 'Set `payment_instrument_id`, or a default payment method of the customer.',
  },
  payment_method_unattached: {
    meaning: 'The payment method does not belong to a customer yet.',
    remedy: 'Attach it to the customer first.',
  },
  no_period_left: {
    meaning: 'The subscription ends with its period: no further one takes a fee.',
    remedy: 'Take the fee as a payment of its own, or withdraw the end first.',
  },
  mandate_limit_exceeded: {
    meaning: 'The mandate of the bank account, or its scheme, allows less for one debit.',
    remedy: 'Use another payment method.',
  },
  mandate_required: {
    meaning: 'The bank account has no mandate, and it is debited under one only.',
    remedy: 'Create a mandate for it, or use another payment method.',
  },
  currency_of_scheme: {
    meaning: 'The bank account is debited in the currency of its scheme only.',
    remedy: 'Use another payment method for this currency.',
  },
  mandate_text_unknown: {
    meaning: 'No text of yours has this version or hash.',
    remedy: 'Fetch the text again, show it to the payer, and send its `version` and `sha256`.',
  },
  amount_too_small: { meaning: 'The amount is below 200 minor units.', remedy: 'Send a larger amount.' },
  amount_or_range: {
    meaning: 'A payment link takes either `amount` or `amount_range`. The request has both or neither.',
    remedy: 'Send exactly one of them.',
  },
  method_currency_mismatch: {
    meaning: 'A type of payment method cannot pay in this currency.',
    remedy: 'Leave the type out, or use another currency.',
  },
  total_or_until_further_notice: {
    meaning: 'A plan has either `total_amount_cents` or `until_further_notice: true`. The request has both or neither.',
    remedy: 'Send exactly one of them.',
  },
  unknown_fixture_token: {
    meaning: 'The sandbox fixture token does not exist.',
    remedy: 'Use one of the `tok_sandbox_…` tokens.',
  },
  unknown_event_type: {
    meaning: 'This is neither an event type nor a group of event types.',
    remedy: 'Use a type, a group such as `payment_plan.*`, or `*`.',
  },
  url_invalid: {
    meaning: 'The URL is not absolute, not `https` in live mode, or has credentials or a fragment.',
    remedy: 'Send a plain absolute URL.',
  },
  url_unresolvable: { meaning: 'The host of the URL cannot be resolved.', remedy: 'Check the host name.' },
  url_not_public: {
    meaning: 'The host of the URL is not a public address.',
    remedy: 'Use a host that can be reached from the internet.',
  },
} as const satisfies Record<string, CodeText>;

export type FieldCode = keyof typeof fieldCodes;

/**
 * What is wrong with one field of a request. `path` is a JSON pointer into the body, or names a parameter, such as
 * `query/limit`. It is left out if the error is about no single field.
 */
export interface FieldError {
  code: FieldCode;
  message: string;
  path?: string;
}

/** A response has at most this many field errors. More would not be read. */
export const maxFieldErrors = 100;

export function fieldError(path: string, code: FieldCode, message: string): FieldError {
  return { code, message, path };
}

/** Keeps the first field error of each path, and at most as many as a response has. */
export function onePerPath(errors: FieldError[]): FieldError[] {
  const byPath = new Map<string | undefined, FieldError>();
  for (const error of errors) if (!byPath.has(error.path)) byPath.set(error.path, error);
  return [...byPath.values()].slice(0, maxFieldErrors);
}
