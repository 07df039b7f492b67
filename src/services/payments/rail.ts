import { selectRequiresMandates } from '../../db/billers.ts';
import { lockMandateOfMethod, type MandateRow } from '../../db/mandates.ts';
import type { PaymentMethodRow } from '../../db/payment-methods.ts';
import type { DeclineCode } from '../../domain/charge-outcome.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import { debitRefusal } from '../../domain/mandates/mandate.ts';
import { type DebitDates, debitDates } from '../../domain/schemes/bank-debit.ts';
import { fitsCurrency, schemes } from '../../domain/schemes/schemes.ts';
import type { Tx } from '../../platform/postgres/connection.ts';
import { InvalidState, type ServiceError, ValidationFailed } from '../errors.ts';
import type { DecidedIntent } from './surcharges.ts';

/** Why a bank account must not be debited. */
type RailRefusal = 'mandate_required' | 'mandate_unavailable' | 'mandate_limit_exceeded' | 'currency_of_scheme';

/** How a payment method is charged: at once, by a debit that the bank reports on later, or not at all. */
export type Rail =
  | { kind: 'at_once' }
  | { kind: 'debit'; mandate: MandateRow; dates: DebitDates }
  | { kind: 'refused'; refusal: RailRefusal };

const atOnce: Rail = { kind: 'at_once' };

/**
 * Returns how a locked method is charged, at this instant. An active mandate is the switch: a bank account that never
 * had one is charged at once in the sandbox, unless its biller wants mandates there. Locks the mandate, so after the
 * response to its cancellation no debit is accepted. For any other method nothing is read.
 */
export async function lockAndChooseRail(
  tx: Tx,
  intent: DecidedIntent,
  method: PaymentMethodRow | null,
  at: CustomerInstant,
): Promise<Rail> {
  if (method?.instrument.type !== 'au_becs_debit') return atOnce;
  const { livemode, total_amount: amount, currency } = intent;
  if (!fitsCurrency(method, currency)) return { kind: 'refused', refusal: 'currency_of_scheme' };
  const mandate = await lockMandateOfMethod(tx, method.id);
  if (mandate === null) {
    const isRequired = livemode || (await selectRequiresMandates(tx, intent.biller_id));
    return isRequired ? { kind: 'refused', refusal: 'mandate_required' } : atOnce;
  }
  const scheme = schemes[mandate.scheme];
  const dates = debitDates(scheme, at);
  const refusal = debitRefusal(mandate, scheme, { amount, handOverAt: dates?.handOverAt ?? null, livemode });
  if (refusal !== null) return { kind: 'refused', refusal };
  return dates === null ? { kind: 'refused', refusal: 'mandate_unavailable' } : { kind: 'debit', mandate, dates };
}

/** Returns the decline of a refused charge for which no payer is present. All are final. */
export function declineOf(refusal: RailRefusal): DeclineCode {
  if (refusal === 'mandate_required') return 'mandate_unavailable';
  return refusal === 'currency_of_scheme' ? 'processor_rejected' : refusal;
}

/** Returns the error of a confirm whose charge is refused. Nothing was attempted. `path` is that of the method. */
export function refusalError(refusal: RailRefusal, methodId: string, path: string): ServiceError {
  switch (refusal) {
    case 'mandate_required':
      return ValidationFailed.of(path, refusal, 'The bank account has no mandate. Create one, or use another method.');
    case 'currency_of_scheme':
      return ValidationFailed.of(path, refusal, 'A bank account is debited in AUD only. Use another method.');
    case 'mandate_unavailable':
      return new InvalidState(
        `The mandate of payment method ${methodId} is pending, has ended, or lapses before the bank would have the ` +
          'debit, so nothing was charged.',
        refusal,
      );
    case 'mandate_limit_exceeded':
      return new InvalidState(
        `The mandate of payment method ${methodId} or its scheme allows less for one debit, so nothing was charged ` +
          'or changed.',
        refusal,
      );
  }
}
