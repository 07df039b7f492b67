import assert from 'node:assert/strict';
import type { PaymentIntentStatus } from '../../../src/db/payment-intents.ts';
import { customerInstant } from '../../../src/domain/instants.ts';
import { confirmRefusal } from '../../../src/services/payments/confirm-rules.ts';
import { refusalError } from '../../../src/services/payments/rail.ts';

const id = 'pi_1';
const here = { deleted_at: null };
const deleted = { deleted_at: customerInstant('2027-01-01T00:00:00Z') };

describe('the rules of a confirm', () => {
  const statuses: [status: PaymentIntentStatus, isAllowed: boolean][] = [
    ['requires_payment_method', true],
    ['failed', true],
    ['processing', false],
    ['requires_action', false],
    ['succeeded', false],
    ['returned', false],
    ['canceled', false],
  ];
  for (const [status, isAllowed] of statuses) {
    it(`${isAllowed ? 'allow' : 'refuse'} a payment that is ${status}, with a customer or without one`, () => {
      for (const payer of [here, null]) {
        const refusal = confirmRefusal({ id, status }, payer);
        assert.equal(refusal === null, isAllowed);
        if (refusal)
          assert.match(refusal.message, new RegExp(`^Payment intent pi_1 is ${status}; it can be confirmed`));
      }
    });
  }

  it('name the payment method and the code of what its mandate does not allow', () => {
    for (const code of ['mandate_unavailable', 'mandate_limit_exceeded'] as const) {
      const refusal = refusalError(code, 'pm_1', 'payment_method');
      assert.deepEqual([refusal.code, refusal.status], [code, 422]);
      assert.match(refusal.message, /^The mandate of payment method pm_1 .*nothing was charged(?: or changed)?\.$/);
    }
  });

  it('refuse a payment whose customer was deleted, whatever its status', () => {
    for (const [status] of statuses) {
      assert.match(confirmRefusal({ id, status }, deleted)?.message ?? '', /customer of this payment has been deleted/);
    }
  });
});
