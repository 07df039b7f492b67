import type { CustomerRow } from '../../db/customers.ts';
import type { PaymentIntentRow } from '../../db/payment-intents.ts';
import type { DebitRefusal } from '../../domain/mandates/mandate.ts';
import { InvalidState } from '../errors.ts';

const confirmable: readonly string[] = ['requires_payment_method', 'failed'];

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

const mandateRefusals: Readonly<Record<DebitRefusal, string>> = {
  mandate_unavailable: 'is pending or has ended, so nothing was charged',
  mandate_limit_exceeded: 'or its scheme allows less for one debit, so nothing was charged',
};

/** Returns the error of a confirm that the mandate of a bank account does not allow. */
export function mandateRefusal(refusal: DebitRefusal, methodId: string): InvalidState {
  return new InvalidState(`The mandate of payment method ${methodId} ${mandateRefusals[refusal]}.`, refusal);
}
