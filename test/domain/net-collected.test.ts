import assert from 'node:assert/strict';
import { netCollected } from '../../src/domain/net-collected.ts';

describe('what is held of a payment', () => {
  const rows: [what: string, status: string, refunded: number, held: number, refundedBeforeDispute?: number][] = [
    ['nothing before it is charged', 'requires_payment_method', 0, 0],
    ['nothing while it is under way', 'processing', 0, 0],
    ['nothing when it failed', 'failed', 0, 0],
    ['the total, surcharge included, once it has succeeded', 'succeeded', 0, 1030],
    ['what a partial refund leaves', 'succeeded', 400, 630],
    ['nothing after a whole refund', 'succeeded', 1030, 0],
    ['nothing when the bank has taken the debit back', 'returned', 0, 0],
    ['less than nothing when the bank has taken a refunded debit back', 'returned', 400, -400],
    ['what was lost by then, while the debit is collected again', 'processing', 400, -400],
    ['nothing when a dispute took what a refund had left', 'returned', 400, 0, 400],
    ['the total, when it is collected again after that', 'succeeded', 400, 1030, 400],
  ];
  for (const [what, status, refunded, held, refundedBeforeDispute = 0] of rows) {
    it(`counts as held: ${what}`, () => {
      const amounts = { total_amount: 1030, total_refunded_amount: refunded };
      assert.equal(netCollected({ status, ...amounts, refunded_before_dispute: refundedBeforeDispute }), held);
    });
  }
});
