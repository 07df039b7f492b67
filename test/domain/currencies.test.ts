import assert from 'node:assert/strict';
import { currencies, inMoney } from '../../src/domain/currencies.ts';

describe('currencies', () => {
  it('are the six of the contract', () => {
    assert.deepEqual([...currencies].sort(), ['AUD', 'EUR', 'GBP', 'JPY', 'NZD', 'USD']);
  });

  it('are shown to operators with the minor units that each has', () => {
    assert.equal(inMoney(2500, 'AUD'), '25.00 AUD');
    assert.equal(inMoney(7, 'EUR'), '0.07 EUR');
    assert.equal(inMoney(2500, 'JPY'), '2500 JPY');
    assert.equal(inMoney(999_999_999_999, 'USD'), '9999999999.99 USD');
  });
});
