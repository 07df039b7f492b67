import { lockMandateOfMethod, updateMandate } from '../../db/mandates.ts';
import type { PaymentMethodRow } from '../../db/payment-methods.ts';
import { type DebitRefusal, debitRefusal } from '../../domain/mandates/mandate.ts';
import { mandateLapsesAt } from '../../domain/schemes/debit-dates.ts';
import { schemes } from '../../domain/schemes/schemes.ts';
import type { Tx } from '../../platform/postgres/connection.ts';

/**
 * Checks that the mandate of a locked payment method allows a debit, and notes the debit on it. Returns the refusal, or
 * null if the debit may be made: under an active mandate, or on a method that never had one. Locks the mandate, so no
 * debit is begun after the response to a cancellation. `amount` is in minor units, surcharge included; `at` is customer
 * time.
 */
export async function debitUnderMandate(
  tx: Tx,
  method: PaymentMethodRow,
  { amount, at }: { amount: number; at: Date },
): Promise<DebitRefusal | null> {
  if (method.instrument.type !== 'au_becs_debit') return null;
  const mandate = await lockMandateOfMethod(tx, method.id);
  if (mandate === null) return null;
  const scheme = schemes[mandate.scheme];
  const refusal = debitRefusal(mandate, scheme, { amount, at, livemode: mandate.livemode });
  if (refusal !== null) return refusal;
  const used = { last_debited_at: at, lapses_at: mandateLapsesAt(scheme, at), updated_at: at };
  await updateMandate(tx, mandate.id, used);
  return null;
}
