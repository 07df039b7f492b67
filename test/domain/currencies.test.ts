import assert from 'node:assert/strict';
import { currencies, isCurrency } from '../../src/domain/currencies.ts';

describe('currencies', () => {
  it('are the six of the contract', () => {
    assert.deepEqual([...currencies].sort(), ['AUD', 'EUR', 'GBP', 'JPY', 'NZD', 'USD']);
  });

  it('are recognised in upper case only', () => {
    assert.ok(isCurrency('AUD'));
    for (const value of ['aud', 'CHF', '', 'AUD ', 'length']) assert.ok(!isCurrency(value), value);
  });
});
