import type { BasisPoints, MinorUnits } from '../units.ts';
import { inPercent, readPercentage } from './costs.ts';
import { type MethodType, methodTypes } from './means.ts';

/** What a biller pays for a payment: a part of the amount, plus a fixed part. */
export interface FeeSchedule {
  basisPoints: BasisPoints;
  fixed: MinorUnits;
}

/** What a biller pays by each way to pay. */
export interface Fees {
  /** By every way that has no schedule of its own: 1.75 % and 30, unless an operator has set it (decisions). */
  standard: FeeSchedule;
  byMethod: Readonly<Partial<Record<MethodType, FeeSchedule>>>;
}

/** The columns of a biller that say it. */
export interface FeeColumns {
  fee_basis_points: BasisPoints;
  fee_fixed: MinorUnits;
  fees_by_method: Fees['byMethod'];
}

/** The largest fixed part that an operator may set. It keeps every fee exact. */
export const mostFixed = 1_000_000;

const basisPointsPerWhole = 10_000;

/** Returns what the columns of a biller say about fees. */
export function feesOf({
  fee_basis_points: basisPoints,
  fee_fixed: fixed,
  fees_by_method: byMethod,
}: FeeColumns): Fees {
  return { standard: { basisPoints, fixed }, byMethod };
}

/**
 * Reads a schedule such as `1.75%+30`: a percentage of at most two decimals, and minor units, at most 1,000,000. Either
 * part may be left out. Returns null for any other text.
 */
export function readFee(text: string): FeeSchedule | null {
  const [found, percentage, fixed] = /^(?:([\d.]+)%)?\+?(\d{1,7})?$/.exec(text) ?? [];
  const basisPoints = readPercentage(percentage ?? '0');
  if (found === undefined || basisPoints === null || Number(fixed ?? 0) > mostFixed) return null;
  if (percentage === undefined && fixed === undefined) return null;
  return { basisPoints, fixed: Number(fixed ?? 0) };
}

/** Writes a schedule as `readFee` reads it. */
export function inWords({ basisPoints, fixed }: FeeSchedule): string {
  return `${inPercent(basisPoints)}+${fixed}`;
}

/**
 * Returns the fee for a base amount by a way to pay, minor units (decisions: `fee_amount`). While the way is unknown
 * (null), it is the most that any way may cost.
 * @throws RangeError when a number is negative or not whole, or the product is beyond the range of exact integers.
 */
export function feeFor(amount: MinorUnits, { standard, byMethod }: Fees, type: MethodType | null): MinorUnits {
  const types = type === null ? methodTypes : [type];
  return Math.max(...types.map((known) => feeBy(byMethod[known] ?? standard, amount)));
}

/** The percentage is rounded half up, without floating-point fractions. */
function feeBy({ basisPoints, fixed }: FeeSchedule, amount: MinorUnits): MinorUnits {
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
