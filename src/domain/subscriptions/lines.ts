import type { Id } from '../ids.ts';
import { type Taxable, type TaxableLine, taxableCents, withTaxable } from '../tax/taxable.ts';
import type { Days, MinorUnits, Percent } from '../units.ts';

/** What is sold. */
export interface SubscriptionItem extends Taxable {
  id: Id<'subscription_item'>;
  name: string;
  unit_amount_cents: MinorUnits;
  quantity: number;
}

/** One line of the statement of a period or change. A credit is negative. */
export interface PeriodLine extends TaxableLine {
  kind: 'item' | 'one_off' | 'proration' | 'discount' | 'credit' | 'owed';
  description: string;
  quantity: number;
}

/** Returns the price of a whole period. */
export function priceOfItems(items: readonly Pick<SubscriptionItem, 'unit_amount_cents' | 'quantity'>[]): MinorUnits {
  return items.reduce((sum, { unit_amount_cents: unit, quantity }) => sum + unit * quantity, 0);
}

/**
 * Returns the lines of a period. One that is shorter than its interval costs its share of the days, each item rounded
 * half up to a minor unit.
 */
export function linesOf(
  items: readonly SubscriptionItem[],
  { days, whole }: { days: Days; whole: Days },
): PeriodLine[] {
  return items.map(({ name, unit_amount_cents: unit, quantity, ...tax }) =>
    days === whole
      ? { kind: 'item', description: name, quantity, amount_cents: unit * quantity, ...taxableCents(tax) }
      : {
          kind: 'proration',
          description: `${name}: ${days} of ${whole} days`,
          quantity,
          amount_cents: shareOf(unit * quantity, days, whole),
          ...taxableCents(tax),
        },
  );
}

/**
 * Returns the lines of a change of items for the days that are left of a period: what is not used of the items before,
 * and the share of those after. Each item is rounded half up, as in the first statement of a short period, so what is
 * credited is never more than what was charged for these days.
 */
export function changeLines(
  { before, after }: { before: readonly SubscriptionItem[]; after: readonly SubscriptionItem[] },
  { days, whole }: { days: Days; whole: Days },
): PeriodLine[] {
  const share = ({ unit_amount_cents: unit, quantity }: SubscriptionItem) => shareOf(unit * quantity, days, whole);
  const ofDays = `${days} of ${whole} days`;
  const lines: PeriodLine[] = [
    ...before.map((item) => ({
      kind: 'credit' as const,
      description: `${item.name}: ${ofDays} not used`,
      quantity: item.quantity,
      amount_cents: 0 - share(item),
      ...taxableCents(item),
    })),
    ...after.map((item) => ({
      kind: 'proration' as const,
      description: `${item.name}: ${ofDays}`,
      quantity: item.quantity,
      amount_cents: share(item),
      ...taxableCents(item),
    })),
  ];
  return withTaxable(lines, () => true);
}

/** Returns the sum of the lines. */
export function sumOf(lines: readonly PeriodLine[]): MinorUnits {
  return lines.reduce((sum, { amount_cents: amount }) => sum + amount, 0);
}

/**
 * Returns `amount` times `part` divided by `whole`, rounded half up, without floating-point fractions.
 * @throws RangeError when a number is negative or not whole, or the product is beyond the range of exact integers.
 */
export function shareOf(amount: MinorUnits, part: Days | Percent, whole: Days | Percent): MinorUnits {
  const product = amount * part;
  if (![amount, part, whole, product].every((n) => Number.isSafeInteger(n) && n >= 0) || whole === 0) {
    throw new RangeError(`not a share: ${amount} × ${part} ÷ ${whole}`);
  }
  const remainder = product % whole;
  return (product - remainder) / whole + (remainder * 2 >= whole ? 1 : 0);
}
