import type { BasisPoints, MinorUnits } from '../units.ts';

/** A tax that prices include, such as GST of 10 %. Nothing is added on top. */
export interface Tax {
  label: string;
  basisPoints: BasisPoints;
}

/** The tax of one payment, as it was stated when the payment was made: a later change leaves it. */
export interface TaxBasis extends Tax {
  /** The part of the payment's amount that includes the tax, without surcharge. At least 1. */
  taxable: MinorUnits;
}

/** What is paid, minor units. `total` is the amount with its surcharge. */
interface Paid {
  amount: MinorUnits;
  total: MinorUnits;
}

/** The longest label, in characters. */
export const longestLabel = 20;

/** Returns the tax of a payment of which this part includes it. Null if no part does, or the biller states no tax. */
export function taxBasisOf(tax: Tax | null, taxable: MinorUnits): TaxBasis | null {
  return tax === null || taxable === 0 ? null : { ...tax, taxable };
}

/**
 * Returns how much of a payment is tax, minor units. It is worked out once for all that is taxed, and rounded half up:
 * section 9-90 of the GST Act (https://www.ato.gov.au/law/view/print?DocID=PAC%2F19990055%2F9-90). A surcharge is a
 * part of the price, and is shared among what is taxed and what is not: GSTR 2014/2
 * (https://www.ato.gov.au/law/view/document?docid=GST/GSTR20142/NAT/ATO/00001).
 */
export function includedTax({ amount, total }: Paid, basis: TaxBasis | null): MinorUnits {
  if (basis === null || amount === 0) return 0;
  const { basisPoints, taxable } = basis;
  // The products may be beyond the range of exact numbers.
  return roundedHalfUp(
    BigInt(total) * BigInt(taxable) * BigInt(basisPoints),
    BigInt(amount) * BigInt(10_000 + basisPoints),
  );
}

/** Returns a quotient of numbers that are not negative, rounded half up. */
export function roundedHalfUp(dividend: bigint, divisor: bigint): number {
  return Number((2n * dividend + divisor) / (2n * divisor));
}
