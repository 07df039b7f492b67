import type { MinorUnits } from '../units.ts';

/** What was paid and what was given back of it. `given` counts refunds that have not failed. */
export interface RefundedPayment {
  total: MinorUnits;
  surcharge: MinorUnits;
  given: { amount: MinorUnits; surcharge: MinorUnits };
}

/**
 * Returns how much of a refund is surcharge: the part that the surcharge has in the payment. All refunds up to this one
 * are rounded down together, so those that give back the whole payment give back all of it.
 */
export function surchargeIn(amount: MinorUnits, { total, surcharge, given }: RefundedPayment): MinorUnits {
  if (surcharge === 0) return 0;
  // A product of two amounts may be beyond the range of exact numbers.
  const due = Number((BigInt(given.amount + amount) * BigInt(surcharge)) / BigInt(total));
  return Math.min(amount, Math.max(0, due - given.surcharge));
}
