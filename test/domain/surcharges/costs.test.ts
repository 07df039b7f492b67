import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { costKeyOf, inPercent, readPercentage } from '../../../src/domain/surcharges/costs.ts';

describe('the cost of acceptance', () => {
  it('is read as a percentage from 0 to 100 with at most two decimals, and written back', () => {
    for (const [text, points] of [
      ['1.9%', 190],
      ['1.90', 190],
      ['0.05%', 5],
      ['0%', 0],
      ['100%', 10_000],
      [' 2% ', 200],
    ] as const) {
      assert.equal(readPercentage(text), points, text);
      assert.equal(readPercentage(inPercent(points)), points);
    }
    for (const text of ['', '-1%', '100.01%', '101', '1.999%', '1,9%', '.5', '1e1', 'NaN', '1.9 %']) {
      assert.equal(readPercentage(text), null, text);
    }
  });

  it('is that of the network of a card, and of the type of any other method', () => {
    assert.equal(costKeyOf({ type: 'card', network: 'amex' }), 'amex');
    assert.equal(costKeyOf({ type: 'paypal', network: null }), 'paypal');
    assert.equal(costKeyOf({ type: 'au_becs_debit', network: null }), 'au_becs_debit');
    for (const type of ['card', 'klarna', 'pay_id'] as const) assert.equal(costKeyOf({ type, network: null }), null);
    assert.equal(costKeyOf({ type: 'card', network: 'jcb' }), null);
  });
});
