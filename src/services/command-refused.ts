/** An operator command does nothing. The message is a sentence that says why. Nothing is in the audit log. */
export class CommandRefused extends Error {
  override name = 'CommandRefused';
}

/**
 * `retry_now` that is repeated within this time is refused: the operator may not have seen the outcome of the first
 * attempt.
 */
export const sameRetryMs = 60_000;
