import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { shareInRefund } from '../../src/domain/refund-share.ts';

describe('the surcharge or tax in a refund', () => {
  it('is its part of the payment, rounded down, and the rest in the last refund', () => {
    const paid = { total: 10_205, part: 205 };
    assert.equal(shareInRefund(10_205, { ...paid, given: { amount: 0, part: 0 } }), 205);
    assert.equal(shareInRefund(5_000, { ...paid, given: { amount: 0, part: 0 } }), 100);
    assert.equal(shareInRefund(5_205, { ...paid, given: { amount: 5_000, part: 100 } }), 105);
    assert.equal(shareInRefund(500, { total: 1_000, part: 0, given: { amount: 0, part: 0 } }), 0);
  });

  it('is all of it once all is given back, however the refunds are cut, and never more than the refund', () => {
    const cuts = fc.array(fc.integer({ min: 1, max: 99_999_999 }), { maxLength: 8 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 99_999_999 }), fc.nat(99_999_999), cuts, (amount, part, asked) => {
        const total = amount + part;
        const given = { amount: 0, part: 0 };
        for (const cut of [...asked, total]) {
          const refund = Math.min(cut, total - given.amount);
          const share = shareInRefund(refund, { total, part, given });
          assert.ok(share >= 0 && share <= refund);
          given.amount += refund;
          given.part += share;
          if (given.amount === total) break;
        }
        assert.equal(given.part, part);
      }),
    );
  });
});
