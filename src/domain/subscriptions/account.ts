import type { MinorUnits } from '../units.ts';
import { type PeriodLine, sumOf } from './lines.ts';

/** What changes and credits have left for later periods. */
export interface CreditAccount {
  /** The lines that the next period takes besides its items. Their sum is never negative. */
  next_period_lines: PeriodLine[];
  /** What the customer has in hand. Never negative. */
  credit_balance_cents: MinorUnits;
}

/** The statement of a period that begins, and the account after it. */
export interface Statement {
  lines: PeriodLine[];
  /** The sum of the lines: what is to be paid. */
  amount_cents: MinorUnits;
  /** The part of the amount that comes from the account. A credit is negative. */
  carried_cents: MinorUnits;
  account: CreditAccount;
}

/**
 * Returns the account after these lines. What it owes and what it has are set off against each other at once, so credit
 * never comes from unpaid lines. If they leave a debt, the next period shows all of them.
 */
export function post(
  { next_period_lines: before, credit_balance_cents: credit }: CreditAccount,
  lines: PeriodLine[],
): CreditAccount {
  const owed = sumOf(before) + sumOf(lines) - credit;
  if (owed <= 0) return { next_period_lines: [], credit_balance_cents: 0 - owed };
  return { next_period_lines: [...before, ...lines, ...creditLine(credit)], credit_balance_cents: 0 };
}

/** Returns the statement of a period whose items cost these lines. Credit is used before money is taken. */
export function statementOf(
  { next_period_lines: before, credit_balance_cents: credit }: CreditAccount,
  items: PeriodLine[],
): Statement {
  const due = sumOf(items) + sumOf(before);
  const used = Math.min(credit, due);
  return {
    lines: [...items, ...before, ...creditLine(used)],
    amount_cents: due - used,
    carried_cents: sumOf(before) - used,
    account: { next_period_lines: [], credit_balance_cents: credit - used },
  };
}

/** Returns the line of an amount that is added to the account, or of a credit if it is negative. None for 0. */
export function accountLine(description: string, amount: MinorUnits): PeriodLine[] {
  if (amount === 0) return [];
  return [{ kind: amount < 0 ? 'credit' : 'proration', description, quantity: 1, amount_cents: amount }];
}

function creditLine(credit: MinorUnits): PeriodLine[] {
  return accountLine('Credit balance', 0 - credit);
}
