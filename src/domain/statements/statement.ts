import { dateIn, type PlainDate } from '../calendar.ts';
import type { Currency } from '../currencies.ts';
import type { CustomerInstant } from '../instants.ts';
import type { MinorUnits } from '../units.ts';
import type { Debt, Movement } from './account.ts';

/** What moved in the range of a statement, in one currency. Minor units. */
export interface StatementTotals {
  currency: Currency;
  owed_before: MinorUnits;
  charged: MinorUnits;
  waived: MinorUnits;
  collected: MinorUnits;
  refunded: MinorUnits;
  returned: MinorUnits;
  /** Owed before + charged − waived − collected + returned. */
  owed: MinorUnits;
  /** The tax in what was collected, less that in what was refunded and returned. */
  tax: MinorUnits;
  /** What subscriptions owe back at the end. */
  credit: MinorUnits;
}

type StatementLineType = 'owed_before' | 'charged' | 'waived' | 'collected' | 'refunded' | 'returned' | 'owed';

export interface StatementLine {
  date: PlainDate;
  type: StatementLineType;
  currency: Currency;
  /** Minor units. Below 0 only for a charge that was corrected. */
  amount: MinorUnits;
  /** What is owed after this line, minor units. */
  owed: MinorUnits;
  /** How much of the amount is tax. Null if no money has moved. */
  tax: MinorUnits | null;
  payment_intent_id: string | null;
  /** The refund, of a refund; else the payment or the subscription. */
  source: string | null;
  payment_plan_id: string | null;
  subscription_id: string | null;
}

/** A statement that is being written. */
export interface Statement {
  totals: Map<Currency, StatementTotals>;
  lines: StatementLine[];
  day: { date: PlainDate; movements: Movement[] } | null;
}

export function emptyStatement(): Statement {
  return { totals: new Map(), lines: [], day: null };
}

/**
 * Adds a movement to a statement. Movements come in their order. One before `from` only changes what is owed before.
 * What is charged and waived for one debt on one date is one line each: a charge that is corrected on its date is none.
 */
export function addToStatement(
  statement: Statement,
  movement: Movement,
  { from, timeZone }: { from: CustomerInstant; timeZone: string },
): void {
  const totals = totalsOf(statement, movement.debt.currency);
  const { charged, waived, collected, refunded, returned, credited } = movement;
  totals.credit += credited;
  if (movement.at < from) {
    totals.owed_before += charged - waived - collected + returned;
    totals.owed = totals.owed_before;
    return;
  }
  const date = dateIn(movement.at, timeZone);
  if (statement.day?.date !== date) {
    closeDay(statement);
    statement.day = { date, movements: [] };
  }
  statement.day.movements.push(movement);
  totals.charged += charged;
  totals.waived += waived;
  totals.collected += collected;
  totals.refunded += refunded;
  totals.returned += returned;
  totals.tax += movement.tax;
}

/** Returns the totals by currency, and the lines between what was owed before and what is owed at the end. */
export function closeStatement(
  statement: Statement,
  { from, to }: { from: PlainDate; to: PlainDate },
): { totals: StatementTotals[]; lines: StatementLine[] } {
  closeDay(statement);
  const totals = [...statement.totals.values()].toSorted((a, b) => (a.currency < b.currency ? -1 : 1));
  const balance = (type: 'owed_before' | 'owed', date: PlainDate) =>
    totals.map((sums): StatementLine => {
      return { ...noSource, date, type, currency: sums.currency, amount: sums[type], owed: sums[type], tax: null };
    });
  return { totals, lines: [...balance('owed_before', from), ...statement.lines, ...balance('owed', to)] };
}

const noSource = { payment_intent_id: null, source: null, payment_plan_id: null, subscription_id: null };

function totalsOf({ totals }: Statement, currency: Currency): StatementTotals {
  const moved = { charged: 0, waived: 0, collected: 0, refunded: 0, returned: 0 };
  const nothing = { owed_before: 0, ...moved, owed: 0, tax: 0, credit: 0 };
  const sums = totals.get(currency) ?? { currency, ...nothing };
  totals.set(currency, sums);
  return sums;
}

/** Writes the lines of a date: what was charged, what was waived, then each movement of money. */
function closeDay(statement: Statement): void {
  const { day, lines } = statement;
  if (day === null) return;
  statement.day = null;
  const write = (type: StatementLineType, movement: Movement, amount: MinorUnits, effect: MinorUnits, tax = false) => {
    if (amount === 0) return;
    const { debt, payment_intent_id, source } = movement;
    const { currency, payment_plan_id, subscription_id } = debt;
    const totals = totalsOf(statement, currency);
    totals.owed += effect;
    lines.push({
      ...{ date: day.date, type, currency, amount, owed: totals.owed, tax: tax ? Math.abs(movement.tax) : null },
      ...{ payment_intent_id, source, payment_plan_id, subscription_id },
    });
  };
  for (const key of new Set(day.movements.map(({ debt }) => keyOf(debt)))) {
    const movements = day.movements.filter(({ debt }) => keyOf(debt) === key);
    const [first] = movements;
    if (first === undefined) continue;
    // What was charged for is named; the payment only if it is the only one.
    const isOne = movements.every(({ payment_intent_id: id }) => id === first.payment_intent_id);
    const about = isOne ? first : { ...first, payment_intent_id: null, source: sourceOf(first.debt) };
    const charged = movements.reduce((sum, movement) => sum + movement.charged, 0);
    const waived = movements.reduce((sum, movement) => sum + movement.waived, 0);
    write('charged', about, charged, charged);
    write('waived', about, waived, 0 - waived);
  }
  for (const movement of day.movements) {
    write('collected', movement, movement.collected, 0 - movement.collected, true);
    write('refunded', movement, movement.refunded, 0, true);
    write('returned', movement, movement.returned, movement.returned, true);
  }
}

function sourceOf({ payment_plan_id, subscription_id, payment_intent_id }: Debt): string {
  return payment_plan_id ?? subscription_id ?? payment_intent_id ?? '';
}

function keyOf(debt: Debt): string {
  return `${sourceOf(debt)}/${debt.currency}`;
}
