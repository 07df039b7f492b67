import type { Id } from '../ids.ts';
import { withTaxable } from '../tax/taxable.ts';
import type { MinorUnits, PeriodNumber } from '../units.ts';
import { type PeriodLine, sumOf } from './lines.ts';

/** What waits for the next period, and what the customer has in hand. It follows from the entries alone. */
export interface CreditAccount {
  /** The lines that the next period takes besides its items. Their sum is never negative. */
  next_period_lines: PeriodLine[];
  /** What the customer has in hand. Never negative. */
  credit_balance_cents: MinorUnits;
}

/**
 * Why the account of a subscription moves.
 *
 * `change`: the lines of a change. `change_paid`, `change_returned`: its own payment. `taken`: a period has taken what
 * waited. `given_back`: a period that is not paid gives that back. `undone`: the changes of a period that is not
 * billed. `owed`: what was served and not paid. `withheld`: credit that its payments no longer hold. `paid_after_end`:
 * money that came after the end. `paid_out`: a refund of credit, or its failure. `dropped`: what waited at the end.
 */
type EntryKind =
  | 'change'
  | 'change_paid'
  | 'change_returned'
  | 'taken'
  | 'given_back'
  | 'undone'
  | 'owed'
  | 'withheld'
  | 'paid_after_end'
  | 'paid_out'
  | 'dropped';

/** One movement of the account. Entries are only appended: the sum of all is what waits, less the credit. */
export interface AccountEntry {
  kind: EntryKind;
  /** The period that it is about; 0 for a refund of credit. */
  period: PeriodNumber;
  /** The payment that moved the money, or null if none did. */
  payment_intent_id: Id<'payment_intent'> | null;
  lines: PeriodLine[];
}

/** Returns an entry. */
export function entry(
  kind: EntryKind,
  period: PeriodNumber,
  lines: PeriodLine[],
  payment_intent_id: Id<'payment_intent'> | null = null,
): AccountEntry {
  return { kind, period, payment_intent_id, lines };
}

/** Returns the entry of one amount, or none for 0. A negative amount is in the customer's favour. */
export function amountEntry(
  kind: EntryKind,
  period: PeriodNumber,
  what: string,
  amount: MinorUnits,
  payment_intent_id: Id<'payment_intent'> | null = null,
): AccountEntry[] {
  return amount === 0 ? [] : [entry(kind, period, accountLine(what, amount), payment_intent_id)];
}

/** Returns the account after these entries. A period takes all that waits: nothing of it is shown again. */
export function postAll(account: CreditAccount, entries: readonly AccountEntry[]): CreditAccount {
  const { next_period_lines, credit_balance_cents } = account;
  return entries.reduce<CreditAccount>(
    (before, { kind, lines }) =>
      kind === 'taken' ? { ...post(before, lines), next_period_lines: [] } : post(before, lines),
    { next_period_lines, credit_balance_cents },
  );
}

/**
 * Returns the account after these lines. What it owes and what it has are set off against each other at once, so credit
 * never comes from unpaid lines. If they leave a debt, the next period shows all of them. Lines of what is owed for
 * former periods are shown in any case.
 */
export function post(
  { next_period_lines: before, credit_balance_cents: credit }: CreditAccount,
  lines: PeriodLine[],
): CreditAccount {
  const waiting = [...before, ...lines];
  const sum = sumOf(waiting) - credit;
  if (sum > 0) return { next_period_lines: [...waiting, ...creditLine(credit)], credit_balance_cents: 0 };
  const owed = waiting.filter(({ kind }) => kind === 'owed');
  return { next_period_lines: [...owed, ...creditLine(sumOf(owed))], credit_balance_cents: 0 - sum };
}

/** The statement of a period that begins. */
export interface Statement {
  lines: PeriodLine[];
  /** The sum of the lines: what is to be paid. */
  amount_cents: MinorUnits;
  /** The part of the amount that comes from the account. A credit is negative. */
  carried_cents: MinorUnits;
  /** The credit that it uses. */
  credit_used_cents: MinorUnits;
}

/** Whether a line of a period is something that is sold in it, or taken off that. */
function isSoldThen({ kind }: PeriodLine): boolean {
  return kind === 'item' || kind === 'one_off' || kind === 'proration' || kind === 'discount';
}

/**
 * Returns the statement of a period whose items cost these lines. Credit is used before money is taken. `isSold` tells
 * which of them say how much of theirs includes tax.
 */
export function statementOf(
  { next_period_lines: before, credit_balance_cents: credit }: CreditAccount,
  items: PeriodLine[],
  isSold: (line: PeriodLine) => boolean = isSoldThen,
): Statement {
  const due = sumOf(items) + sumOf(before);
  const used = Math.min(credit, due);
  return {
    lines: [...withTaxable([...items, ...before], (line) => items.includes(line) && isSold(line)), ...creditLine(used)],
    amount_cents: due - used,
    carried_cents: sumOf(before) - used,
    credit_used_cents: used,
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
