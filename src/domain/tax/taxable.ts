import type { MinorUnits } from '../units.ts';
import { roundedHalfUp } from './tax.ts';

/** What is sold, as far as its tax is concerned. */
export interface Taxable {
  /** Whether the price includes the tax of the account. It does, unless this is false. */
  tax_included?: boolean;
}

/** A line of a statement, as far as its tax is concerned. */
export interface TaxableLine {
  amount_cents: MinorUnits;
  /** How much of the amount includes tax. Left out: all of it, or what the other lines say of theirs. */
  taxable_cents?: MinorUnits;
}

/** Returns the column of what is sold without tax. What includes it has none. */
export function taxIncluded({ tax_included: isIncluded }: Taxable): Taxable {
  return isIncluded === false ? { tax_included: false } : {};
}

/** Returns what a line of something sold says about its tax: nothing, if it includes the tax. */
export function taxableCents({ tax_included: isIncluded }: Taxable): Pick<TaxableLine, 'taxable_cents'> {
  return isIncluded === false ? { taxable_cents: 0 } : {};
}

/**
 * Returns lines of which each says how much of it includes tax, if one says so. `isSold` tells what is sold, discounts
 * included, from lines that share what the others say, such as credit.
 */
export function withTaxable<L extends TaxableLine>(lines: readonly L[], isSold: (line: L) => boolean): L[] {
  if (lines.every(({ taxable_cents: taxable }) => taxable === undefined)) return [...lines];
  return lines.map((line) => (isSold(line) ? { taxable_cents: line.amount_cents, ...line } : line));
}

/**
 * Returns how much of an amount includes tax, minor units: the part that it has in the lines which say so, rounded half
 * up, never below 0 and never above the amount. All of it, if none says so. If they give back more than they take,
 * those that take decide.
 */
export function taxablePart(amount: MinorUnits, lines: readonly TaxableLine[]): MinorUnits {
  const told = lines.filter(({ taxable_cents: taxable }) => taxable !== undefined);
  const all = sumsOf(told);
  const { whole, taxable } = all.whole > 0 ? all : sumsOf(told.filter((line) => line.amount_cents > 0));
  if (whole <= 0) return amount;
  return roundedHalfUp(BigInt(amount) * BigInt(Math.min(whole, Math.max(0, taxable))), BigInt(whole));
}

function sumsOf(lines: readonly TaxableLine[]): { whole: MinorUnits; taxable: MinorUnits } {
  return {
    whole: lines.reduce((sum, { amount_cents: part }) => sum + part, 0),
    taxable: lines.reduce((sum, { taxable_cents: part = 0 }) => sum + part, 0),
  };
}
