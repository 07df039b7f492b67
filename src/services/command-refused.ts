import type { PaymentAttemptRow } from '../db/payment-attempts.ts';
import type { RealInstant } from '../platform/real-time.ts';
import { InvalidState } from './errors.ts';

/** An operator command does nothing. The message is a sentence that says why. Nothing is in the audit log. */
export class CommandRefused extends Error {
  override name = 'CommandRefused';
}

const sameRetryMs = 60_000;

/**
 * A retry that is sent again within a minute is refused: the operator may not have seen the outcome of the first one.
 * `what` is what was tried, for a sentence.
 * @throws CommandRefused
 */
export function assertNotJustTried(last: PaymentAttemptRow | null, what: string, now: RealInstant): void {
  const agoMs = last === null ? sameRetryMs : now.getTime() - (last.settled_at ?? last.opened_at).getTime();
  if (last === null || agoMs >= sameRetryMs) return;
  const outcome = last.code === null ? '' : `, and failed: ${last.code}`;
  const tried = `${what} was tried ${Math.round(agoMs / 1000)} s ago${outcome}`;
  throw new CommandRefused(`Nothing was done: ${tried}. Send it again after a minute.`);
}

/** Returns the result of an operator command. @throws CommandRefused if the state of its subject does not allow it. */
export async function refusedIfInvalid(executed: Promise<string>): Promise<string> {
  return executed.catch((error: unknown) => {
    throw error instanceof InvalidState ? new CommandRefused(`Nothing was done: ${error.message}`) : error;
  });
}
