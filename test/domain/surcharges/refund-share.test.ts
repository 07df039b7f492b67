import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { surchargeIn } from '../../../src/domain/surcharges/refund-share.ts';

describe('the surcharge in a refund', () => {
  it('is its part of the payment, rounded down, and the rest in the last refund', () => {
    const paid = { total: 10_205, surcharge: 205 };
    assert.equal(surchargeIn(10_205, { ...paid, given: { amount: 0, surcharge: 0 } }), 205);
    assert.equal(surchargeIn(5_000, { ...paid, given: { amount: 0, surcharge: 0 } }), 100);
    assert.equal(surchargeIn(5_205, { ...paid, given: { amount: 5_000, surcharge: 100 } }), 105);
    assert.equal(surchargeIn(500, { total: 1_000, surcharge: 0, given: { amount: 0, surcharge: 0 } }), 0);
  });

  it('is all of it once all is given back, however the refunds are cut, and never more than the refund', () => {
    const cuts = fc.array(fc.integer({ min: 1, max: 99_999_999 }), { maxLength: 8 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 99_999_999 }), fc.nat(99_999_999), cuts, (amount, surcharge, asked) => {
        const total = amount + surcharge;
        const given = { amount: 0, surcharge: 0 };
        for (const part of [...asked, total]) {
          const refund = Math.min(part, total - given.amount);
          const share = surchargeIn(refund, { total, surcharge, given });
          assert.ok(share >= 0 && share <= refund);
          given.amount += refund;
          given.surcharge += share;
          if (given.amount === total) break;
        }
        assert.equal(given.surcharge, surcharge);
      }),
    );
  });
});
