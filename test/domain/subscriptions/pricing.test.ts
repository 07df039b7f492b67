import assert from 'node:assert/strict';
import fc from 'fast-check';
import { linesOf, priceOfItems, shareOf, sumOf } from '../../../src/domain/subscriptions/lines.ts';
import {
  type Discount,
  discountLines,
  oneOffItemsOf,
  priceOfPeriod,
  type Sold,
  withMonthsBack,
} from '../../../src/domain/subscriptions/pricing.ts';
import { discountLists } from './simulated.ts';

const month = { days: 31, whole: 31 };
const sold: Sold = {
  items: [{ id: 'sbi_1' as const, name: 'Membership', unit_amount_cents: 4900, quantity: 1 }],
  next_items: null,
  discounts: [],
  next_discounts: null,
  one_off_items: [],
};
const percent = (percent_off: number, periods_left: number | null = null): Discount => ({
  name: `${percent_off} %`,
  percent_off,
  amount_off_cents: null,
  periods_left,
});
const amount = (amount_off_cents: number, periods_left: number | null = null): Discount => ({
  name: 'Amount',
  percent_off: null,
  amount_off_cents,
  periods_left,
});
const amounts = (more: Partial<Sold>, length = month) =>
  priceOfPeriod({ ...sold, ...more }, length).lines.map(({ kind, amount_cents: cents }) => [kind, cents]);

describe('the price of a period', () => {
  it('is that of its items, less its discounts, and then its fees', () => {
    const joining = { name: 'Joining fee', unit_amount_cents: 2500, quantity: 2 };
    assert.deepEqual(amounts({ discounts: [percent(50), amount(450)], one_off_items: [joining] }), [
      ['item', 4900],
      ['discount', -2450],
      ['discount', -450],
      ['one_off', 5000],
    ]);
  });

  it('takes a percentage rounded half up to a minor unit, of what is left by the discount before it', () => {
    const items = [{ id: 'sbi_1' as const, name: 'A', unit_amount_cents: 1005, quantity: 1 }];
    assert.deepEqual(amounts({ items, discounts: [percent(10), percent(10)] }).slice(1), [
      ['discount', -101],
      ['discount', -90],
    ]);
  });

  it('is never below nothing, and a discount of nothing has no line', () => {
    assert.deepEqual(amounts({ discounts: [amount(9000), percent(50)] }), [
      ['item', 4900],
      ['discount', -4900],
    ]);
  });

  it('is the share of the discounted price for a short one; a fee is whole', () => {
    const half = { days: 15, whole: 30 };
    const joining = { name: 'Joining fee', unit_amount_cents: 2500, quantity: 1 };
    assert.deepEqual(amounts({ discounts: [amount(901)], one_off_items: [joining] }, half), [
      ['proration', 2450],
      ['discount', -450],
      ['one_off', 2500],
    ]);
    const { lines } = priceOfPeriod({ ...sold, discounts: [percent(50)] }, half);
    assert.equal(lines[1]?.description, '50 %: 15 of 30 days');
  });

  it('counts the periods of a discount, and sells each fee once', () => {
    const joining = { name: 'Joining fee', unit_amount_cents: 2500, quantity: 1 };
    let terms: Sold = { ...sold, discounts: [percent(50, 2)], one_off_items: [joining] };
    const sums: number[] = [];
    for (let period = 0; period < 4; period += 1) {
      const priced = priceOfPeriod(terms, month);
      sums.push(sumOf(priced.lines));
      terms = priced.sold;
    }
    assert.deepEqual(sums, [4950, 2450, 4900, 4900]);
    assert.deepEqual([terms.discounts, terms.one_off_items], [[], []]);
  });

  it('follows the items and discounts that were planned for it', () => {
    const next_items = [{ id: 'sbi_1' as const, name: 'Off-peak', unit_amount_cents: 3000, quantity: 1 }];
    const priced = priceOfPeriod(
      { ...sold, next_items, discounts: [percent(50)], next_discounts: [amount(100, 1)] },
      month,
    );
    assert.equal(sumOf(priced.lines), 2900);
    assert.deepEqual(priced.sold, { ...sold, items: next_items, discounts: [amount(100, 0)] });
  });

  it('that was not bought gives its fees and the period of its discounts back', () => {
    const one_off_items = [{ name: 'Joining fee', unit_amount_cents: 2500, quantity: 2 }];
    const before = { ...sold, discounts: [percent(50, 3), amount(5)], one_off_items };
    const priced = priceOfPeriod(before, month);
    assert.deepEqual(oneOffItemsOf(priced.lines), one_off_items);
    assert.deepEqual(withMonthsBack(priced.sold.discounts, priced.sold.discounts), before.discounts);
  });

  const items = fc.array(
    fc.record({
      id: fc.constant('sbi_1' as const),
      name: fc.constant('A'),
      unit_amount_cents: fc.integer({ min: 1, max: 9_999 }),
      quantity: fc.integer({ min: 1, max: 3 }),
    }),
    { minLength: 1, maxLength: 3 },
  );
  const net = (discounts: Discount[], of: Sold['items'], length: { days: number; whole: number }) => {
    const lines = linesOf(of, length);
    return sumOf(lines) + sumOf(discountLines(discounts, of, length, sumOf(lines)));
  };

  it('is between nothing and that of its items, for whatever days and discounts', () => {
    fc.assert(
      fc.property(items, discountLists, fc.integer({ min: 1, max: 366 }), fc.nat(366), (of, discounts, whole, part) => {
        const length = { days: Math.min(part, whole), whole };
        const price = net(discounts, of, length);
        assert.ok(price >= 0 && price <= sumOf(linesOf(of, length)));
      }),
    );
  });

  it('never falls with the days: what is credited for days that are left is never more than was charged for more', () => {
    fc.assert(
      fc.property(items, discountLists, fc.integer({ min: 2, max: 366 }), fc.nat(365), (of, discounts, whole, part) => {
        const days = Math.min(part, whole - 1);
        assert.ok(net(discounts, of, { days, whole }) <= net(discounts, of, { days: days + 1, whole }));
      }),
    );
  });

  it('is the share of the discounted price of one item, to the minor unit', () => {
    fc.assert(
      fc.property(
        fc.nat(99_999),
        fc.nat(99_999),
        fc.integer({ min: 1, max: 366 }),
        fc.nat(366),
        (unit, off, whole, part) => {
          const length = { days: Math.min(part, whole), whole };
          const of = [{ id: 'sbi_1' as const, name: 'A', unit_amount_cents: unit + 1, quantity: 1 }];
          const discounted = Math.max(0, priceOfItems(of) - off - 1);
          assert.equal(net([amount(off + 1)], of, length), shareOf(discounted, length.days, whole));
        },
      ),
    );
  });
});
