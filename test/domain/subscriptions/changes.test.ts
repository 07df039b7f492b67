import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { addMs, customerInstant } from '../../../src/domain/instants.ts';
import { changeReturned, type ItemChange, quoteChange } from '../../../src/domain/subscriptions/changes.ts';
import { comingPeriods } from '../../../src/domain/subscriptions/coming.ts';
import { changeLines, type SubscriptionItem, sumOf } from '../../../src/domain/subscriptions/lines.ts';
import { changes, fresh, Simulated } from './simulated.ts';

const at = (unit_amount_cents: number, quantity = 1): SubscriptionItem[] => [
  { id: 'sbi_1', name: 'Seats', unit_amount_cents, quantity },
];
const now: Omit<ItemChange, 'items'> = { when: 'now', proration: 'days', collect: 'next_period' };
const day = (date: string) => customerInstant(`${date}T00:00:00Z`);

/** A monthly subscription since 31 January, at 3100, on this day. */
function activeOn(date: string, terms: object = {}, outcomes: boolean[] = []): Simulated {
  const subject = new Simulated({ items: at(3100), ...terms }, outcomes);
  subject.ask({ name: 'start' });
  subject.runUntil(day(date));
  return subject;
}

function quote(subject: Simulated, wanted: ItemChange) {
  const quoted = quoteChange(wanted, subject.subscription, subject.now);
  if ('refused' in quoted) throw new Error(quoted.refused);
  return quoted.quote;
}

function whyRefused(subject: Simulated, wanted: ItemChange): string | null {
  const quoted = quoteChange(wanted, subject.subscription, subject.now);
  return 'refused' in quoted ? quoted.refused : null;
}

