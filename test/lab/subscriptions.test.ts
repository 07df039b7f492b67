import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { SubscriptionTerms } from '../../lab/model/subscription-asks.ts';
import { countedIn } from '../../lab/model/subscription-periods.ts';
import { Subscription } from '../../lab/model/subscriptions.ts';

const monthly: SubscriptionTerms = {
  every: 'month',
  period: 1,
  trialDays: 0,
  behaviour: 'retry',
  unpaid: 'pause',
  graceDays: 0,
  outcomes: [[true]],
};
const begin = Date.UTC(2027, 0, 31, 9);
const on = (text: string) => Date.parse(`${text}T12:00:00Z`);
const started = (terms: Partial<SubscriptionTerms>, at = begin, price = 1_000) =>
  new Subscription({ ...monthly, ...terms }, at, price);
const linesOf = ({ all }: Subscription) =>
  all.map(({ start, end, status, attempts }) => `${start} ${end} ${status} ${attempts}`);

describe('the second calculation of subscriptions', () => {
  it('counts every period from the first day: 31 January, 28 February, 31 March', () => {
    const subscription = started({});
    subscription.advance(on('2027-03-31'));
    assert.deepEqual(linesOf(subscription), [
      '2027-01-31 2027-02-28 paid 1',
      '2027-02-28 2027-03-31 paid 1',
      '2027-03-31 2027-04-30 paid 1',
    ]);
  });

  it('begins to charge where a trial ends', () => {
    const subscription = started({ trialDays: 9 });
    subscription.advance(on('2027-02-08'));
    assert.equal(subscription.state, 'trialing');
    subscription.advance(on('2027-02-09'));
    assert.deepEqual(linesOf(subscription), ['2027-01-31 2027-02-09 paid 0', '2027-02-09 2027-03-09 paid 1']);
  });

  it('retries the second period after a day, or gives it up after five', () => {
    const recovers = started({ outcomes: [[true], [false, true], [true]] });
    recovers.advance(on('2027-02-28'));
    assert.deepEqual(linesOf(recovers).slice(1), ['2027-02-28 2027-03-31 retrying 1']);
    assert.equal(recovers.state, 'past_due');
    recovers.advance(on('2027-03-01'));
    assert.deepEqual(linesOf(recovers).slice(1), ['2027-02-28 2027-03-31 paid 2']);
    const givesUp = started({ outcomes: [[true], [false]] });
    givesUp.advance(on('2027-03-04'));
    assert.equal(givesUp.state, 'past_due');
    givesUp.advance(on('2027-03-05'));
    assert.deepEqual(linesOf(givesUp).slice(1), ['2027-02-28 2027-03-31 unpaid 4']);
    assert.equal(givesUp.state, 'paused');
  });

  it('begins nothing in a pause, and counts anew from the day of a resume', () => {
    const subscription = started({});
    subscription.request({ ask: 'pause', resumesIn: null });
    subscription.advance(on('2027-05-05'));
    assert.equal(linesOf(subscription).length, 1);
    assert.equal(subscription.state, 'paused');
    subscription.request({ ask: 'resume', unpaid: 'collect' });
    assert.deepEqual(linesOf(subscription).slice(1), ['2027-05-05 2027-06-05 paid 1']);
    assert.equal(subscription.state, 'active');
  });

  it('counts what rolled over in an advance once, and each payment that was tried in it', () => {
    const subscription = started({ outcomes: [[true], [false, true], [true]] });
    const counts = (to: string) => Object.values(countedIn([subscription], () => subscription.advance(on(to))));
    assert.deepEqual(counts('2027-02-27'), [0, 0]);
    assert.deepEqual(counts('2027-02-28'), [1, 1]);
    assert.deepEqual(counts('2027-03-01'), [0, 1]);
    assert.deepEqual(counts('2027-05-01'), [1, 2]);
  });

  it('takes the days that are left at the new price, now or with the next period, and uses credit first', () => {
    const subscription = started({ every: 'week' }, Date.UTC(2027, 0, 4, 9), 7_000);
    const change = (day: string, price: number, collect: 'now' | 'next_period') => {
      subscription.advance(on(day));
      subscription.request({ ask: 'change', price, when: 'now', collect });
      return subscription.quoted;
    };
    // Six and two of seven days are left.
    assert.deepEqual(change('2027-01-05', 14_000, 'now'), { amount: 6_000, next: 14_000 });
    assert.deepEqual(change('2027-01-09', 21_000, 'next_period'), { amount: 0, next: 23_000 });
    assert.deepEqual(change('2027-01-11', 700, 'now'), { amount: 0, next: 0 });
    assert.equal(subscription.credit, 20_300);
    subscription.request({ ask: 'refund', amount: 19_250 });
    assert.equal(subscription.refundable, 3_750);
    subscription.advance(on('2027-01-25'));
    const paid = subscription.all.map(({ amount, attempts }) => [amount, attempts]);
    assert.deepEqual(paid, [
      [7_000, 1],
      [23_000, 1],
      [0, 0],
      [350, 1],
    ]);
  });

  it('rounds the price of the days that are left half up', () => {
    const subscription = started({}, Date.UTC(2027, 1, 1, 9), 28);
    subscription.advance(on('2027-02-28'));
    // One of 28 days is left: 1.5 of the new price, 1 of the old.
    subscription.request({ ask: 'change', price: 42, when: 'now', collect: 'now' });
    assert.equal(subscription.quoted.amount, 1);
  });
});
