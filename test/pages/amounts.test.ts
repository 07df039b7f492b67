import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { addressOf } from '../../src/api/http/client-address.ts';
import { currencies } from '../../src/domain/currencies.ts';
import { inMajorUnits, inWords, parseAmount } from '../../src/domain/words/money.ts';
import { localeOf } from '../../src/pages/page-request.ts';
import { addressSubject } from '../../src/services/pages/page-limits.ts';

describe('what a payer types and reads', () => {
  it('reads an amount in major units with the decimals of the currency, and refuses what is none', () => {
    const read: [string, 'AUD' | 'JPY', number | null][] = [
      ['25', 'AUD', 2500],
      ['25.5', 'AUD', 2550],
      ['25,50', 'AUD', 2550],
      [' $1,250.00 ', 'AUD', 125_000],
      ['1.250,00', 'AUD', 125_000],
      ['1,250', 'AUD', 125_000],
      ['2500', 'JPY', 2500],
      ['2,500', 'JPY', 2500],
      ['25.50', 'JPY', null],
      ['', 'AUD', null],
      ['-5', 'AUD', null],
      ['1e5', 'AUD', null],
      ['12.345', 'AUD', 1_234_500],
      ['1,25,0', 'AUD', null],
      ['many', 'AUD', null],
      ['1 234,56 $AU', 'AUD', 123_456],
      ['A$25.50', 'AUD', 2550],
      ['25 aud', 'AUD', 2500],
      ['2500円', 'JPY', 2500],
      ['−25', 'AUD', null],
      ['0.500', 'AUD', null],
      ['25k', 'AUD', null],
      ['25%', 'AUD', null],
      ['£25', 'AUD', null],
      ['25 USD', 'AUD', null],
      ['12 34', 'AUD', null],
      ['１２', 'AUD', null],
      ['12３', 'AUD', null],
    ];
    for (const [typed, currency, minor] of read) assert.equal(parseAmount(typed, currency), minor, typed);
  });

  it('reads back every amount that a form shows, in each currency', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 99_999_999 }), fc.constantFrom(...currencies), (minor, currency) => {
        return parseAmount(inMajorUnits(minor, currency), currency) === minor;
      }),
    );
  });

  it('reads back every amount as a page writes it for a payer of any of these locales', () => {
    for (const locale of ['en-AU', 'en-US', 'en-NZ', 'en-GB', 'de-DE', 'fr-FR', 'ja-JP'])
      for (const currency of ['AUD', 'NZD', 'EUR', 'GBP', 'JPY'] as const)
        for (const minor of [500, 123_456, 99_999_999])
          assert.equal(
            parseAmount(inWords(minor, currency, locale), currency),
            minor,
            inWords(minor, currency, locale),
          );
  });

  it('writes an amount as the locale does, in digits that every payer reads', () => {
    assert.equal(inWords(123_456, 'AUD', 'en-AU'), '$1,234.56');
    assert.equal(inWords(123_456, 'AUD', 'en-US'), 'A$1,234.56');
    assert.equal(inWords(123_456, 'EUR', 'de-DE'), '1.234,56\u00a0€');
    assert.equal(inWords(2500, 'JPY', 'en-AU').includes('.'), false);
    assert.match(inWords(2500, 'AUD', 'ar-EG'), /25/);
  });

  it('takes the locale that a browser prefers, of those that exist', () => {
    assert.equal(localeOf(''), 'en-AU');
    assert.equal(localeOf('*'), 'en-AU');
    assert.equal(localeOf('de-CH,de;q=0.9,en;q=0.1'), 'de-CH');
    assert.equal(localeOf('en;q=0.1, fr-FR;q=0.8'), 'fr-FR');
    assert.equal(localeOf('xx-klingon, ja'), 'ja');
    assert.equal(localeOf('de-u-nu-thai'), 'de');
    assert.equal(localeOf('de;q=0'), 'en-AU');
  });

  it('believes the address in X-Forwarded-For only of a trusted proxy, and counts an IPv6 customer as a /64', () => {
    const proxies = ['10.0.0.5', '10.1.0.0/16', '::1'];
    assert.equal(addressOf('203.0.113.9', '198.51.100.1', proxies), '203.0.113.9');
    assert.equal(addressOf('10.0.0.5', '198.51.100.1', proxies), '198.51.100.1');
    assert.equal(addressOf('::ffff:10.0.0.5', '8.8.8.8, 198.51.100.1, 10.1.2.3', proxies), '198.51.100.1');
    assert.equal(addressOf('10.0.0.5', '', proxies), '10.0.0.5');
    assert.equal(addressSubject('2001:db8:1:2:a::1'), addressSubject('2001:db8:1:2:b::2'));
    assert.notEqual(addressSubject('2001:db8:1:2::1'), addressSubject('2001:db8:1:3::1'));
    assert.notEqual(addressSubject('198.51.100.1'), addressSubject('198.51.100.2'));
  });
});