describe('a change of what a subscription sells', () => {
  it('credits the days that are left and charges them at the new price, this day included', () => {
    // From 28 February to 31 March: 31 days, of which 18 are left on 13 March.
    const subject = activeOn('2027-03-13');
    const { lines, ...rest } = quote(subject, { ...now, items: at(6200), collect: 'now' });
    assert.deepEqual(lines, [
      { kind: 'credit', description: 'Seats: 18 of 31 days not used', quantity: 1, amount_cents: -1800 },
      { kind: 'proration', description: 'Seats: 18 of 31 days', quantity: 1, amount_cents: 3600 },
    ]);
    assert.deepEqual(rest, { amount: 1800, nextPeriodAmount: 6200, validUntil: day('2027-03-14') });
  });

  it('takes nothing now unless asked to: the next period takes it', () => {
    const subject = activeOn('2027-03-13');
    const { amount, nextPeriodAmount } = quote(subject, { ...now, items: at(6200) });
    assert.deepEqual([amount, nextPeriodAmount], [0, 8000]);
    subject.change({ ...now, items: at(6200) }, true);
    subject.runUntil(day('2027-03-31'));
    assert.equal(subject.subscription.current?.amount_cents, 8000);
    assert.equal(subject.balance(), 0);
  });

  it('leaves credit when the price falls, which later periods use until it is empty', () => {
    const subject = activeOn('2027-03-13');
    subject.change({ ...now, items: at(100), collect: 'now' }, true);
    const credit = 1800 - 58;
    assert.equal(subject.subscription.terms.credit_balance_cents, credit);
    subject.runUntil(day('2027-04-30'));
    const amounts = [...subject.periods.values()].map(({ amount_cents: amount }) => amount);
    assert.deepEqual(amounts, [3100, 3100, 0, 0]);
    assert.equal(subject.subscription.terms.credit_balance_cents, credit - 200);
  });

  it('credits a shorter first period by the days of the whole interval', () => {
    // From 20 February to 1 March: 9 of 28 days.
    const subject = activeOn('2027-02-20', { start_date: '2027-02-20', anchor_day: 1, items: at(2800) });
    assert.equal(subject.subscription.current?.amount_cents, 900);
    assert.deepEqual(
      quote(subject, { ...now, items: at(5600) }).lines.map(({ amount_cents: amount }) => amount),
      [-900, 1800],
    );
  });

  it('costs nothing now without proration, and its days are still credited at what was charged for them', () => {
    const subject = activeOn('2027-03-13');
    subject.change({ ...now, items: at(310_000), proration: 'none' }, true);
    assert.deepEqual(
      quote(subject, { ...now, items: at(3100) }).lines.map((line) => line.amount_cents),
      [-1800, 1800],
    );
    subject.change({ ...now, items: at(3100) }, true);
    assert.equal(subject.balance(), 0);
  });

  it('is made with the next period if it is for the end of this one, and can be taken back before', () => {
    const subject = activeOn('2027-03-13');
    const later = { ...now, when: 'period_end' } as const;
    assert.equal(quote(subject, { ...later, items: at(900) }).nextPeriodAmount, 900);
    subject.change({ ...later, items: at(900) }, true);
    assert.equal(comingPeriods(subject.subscription, subject.now, 1)[0]?.amount, 900);
    subject.change({ ...later, items: at(3100) }, true);
    assert.equal(subject.subscription.terms.next_items, null);
    subject.change({ ...later, items: at(900) }, true);
    subject.runUntil(day('2027-03-31'));
    assert.equal(subject.subscription.current?.amount_cents, 900);
    const told = subject.told.map(({ what }) => what).filter((what) => what.startsWith('change'));
    assert.deepEqual(told, ['change_scheduled', 'change_removed', 'change_scheduled', 'changed']);
  });

  it('costs nothing in a trial', () => {
    const subject = activeOn('2027-02-03', { trial_days: 10 });
    const { lines, amount, nextPeriodAmount } = quote(subject, { ...now, items: at(9000), collect: 'now' });
    assert.deepEqual([lines, amount, nextPeriodAmount], [[], 0, 9000]);
  });

  it('back on the same day nets nothing, whatever the days and items', () => {
    fc.assert(
      fc.property(changes, fc.integer({ min: 0, max: 27 }), (wanted, days) => {
        const subject = activeOn('2027-03-01');
        subject.runUntil(addMs(day('2027-03-01'), days * 86_400_000));
        const before = subject.subscription.terms.items;
        for (const items of [wanted.items, before]) subject.change({ ...wanted, items, when: 'now' }, true);
        assert.equal(subject.balance() + subject.paidForChanges, 0);
      }),
    );
  });

  it('costs in many steps on one day what the direct one does', () => {
    fc.assert(
      fc.property(fc.array(changes, { minLength: 1, maxLength: 6 }), (steps) => {
        const [many, direct] = [activeOn('2027-03-13'), activeOn('2027-03-13')];
        const same = { when: 'now', proration: 'days' } as const;
        for (const step of steps) many.change({ ...step, ...same }, true);
        const last = steps.at(-1);
        if (last) direct.change({ ...last, ...same }, true);
        assert.equal(many.balance() + many.paidForChanges, direct.balance() + direct.paidForChanges);
      }),
    );
  });

  it('never credits more than was charged for the days, item by item', () => {
    fc.assert(
      fc.property(changes, fc.integer({ min: 1, max: 366 }), fc.nat(), fc.nat(), ({ items }, whole, a, b) => {
        const days = a % (whole + 1);
        const left = b % (days + 1);
        const sum = (of: number) => sumOf(changeLines({ before: [], after: items }, { days: of, whole }));
        assert.ok(sum(left) <= sum(days));
      }),
    );
  });

  it('whose payment comes when its period is over is not made: the money is credit', () => {
    const subject = activeOn('2027-03-13');
    subject.change({ ...now, items: at(6200), collect: 'now' }, 'later');
    subject.runUntil(day('2027-04-01'));
    subject.settle(true);
    const { items, credit_balance_cents: credit } = subject.subscription.terms;
    assert.deepEqual([items, credit], [at(3100), 1800]);
    assert.equal(subject.told.at(-1)?.what, 'change_failed');
  });

  it('whose payment comes back is taken with the next period', () => {
    const subject = activeOn('2027-03-13');
    subject.change({ ...now, items: at(6200), collect: 'now' }, true);
    const terms = { items: at(6200), proration: 'days' as const, period: 2 };
    const open = { ...terms, lines: [], amount_cents: 1800, payment_intent_id: null };
    subject.apply(changeReturned(open));
    assert.equal(sumOf(subject.subscription.terms.next_period_lines), 1800);
  });

  it('gives the credit back that a period used which is not billed: it pays what was served, and then the next', () => {
    const subject = activeOn('2027-03-13', {}, [true, true, false, false, false, false]);
    subject.change({ ...now, items: at(1550) }, true);
    const credit = subject.subscription.terms.credit_balance_cents;
    subject.runUntil(day('2027-05-01'));
    assert.deepEqual([subject.subscription.terms.state, subject.balance()], ['paused', 0]);
    subject.ask({ name: 'resume' });
    assert.equal(subject.periods.get(3)?.status, 'void');
    // 5 of 30 days at 1550 were served.
    assert.equal(subject.subscription.current?.carried_cents, 258 - credit);
  });

  it('is refused when it could not be billed, with the reason', () => {
    const wanted = { ...now, items: at(6200) };
    const pastDue = activeOn('2027-03-01', {}, [true, false, false]);
    assert.match(whyRefused(pastDue, wanted) ?? '', /past_due. Its unpaid period must be paid first/);
    const paused = activeOn('2027-03-13');
    paused.ask({ name: 'pause', from: null, resumesAt: null, anchorDay: null });
    paused.runUntil(day('2027-04-02'));
    assert.match(whyRefused(paused, wanted) ?? '', /paused/);
    assert.equal(whyRefused(paused, { ...wanted, when: 'period_end' }), null);
    const ending = activeOn('2027-03-13');
    ending.ask({ name: 'cancel', when: 'period_end' });
    assert.match(whyRefused(ending, wanted) ?? '', /No further period/);
    assert.match(whyRefused(ending, { ...wanted, when: 'period_end' }) ?? '', /no period follows/);
    assert.equal(whyRefused(ending, { ...wanted, collect: 'now' }), null);
    const pending = new Simulated({}, []);
    assert.match(whyRefused(pending, wanted) ?? '', /pending. Update it instead/);
    assert.equal(fresh.state, 'pending');
  });
});
