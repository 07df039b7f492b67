import type { BasisPoints, MinorUnits } from './units.ts';

/**
 * What a biller pays for a payment: a part of the amount, plus a fixed part. A biller without a schedule of its own
 * pays 1.75 % and 30: the defaults of the table's columns (decisions: `fee_amount`).
 */
export interface FeeSchedule {
  basisPoints: BasisPoints;
  fixed: MinorUnits;
}

const basisPointsPerWhole = 10_000;

/**
 * Returns the fee for a base amount (decisions: `fee_amount`). The percentage is rounded half up, without
 * floating-point fractions.
 * @throws RangeError when a number is negative or not whole, or the product is beyond the range of exact integers.
 */
export function feeFor(amount: MinorUnits, schedule: FeeSchedule): MinorUnits {
  const { basisPoints, fixed } = schedule;
  const product = natural(natural(amount) * natural(basisPoints));
  const remainder = product % basisPointsPerWhole;
  // Dividing an exact multiple is exact. Rounding a quotient would not always be.
  const whole = (product - remainder) / basisPointsPerWhole;
  const roundedUp = remainder * 2 >= basisPointsPerWhole ? 1 : 0;
  return natural(whole + roundedUp + natural(fixed));
}

function natural(value: number): number {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`not a whole amount: ${value}`);
  return value;
}
