/**
 * What a biller pays for a payment: hundredths of a percent of the amount, plus a fixed part in minor units. A biller
 * without a schedule of its own pays 1.75 % and 30: the defaults of the table's columns (decisions: `fee_amount`).
 */
export interface FeeSchedule {
  basisPoints: number;
  fixed: number;
}

const basisPointsPerWhole = 10_000;

/** The amounts of a payment, all in minor units. The payer is charged `totalAmount`. */
export interface Price {
  amount: number;
  feeAmount: number;
  surchargeAmount: number;
  surchargeApplied: boolean;
  totalAmount: number;
}

/**
 * Returns the fee for a base amount, in minor units (decisions: `fee_amount`). The percentage is rounded half up,
 * without floating-point fractions.
 * @throws RangeError when a number is negative or not whole, or the product is beyond the range of exact integers.
 */
export function feeFor(amount: number, schedule: FeeSchedule): number {
  const { basisPoints, fixed } = schedule;
  const product = natural(natural(amount) * natural(basisPoints));
  const remainder = product % basisPointsPerWhole;
  // Dividing an exact multiple is exact. Rounding a quotient would not always be.
  const whole = (product - remainder) / basisPointsPerWhole;
  const roundedUp = remainder * 2 >= basisPointsPerWhole ? 1 : 0;
  return natural(whole + roundedUp + natural(fixed));
}

/**
 * Returns the amounts of a payment in minor units: fee, surcharge and total (decisions: `fee_amount`,
 * `surcharge_applied`). The surcharge equals the fee if the payer bears it, else 0. `surchargeApplied` says whether it
 * is above 0, so it is false when the fee is 0.
 * @throws RangeError in the same cases as `feeFor`.
 */
export function priceOf(amount: number, schedule: FeeSchedule, surcharge: boolean): Price {
  const feeAmount = feeFor(amount, schedule);
  const surchargeAmount = surcharge ? feeAmount : 0;
  return {
    amount,
    feeAmount,
    surchargeAmount,
    surchargeApplied: surchargeAmount > 0,
    totalAmount: natural(amount + surchargeAmount),
  };
}

function natural(value: number): number {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`not a whole amount: ${value}`);
  return value;
}
