import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { cardNumberErrors } from '../../src/services/customers/card-numbers.ts';

const card = {
  expiry_month: 12,
  expiry_year: 2030,
  token_metadata: { type: 'vault', token: 'tok_1', data: '{"v":1}' },
  card_name: 'J Nguyen',
  card_number_token: 'tok_f00d',
  card_number_end: '4242',
  card_bin: '42424242',
  fingerprint: 'fp_4242424242424242a',
  wallet: 'apple_pay',
  card_networks: ['visa'],
  card_brand: 'Visa',
};
const account = {
  bsb_number: '062-000',
  account_name: 'Jo Nguyen',
  account_number: '98765432',
  account_number_token: 'tok_beef',
  account_number_end: '5432',
  fingerprint: 'fp_1',
};
const acceptance = {
  type: 'online',
  accepted_at: '2027-01-31T09:30:00.123456789Z',
  ip_address: '203.0.113.7',
  user_agent:
    'Mozilla/5.0 (Linux; Android 14; SM-A536E Build/UP1A.231005.007; wv) AppleWebKit/537.36 (KHTML, like Gecko) ' +
    'Version/4.0 Chrome/143.0.7499.192 Mobile Safari/537.36 Instagram 309.1.1.41.113 Android (33/13; 420dpi; 1080x2176)',
  signatory_name: 'Jo Nguyen',
  text_version: '2026-11',
  text_sha256: '4242424242424242'.padStart(64, 'ab'),
  client_secret: 'pi_sandbox_0123456789abcdef_secret_4242424242424242x',
};
const objects = { card, account, acceptance };
const tokens = ['account_number_token', 'card_number_token', 'data', 'fingerprint', 'token'];

/** The paths of all strings of a value. */
function stringsOf(value: unknown, path = ''): string[] {
  if (typeof value === 'string') return [path];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) => stringsOf(item, `${path}/${name}`));
}

/** A copy of the value in which the string at this path is another one. */
function withText(value: unknown, [name, ...rest]: string[], change: (text: string) => string): unknown {
  if (name === undefined) return change(String(value));
  const copy: Record<string, unknown> | unknown[] = structuredClone(value as Record<string, unknown>);
  Reflect.set(copy, name, withText(Reflect.get(copy, name), rest, change));
  return copy;
}

const separators = [' ', '-', '.', ',', '/', '\u00a0', '\u200b', '\u200d', '\ufeff'];
/** A number with its check digit, and with any separators between its digits. */
const spelledNumber = fc
  .tuple(
    fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 12, maxLength: 18 }),
    fc.array(fc.array(fc.constantFrom(...separators), { maxLength: 4 }), { minLength: 19, maxLength: 19 }),
  )
  .map(([body, between]) => {
    const sum = [...body].reverse().reduce((total, digit, place) => {
      const weighted = place % 2 === 0 ? digit * 2 : digit;
      return total + (weighted > 9 ? weighted - 9 : weighted);
    }, 0);
    const digits = [...body, (10 - (sum % 10)) % 10];
    return digits.map((digit, place) => (place === 0 ? '' : (between[place] ?? []).join('')) + digit).join('');
  });

describe('the search of an input for card numbers', () => {
  it('finds a number in any string of a card, an account or an acceptance, with any separators', () => {
    const places = Object.entries(objects).flatMap(([name, value]) => stringsOf(value).map((path) => ({ name, path })));
    fc.assert(
      fc.property(fc.constantFrom(...places), spelledNumber, fc.nat(), ({ name, path }, number, at) => {
        const value: unknown = Reflect.get(objects, name);
        const changed = withText(value, path.split('/').slice(1), (text) => {
          const place = at % (text.length + 1);
          return `${text.slice(0, place)} ${number} ${text.slice(place)}`;
        });
        const errors = cardNumberErrors(changed, `/${name}`);
        assert.deepEqual(
          errors.map(({ path, code }) => [path, code]),
          [[`/${name}${path}`, 'invalid_value']],
        );
      }),
      { numRuns: 1000 },
    );
  });

  it('finds nothing in what is none: dates, addresses, browsers, hashes and tokens with letters', () => {
    for (const [name, value] of Object.entries(objects)) assert.deepEqual(cardNumberErrors(value, ''), [], name);
  });

  it('lets the tokens through where they may look like numbers, and nothing else', () => {
    const number = '4242424242424242';
    for (const value of [card, account]) {
      for (const path of stringsOf(value)) {
        const changed = withText(value, path.split('/').slice(1), () => number);
        const isToken = tokens.includes(path.split('/').at(-1) ?? '');
        const errors = cardNumberErrors(changed, '', { tokensMayPassLuhn: true });
        assert.equal(errors.length, isToken ? 0 : 1, path);
        assert.equal(JSON.stringify(errors).includes(number), false);
      }
    }
  });
});
