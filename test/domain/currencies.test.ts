import assert from 'node:assert/strict';
import { currencies } from '../../src/domain/currencies.ts';

describe('currencies', () => {
  it('are the six of the contract', () => {
    assert.deepEqual([...currencies].sort(), ['AUD', 'EUR', 'GBP', 'JPY', 'NZD', 'USD']);
  });
});
