import type { BasisPoints } from '../units.ts';
import type { MethodType, Network } from './means.ts';

/** The ways to pay whose cost of acceptance a biller may state. */
export const costKeys = ['amex', 'eftpos', 'mastercard', 'visa', 'au_becs_debit', 'paypal'] as const;
export type CostKey = (typeof costKeys)[number];

/** What it costs a biller to accept a way to pay: 190 is 1.9 % of the amount. */
export type Costs = Readonly<Partial<Record<CostKey, BasisPoints>>>;

/** Returns under which key a biller states the cost of a way to pay. Null if it can state none. */
export function costKeyOf({ type, network }: { type: MethodType; network: Network | null }): CostKey | null {
  const name = type === 'card' ? network : type;
  return costKeys.find((key) => key === name) ?? null;
}

/**
 * Reads a percentage of at most two decimals, such as `1.9%`, from 0 to 100 %. The sign may be left out. Returns null
 * for any other text.
 */
export function readPercentage(text: string): BasisPoints | null {
  const [, whole, decimals = ''] = /^(\d{1,3})(?:\.(\d{1,2}))?%?$/.exec(text.trim()) ?? [];
  if (whole === undefined) return null;
  const points = Number(whole) * 100 + Number(decimals.padEnd(2, '0'));
  return points <= 10_000 ? points : null;
}

/** Writes a part of an amount as a percentage, such as `1.9%`. */
export function inPercent(points: BasisPoints): string {
  return `${points / 100}%`;
}
