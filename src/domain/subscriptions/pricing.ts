import { taxableCents, taxablePart, taxIncluded, withTaxable } from '../tax/taxable.ts';
import type { Days, MinorUnits, Percent } from '../units.ts';
import { linesOf, type PeriodLine, priceOfItems, type SubscriptionItem, shareOf, sumOf } from './lines.ts';

/** A fee that the next paid period takes once, whatever its length. */
export type OneOffItem = Omit<SubscriptionItem, 'id'>;

/** Either a percentage or an amount is taken off the items of a period. */
export interface Discount {
  name: string;
  percent_off: Percent | null;
  amount_off_cents: MinorUnits | null;
  /** How many more periods it is for, after the current one. Null: all. */
  periods_left: number | null;
}

/** The days of a period, and those of the whole interval. */
interface Length {
  days: Days;
  whole: Days;
}

/** What a subscription sells. */
export interface Sold {
  /** What the current period sells. */
  items: SubscriptionItem[];
  /** What the next period sells, if that was changed. Null: the same. */
  next_items: SubscriptionItem[] | null;
  /** The discounts of the current period. */
  discounts: Discount[];
  /** Those from the next period on, if that was changed. Null: the same. */
  next_discounts: Discount[] | null;
  /** Fees that the next paid period takes once. */
  one_off_items: OneOffItem[];
}

/**
 * Returns the lines of a paid period that begins, and what its subscription sells from then on: the change of items and
 * discounts that was planned holds, its one-off items are sold, and each discount has a period less.
 */
export function priceOfPeriod(sold: Sold, length: Length): { lines: PeriodLine[]; sold: Sold } {
  const items = sold.next_items ?? sold.items;
  const discounts = begun(sold.next_discounts ?? sold.discounts);
  const lines = [
    ...linesOf(items, length),
    ...discountLines(discounts, items, length, sumOf(linesOf(items, length))),
    ...sold.one_off_items.map(oneOffLine),
  ];
  return { lines, sold: { items, next_items: null, discounts, next_discounts: null, one_off_items: [] } };
}

/**
 * Returns the lines of discounts that hold in a period. What the items cost is then their share of the discounted price
 * of a whole period, rounded half up to a minor unit: a discount is the difference, one after the other, and never more
 * than is left.
 * @param price what the items cost for these days.
 */
export function discountLines(
  discounts: readonly Discount[],
  items: readonly SubscriptionItem[],
  { days, whole }: Length,
  price: MinorUnits,
): PeriodLine[] {
  let wholePrice = priceOfItems(items);
  let rest = price;
  return discounts.flatMap((discount) => {
    wholePrice -= Math.min(wholePrice, amountOff(discount, wholePrice));
    const after = Math.min(rest, shareOf(wholePrice, days, whole));
    const off = rest - after;
    rest = after;
    if (off === 0) return [];
    const ofDays = days === whole ? '' : `: ${days} of ${whole} days`;
    const description = `${discount.name}${ofDays}`;
    return [{ kind: 'discount' as const, description, quantity: 1, amount_cents: 0 - off, ...taxableOff(off, items) }];
  });
}

/** A discount takes off its part of what includes tax, if one of the items does not. */
function taxableOff(off: MinorUnits, items: readonly SubscriptionItem[]): Pick<PeriodLine, 'taxable_cents'> {
  const prices = withTaxable(
    items.map((item) => ({ amount_cents: priceOfItems([item]), ...taxableCents(item) })),
    () => true,
  );
  return prices.some(({ taxable_cents: taxable }) => taxable !== undefined)
    ? { taxable_cents: 0 - taxablePart(off, prices) }
    : {};
}

/**
 * Returns discounts that have back the month that a period took of each, since it was not paid.
 * @param taken the discounts of that period.
 */
export function withMonthsBack(discounts: readonly Discount[], taken: readonly Discount[]): Discount[] {
  const missing = taken.filter(({ periods_left: left }) => left !== null);
  const isSame = (one: Discount) => (other: Discount) =>
    one.name === other.name && one.percent_off === other.percent_off && one.amount_off_cents === other.amount_off_cents;
  const kept = discounts.map((one) => {
    const index = one.periods_left === null ? -1 : missing.findIndex(isSame(one));
    if (index === -1 || one.periods_left === null) return one;
    missing.splice(index, 1);
    return { ...one, periods_left: one.periods_left + 1 };
  });
  return [...missing.map((one) => ({ ...one, periods_left: 1 })), ...kept];
}

/** Returns the one-off items that a period has taken: they are owed again if it is not billed. */
export function oneOffItemsOf(lines: readonly PeriodLine[]): OneOffItem[] {
  return lines
    .filter(({ kind }) => kind === 'one_off')
    .map(({ description, quantity, amount_cents: amount, taxable_cents: taxable }) => ({
      name: description,
      unit_amount_cents: amount / quantity,
      quantity,
      ...taxIncluded({ tax_included: taxable !== 0 }),
    }));
}

/** The discounts that hold in a period that begins, with how many periods are left after it. */
function begun(discounts: readonly Discount[]): Discount[] {
  return discounts
    .filter(({ periods_left: left }) => left !== 0)
    .map((one) => ({ ...one, periods_left: one.periods_left === null ? null : one.periods_left - 1 }));
}

function amountOff({ percent_off: percent, amount_off_cents: amount }: Discount, price: MinorUnits): MinorUnits {
  return percent === null ? (amount ?? 0) : shareOf(price, percent, 100);
}

/** Returns the line of a fee. */
export function oneOffLine({ name, unit_amount_cents: unit, quantity, ...tax }: OneOffItem): PeriodLine {
  return { kind: 'one_off', description: name, quantity, amount_cents: unit * quantity, ...taxableCents(tax) };
}
