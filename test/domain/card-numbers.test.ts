import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { hasCardNumber, isCardNumberInToken } from '../../src/domain/card-numbers.ts';

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

  it('finds a number whatever stands between its digits: dots, commas, dashes, slashes, marks, invisible characters', () => {
    const between =
      ', ، 、 ， . / \\ | _ - – — − · • ・ . - / \u0301 \u20e3 \u00ad \u180e \u200b \u200e \u2060 \u2062 \u202e \u034f \u115f \u3164';
    for (const mark of [
      ...between.split(' '),
      ' - ',
      ' / ',
      '. ',
      ', ',
      ' - / - / - ',
      '\ufe0f\u20e3',
      '\u2800',
      '\n',
      '\u0007',
    ]) {
      const spelled = { groups: `4242${mark}4242${mark}4242${mark}4242`, digits: [...'4242424242424242'].join(mark) };
      for (const [how, text] of Object.entries(spelled)) {
        assert.equal(hasCardNumber(text), true, `${how} with ${JSON.stringify(mark)}`);
      }
    }
  });

  it('takes time in proportion to the text, whatever the text', () => {
    for (const piece of ['4', '4 ', '4.-/', '٤', '4\u0301', ' ', '\u200b', 'a4', '42424242424242421 ']) {
      const text = piece.repeat(64_000).slice(0, 64_000);
      // Processor time: the machine may be busy. A cost that grew with the square of the length would be minutes.
      const before = process.cpuUsage();
      hasCardNumber(text);
      isCardNumberInToken(text);
      const { user } = process.cpuUsage(before);
      assert.ok(user < 5_000_000, `${JSON.stringify(piece)}: ${user} microseconds`);
    }
  });

  it('takes digits that touch a letter for a part of a token, and any others for a number', () => {
    for (const token of ['4242424242424242', 'tok_4242-4242-4242-4242', 'a 4242.4242.4242.4242']) {
      assert.equal(isCardNumberInToken(token), true, token);
    }
    for (const token of ['fp_4242424242424242a', 'tok_sandbox_visa_success', '4242424242424241', 'e4242424242424242']) {
      assert.equal(isCardNumberInToken(token), false, token);
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
