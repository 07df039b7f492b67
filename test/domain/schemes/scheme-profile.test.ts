import assert from 'node:assert/strict';
import type { DeclineCode } from '../../../src/domain/charge-outcome.ts';
import { isReturnReason } from '../../../src/domain/schemes/scheme-profile.ts';

describe('the reason of a return', () => {
  const codes: Record<DeclineCode, 'the bank' | 'the service'> = {
    insufficient_funds: 'the bank',
    account_invalid: 'the bank',
    account_closed: 'the bank',
    account_holder_deceased: 'the bank',
    payment_stopped: 'the bank',
    debit_disputed: 'the bank',
    payment_disputed: 'the service',
    gateway_timeout: 'the service',
    card_declined: 'the service',
    expired_card: 'the service',
    authentication_required: 'the service',
    payment_method_unavailable: 'the service',
    processor_rejected: 'the service',
    mandate_unavailable: 'the service',
    mandate_limit_exceeded: 'the service',
    debit_withdrawn: 'the service',
  };
  for (const [code, who] of Object.entries(codes)) {
    it(`is what the payer’s bank says: ${code} comes from ${who}`, () => {
      assert.equal(isReturnReason(code as DeclineCode), who === 'the bank');
    });
  }
});
