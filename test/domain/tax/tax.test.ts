import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { includedTax, type TaxBasis, taxBasisOf } from '../../../src/domain/tax/tax.ts';

const gst = { label: 'GST', basisPoints: 1000 };
const taxOf = (amount: number, taxable = amount, surcharge = 0, tax = gst) =>
  includedTax({ amount, total: amount + surcharge }, taxBasisOf(tax, taxable));

const cents = fc.integer({ min: 1, max: 99_999_999 });
const rate = fc.integer({ min: 1, max: 10_000 });

describe('the tax that a payment includes', () => {
  it('is one eleventh of what is taxed at 10 %, rounded half up', () => {
    assert.deepEqual(
      [1100, 2500, 1, 5, 6, 16, 17].map((amount) => taxOf(amount)),
      [100, 227, 0, 0, 1, 1, 2],
    );
    // 1.05 at 5 % is 0.05, and 0.21 at 5 % is exactly 0.01.
    assert.deepEqual([taxOf(105, 105, 0, { label: 'VAT', basisPoints: 500 })], [5]);
    assert.equal(taxOf(11, 11, 0, { label: 'T', basisPoints: 10_000 }), 6, 'half a cent is rounded up');
  });

  it('is nothing without a tax, and where nothing is taxed', () => {
    assert.equal(taxBasisOf(null, 2500), null);
    assert.equal(taxBasisOf(gst, 0), null);
    assert.equal(includedTax({ amount: 2500, total: 2500 }, null), 0);
  });

  it('includes that of a surcharge: the example of GSTR 2014/2, a shirt of 55.00 with 3 %', () => {
    assert.equal(taxOf(5500, 5500, 165), 515);
  });

  it('takes of a surcharge the part that is taxed of the amount', () => {
    // Half of 100.00 is taxed, so half of the surcharge of 2.20 is: 51.10 ÷ 11.
    assert.equal(taxOf(10_000, 5_000, 220), 465);
  });

  it('differs from the exact fraction by half a unit at most, for all rates and amounts', () => {
    fc.assert(
      fc.property(
        cents,
        fc.nat(9_999_999),
        rate,
        fc.double({ min: 0, max: 1, noNaN: true }),
        (amount, extra, r, part) => {
          const taxable = Math.round(amount * part);
          const basis: TaxBasis = { label: 'T', basisPoints: r, taxable };
          const found = BigInt(includedTax({ amount, total: amount + extra }, basis));
          const [dividend, divisor] = [
            BigInt(amount + extra) * BigInt(taxable) * BigInt(r),
            BigInt(amount) * BigInt(10_000 + r),
          ];
          const twice = 2n * (found * divisor - dividend);
          assert.ok(twice <= divisor && twice > -divisor, `${found}`);
          assert.ok(found >= 0n && found <= BigInt(amount + extra));
        },
      ),
    );
  });
});
