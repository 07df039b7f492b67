import assert from 'node:assert/strict';
import { type DeclineCode, declined, declineMessage, unattended } from '../../src/domain/charge-outcome.ts';

const codes: DeclineCode[] = [
  'insufficient_funds',
  'gateway_timeout',
  'card_declined',
  'expired_card',
  'authentication_required',
  'payment_method_unavailable',
  'processor_rejected',
  'account_invalid',
  'account_closed',
  'account_holder_deceased',
  'payment_stopped',
  'debit_disputed',
  'mandate_unavailable',
  'mandate_limit_exceeded',
  'debit_withdrawn',
];

describe('charge outcomes', () => {
  it('explain every decline code in a sentence of its own', () => {
    for (const code of codes) assert.match(declineMessage(code), /^[A-Z][^_]+\.$/, code);
    assert.equal(new Set(codes.map(declineMessage)).size, codes.length);
  });

  it('put the message beside the code of a decline', () => {
    assert.deepEqual(declined('card_declined'), {
      kind: 'failed',
      code: 'card_declined',
      message: declineMessage('card_declined'),
    });
  });

  it('turn a challenge without a payer to answer it into a decline', () => {
    assert.deepEqual(unattended({ kind: 'requires_action' }), declined('authentication_required'));
  });

  it('leave every other outcome as it is when the payer is absent', () => {
    for (const outcome of [{ kind: 'succeeded' } as const, ...codes.map(declined)]) {
      assert.equal(unattended(outcome), outcome);
    }
  });
});
