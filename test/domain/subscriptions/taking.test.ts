import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { type CreditAccount, postAll } from '../../../src/domain/subscriptions/account.ts';
import { type PeriodLine, sumOf } from '../../../src/domain/subscriptions/lines.ts';
import type { Period, SubscriptionTerms } from '../../../src/domain/subscriptions/subscription.ts';
import { restoreTaken, take } from '../../../src/domain/subscriptions/taking.ts';
import { discountLists, fresh } from './simulated.ts';

const dates = { number: 2, start: '2027-02-28', end: '2027-03-31' };
const towel = { name: 'Towel', unit_amount_cents: 300, quantity: 2 };
const half = { name: 'Half', percent_off: 50, amount_off_cents: null, periods_left: 1 };
const upgrade: PeriodLine = { kind: 'proration', description: 'Upgrade', quantity: 1, amount_cents: 250 };
const late: PeriodLine = { kind: 'owed', description: 'Period 1', quantity: 1, amount_cents: 714 };

function courseWith(more: Partial<SubscriptionTerms>): SubscriptionTerms {
  const items = [{ id: 'sbi_1' as const, name: 'Class', unit_amount_cents: 1_000, quantity: 1 }];
  return { ...fresh, state: 'active', anchor_start: '2027-01-31', next_number: 2, current_number: 1, items, ...more };
}

/** The terms after period 2 has taken what it takes, and that period. */
function taken(before: SubscriptionTerms): { terms: SubscriptionTerms; period: Period } {
  const taking = take(before, dates);
  const terms = { ...before, ...taking.sold, ...postAll(before, taking.entries) };
  const begun = { number: 2, status: 'unpaid', discounts: taking.sold.discounts };
  return { terms, period: { ...taking, ...begun } as unknown as Period };
}

/** What waits, what is in hand, fees and discounts after the period has given back what it took. */
function backOf({ terms, period }: ReturnType<typeof taken>, hasEnded = false, isOwedGone = false) {
  const { entries, dropped, ...sold } = restoreTaken(terms, period, { hasEnded, isOwedGone });
  return { ...postAll(terms, entries), ...sold, dropped };
}
const kinds = (lines: PeriodLine[]) => lines.map(({ kind, amount_cents: amount }) => [kind, amount]);

describe('what a period takes', () => {
  it('is its items, a month of each discount, the fees, and the lines that wait', () => {
    const before = courseWith({ one_off_items: [towel], discounts: [half], next_period_lines: [upgrade] });
    const { lines, amount_cents: amount, sold } = take(before, dates);
    assert.deepEqual(kinds(lines), [
      ['item', 1_000],
      ['discount', -500],
      ['one_off', 600],
      ['proration', 250],
    ]);
    assert.equal(amount, 1_350);
    assert.deepEqual([sold.one_off_items, sold.discounts], [[], [{ ...half, periods_left: 0 }]]);
    const { terms } = taken(before);
    assert.deepEqual(terms.next_period_lines, []);
  });

  it('is credit before money', () => {
    const before = courseWith({ credit_balance_cents: 1_200 });
    const { amount_cents: amount, credit_used_cents: used } = take(before, dates);
    assert.deepEqual([amount, used], [0, 1_000]);
    assert.equal(taken(before).terms.credit_balance_cents, 200);
  });

  it('is all that waits, also if credit has paid that to the cent', () => {
    const paid: PeriodLine = { kind: 'credit', description: 'Credit balance', quantity: 1, amount_cents: -714 };
    const before = courseWith({ next_period_lines: [late, paid] });
    assert.equal(take(before, dates).amount_cents, 1_000);
    assert.deepEqual(taken(before).terms.next_period_lines, []);
  });
});

describe('what a period gives back that is not paid', () => {
  it('is its fees, the lines of changes and the month of each discount, which wait again', () => {
    const before = courseWith({ one_off_items: [towel], discounts: [half], next_period_lines: [upgrade] });
    const { one_off_items: fees, discounts, next_period_lines: waiting, dropped } = backOf(taken(before));
    assert.deepEqual([fees, discounts, sumOf(waiting), dropped], [[towel], [half], 250, []]);
  });

  it('is its credit', () => {
    const back = backOf(taken(courseWith({ credit_balance_cents: 1_200 })));
    assert.deepEqual([back.credit_balance_cents, back.next_period_lines], [1_200, []]);
  });

  it('is what it was to take for an earlier period, in a line of its own, unless that is let go', () => {
    const subject = taken(courseWith({ next_period_lines: [late] }));
    assert.deepEqual(backOf(subject).next_period_lines, [late]);
    assert.deepEqual(backOf(subject, false, true).next_period_lines, []);
  });

  it('is its credit alone after the end: the rest is dropped, and told', () => {
    const lines = [upgrade, late];
    const subject = taken(courseWith({ one_off_items: [towel], discounts: [half], next_period_lines: lines }));
    const back = backOf(subject, true);
    assert.deepEqual(kinds(back.dropped), [
      ['one_off', 600],
      ['proration', 250],
    ]);
    assert.deepEqual([back.one_off_items, back.next_period_lines, back.credit_balance_cents], [[], [], 0]);
    const credited = backOf(taken(courseWith({ credit_balance_cents: 400 })), true);
    assert.deepEqual([credited.credit_balance_cents, credited.dropped], [400, []]);
  });

  it('is what it took, to the cent: nothing is left of it, and nothing is lost', () => {
    const account: fc.Arbitrary<CreditAccount> = fc.oneof(
      fc.nat(5_000).map((credit_balance_cents) => ({ next_period_lines: [], credit_balance_cents })),
      fc
        .integer({ min: 1, max: 5_000 })
        .map((amount_cents) => ({ next_period_lines: [{ ...upgrade, amount_cents }], credit_balance_cents: 0 })),
    );
    fc.assert(
      fc.property(account, discountLists, fc.boolean(), (own, discounts, hasFee) => {
        const before = courseWith({ ...own, discounts, one_off_items: hasFee ? [towel] : [] });
        const back = backOf(taken(before));
        assert.equal(sumOf(back.next_period_lines), sumOf(before.next_period_lines));
        assert.equal(back.credit_balance_cents, before.credit_balance_cents);
        assert.deepEqual(back.one_off_items, before.one_off_items);
        const months = (all: SubscriptionTerms['discounts']) =>
          all.map(({ name, periods_left: left }) => `${name} ${left}`).toSorted();
        assert.deepEqual(months(back.discounts), months(before.discounts));
      }),
      { numRuns: 1_000 },
    );
  });
});
