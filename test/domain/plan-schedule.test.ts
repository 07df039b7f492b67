import assert from 'node:assert/strict';
import fc from 'fast-check';
import { slotDate } from '../../src/domain/calendar.ts';
import {
  nextPaymentAmount,
  type PlanProgress,
  type PlanTerms,
  upcomingPayments,
} from '../../src/domain/plan-schedule.ts';

const atStart: PlanProgress = { nextSlot: 0, paymentsOpened: 0, committedAmount: 0 };

function terms(changes: Partial<PlanTerms> = {}): PlanTerms {
  return {
    frequencyType: 'monthly',
    frequencyPeriod: 1,
    startDate: '2027-01-31',
    firstDate: null,
    recurringAmount: 1000,
    firstAmount: null,
    totalAmount: null,
    ...changes,
  };
}

describe('the amount of the next payment', () => {
  const table: [title: string, changes: Partial<PlanTerms>, progress: Partial<PlanProgress>, amount: number | null][] =
    [
      ['is the recurring amount', {}, {}, 1000],
      ['is the first amount for the first payment', { firstAmount: 2500 }, {}, 2500],
      ['is the first amount at whatever slot the first payment is', { firstAmount: 2500 }, { nextSlot: 7 }, 2500],
      ['is the recurring amount from the second payment on', { firstAmount: 2500 }, { paymentsOpened: 1 }, 1000],
      ['is cut to what remains', { totalAmount: 2600 }, { paymentsOpened: 2, committedAmount: 2000 }, 600],
      ['is whole when exactly it remains', { totalAmount: 3000 }, { paymentsOpened: 2, committedAmount: 2000 }, 1000],
      ['is none when nothing remains', { totalAmount: 2000 }, { paymentsOpened: 2, committedAmount: 2000 }, null],
      [
        'is none when less than nothing remains',
        { totalAmount: 500 },
        { paymentsOpened: 1, committedAmount: 1000 },
        null,
      ],
      ['cuts the first amount too', { firstAmount: 2500, totalAmount: 900 }, {}, 900],
      ['never ends without a total', {}, { paymentsOpened: 5000, committedAmount: 5_000_000 }, 1000],
    ];
  for (const [title, changes, progress, amount] of table) {
    it(title, () => {
      assert.equal(nextPaymentAmount(terms(changes), { ...atStart, ...progress }), amount);
    });
  }
});

describe('upcoming payments', () => {
  it('have the slots, dates and amounts of the calendar ahead', () => {
    const plan = terms({ firstDate: '2027-01-15', firstAmount: 2500, totalAmount: 5000 });
    assert.deepEqual(upcomingPayments(plan, atStart, 12), {
      payments: [
        { slot: 0, dueDate: '2027-01-15', amount: 2500 },
        { slot: 1, dueDate: '2027-02-28', amount: 1000 },
        { slot: 2, dueDate: '2027-03-31', amount: 1000 },
        { slot: 3, dueDate: '2027-04-30', amount: 500 },
      ],
      hasMore: false,
    });
  });

  it('go on from where the plan is, counting what is committed', () => {
    const progress = { nextSlot: 3, paymentsOpened: 2, committedAmount: 3500 };
    const plan = terms({ firstAmount: 2500, totalAmount: 5000 });
    assert.deepEqual(upcomingPayments(plan, progress, 12).payments, [
      { slot: 3, dueDate: '2027-04-30', amount: 1000 },
      { slot: 4, dueDate: '2027-05-31', amount: 500 },
    ]);
  });

  it('say that more follow exactly when they do', () => {
    const plan = terms({ totalAmount: 3000 });
    assert.equal(upcomingPayments(plan, atStart, 2).hasMore, true);
    assert.equal(upcomingPayments(plan, atStart, 3).hasMore, false);
    assert.equal(upcomingPayments(terms(), atStart, 100).hasMore, true);
  });

  it('are none, with nothing to follow, once the total is committed', () => {
    const done = { nextSlot: 3, paymentsOpened: 3, committedAmount: 3000 };
    assert.deepEqual(upcomingPayments(terms({ totalAmount: 3000 }), done, 12), { payments: [], hasMore: false });
  });

  it('end with the calendar, not with an error, for a period past the year 9999', () => {
    const plan = terms({ frequencyPeriod: 1_000_000 });
    assert.deepEqual(upcomingPayments(plan, atStart, 12), {
      payments: [{ slot: 0, dueDate: '2027-01-31', amount: 1000 }],
      hasMore: false,
    });
  });

  it('leave the progress that they start from as it was', () => {
    const progress = { ...atStart };
    upcomingPayments(terms(), progress, 12);
    assert.deepEqual(progress, atStart);
  });

  const plans = fc.record({
    recurringAmount: fc.integer({ min: 1, max: 5000 }),
    firstAmount: fc.option(fc.integer({ min: 1, max: 20_000 })),
    totalAmount: fc.integer({ min: 1, max: 50_000 }),
  });

  it('add up to the total of a capped plan exactly, and never pass it', () => {
    fc.assert(
      fc.property(plans, (changes) => {
        const { payments, hasMore } = upcomingPayments(terms({ ...changes, frequencyType: 'weekly' }), atStart, 50_001);
        assert.equal(hasMore, false);
        let sum = 0;
        for (const { amount } of payments) {
          assert.ok(amount > 0);
          sum += amount;
          assert.ok(sum <= changes.totalAmount);
        }
        assert.equal(sum, changes.totalAmount);
        assert.ok(payments.slice(1, -1).every(({ amount }) => amount === changes.recurringAmount));
      }),
      { numRuns: 40 },
    );
  });

  it('add up to the total of a capped plan when slots are skipped and payments given up, opened one at a time', () => {
    const course = fc.array(fc.constantFrom('paid', 'skipped', 'given up'), { maxLength: 200 });
    fc.assert(
      fc.property(plans, course, (changes, steps) => {
        const plan = terms(changes);
        const progress = { ...atStart };
        for (const step of steps) {
          const amount = nextPaymentAmount(plan, progress);
          if (amount === null) break;
          progress.nextSlot += 1;
          if (step === 'skipped') continue;
          progress.paymentsOpened += 1;
          if (step === 'paid') progress.committedAmount += amount;
          assert.ok(progress.committedAmount <= changes.totalAmount);
        }
        const rest = upcomingPayments(plan, progress, 50_001).payments;
        const ahead = rest.reduce((sum, payment) => sum + payment.amount, 0);
        assert.equal(progress.committedAmount + ahead, changes.totalAmount);
        assert.ok(rest.every((payment, index) => payment.slot === progress.nextSlot + index));
        assert.ok(rest.every(({ slot, dueDate }) => dueDate === slotDate(plan, slot)));
      }),
      { numRuns: 40 },
    );
  });

  it('come in pages that join without a gap', () => {
    fc.assert(
      fc.property(plans, fc.integer({ min: 1, max: 20 }), (changes, count) => {
        const plan = terms(changes);
        const first = upcomingPayments(plan, atStart, count);
        const next = upcomingPayments(
          plan,
          {
            nextSlot: first.payments.length,
            paymentsOpened: first.payments.length,
            committedAmount: first.payments.reduce((sum, { amount }) => sum + amount, 0),
          },
          count,
        );
        assert.deepEqual([...first.payments, ...next.payments], upcomingPayments(plan, atStart, 2 * count).payments);
        assert.equal(first.hasMore, next.payments.length > 0);
      }),
    );
  });
});
