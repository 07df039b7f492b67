/** What a biller is charged for a payment: hundredths of a percent of the amount, and a fixed part in minor units. */
export interface FeeSchedule {
  basisPoints: number;
  fixed: number;
}

/** 1.75 % and 30 minor units, unless a biller has its own (decisions: `fee_amount`). */
export const defaultFeeSchedule: Readonly<FeeSchedule> = { basisPoints: 175, fixed: 30 };

const basisPointsPerWhole = 10_000;

/** The amounts of a payment, all in minor units; `totalAmount` is what the payer is charged. */
export interface Price {
  amount: number;
  feeAmount: number;
  surchargeAmount: number;
  surchargeApplied: boolean;
  totalAmount: number;
}

/**
 * The fee for a base amount, in minor units, its percentage rounded half up, without a fraction ever passing through
 * floating point (decisions: `fee_amount`). Throws RangeError when a number is negative or not whole, or when the
 * product leaves the range in which integers are exact.
 */
export function feeFor(amount: number, schedule: FeeSchedule): number {
  const { basisPoints, fixed } = schedule;
  const product = natural(natural(amount) * natural(basisPoints));
  const remainder = product % basisPointsPerWhole;
  // Dividing what divides evenly is exact; rounding a quotient would not always be.
  const whole = (product - remainder) / basisPointsPerWhole;
  const roundedUp = remainder * 2 >= basisPointsPerWhole ? 1 : 0;
  return natural(whole + roundedUp + natural(fixed));
}

/**
 * What a payment of `amount` costs, in minor units: the fee, the surcharge (the same as the fee when the payer bears
 * it, else 0) and the total (decisions: `fee_amount`, `surcharge_applied`). `surchargeApplied` says whether there is
 * one, so it is false when the fee that the payer would bear is 0. Throws RangeError as `feeFor`.
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
