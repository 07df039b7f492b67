import type { Instrument, PaymentMethodRow } from '../../db/payment-methods.ts';
import { isolated } from '../../platform/html.ts';

/** `Visa 4242` or `Bank account 321`. */
export function methodInWords({
  instrument,
  brand,
  last4,
}: Pick<PaymentMethodRow, 'brand' | 'last4'> & { instrument: Pick<Instrument, 'type'> }): string {
  const kind = instrument.type === 'au_becs_debit' ? 'Bank account' : instrument.type.replace('_', ' ');
  const name = isolated(brand ?? kind);
  return `${name.charAt(0).toUpperCase()}${name.slice(1)} ${last4 ?? ''}`.trim();
}
