import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { takenOnPages } from '../../src/domain/page-methods.ts';

describe('the methods that pages for payers take', () => {
  it('are all that are asked for in the sandbox, and cards in live mode only if the processor has fields for them', () => {
    const both = ['card', 'au_becs_debit'] as const;
    for (const hasCardFields of [false, true]) {
      assert.deepEqual(takenOnPages(both, { livemode: false, hasCardFields }), both);
    }
    assert.deepEqual(takenOnPages(both, { livemode: true, hasCardFields: true }), both);
    assert.deepEqual(takenOnPages(both, { livemode: true, hasCardFields: false }), ['au_becs_debit']);
    assert.deepEqual(takenOnPages(['card'], { livemode: true, hasCardFields: false }), []);
  });
});
