import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { isOpen, isUnpaid, mostToCome, progressOf, type SlotStatus } from '../../../src/domain/plans/plan.ts';
import { fresh } from './simulated.ts';

describe('the slots of a plan', () => {
  const table: [status: SlotStatus, isOpen: boolean, isUnpaid: boolean][] = [
    ['processing', true, false],
    ['retrying', true, true],
    ['failed', true, true],
    ['returned', true, true],
    ['paid', false, false],
    ['skipped', false, false],
    ['given_up', false, false],
  ];
  for (const [status, open, unpaid] of table) {
    it(`count as ${open ? '' : 'not '}open and ${unpaid ? '' : 'not '}unpaid while they are ${status}`, () => {
      assert.deepEqual([isOpen({ status }), isUnpaid({ status })], [open, unpaid]);
    });
  }

  it('commit what they can still collect: no later slot collects it again', () => {
    const of = (slot: number, status: SlotStatus, amount: number | null) => ({
      ...{ slot, status, amount, due_date: '2027-01-31', payment_intent_id: null },
      ...{ failures: 0, first_failed_at: null, last_result_at: null, next_attempt_at: null, challenge_ends_at: null },
    });
    const slots = [
      of(0, 'paid', 1),
      of(1, 'retrying', 20),
      of(2, 'skipped', null),
      of(3, 'given_up', 300),
      of(4, 'processing', 4000),
    ];
    const plan = { ...fresh, collected_amount_cents: 50_000, next_slot: 5 };
    assert.deepEqual(progressOf({ plan, slots }), { nextSlot: 5, paymentsOpened: 1, committedAmount: 54_020 });
    assert.equal(progressOf({ plan: fresh, slots: [] }, true).paymentsOpened, 0);
  });
});

describe('the most that a payment to come of a plan takes', () => {
  const terms = { ...fresh, recurring_amount_cents: 1000, total_amount_cents: null, collected_amount_cents: 0 };
  const table: [what: string, more: Partial<typeof fresh>, amount: number][] = [
    ['its recurring amount', { first_amount_cents: 500 }, 1000],
    ['its first amount, while that is to come', { first_amount_cents: 1500 }, 1500],
    ['no first amount that has been due', { first_amount_cents: 1500, next_slot: 1 }, 1000],
    ['no more than its total', { total_amount_cents: 900 }, 900],
    ['no more than is left of its total', { total_amount_cents: 5000, collected_amount_cents: 4400 }, 600],
  ];
  for (const [what, more, amount] of table) {
    it(`is ${what}`, () => assert.equal(mostToCome({ ...terms, ...more }), amount));
  }
});
