import { type AccountEntry, accountLine, amountEntry, entry, type Statement, statementOf } from './account.ts';
import { type Course, calendarOf, type Period, type SubscriptionWithPeriods } from './course.ts';
import { type PeriodLine, sumOf } from './lines.ts';
import { lengthOf, type PeriodDates } from './periods.ts';
import { type Discount, type OneOffItem, oneOffItemsOf, priceOfPeriod, type Sold, withMonthsBack } from './pricing.ts';
import type { SubscriptionStepChange } from './steps.ts';

/** What a period takes when it begins: fees, what waited on the account, credit, and a month of each discount. */
export interface Taking extends Statement {
  /** What the subscription sells from then on. */
  sold: Sold;
  entries: AccountEntry[];
}

/** Returns what a paid period with these dates takes. */
export function take(course: Course, dates: PeriodDates): Taking {
  const { lines, sold } = priceOfPeriod(course, lengthOf(calendarOf(course), dates));
  const statement = statementOf(course, lines);
  const taken = accountLine(`Period ${dates.number}`, 0 - statement.carried_cents);
  // Lines that wait are taken, also if their sum is nothing.
  const isTaken = taken.length > 0 || course.next_period_lines.length > 0;
  return { ...statement, sold, entries: isTaken ? [entry('taken', dates.number, taken)] : [] };
}

/** Returns what a period that a change begins takes, and the change with what follows from that. */
export function openedBy(
  { course }: SubscriptionWithPeriods,
  change: SubscriptionStepChange & Required<Pick<SubscriptionStepChange, 'begins'>>,
): { change: SubscriptionStepChange; taking: Taking } {
  const taking = take({ ...course, ...change.course }, change.begins);
  const entries = [...(change.entries ?? []), ...taking.entries];
  return { change: { ...change, course: { ...change.course, ...taking.sold }, entries }, taking };
}

/** What goes back of a period that is not paid. */
export interface GivenBack {
  entries: AccountEntry[];
  one_off_items: OneOffItem[];
  discounts: Discount[];
  /** What no period takes: its fees and the lines of changes. */
  dropped: PeriodLine[];
}

type Takes = Pick<Period, 'number' | 'lines' | 'carried_cents' | 'credit_used_cents' | 'discounts'>;

/**
 * Returns what goes back of a period that is not paid, and was not served to its end. Its credit goes back. Its fees,
 * the lines of changes and the months of discounts wait again; if the subscription has ended, they are dropped. What it
 * was to take for earlier periods waits again too, unless that is let go or has a payment of its own.
 */
export function restoreTaken(
  { one_off_items: waiting, discounts }: Pick<Sold, 'one_off_items' | 'discounts'>,
  period: Takes,
  { hasEnded, isOwedGone }: { hasEnded: boolean; isOwedGone: boolean },
): GivenBack {
  const { number, lines, carried_cents: carried, credit_used_cents: credit } = period;
  const fees = lines.filter(({ kind }) => kind === 'one_off');
  const owed = lines.filter(({ kind }) => kind === 'owed');
  const what = `Period ${number}, which is not billed`;
  if (hasEnded) {
    const dropped = [...fees, ...accountLine('Changes', carried + credit - sumOf(owed))];
    return { entries: amountEntry('given_back', number, what, 0 - credit), one_off_items: waiting, discounts, dropped };
  }
  const back = [...(isOwedGone ? [] : owed), ...accountLine(what, carried - sumOf(owed))];
  return {
    entries: back.length === 0 ? [] : [entry('given_back', number, back)],
    one_off_items: [...oneOffItemsOf(lines), ...waiting],
    discounts: withMonthsBack(discounts, period.discounts),
    dropped: [],
  };
}
