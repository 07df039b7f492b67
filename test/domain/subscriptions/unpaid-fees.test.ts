import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { addMs } from '../../../src/domain/instants.ts';
import { replaceFees, unpaidFees } from '../../../src/domain/subscriptions/taking.ts';
import { type Outcome, Simulated } from './simulated.ts';

const towel = { name: 'Towel', unit_amount_cents: 300, quantity: 1 };
const locker = { name: 'Locker', unit_amount_cents: 100, quantity: 2 };
const declined: Outcome[] = [true, false, false, false, false];

/** A weekly subscription of 10.00 whose second period has taken a fee of 3.00 and is declined, so many days on. */
function unpaid(days: number, credit = 0, outcomes = declined): Simulated {
  const items = [{ id: 'sbi_1' as const, name: 'Class', unit_amount_cents: 1_000, quantity: 1 }];
  const subject = new Simulated({ frequency_type: 'weekly', items }, outcomes);
  subject.ask({ name: 'start' });
  subject.sell({ one_off_items: [towel], credit_balance_cents: credit });
  subject.runUntil(addMs(subject.now, days * 86_400_000));
  return subject;
}

describe('the fees that are not paid', () => {
  it('are those that an unpaid period has taken, until it is paid', () => {
    const subject = unpaid(8);
    assert.deepEqual(unpaidFees(subject.subscription), [towel]);
    subject.outcomes.splice(0);
    subject.ask({ name: 'retry_now' });
    assert.deepEqual(unpaidFees(subject.subscription), []);
  });

  it('are not those of a payment that is under way, and none after the end', () => {
    const subject = unpaid(8);
    const { subscription } = subject;
    const periods = subscription.periods.map((period) => ({ ...period, status: 'processing' as const }));
    const underWay = { ...subscription, periods };
    assert.deepEqual(unpaidFees(underWay), []);
    subject.ask({ name: 'cancel', when: 'now' });
    assert.deepEqual(unpaidFees(subject.subscription), []);
  });

  it('are replaced in the unpaid period, which then takes another amount', () => {
    const subject = unpaid(8);
    subject.fee([locker]);
    assert.deepEqual([unpaidFees(subject.subscription), subject.subscription.terms.one_off_items], [[locker], []]);
    assert.equal(subject.periods.get(2)?.amount_cents, 1_200);
    assert.equal(subject.before.owed_amount_cents, 1_200);
  });

  it('are taken out of it by an empty list', () => {
    const subject = unpaid(8);
    subject.fee([]);
    assert.equal(subject.periods.get(2)?.amount_cents, 1_000);
  });

  it('give back credit that the period no longer needs, and it is paid if nothing is left to take', () => {
    const subject = unpaid(8, 1_100);
    assert.deepEqual([subject.periods.get(2)?.amount_cents, subject.before.owed_amount_cents], [200, 200]);
    subject.fee([]);
    const { amount_cents: amount, credit_used_cents: used, status } = subject.periods.get(2) ?? {};
    assert.deepEqual([amount, used, status], [0, 1_000, 'paid']);
    assert.equal(subject.subscription.terms.credit_balance_cents, 100);
    assert.equal(subject.subscription.terms.state, 'active');
  });

  it('wait for the next period if the payment of the unpaid one can no longer be made', () => {
    const subject = unpaid(20);
    assert.notEqual(subject.periods.get(2)?.lapsed_at, null);
    const { waiting, periods } = replaceFees(subject.subscription, [locker]);
    assert.deepEqual([waiting, periods.map(({ change }) => change.amount_cents)], [[locker], [1_000]]);
    subject.fee([locker]);
    subject.ask({ name: 'resume' });
    assert.equal(subject.subscription.current?.amount_cents, 1_000 + 714 + 200);
  });
});
