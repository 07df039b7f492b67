import type { MinorUnits } from './units.ts';

/** A part of a payment, such as its surcharge or its tax, and what was given back. Refunds that failed do not count. */
export interface RefundedPayment {
  total: MinorUnits;
  part: MinorUnits;
  given: { amount: MinorUnits; part: MinorUnits };
}

/**
 * Returns how much of a refund is of this part: as much as it has in the payment. All refunds up to this one are
 * rounded down together, so those that give back the whole payment give back all of it.
 */
export function shareInRefund(amount: MinorUnits, { total, part, given }: RefundedPayment): MinorUnits {
  if (part === 0) return 0;
  // A product of two amounts may be beyond the range of exact numbers.
  const due = Number((BigInt(given.amount + amount) * BigInt(part)) / BigInt(total));
  return Math.min(amount, Math.max(0, due - given.part));
}
