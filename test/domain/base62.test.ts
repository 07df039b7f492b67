import assert from 'node:assert/strict';
import { encodeBase62, randomBase62 } from '../../src/domain/base62.ts';

describe('a number in base 62', () => {
  it('has its last digits, the most significant first, filled up with zeros', () => {
    assert.equal(encodeBase62(0, 3), '000');
    assert.equal(encodeBase62(61, 2), '0z');
    assert.equal(encodeBase62(62 ** 3 + 62, 3), '010');
    assert.equal(encodeBase62(2n ** 256n - 1n, 43).length, 43);
    assert.notEqual(encodeBase62(2n ** 256n - 1n, 43).charAt(0), '0');
  });
});

describe('random base62', () => {
  it('has exactly the length asked for, across refills of the pool', () => {
    for (const length of [0, 1, 32, 43, 20_000])
      assert.match(randomBase62(length), new RegExp(`^[0-9A-Za-z]{${length}}$`));
  });

  it('refuses a length that is none', () => {
    for (const length of [-1, 1.5, Number.NaN]) assert.throws(() => randomBase62(length), RangeError);
  });

  it('favours no symbol', () => {
    const drawn = 310_000;
    const counts = new Map<string, number>();
    for (const symbol of randomBase62(drawn)) counts.set(symbol, (counts.get(symbol) ?? 0) + 1);
    assert.equal(counts.size, 62);
    // 5,000 each with a standard deviation of 70; taking every byte modulo 62 would give 8 symbols 6,055.
    for (const [symbol, count] of counts) assert.ok(Math.abs(count - 5000) < 500, `${symbol}: ${count}`);
  });
});
