import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { isCountry } from '../../../src/domain/countries.ts';
import { fundings, type MethodType, networks } from '../../../src/domain/surcharges/means.ts';
import { holdsOn, rulesAbout, surchargeRules } from '../../../src/domain/surcharges/rules.ts';

const types: MethodType[] = ['card', 'au_becs_debit', 'klarna', 'pay_id', 'paypal'];

describe('the rules on surcharges', () => {
  it('have each a country, a source and a span that is not empty', () => {
    for (const { country, source, from, until, type, network, funding } of surchargeRules) {
      assert.ok(isCountry(country), country);
      assert.ok(source.endsWith('.') && source.length > 30, source);
      assert.ok(from === null || until === null || from < until);
      assert.ok(type === 'card' || (network === null && funding === null), 'only cards have a network');
    }
    const countries = new Set(surchargeRules.map(({ country }) => country));
    assert.equal(countries.size, 27 + 2, 'the European Union, Australia and the United Kingdom');
  });

  it('hold from their first date until the day before their end', () => {
    const span = { from: '2026-01-01', until: '2026-10-01' };
    const days = ['2025-12-31', '2026-01-01', '2026-09-30', '2026-10-01'];
    assert.deepEqual(
      days.map((day) => holdsOn(span, day)),
      [false, true, true, false],
    );
    assert.ok(holdsOn({ from: null, until: null }, '1999-01-01'));
  });

  it('say one thing at most about a way to pay on any day', () => {
    for (const country of ['AU', 'DE', 'GB', 'US']) {
      for (const type of types) {
        for (const network of type === 'card' ? [...networks, null] : [null]) {
          for (const funding of type === 'card' ? [...fundings, null] : [null]) {
            for (const date of ['2018-01-13', '2026-09-30', '2026-10-01', '2030-01-01']) {
              const found = rulesAbout(country, { type, network, funding }, date);
              assert.ok(found.length <= 1, JSON.stringify(found));
            }
          }
        }
      }
    }
  });

  it('end the surcharge on eftpos, Visa and Mastercard in Australia on 1 October 2026, and on no other', () => {
    const verdict = (network: (typeof networks)[number], date: string) =>
      rulesAbout('AU', { type: 'card', network, funding: 'debit' }, date)[0]?.verdict;
    for (const network of ['eftpos', 'visa', 'mastercard'] as const) {
      assert.deepEqual([verdict(network, '2026-09-30'), verdict(network, '2026-10-01')], ['at_most_cost', 'forbidden']);
    }
    assert.deepEqual([verdict('amex', '2026-09-30'), verdict('amex', '2026-10-01')], ['at_most_cost', 'at_most_cost']);
    assert.equal(verdict('jcb', '2026-10-01'), undefined);
  });
});
