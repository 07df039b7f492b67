import { type DeclineCode, declineMessage } from '../domain/charge-outcome.ts';
import type { CodeText } from '../resources/field-errors.ts';

export type ErrorType =
  | 'invalid_request_error'
  | 'authentication_error'
  | 'permission_error'
  | 'idempotency_error'
  | 'rate_limit_error'
  | 'api_error';

export interface ErrorText extends CodeText {
  type: ErrorType;
  /** The HTTP statuses of responses with this code. If the error names none, it is the first. */
  statuses: readonly [number, ...number[]];
}

/** Every `error.code` that the API returns. */
export const errorCodes = {
  validation_failed: {
    type: 'invalid_request_error',
    statuses: [400, 422],
    meaning: 'Fields or parameters break a rule. `details` has an item for each, with its path.',
    remedy: 'Correct everything that `details` names, then send the request again.',
  },
  bad_request: {
    type: 'invalid_request_error',
    statuses: [400],
    meaning: 'The request cannot be read. For example, its path has a broken escape.',
    remedy: 'Build the URL with a library that encodes it.',
  },
  invalid_json: {
    type: 'invalid_request_error',
    statuses: [400],
    meaning:
      'The body is not valid JSON in UTF-8, repeats a member name, is nested too deep, or has more than 1,000 ' +
      'members.',
    remedy: 'Write the body with a JSON library, with fewer members.',
  },
  body_incomplete: {
    type: 'invalid_request_error',
    statuses: [400],
    meaning: 'The body ended before it was complete.',
    remedy: 'Send the request again.',
  },
  invalid_header: {
    type: 'invalid_request_error',
    statuses: [400],
    meaning: '`Idempotency-Key` or `Idempotency-TTL` is out of range.',
    remedy:
      'Send a key of 1 to 255 characters. Send a TTL of 1 to 2592000 whole seconds, or at most 86400 with a ' +
      'publishable key.',
  },
  unsupported_content_type: {
    type: 'invalid_request_error',
    statuses: [400],
    meaning: 'The body is not declared as JSON.',
    remedy: 'Send `Content-Type: application/json`.',
  },
  unsupported_encoding: {
    type: 'invalid_request_error',
    statuses: [400],
    meaning: 'The body is compressed.',
    remedy: 'Send it without `Content-Encoding`.',
  },
  unauthenticated: {
    type: 'authentication_error',
    statuses: [401],
    meaning: 'The API key is missing, unknown or revoked.',
    remedy: 'Send `Authorization: Bearer <key>` with a valid key.',
  },
  insufficient_scope: {
    type: 'permission_error',
    statuses: [403],
    meaning: 'The key lacks the scope of the operation, or of the events that the operation would send.',
    remedy: 'Use a key with the scope that the message names.',
  },
  secret_key_required: {
    type: 'permission_error',
    statuses: [403],
    meaning: 'A publishable key may not do this, or only with the `client_secret` of the payment intent.',
    remedy: 'Call from your server with a secret key, or send the `client_secret`.',
  },
  client_secret_invalid: {
    type: 'permission_error',
    statuses: [403],
    meaning: 'The `client_secret` is not that of this payment intent.',
    remedy: 'Use the `client_secret` that was returned with this payment intent.',
  },
  sandbox_only: {
    type: 'permission_error',
    statuses: [403],
    meaning: 'A live key was used for something that exists only in the sandbox.',
    remedy: 'Use a sandbox key.',
  },
  payment_method_not_allowed: {
    type: 'permission_error',
    statuses: [403],
    meaning:
      'A publishable key may not use this payment method for this payment intent. The method belongs to another ' +
      'customer or payment intent, or does not exist.',
    remedy: 'Save a new payment method for this payment intent, or confirm from your server with a secret key.',
  },
  too_many_attempts: {
    type: 'permission_error',
    statuses: [403],
    meaning:
      'Ten attempts to pay this payment intent with a publishable key or on a page have failed. Now only a secret key ' +
      'may confirm it.',
    remedy: 'Confirm from your server with a secret key, or create a new payment intent for the payer.',
  },
  resource_missing: {
    type: 'invalid_request_error',
    statuses: [404],
    meaning: 'There is no such object for this account and mode.',
    remedy: 'Check the id. Check that the key belongs to the account and mode that created the object.',
  },
  route_not_found: {
    type: 'invalid_request_error',
    statuses: [404],
    meaning: 'No operation has this path.',
    remedy: 'Check the path. All paths of the API begin with `/api/v1`.',
  },
  method_not_allowed: {
    type: 'invalid_request_error',
    statuses: [405],
    meaning: 'The path exists, but not with this method.',
    remedy: 'Use one of the methods in the `Allow` header.',
  },
  request_timeout: {
    type: 'invalid_request_error',
    statuses: [408],
    meaning: 'The headers took longer than 15 seconds to arrive, or the whole request longer than 30.',
    remedy: 'Send the request again, without pauses.',
  },
  idempotency_key_in_use: {
    type: 'idempotency_error',
    statuses: [409],
    meaning: 'The first request with this `Idempotency-Key` is still running after five seconds.',
    remedy: 'Send the same request again after `Retry-After`. You then get the response to the first one.',
  },
  payload_too_large: {
    type: 'invalid_request_error',
    statuses: [413],
    meaning:
      'The body exceeds the limit of the operation: 16 KiB, or up to 256 KiB if its fields need more. The ' +
      'message names the limit.',
    remedy: 'Send a smaller body.',
  },
  payment_method_limit: {
    type: 'invalid_request_error',
    statuses: [400, 422],
    meaning: 'The customer already has 50 payment methods that are not detached, the maximum.',
    remedy: 'Detach one of them first.',
  },
  misdirected_request: {
    type: 'invalid_request_error',
    statuses: [421],
    meaning: 'A service started by `npm start` serves only its own machine. The request named another host.',
    remedy: 'Use `http://localhost` or `http://127.0.0.1`, or start the service with another `HOST`.',
  },
  idempotency_key_reused: {
    type: 'idempotency_error',
    statuses: [422],
    meaning: 'This `Idempotency-Key` was used for a request with another method, path or body.',
    remedy: 'Repeat the first request exactly, or use a new key.',
  },
  invalid_state: {
    type: 'invalid_request_error',
    statuses: [422],
    meaning: 'The current state of the object does not allow this. The message names the state and what is allowed.',
    remedy: 'Fetch the object, then do what its state allows.',
  },
  mandate_exists: {
    type: 'invalid_request_error',
    statuses: [422],
    meaning: 'The bank account has a mandate that has not ended. `mandate_id` names it.',
    remedy: 'Use that mandate, or cancel it first.',
  },
  mandate_text_unknown: {
    type: 'invalid_request_error',
    statuses: [422],
    meaning: 'The text that the payer was shown is not yours or is out of date: its version or hash is unknown.',
    remedy: 'Fetch the text again, show it to the payer, and send its `version` and `sha256`.',
  },
  mandate_unavailable: {
    type: 'invalid_request_error',
    statuses: [422],
    meaning: 'The mandate of the bank account is pending, has ended, or lapses before the bank would have the debit.',
    remedy: 'Let the payer accept the mandate, or give a new one. Or use another payment method.',
  },
  mandate_limit_exceeded: {
    type: 'invalid_request_error',
    statuses: [422],
    meaning: 'The amount is more than the mandate of the bank account, or its scheme, allows for one debit.',
    remedy: 'Charge less, or let the payer give a new mandate with a higher limit.',
  },
  result_after_period: {
    type: 'invalid_request_error',
    statuses: [422],
    meaning: 'The bank would report the debit of this change after the period has ended, so it could not be made.',
    remedy: 'Send the change with `collect: next_period`.',
  },
  quote_changed: {
    type: 'invalid_request_error',
    statuses: [422],
    meaning: 'The change costs another amount than `expected_amount_cents`. Nothing has changed.',
    remedy: 'Ask for a new quote with `dry_run`, show it, and send its `amount_cents`.',
  },
  test_clock_advancing: {
    type: 'invalid_request_error',
    statuses: [422],
    meaning:
      'The customer’s test clock is advancing. Until it is ready, nothing that belongs to its customers can be ' +
      'changed.',
    remedy: 'Wait for `test_clock.ready`, then try again.',
  },
  test_clock_failed: {
    type: 'invalid_request_error',
    statuses: [422],
    meaning: 'The test clock has failed. It accepts no new customers.',
    remedy: 'Create a new test clock.',
  },
  test_clock_full: {
    type: 'invalid_request_error',
    statuses: [422],
    meaning: 'The test clock already has 3 customers, the maximum.',
    remedy: 'Use another test clock, or delete a customer of this one.',
  },
  test_clock_limit: {
    type: 'invalid_request_error',
    statuses: [422],
    meaning: 'The account already has 3 active test clocks, the maximum.',
    remedy: 'Delete a test clock first.',
  },
  test_clock_customers_limit: {
    type: 'invalid_request_error',
    statuses: [422],
    meaning: 'The account already has 9 customers on test clocks, the maximum.',
    remedy: 'Delete a test clock or one of its customers first.',
  },
  advance_bound_exceeded: {
    type: 'invalid_request_error',
    statuses: [422],
    meaning: 'One advance covers at most two billing intervals. `max_frozen_time` is the latest possible target.',
    remedy: 'Make several smaller advances.',
  },
  webhook_endpoint_limit: {
    type: 'invalid_request_error',
    statuses: [422],
    meaning: 'This mode already has 16 webhook endpoints, the maximum.',
    remedy: 'Delete an endpoint first.',
  },
  webhook_endpoint_unverified: {
    type: 'invalid_request_error',
    statuses: [422],
    meaning: 'Nothing is replayed to a live endpoint until its receiver has returned the challenge of a ping.',
    remedy: 'Let the receiver return `{"challenge": …}`, then ping the endpoint.',
  },
  headers_too_large: {
    type: 'invalid_request_error',
    statuses: [431],
    meaning: 'The URL and headers exceed 16 KiB together, or there are more than 100 headers.',
    remedy: 'Send fewer and shorter headers. Put long values in the body.',
  },
  rate_limited: {
    type: 'rate_limit_error',
    statuses: [429],
    meaning:
      'The key has exceeded its rate limit, a hundred payments with this publishable key have failed in this minute, ' +
      'or too many reports are being read.',
    remedy: 'Slow down, and repeat the request after `Retry-After`.',
  },
  webhook_replay_limit: {
    type: 'rate_limit_error',
    statuses: [429],
    meaning: 'Replays, retries and pings of the account to one host have reached 20,000 deliveries an hour.',
    remedy: 'Repeat the request after `Retry-After`. The budget refills continuously.',
  },
  internal_error: {
    type: 'api_error',
    statuses: [500],
    meaning: 'Something went wrong on our side.',
    remedy: 'Repeat the request with the same `Idempotency-Key`. If it keeps failing, send us the `request_id`.',
  },
  unavailable: {
    type: 'api_error',
    statuses: [503],
    meaning: 'A part that the service depends on is unreachable or overloaded.',
    remedy: 'Repeat the request after `Retry-After`, with the same `Idempotency-Key`.',
  },
  processor_not_configured: {
    type: 'api_error',
    statuses: [503],
    meaning: 'No payment processor is configured for live mode. Nothing was charged or changed.',
    remedy: 'Use a sandbox key, or ask the operator to configure a processor.',
  },
  time_skipping_unavailable: {
    type: 'api_error',
    statuses: [503],
    meaning: 'The Temporal server of the service cannot skip time. Test clocks need that.',
    remedy: 'Ask the operator to turn on the setting that the message names.',
  },
} as const satisfies Record<string, ErrorText>;

