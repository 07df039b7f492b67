import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { statementOf } from '../../../src/domain/subscriptions/account.ts';
import { changeLines, linesOf, type SubscriptionItem } from '../../../src/domain/subscriptions/lines.ts';
import { oneOffItemsOf, oneOffLine, priceOfPeriod } from '../../../src/domain/subscriptions/pricing.ts';
import { taxablePart } from '../../../src/domain/tax/taxable.ts';

const lessons: SubscriptionItem = { id: 'sbi_1', name: 'Lessons', unit_amount_cents: 3000, quantity: 1 };
const food: SubscriptionItem = { ...lessons, name: 'Food', unit_amount_cents: 1000, tax_included: false };
const whole = { days: 30, whole: 30 };
const nothing = { next_period_lines: [], credit_balance_cents: 0 };
const sold = (items: SubscriptionItem[], more: Partial<Parameters<typeof priceOfPeriod>[0]> = {}) =>
  priceOfPeriod({ items, next_items: null, discounts: [], next_discounts: null, one_off_items: [], ...more }, whole)
    .lines;
/** What a period with these lines takes, and how much of that is taxed. */
const taken = (account: Parameters<typeof statementOf>[0], lines: ReturnType<typeof sold>) => {
  const { amount_cents: amount, lines: all } = statementOf(account, lines);
  return [amount, taxablePart(amount, all)];
};

describe('the part of a subscription that includes tax', () => {
  it('is all of it, and no line says so, if everything that is sold includes it', () => {
    const lines = sold([lessons], { one_off_items: [{ name: 'Joining', unit_amount_cents: 500, quantity: 1 }] });
    assert.ok(lines.every((line) => !('taxable_cents' in line)));
    assert.deepEqual(taken(nothing, lines), [3500, 3500]);
    assert.deepEqual(taken({ ...nothing, credit_balance_cents: 1000 }, lines), [2500, 2500]);
  });

  it('is that of the items and fees that include it, and each line then says its part', () => {
    const fee = { name: 'Deposit', unit_amount_cents: 2000, quantity: 1, tax_included: false };
    const lines = statementOf(nothing, sold([lessons, food], { one_off_items: [fee] })).lines;
    assert.deepEqual(
      lines.map(({ description, taxable_cents: taxable }) => [description, taxable]),
      [
        ['Lessons', 3000],
        ['Food', 0],
        ['Deposit', 0],
      ],
    );
    assert.equal(taxablePart(6000, lines), 3000);
    assert.deepEqual(taken(nothing, sold([food])), [1000, 0]);
  });

  it('is taken off by a discount of the items alone, and shared by credit and by what waits on the account', () => {
    const discounts = [{ name: 'Half', percent_off: 50, amount_off_cents: null, periods_left: null }];
    const fee = { name: 'Deposit', unit_amount_cents: 500, quantity: 1, tax_included: false };
    assert.deepEqual(taken(nothing, sold([lessons, food], { discounts })), [2000, 1500]);
    assert.deepEqual(taken(nothing, sold([lessons, food], { discounts, one_off_items: [fee] })), [2500, 1500]);
    assert.deepEqual(taken(nothing, sold([lessons], { discounts, one_off_items: [fee] })), [2000, 1500]);
    assert.deepEqual(taken({ ...nothing, credit_balance_cents: 3000 }, sold([lessons, food])), [1000, 750]);
    const waits = { kind: 'proration' as const, description: 'Earlier', quantity: 1, amount_cents: 400 };
    assert.deepEqual(
      taken({ next_period_lines: [waits], credit_balance_cents: 0 }, sold([lessons, food])),
      [4400, 3300],
    );
    assert.deepEqual(taken({ next_period_lines: [waits], credit_balance_cents: 0 }, sold([food])), [1400, 0]);
  });

  it('is said by the items of a period too, if what is owed from before says it', () => {
    const owed = { kind: 'owed' as const, description: 'Owed', quantity: 1, amount_cents: 1000, taxable_cents: 0 };
    assert.deepEqual(taken({ next_period_lines: [owed], credit_balance_cents: 0 }, sold([lessons])), [4000, 3000]);
  });

  it('of a change is that of what is added', () => {
    const lines = changeLines(
      { before: [lessons], after: [{ ...lessons, quantity: 2 }, food] },
      { days: 15, whole: 30 },
    );
    assert.deepEqual(
      lines.map(({ amount_cents: amount, taxable_cents: taxable }) => [amount, taxable]),
      [
        [-1500, -1500],
        [3000, 3000],
        [500, 0],
      ],
    );
    assert.equal(taxablePart(2000, lines), 1500);
    assert.ok(changeLines({ before: [lessons], after: [lessons] }, whole).every((line) => !('taxable_cents' in line)));
  });

  it('stays with a fee that goes back, since its period was not paid', () => {
    const fee = { name: 'Deposit', unit_amount_cents: 700, quantity: 3, tax_included: false };
    assert.deepEqual(oneOffItemsOf([oneOffLine(fee)]), [fee]);
    const taxed = { name: 'Joining', unit_amount_cents: 700, quantity: 3 };
    assert.deepEqual(oneOffItemsOf([oneOffLine(taxed)]), [taxed]);
  });

  it('is never below nothing and never above the amount, whatever the lines are', () => {
    const line = fc.record({
      amount_cents: fc.integer({ min: -99_999_999, max: 99_999_999 }),
      told: fc.constantFrom('all', 'none', 'shares'),
    });
    fc.assert(
      fc.property(fc.nat(99_999_999), fc.array(line, { maxLength: 12 }), (amount, lines) => {
        const part = taxablePart(
          amount,
          lines.map(({ amount_cents, told }) => ({
            amount_cents,
            ...(told === 'shares' ? {} : { taxable_cents: told === 'all' ? amount_cents : 0 }),
          })),
        );
        assert.ok(Number.isInteger(part) && part >= 0 && part <= amount);
      }),
    );
    assert.equal(linesOf([lessons], { days: 10, whole: 30 })[0]?.taxable_cents, undefined);
  });
});
