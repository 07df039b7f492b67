import assert from 'node:assert/strict';
import fc from 'fast-check';
import { feeFor } from '../../src/domain/fees.ts';

const schedule = { basisPoints: 175, fixed: 30 };

describe('fees', () => {
  const table: [amount: number, basisPoints: number, fixed: number, fee: number, why: string][] = [
    [10_000, 175, 30, 205, 'comes out even'],
    [200, 175, 30, 34, '3.5 rounds up to 4'],
    [1_000, 175, 30, 48, '17.5 rounds up to 18'],
    [199, 175, 30, 33, '3.4825 rounds down to 3'],
    [1, 175, 30, 30, '0.0175 rounds down to 0'],
    [0, 175, 30, 30, 'leaves the fixed part of nothing'],
    [99_999_999, 175, 30, 1_750_030, '1,749,999.9825 rounds up'],
    [1, 4_999, 0, 0, 'just under a half rounds down'],
    [1, 5_000, 0, 1, 'a half rounds up'],
    [12_345, 0, 0, 0, 'of a free schedule are 0'],
  ];
  for (const [amount, basisPoints, fixed, fee, why] of table) {
    it(`are rounded to a minor unit for ${amount} at ${basisPoints} basis points and ${fixed}: ${why}`, () => {
      assert.equal(feeFor(amount, { basisPoints, fixed }), fee);
    });
  }

  it('agree with big-integer arithmetic for every amount', () => {
    const amounts = fc.oneof(fc.nat(100_000), fc.nat(99_999_999), fc.nat(900_000_000_000));
    fc.assert(
      fc.property(amounts, fc.nat(10_000), fc.nat(1_000_000), (amount, basisPoints, fixed) => {
        const expected = (2n * BigInt(amount) * BigInt(basisPoints) + 10_000n) / 20_000n + BigInt(fixed);
        assert.equal(BigInt(feeFor(amount, { basisPoints, fixed })), expected);
      }),
      { numRuns: 5000 },
    );
  });

  it('refuse what is no whole amount, or too large to be exact', () => {
    for (const amount of [-1, 0.5, Number.NaN, Infinity, 2 ** 52]) {
      assert.throws(() => feeFor(amount, schedule), RangeError, String(amount));
    }
    assert.throws(() => feeFor(100, { basisPoints: 1.5, fixed: 0 }), RangeError);
    assert.throws(() => feeFor(100, { basisPoints: 175, fixed: -1 }), RangeError);
  });
});
