import type { CustomerInstant } from '../instants.ts';
import type { MinorUnits } from '../units.ts';
import { type AccountEntry, accountLine, amountEntry, entry, type Statement, statementOf } from './account.ts';
import { type PeriodLine, sumOf } from './lines.ts';
import { isOwedAlone, unpaidPeriods } from './owed.ts';
import { lengthOf, type PeriodDates } from './periods.ts';
import {
  type Discount,
  type OneOffItem,
  oneOffItemsOf,
  oneOffLine,
  priceOfPeriod,
  type Sold,
  withMonthsBack,
} from './pricing.ts';
import { type BeginningChange, type BilledPeriod, collected, type SubscriptionStepChange } from './steps.ts';
import { calendarOf, type Period, type SubscriptionTerms, type SubscriptionWithPeriods } from './subscription.ts';

/** What a period takes when it begins: fees, what waited on the account, credit, and a month of each discount. */
interface Taking extends Statement {
  /** What the subscription sells from then on. */
  sold: Sold;
  entries: AccountEntry[];
}

/** Returns what a paid period with these dates takes. */
export function take(terms: SubscriptionTerms, dates: PeriodDates): Taking {
  const { lines, sold } = priceOfPeriod(terms, lengthOf(calendarOf(terms), dates));
  const statement = statementOf(terms, lines);
  const taken = accountLine(`Period ${dates.number}`, 0 - statement.carried_cents);
  // Lines that wait are taken, also if their sum is nothing.
  const isTaken = taken.length > 0 || terms.next_period_lines.length > 0;
  return { ...statement, sold, entries: isTaken ? [entry('taken', dates.number, taken)] : [] };
}

/**
 * Returns a change by which a period begins, with what that period takes. It is then `processing`, and waits for its
 * payment. A trial takes nothing. A period whose amount is 0, because credit pays it or its few days round to nothing,
 * is collected at once.
 */
export function billed(
  subscription: SubscriptionWithPeriods,
  change: BeginningChange,
  at: CustomerInstant,
): SubscriptionStepChange & { begins: BilledPeriod } {
  const { begins } = change;
  if (begins.kind === 'trial') return { ...change, begins: { ...begins, status: 'paid', lines: [], amount_cents: 0 } };
  const { sold, entries, ...statement } = take({ ...subscription.terms, ...change.terms }, begins);
  const taken = {
    ...change,
    terms: { ...change.terms, ...sold },
    entries: [...(change.entries ?? []), ...entries],
    begins: { ...begins, ...statement, discounts: sold.discounts, status: 'processing' as const },
  };
  if (statement.amount_cents > 0) return taken;
  const paid = collected({ ...subscription, terms: { ...subscription.terms, ...taken.terms } }, begins, at);
  return {
    ...taken,
    terms: { ...taken.terms, ...paid.terms },
    begins: { ...taken.begins, status: 'paid' },
    events: [...change.events, ...paid.events],
  };
}

/** What goes back of a period that is not paid. */
interface GivenBack {
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

/** What a period gives back that is paid although its subscription was canceled. A credit is negative. */
interface CreditAfterEnd {
  amount: MinorUnits;
  lines: PeriodLine[];
  entries: AccountEntry[];
}

/**
 * Money that was on its way when a subscription was canceled pays for no service: it becomes credit, and so does the
 * credit that the period had used. Returns null if the subscription goes on, or has ended with its last period, which
 * was served; and for what was owed alone, which was served too.
 */
export function creditAfterEnd(
  { state, state_reason: reason }: Pick<SubscriptionTerms, 'state' | 'state_reason'>,
  period: Period,
): CreditAfterEnd | null {
  const {
    number,
    amount_cents: amount,
    carried_cents: carried,
    changed_cents: changed,
    payment_intent_id: id,
  } = period;
  const price = amount - carried + changed;
  if (state !== 'canceled' || reason === 'ended' || price === 0 || isOwedAlone(period)) return null;
  const lines = accountLine(`Period ${number}, paid after the cancellation`, 0 - price);
  return { amount: 0 - price, lines, entries: [entry('paid_after_end', number, lines, id)] };
}

/** Returns the fees that unpaid periods have taken. While a payment is under way, its fees are not among them. */
export function unpaidFees(subscription: SubscriptionWithPeriods): OneOffItem[] {
  if (subscription.terms.state === 'canceled') return [];
  return collectable(subscription).flatMap(({ lines }) => oneOffItemsOf(lines));
}

/** The fees that replace all that are not paid. */
interface ReplacedFees {
  /** Those that wait for the next period. */
  waiting: OneOffItem[];
  /** The unpaid periods with other fees. */
  periods: { period: Period; change: Billed }[];
  entries: AccountEntry[];
}
type Billed = Pick<Period, keyof Statement>;

/**
 * Replaces all fees that are not paid. The unpaid period that comes first takes the new ones, if its payment can still
 * be made; otherwise they wait. Credit that a period no longer needs goes back.
 */
export function replaceFees(subscription: SubscriptionWithPeriods, fees: OneOffItem[]): ReplacedFees {
  const unpaid = collectable(subscription);
  const taker = unpaid.find((period) => period.lapsed_at === null && !isOwedAlone(period)) ?? null;
  const replaced = unpaid
    .map((period) => billedWith(period, period === taker ? fees : []))
    .filter(({ period, change }) => change.amount_cents !== period.amount_cents || period === taker);
  return {
    waiting: taker === null ? fees : [],
    periods: replaced,
    entries: replaced.flatMap(
      ({ period: { number, credit_used_cents: before }, change: { credit_used_cents: used } }) =>
        amountEntry('given_back', number, `Credit of period ${number} that its fees no longer need`, used - before),
    ),
  };
}

function collectable(subscription: SubscriptionWithPeriods): Period[] {
  return unpaidPeriods(subscription).filter(({ status }) => status !== 'processing');
}

function billedWith(period: Period, fees: OneOffItem[]): { period: Period; change: Billed } {
  const { lines, credit_used_cents: before, carried_cents: carried } = period;
  // The credit that a period has used is the last of its lines.
  const withoutCredit = before === 0 ? lines : lines.slice(0, -1);
  const others: PeriodLine[] = [...withoutCredit.filter(({ kind }) => kind !== 'one_off'), ...fees.map(oneOffLine)];
  // Of lines that already say what they include, those that say nothing are no sales of the period.
  const isTold = withoutCredit.some(({ taxable_cents: taxable }) => taxable !== undefined);
  const isSold = ({ kind }: PeriodLine) =>
    kind === 'one_off' || (!isTold && (kind === 'item' || kind === 'proration' || kind === 'discount'));
  const statement = statementOf({ next_period_lines: [], credit_balance_cents: before }, others, isSold);
  return { period, change: { ...statement, carried_cents: carried + before + statement.carried_cents } };
}
