/** An operator command does nothing. The message is a sentence that says why. Nothing is in the audit log. */
export class CommandRefused extends Error {
  override name = 'CommandRefused';
}
