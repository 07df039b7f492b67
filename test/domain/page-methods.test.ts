import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { takenOnPages } from '../../src/domain/page-methods.ts';

describe('the methods that pages for payers take', () => {
  it('are all that are asked for in the sandbox, and bank accounts alone in live mode', () => {
    const both = ['card', 'au_becs_debit'] as const;
    assert.deepEqual(takenOnPages(both, false), both);
    assert.deepEqual(takenOnPages(both, true), ['au_becs_debit']);
    assert.deepEqual(takenOnPages(['card'], true), []);
  });
});
