import type { CustomerRow } from '../../db/customers.ts';
import type { PaymentIntentRow } from '../../db/payment-intents.ts';
import { Forbidden, InvalidState } from '../errors.ts';
import type { RequestContext } from '../request-context.ts';
import { isRestricted, mostPayerFailures } from './charge-records.ts';

const confirmable: readonly PaymentIntentRow['status'][] = ['requires_payment_method', 'failed'];

/** Returns why an intent cannot be confirmed, or null if it can. `payer` is its customer, or null if it has none. */
export function confirmRefusal(
  { id, status }: Pick<PaymentIntentRow, 'id' | 'status'>,
  payer: Pick<CustomerRow, 'deleted_at'> | null,
): InvalidState | null {
  if (payer !== null && payer.deleted_at !== null) {
    return new InvalidState('The customer of this payment has been deleted, so the payment cannot be charged.');
  }
  if (confirmable.includes(status)) return null;
  return new InvalidState(`Payment intent ${id} is ${status}; it can be confirmed while ${confirmable.join(' or ')}.`);
}

/**
 * A payer may fail so often, and no more: otherwise a stranger could try out stolen cards. The intent is locked and has
 * one attempt under way at most, so attempts that come at once cannot pass this together.
 * @throws Forbidden
 */
export function assertMayTry(
  { keyKind }: Pick<RequestContext, 'keyKind'>,
  intent: Pick<PaymentIntentRow, 'payer_failures'>,
): void {
  if (keyKind === 'secret' || !isRestricted(intent)) return;
  throw new Forbidden(
    'too_many_attempts',
    `${mostPayerFailures} attempts of payers have failed. Confirm it with a secret key, or create a new payment intent.`,
  );
}
