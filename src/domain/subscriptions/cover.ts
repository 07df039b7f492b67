import type { MinorUnits } from '../units.ts';
import { accountLine } from './account.ts';
import type { PeriodLine } from './lines.ts';
import type { Period } from './subscription.ts';

/**
 * A payment of a period that has succeeded. Amounts are without surcharge. It holds what the customer has paid by it,
 * less refunds. Refunds of credit do not count: they have paid out what the period gave.
 */
export interface Fund {
  /** `opening`: it opened the period. `change`: of a change. `credited`: of a change that was not made: all credit. */
  kind: 'opening' | 'change' | 'credited';
  paid: MinorUnits;
  held: MinorUnits;
}

type Given = Pick<Period, 'status' | 'carried_cents' | 'changed_cents'>;

/**
 * Returns what is withheld of the credit that a period has given: as much as its payments no longer hold. A void period
 * has given only what was paid for its changes.
 * @param funds its payments, newest first.
 */
export function withheldOf(period: Given, funds: readonly Fund[]): MinorUnits {
  const { parts, rest } = partsOf(period, funds);
  const lost = parts.reduce((sum, { fund, part }) => sum + part - Math.min(part, fund.held), 0);
  return lost + rest - Math.min(rest, openingCover(period, funds));
}

/**
 * Returns how much credit each payment of a period has given that it still holds. What remains of the period's credit
 * was credit before: older payments have given it.
 * @param funds its payments, newest first.
 */
export function givenBy<F extends Fund>(period: Given, funds: readonly F[]): { fund: F; given: MinorUnits }[] {
  const { parts, rest } = partsOf(period, funds);
  const opening = Math.min(rest, openingCover(period, funds));
  const all = [...parts, ...funds.filter(({ kind }) => kind === 'opening').map((fund) => ({ fund, part: opening }))];
  return all.map(({ fund, part }) => ({ fund, given: Math.min(part, fund.held) }));
}

/**
 * The credit of a period, from its payments: from those of its changes first, the newest first, each up to what was
 * paid. The rest is from what opened the period.
 */
function partsOf<F extends Fund>(
  { status, changed_cents: changed }: Given,
  funds: readonly F[],
): { parts: { fund: F; part: MinorUnits }[]; rest: MinorUnits } {
  const forChanges = funds.filter(({ kind }) => kind === 'change');
  const paid = forChanges.reduce((sum, fund) => sum + fund.paid, 0);
  let rest = Math.max(0, paid - (status === 'void' ? 0 : changed));
  const parts = funds.filter(({ kind }) => kind === 'credited').map((fund) => ({ fund, part: fund.paid }));
  for (const fund of forChanges) {
    const part = Math.min(rest, fund.paid);
    rest -= part;
    parts.push({ fund, part });
  }
  return { parts, rest };
}

/** What opened a period and is held: its payment, less what that took for changes before, and credit that was used. */
function openingCover({ carried_cents: carried }: Given, funds: readonly Fund[]): MinorUnits {
  const held = funds.find(({ kind }) => kind === 'opening')?.held ?? 0;
  return Math.max(0, held - carried);
}

/** Returns the line that is posted to the account when this much more of a period's credit is withheld, or less. */
export function coverLine(more: MinorUnits): PeriodLine[] {
  return accountLine('Credit not covered by the payments of its period', more);
}

/** A payment of a subscription that has given credit. Amounts are without surcharge. */
interface CreditSource {
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
