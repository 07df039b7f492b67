import assert from 'node:assert/strict';
import fc from 'fast-check';
import { before, describe, it } from 'mocha';
import { firstSlotAfter, slotDate, slotDueAt } from '../../../src/domain/calendar.ts';
import { customerInstant } from '../../../src/domain/instants.ts';
import { upcomingPayments } from '../../../src/domain/plan-schedule.ts';
import { cadenceOf, progressOf, termsOf } from '../../../src/domain/plans/plan.ts';
import { openNext } from '../../../src/domain/plans/steps.ts';
import { searchMs, searchRuns, searchSeed } from '../../support/search.ts';
import { fresh, type Life, live, lives, type Simulated } from './simulated.ts';

describe('random lives of plans', () => {
  const lived: { life: Life; subject: Simulated }[] = [];
  const seed = searchSeed;

  before('live them', function () {
    this.timeout(120_000 + searchMs);
    for (const life of fc.sample(lives, { numRuns: searchRuns(1_500), seed }))
      lived.push({ life, subject: live(life) });
  });

  function hold(check: (subject: Simulated) => void): void {
    for (const { life, subject } of lived) {
      try {
        check(subject);
      } catch (error) {
        throw new Error(`seed ${seed}, life ${JSON.stringify(life)}`, { cause: error });
      }
    }
  }
  const dueAt = ({ plan }: Simulated, slot: number) => slotDueAt(cadenceOf(plan), slot, 'UTC').getTime();

  it('store dates that are derived from their open slots alone, and that a second derivation leaves as they are', () => {
    hold(({ problems }) => assert.deepEqual(problems, []));
  });

  it('have a slot for each date of their calendar that has come, in order and without gaps', () => {
    hold(({ plan, planWithSlots: { slots } }) => {
      assert.equal(slots.length, plan.next_slot);
      for (const [index, { slot, due_date }] of slots.entries()) {
        assert.deepEqual([slot, due_date], [index, slotDate(cadenceOf(plan), index)]);
      }
    });
  });

  it('charge each slot by one payment of one amount, and only while that is unpaid', () => {
    hold(({ attempts, planWithSlots: { slots } }) => {
      for (const { slot, amount, status } of slots) {
        const own = attempts.filter((attempt) => attempt.slot === slot);
        assert.equal(own.length === 0, status === 'skipped');
        assert.ok(own.every((attempt) => attempt.amount === amount));
      }
    });
  });

  it('charge no slot before its date', () => {
    hold((subject) => {
      for (const { slot, at } of subject.attempts) assert.ok(at >= dueAt(subject, slot));
    });
  });

  it('charge without a payer only while they are active', () => {
    hold(({ attempts }) => {
      for (const { by, state } of attempts) assert.ok(by === 'payer' || state === 'active');
    });
  });

  it('never make a burst: a slot is charged on its date or not at all, but for the first', () => {
    hold((subject) => {
      const opened = new Map(subject.attempts.toReversed().map(({ slot, at }) => [slot, at]));
      for (const [slot, at] of opened) assert.ok(slot === 0 || at === dueAt(subject, slot));
    });
  });

  it('retry when dunning says, or at once if that has passed or it is asked for', () => {
    hold(({ attempts, turns, broughtForward }) => {
      for (const { slot, at, failures, dueAt: retryAt, by } of attempts) {
        if (by === 'payer' || failures === 0 || broughtForward.has(`${slot} ${at}`)) continue;
        assert.ok(failures <= 3 && retryAt !== null, 'four attempts at most');
        assert.ok(at === retryAt || (at > retryAt && turns.has(at)));
      }
    });
  });

  it('retry nothing if their behaviour is to stop', () => {
    for (const { life, subject } of lived) {
      if (life.behaviour !== 'stop') continue;
      for (const { by, failures } of subject.attempts) assert.ok(by === 'payer' || failures === 0);
    }
  });

  it('have collected the sum of their paid slots, and never more than their total', () => {
    hold(({ plan, planWithSlots: { slots } }) => {
      const paid = slots.filter(({ status }) => status === 'paid');
      assert.equal(plan.collected_amount_cents, sum(paid));
      if (plan.total_amount_cents === null) return;
      assert.ok(plan.collected_amount_cents <= plan.total_amount_cents);
      assert.ok(progressOf({ plan, slots }).committedAmount <= plan.total_amount_cents);
    });
  });

  it('close once their total is reached, and without a request only then', () => {
    hold(({ plan }) => {
      const isReached = plan.collected_amount_cents === plan.total_amount_cents;
      const isOpen = plan.state === 'active' || plan.state === 'suspended';
      if (isReached) assert.ok(!isOpen);
      if (plan.state_reason === 'total_collected') assert.ok(isReached && plan.state === 'closed');
      if (plan.state_reason === 'payment_returned' && plan.state === 'closed') assert.ok(!isReached);
    });
  });

  it('wait for a date while they are active, unless all that remains is under way', () => {
    hold(({ plan, planWithSlots: { slots } }) => {
      if (plan.state !== 'active') assert.deepEqual([plan.next_due_at, plan.next_attempt_at], [null, null]);
      else if (plan.next_due_at === null && plan.next_attempt_at === null) {
        assert.ok(slots.some(({ status }) => ['processing', 'failed', 'returned'].includes(status)));
      }
    });
  });

  it('report each state that they come to, but for a resume', () => {
    hold(({ plan, told }) => {
      assert.equal(told.filter(({ what }) => what === 'activated').length, 1);
      const last = told.at(-1)?.what;
      assert.ok(last === plan.state || (plan.state === 'active' && (last === 'activated' || last === 'suspended')));
      const ends = told.filter(({ what }) => what === 'closed' || what === 'deactivated');
      assert.ok(ends.length <= 1);
    });
  });

  it('know what is under way of them when they have ended', () => {
    hold(({ plan, planWithSlots: { slots } }) => {
      if (plan.state !== 'closed' && plan.state !== 'deactivated') return;
      assert.equal(plan.in_flight_cents, sum(slots.filter(({ status }) => status === 'processing')));
    });
  });

  it('have slots whose columns fit their status', () => {
    hold(({ planWithSlots: { slots } }) => {
      for (const { status, next_attempt_at, challenge_ends_at, failures, first_failed_at } of slots) {
        assert.equal(status === 'retrying', next_attempt_at !== null);
        assert.ok(status === 'processing' || challenge_ends_at === null);
        assert.equal(failures === 0, first_failed_at === null);
      }
    });
  });

  it('retry nothing once they have stopped', () => {
    hold(({ plan, planWithSlots: { slots } }) => {
      if (plan.state !== 'active') assert.ok(slots.every(({ status }) => status !== 'retrying'));
    });
  });

  it('live through all that can happen to a plan', () => {
    const seen = new Set(
      lived.flatMap(({ subject: { plan, planWithSlots } }) => [
        plan.state,
        plan.state_reason,
        ...planWithSlots.slots.map(({ status }) => status),
      ]),
    );
    for (const one of ['active', 'suspended', 'deactivated', 'closed']) assert.ok(seen.has(one as never), one);
    for (const one of ['payment_failed', 'payment_returned', 'total_collected', 'requested'])
      assert.ok(seen.has(one as never), one);
    for (const one of ['processing', 'paid', 'retrying', 'failed', 'skipped', 'given_up', 'returned'])
      assert.ok(seen.has(one as never), one);
  });

  it('are the same in one advance and in any split of it', () => {
    fc.assert(
      fc.property(lives, fc.integer({ min: 1, max: 9 }), (life, part) => {
        const split = life.steps.flatMap((step) =>
          step.do === 'pass' && step.days > part
            ? [
                { ...step, days: part },
                { ...step, days: step.days - part },
              ]
            : [step],
        );
        assert.deepEqual(live({ ...life, steps: split }).summary(), live(life).summary());
      }),
      { numRuns: 1_000 },
    );
  });

  it('collect what their schedule shows ahead, if all goes well', () => {
    fc.assert(
      fc.property(lives, ({ terms, activatedAfter }) => {
        const steps = [{ do: 'pass' as const, days: 200 }];
        const subject = live({ terms, activatedAfter, behaviour: 'retry', outcomes: [], steps });
        const { plan } = subject;
        const made = subject.planWithSlots.slots.filter(({ status }) => status === 'paid');
        const [first, ...rest] = made.map(({ slot, due_date, amount }) => ({ slot, dueDate: due_date, amount }));
        const atFirst = { nextSlot: 0, paymentsOpened: 0, committedAmount: 0 };
        assert.deepEqual(first, upcomingPayments(termsOf(plan), atFirst, 1).payments[0]);
        const next = firstSlotAfter(cadenceOf(plan), 'UTC', plan.activated_at ?? customerInstant(0), 1);
        const ahead = { nextSlot: next, paymentsOpened: 1, committedAmount: first?.amount ?? 0 };
        assert.deepEqual(rest, upcomingPayments(termsOf(plan), ahead, rest.length).payments);
      }),
      { numRuns: 500 },
    );
  });
});

describe('a slot of a plan with nothing left to collect', () => {
  it('is not opened', () => {
    const plan = {
      ...fresh,
      state: 'active',
      total_amount_cents: 500,
      collected_amount_cents: 500,
      next_slot: 3,
    } as const;
    assert.throws(() => openNext({ plan, slots: [], timeZone: 'UTC' }, false), /slot 3 is due with nothing left/);
  });
});

function sum(slots: readonly { amount: number | null }[]): number {
  return slots.reduce((total, { amount }) => total + (amount ?? 0), 0);
}
