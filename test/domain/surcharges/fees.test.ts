import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type FeeSchedule, type Fees, feeFor, inWords, readFee } from '../../../src/domain/surcharges/fees.ts';

const schedule = { basisPoints: 175, fixed: 30 };
const alike = (standard: FeeSchedule): Fees => ({ standard, byMethod: {} });

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
      assert.equal(feeFor(amount, alike({ basisPoints, fixed }), 'card'), fee);
    });
  }

  it('agree with big-integer arithmetic for every amount', () => {
    const amounts = fc.oneof(fc.nat(100_000), fc.nat(99_999_999), fc.nat(900_000_000_000));
    fc.assert(
      fc.property(amounts, fc.nat(10_000), fc.nat(1_000_000), (amount, basisPoints, fixed) => {
        const expected = (2n * BigInt(amount) * BigInt(basisPoints) + 10_000n) / 20_000n + BigInt(fixed);
        assert.equal(BigInt(feeFor(amount, alike({ basisPoints, fixed }), 'card')), expected);
      }),
      { numRuns: 5000 },
    );
  });

  it('refuse what is no whole amount, or too large to be exact', () => {
    for (const amount of [-1, 0.5, Number.NaN, Infinity, 2 ** 52]) {
      assert.throws(() => feeFor(amount, alike(schedule), 'card'), RangeError, String(amount));
    }
    assert.throws(() => feeFor(100, alike({ basisPoints: 1.5, fixed: 0 }), 'card'), RangeError);
    assert.throws(() => feeFor(100, alike({ basisPoints: 175, fixed: -1 }), 'card'), RangeError);
  });

  it('are those of the way to pay, else those of every way; the most of all while the way is unknown', () => {
    const fees: Fees = { standard: schedule, byMethod: { au_becs_debit: { basisPoints: 100, fixed: 0 } } };
    assert.deepEqual(
      [feeFor(1_000, fees, 'card'), feeFor(1_000, fees, 'au_becs_debit'), feeFor(1_000, fees, null)],
      [48, 10, 48],
    );
    const dear: Fees = { standard: schedule, byMethod: { au_becs_debit: { basisPoints: 0, fixed: 500 } } };
    assert.equal(feeFor(1_000, dear, null), 500);
  });

  it('are read as an operator writes them, and written as they are read', () => {
    const texts = ['1.75%+30', '0%+30', '2%+0', '100%+1000000'];
    assert.deepEqual(
      texts.map((text) => readFee(text)).map((read) => read && inWords(read)),
      texts,
    );
    assert.deepEqual(readFee('30'), { basisPoints: 0, fixed: 30 });
    assert.deepEqual(readFee('1.5%'), { basisPoints: 150, fixed: 0 });
    for (const text of ['', '101%', '1.755%', '-1%', '1%+-3', '1%+1000001', '1%+0.5', 'free', '%']) {
      assert.equal(readFee(text), null, text);
    }
  });
});
