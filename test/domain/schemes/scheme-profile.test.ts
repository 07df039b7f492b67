import assert from 'node:assert/strict';
import { isFinalReturn, type ReturnReason } from '../../../src/domain/schemes/scheme-profile.ts';

describe('the reason of a return', () => {
  const reasons: Record<ReturnReason, 'final' | 'retried'> = {
    insufficient_funds: 'retried',
    account_invalid: 'final',
    account_closed: 'final',
    account_holder_deceased: 'final',
    payment_stopped: 'final',
    debit_disputed: 'final',
  };
  for (const [reason, what] of Object.entries(reasons)) {
    it(`decides whether a retry can help: ${reason} is ${what}`, () => {
      assert.equal(isFinalReturn(reason as ReturnReason), what === 'final');
    });
  }
});