export type ErrorCode = keyof typeof errorCodes;

/** The codes that a response of this status can have. */
export type CodeOfStatus<Status extends number> = {
  [Code in ErrorCode]: Status extends (typeof errorCodes)[Code]['statuses'][number] ? Code : never;
}[ErrorCode];

/** Every `code` of a failed payment: in `last_payment_error`, and in the attempts of a plan's payment. */
export const declineCodes: Readonly<Record<DeclineCode, CodeText>> = {
  insufficient_funds: {
    meaning: declineMessage('insufficient_funds'),
    remedy: 'Try again later, or with another payment method.',
  },
  gateway_timeout: {
    meaning: declineMessage('gateway_timeout'),
    remedy: 'Confirm again.',
  },
  card_declined: {
    meaning: declineMessage('card_declined'),
    remedy: 'Ask the customer for another payment method.',
  },
  expired_card: {
    meaning: declineMessage('expired_card'),
    remedy: 'Ask the customer for another card, or for the new expiry date.',
  },
  authentication_required: {
    meaning: declineMessage('authentication_required'),
    remedy: 'Let the customer make the payment while present, or ask for another payment method.',
  },
  payment_method_unavailable: {
    meaning: declineMessage('payment_method_unavailable'),
    remedy: 'Save a payment method. Make it the default, or name it in the plan.',
  },
  processor_rejected: {
    meaning: declineMessage('processor_rejected'),
    remedy: 'Use another payment method. If others are refused too, ask the operator.',
  },
  account_invalid: {
    meaning: declineMessage('account_invalid'),
    remedy: 'Ask the customer for the right account details, with a new mandate.',
  },
  account_closed: {
    meaning: declineMessage('account_closed'),
    remedy: 'Ask the customer for another account, with a new mandate.',
  },
  account_holder_deceased: {
    meaning: declineMessage('account_holder_deceased'),
    remedy: 'Do not debit the account again.',
  },
  payment_stopped: {
    meaning: declineMessage('payment_stopped'),
    remedy: 'Ask the customer how to pay. A further debit needs a new mandate.',
  },
  debit_disputed: {
    meaning: declineMessage('debit_disputed'),
    remedy: 'Talk to the customer. A further debit needs a new mandate.',
  },
  payment_disputed: {
    meaning: declineMessage('payment_disputed'),
    remedy: 'Talk to the customer before you charge them again.',
  },
  mandate_unavailable: {
    meaning: declineMessage('mandate_unavailable'),
    remedy: 'Ask the customer for a new mandate.',
  },
  mandate_limit_exceeded: {
    meaning: declineMessage('mandate_limit_exceeded'),
    remedy: 'Debit a smaller amount, or ask for a new mandate with a higher limit.',
  },
  debit_withdrawn: {
    meaning: declineMessage('debit_withdrawn'),
    remedy: 'Resume the plan to debit the account again.',
  },
};
