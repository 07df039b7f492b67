import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { hasCardNumber } from '../../src/domain/card-numbers.ts';

describe('the search for card numbers', () => {
  it('finds 13 to 19 digits that pass Luhn, also with spaces, hyphens, other scripts and other numbers beside them', () => {
    for (const text of [
      '4242424242424242',
      'my card is 4242 4242 4242 4242, thanks',
      '4242-4242-4242-4242',
      '4222222222222',
      '6304000000000000000',
      '1 4242424242424242 99',
      '12/34 378282246310005',
      '٤٢٤٢٤٢٤٢٤٢٤٢٤٢٤٢',
      '４２４２　４２４２　４２４２　４２４２',
      '4242\u200b4242\u200b4242\u200b4242',
    ]) {
      assert.equal(hasCardNumber(text), true, text);
    }
  });

  it('leaves other numbers alone: too short, too long, or with a wrong check digit', () => {
    for (const text of [
      '',
      '062-000 12345678',
      '+61 2 9374 4000',
      '4242424242424241',
      '424242424242',
      '42424242424242424242424242',
      '2027-01-11',
      'pi_sandbox_4242x4242x4242x4242',
    ]) {
      assert.equal(hasCardNumber(text), false, text);
    }
  });

  it('finds every number that has been given its check digit, between any words', () => {
    const digits = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 12, maxLength: 18 });
    fc.assert(
      fc.property(digits, fc.constantFrom('', ' ', '-'), fc.constantFrom('', 'no. ', 'é '), (body, mark, before) => {
        const sum = [...body].reverse().reduce((total, digit, place) => {
          const weighted = place % 2 === 0 ? digit * 2 : digit;
          return total + (weighted > 9 ? weighted - 9 : weighted);
        }, 0);
        const number = [...body, (10 - (sum % 10)) % 10].join('');
        return hasCardNumber(before + number.replace(/(\d{4})(?=\d)/g, `$1${mark}`));
      }),
    );
  });
});
