import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { customerInstant } from '../../../src/domain/instants.ts';
import { awaitedAt, derive, type KnownSlot, type Plan, fresh as untouched } from '../../../src/domain/plans/plan.ts';
import { firstRetry } from '../../../src/domain/recurring/recurring-payment.ts';
import { fresh } from './simulated.ts';

const day = (date: string) => customerInstant(`2027-${date}T00:00:00Z`);
const slot = (number: number, changes: Partial<KnownSlot>): KnownSlot => ({
  ...untouched,
  slot: number,
  due_date: '2027-01-31',
  amount: 1000,
  ...changes,
});
const derived = (plan: Partial<Plan>, slots: KnownSlot[] = [], timeZone = 'UTC') =>
  derive({ plan: { ...fresh, state: 'active', ...plan }, slots, timeZone });

describe('the dates that follow from the rows of a plan', () => {
  it('are the date of the next slot, at midnight where the biller is', () => {
    assert.deepEqual(derived({ next_slot: 2 }), { next_due_at: day('02-14'), next_attempt_at: null });
    assert.deepEqual(derived({}, [], 'Australia/Sydney').next_due_at, new Date('2027-01-30T13:00:00Z'));
  });

  it('are none while the plan is not active', () => {
    const retried = slot(0, { status: 'retrying', next_attempt_at: day('02-01') });
    for (const state of ['pending', 'suspended', 'deactivated', 'closed'] as const) {
      assert.deepEqual(derived({ state }, [retried]), { next_due_at: null, next_attempt_at: null });
    }
  });

  it('have no next slot if what is open could collect the rest of the total', () => {
    const open = slot(0, { status: 'failed', amount: 600 });
    const given = slot(0, { status: 'given_up', amount: 600 });
    const capped = { total_amount_cents: 1000, collected_amount_cents: 400, next_slot: 2 };
    assert.equal(derived(capped, [open]).next_due_at, null);
    assert.deepEqual(derived(capped, [given]).next_due_at, day('02-14'));
  });

  it('keep a stored date that the calendar gave under former rules of the time zone, and no other', () => {
    const near = customerInstant('2027-02-13T13:00:00Z');
    assert.deepEqual(derived({ next_slot: 2, next_due_at: near }).next_due_at, near);
    assert.deepEqual(derived({ next_slot: 2, next_due_at: day('02-07') }).next_due_at, day('02-14'));
  });

  it('are the earliest retry, and of the same instant the older slot', () => {
    const slots = [
      slot(0, { status: 'failed' }),
      slot(1, { status: 'retrying', next_attempt_at: day('02-12') }),
      slot(2, { status: 'retrying', next_attempt_at: day('02-11') }),
      slot(3, { status: 'retrying', next_attempt_at: day('02-11') }),
    ];
    assert.deepEqual(derived({}, slots).next_attempt_at, day('02-11'));
    assert.equal(firstRetry(slots)?.slot, 2);
    assert.equal(firstRetry(slots.slice(0, 1)), null);
  });

  it('cannot be derived past the end of the calendar', () => {
    assert.throws(() => derived({ next_slot: 1_000_000 }), RangeError);
  });

  it('can be collected from the activation on, if the next slot was due before that', () => {
    assert.deepEqual(awaitedAt({ next_due_at: day('01-31'), activated_at: day('02-03') }), day('02-03'));
    assert.deepEqual(awaitedAt({ next_due_at: day('02-14'), activated_at: day('02-03') }), day('02-14'));
  });
});
