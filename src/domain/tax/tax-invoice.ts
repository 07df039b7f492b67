import type { Currency } from '../currencies.ts';
import type { MinorUnits } from '../units.ts';
import { roundedHalfUp, type TaxBasis } from './tax.ts';

/** From this total on, an Australian tax invoice names the buyer: A$1,000.00. */
const namesBuyerFrom: MinorUnits = 100_000;

/** What a receipt says of a payment, as far as it decides whether it is a tax invoice. */
export interface Invoice {
  currency: Currency;
  /** What was paid, tax and surcharge included. */
  total: MinorUnits;
  tax: TaxBasis | null;
  /** The Australian business number of the seller. Null: it has none that checks. */
  abn: string | null;
  /** What was sold. Null: nothing says it. */
  description: string | null;
  /** The name of the buyer. Null: it is not known. */
  buyer: string | null;
}

/** Whether a tax invoice over this total names the buyer. */
export function namesBuyer({ currency, total }: Pick<Invoice, 'currency' | 'total'>): boolean {
  return currency === 'AUD' && total >= namesBuyerFrom;
}

/**
 * Whether a receipt has all that makes it an Australian tax invoice: seller, ABN, date, what was sold and its price,
 * how much of it is taxed, the tax, and from A$1,000.00 on the buyer. Source: Australian Taxation Office, "Tax
 * invoices", and section 29-70 of the GST Act. One in another currency would need the tax in Australian dollars, which
 * is not known here.
 */
export function isTaxInvoice(invoice: Invoice): boolean {
  const { currency, tax, abn, description, buyer } = invoice;
  const isComplete = tax !== null && abn !== null && description !== null && currency === 'AUD';
  return isComplete && (buyer !== null || !namesBuyer(invoice));
}

/** Returns how much of a total was sold with the tax in its price, minor units, rounded half up. */
export function taxedPart({ amount, total }: { amount: MinorUnits; total: MinorUnits }, tax: TaxBasis): MinorUnits {
  return roundedHalfUp(BigInt(total) * BigInt(tax.taxable), BigInt(amount));
}
