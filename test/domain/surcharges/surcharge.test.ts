import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { costKeys } from '../../../src/domain/surcharges/costs.ts';
import { fundings, type Means, networks } from '../../../src/domain/surcharges/means.ts';
import { rulesHolding, type SurchargeTerms, surchargeOf, verdictOn } from '../../../src/domain/surcharges/surcharge.ts';

const australia: SurchargeTerms = { livemode: false, country: 'AU', costs: {} };
const visa: Means = { type: 'card', networks: ['visa'], funding: null };
const amex: Means = { type: 'card', networks: ['amex'], funding: null };
const unknown: Means = { type: 'card', networks: [], funding: null };
const since = '2026-10-01';
const of = (terms: SurchargeTerms, means: Means | null, date = since, amount = 10_000, fee = 205) => {
  const { amount: surcharge, reason } = surchargeOf(terms, { amount, fee, date, means });
  return [surcharge, reason];
};

describe('a surcharge', () => {
  it('is the fee in the sandbox of a biller without a country, whatever the card and the date', () => {
    for (const means of [visa, amex, unknown, null]) {
      assert.deepEqual(of({ livemode: false, country: null, costs: { amex: 0 } }, means), [205, null]);
    }
  });

  it('is not taken in live mode without a country, of an unknown country, or by an unknown network', () => {
    for (const means of [visa, amex, unknown, null]) {
      for (const terms of [
        { livemode: true, country: null, costs: {} },
        { livemode: true, country: 'US', costs: { amex: 190 } },
        { livemode: false, country: 'US', costs: {} },
        { livemode: false, country: 'DE', costs: { amex: 190 } },
        { livemode: true, country: 'GB', costs: {} },
      ]) {
        assert.deepEqual(of(terms, means), [0, 'not_allowed'], JSON.stringify([terms, means]));
      }
    }
    assert.deepEqual(of(australia, unknown, '2026-09-30'), [0, 'not_allowed']);
  });

  it('ends with the last day of September 2026 for Australian Visa cards', () => {
    assert.deepEqual(of(australia, visa, '2026-09-30'), [205, null]);
    assert.deepEqual(of(australia, visa, '2026-10-01'), [0, 'not_allowed']);
  });

  it('is at most the stated cost, rounded down; a cost of 0 leaves none, one of 100 % caps nothing', () => {
    const at = (cost: number, amount = 10_000, fee = 205) =>
      of({ ...australia, costs: { amex: cost } }, amex, since, amount, fee);
    assert.deepEqual(of(australia, amex), [205, null], 'without a stated cost it is the fee');
    assert.deepEqual(at(190), [190, 'capped']);
    assert.deepEqual(at(205), [205, null]);
    assert.deepEqual(at(190, 9_999), [189, 'capped'], '189.981');
    assert.deepEqual(at(0), [0, 'capped']);
    assert.deepEqual(at(10_000), [205, null]);
    assert.deepEqual(at(10_000, 1, 30), [1, 'capped']);
  });

  it('waits for a stated cost by bank debit and PayPal', () => {
    for (const type of ['au_becs_debit', 'paypal'] as const) {
      const means = { type, networks: [], funding: null };
      assert.deepEqual(of(australia, means), [0, 'not_allowed']);
      assert.deepEqual(of({ ...australia, costs: { [type]: 50 } }, means), [50, 'capped']);
    }
  });

  it('is that of the stricter network for a card of two', () => {
    const both: Means = { type: 'card', networks: ['amex', 'eftpos'], funding: 'debit' };
    assert.deepEqual(of(australia, both), [0, 'not_allowed']);
    assert.deepEqual(of({ ...australia, costs: { amex: 100, eftpos: 30 } }, both, '2026-09-01'), [30, 'capped']);
  });

  it('is, while the way to pay is unknown, the most that any way may carry', () => {
    assert.deepEqual(of({ ...australia, costs: { amex: 190 } }, null), [190, 'capped']);
    assert.deepEqual(of({ ...australia, costs: { amex: 190 } }, null, '2026-09-01'), [205, null]);
    assert.deepEqual(of({ ...australia, costs: { amex: 0 } }, null), [0, 'not_allowed']);
  });

  it('is never more than the fee, than the stated cost, or than what was shown before the card was known', () => {
    const terms = fc.record({
      livemode: fc.boolean(),
      country: fc.constantFrom('AU', 'GB', 'DE', 'US', null),
      costs: fc.dictionary(fc.constantFrom(...costKeys), fc.nat(10_000)),
    });
    const means = fc.record({
      type: fc.constant('card' as const),
      networks: fc.subarray([...networks]),
      funding: fc.constantFrom(...fundings, null),
    });
    const date = fc.constantFrom('2026-09-30', '2026-10-01', '2027-06-01');
    fc.assert(
      fc.property(terms, means, date, fc.nat(99_999_999), fc.nat(2_000_000), (who, way, on, amount, fee) => {
        const found = surchargeOf(who, { amount, fee, date: on, means: way });
        const shown = surchargeOf(who, { amount, fee, date: on, means: null });
        assert.ok(found.amount <= fee && found.amount <= shown.amount);
        assert.equal(found.reason === null, found.amount === fee && found.verdict !== 'forbidden');
        if (found.verdict !== 'at_most_cost') return;
        for (const network of way.networks) {
          const { cost } = verdictOn(who, { ...way, network }, on);
          if (cost !== null) assert.ok(found.amount * 10_000 <= amount * cost);
        }
      }),
      { numRuns: 5000 },
    );
  });
});

describe('the rules that hold', () => {
  it('name each way to pay with its verdict and cost, and what goes for all others', () => {
    const lines = rulesHolding({ ...australia, costs: { amex: 190, visa: 90 } }, since).map(
      ({ type, network, verdict, cost }) => [type, network, verdict, cost].join(' '),
    );
    assert.deepEqual(lines, [
      'card eftpos forbidden ',
      'card mastercard forbidden ',
      'card visa forbidden ',
      'card amex at_most_cost 190',
      'au_becs_debit  forbidden ',
      'paypal  forbidden ',
      '  forbidden ',
    ]);
  });

  it('are one for all where a country has one for all, where it is unknown, and in the sandbox without one', () => {
    const one = (terms: SurchargeTerms) => rulesHolding(terms, since).map(({ verdict }) => verdict);
    assert.deepEqual(one({ livemode: true, country: 'FR', costs: {} }), ['forbidden']);
    assert.deepEqual(one({ livemode: true, country: 'US', costs: {} }), ['forbidden']);
    assert.deepEqual(one({ livemode: true, country: null, costs: {} }), ['forbidden']);
    assert.deepEqual(one({ livemode: false, country: null, costs: {} }), ['allowed']);
  });
});
