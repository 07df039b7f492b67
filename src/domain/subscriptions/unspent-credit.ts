import type { MinorUnits } from '../units.ts';

/** A payment of a subscription that has given credit. Amounts are without surcharge. */
export interface CreditSource {
  id: string;
  /** The place among the payments of the subscription. The newest has the highest. */
  charge: number;
  /** The credit that came from it and that it still holds. */
  given: MinorUnits;
  /** The credit that its refunds have paid out. Refunds under way count. */
  paid_out: MinorUnits;
}

/**
 * Returns how much of the credit balance came from this payment. Credit is used oldest payment first: what is left is
 * that of the newest payments.
 */
export function unspentCreditOf(id: string, sources: readonly CreditSource[], balance: MinorUnits): MinorUnits {
  let left = balance;
  for (const source of sources.toSorted((a, b) => b.charge - a.charge)) {
    const unspent = Math.min(left, Math.max(0, source.given - source.paid_out));
    if (source.id === id) return unspent;
    left -= unspent;
  }
  return 0;
}

/** Returns how an amount of credit is paid out: newest payment first, from each at most what remains of it. */
export function payOut<P extends { remaining: MinorUnits }>(
  newestFirst: readonly P[],
  amount: MinorUnits,
): { payment: P; amount: MinorUnits }[] {
  const parts: { payment: P; amount: MinorUnits }[] = [];
  let left = amount;
  for (const payment of newestFirst) {
    const part = Math.min(left, payment.remaining);
    if (part > 0) parts.push({ payment, amount: part });
    left -= part;
  }
  return parts;
}
