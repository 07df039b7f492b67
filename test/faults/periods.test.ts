import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  begunBy,
  billBy,
  countsOf,
  resumeAt,
  startedAt,
  stateAt,
  stopAt,
  type Terms,
} from '../../faults/load/periods.ts';

const monthly: Terms = { every: 'month', period: 1, trialDays: 0, manner: 'paid', unpaid: 'pause' };
const begin = Date.UTC(2027, 0, 31, 9);
const on = (text: string) => Date.parse(`${text}T12:00:00Z`);
const linesOf = (course: ReturnType<typeof startedAt>, now: number) =>
  begunBy(course, now).map(({ start, end, status, attempts }) => `${start} ${end} ${status} ${attempts.length}`);

describe('the second calculation of subscriptions, by which a fault run judges', () => {
  it('counts every period from the first day: 31 January, 28 February, 31 March', () => {
    assert.deepEqual(linesOf(startedAt(monthly, begin), on('2027-03-31')), [
      '2027-01-31 2027-02-28 paid 1',
      '2027-02-28 2027-03-31 paid 1',
      '2027-03-31 2027-04-30 paid 1',
    ]);
  });

  it('begins to charge where a trial ends', () => {
    const course = startedAt({ ...monthly, trialDays: 9 }, begin);
    assert.equal(stateAt(course, on('2027-02-08')), 'trialing');
    assert.deepEqual(linesOf(course, on('2027-02-09')), [
      '2027-01-31 2027-02-09 paid 0',
      '2027-02-09 2027-03-09 paid 1',
    ]);
  });

  it('retries the second period after a day, or gives it up after five', () => {
    const recovers = startedAt({ ...monthly, manner: 'recovers' }, begin);
    assert.deepEqual(linesOf(recovers, on('2027-02-28')).slice(1), ['2027-02-28 2027-03-31 retrying 1']);
    assert.equal(stateAt(recovers, on('2027-02-28')), 'past_due');
    assert.deepEqual(linesOf(recovers, on('2027-03-01')).slice(1), ['2027-02-28 2027-03-31 paid 2']);
    const givesUp = startedAt({ ...monthly, manner: 'gives up' }, begin);
    assert.deepEqual(linesOf(givesUp, on('2027-06-01')).slice(1), ['2027-02-28 2027-03-31 unpaid 4']);
    assert.equal(stateAt(givesUp, on('2027-06-01')), 'paused');
  });

  it('begins nothing in a pause, and counts anew from the day of a resume', () => {
    const course = startedAt(monthly, begin);
    stopAt(course, 'pause', Date.UTC(2027, 1, 28));
    assert.equal(linesOf(course, on('2027-05-05')).length, 1);
    assert.equal(stateAt(course, on('2027-05-05')), 'paused');
    resumeAt(course, on('2027-05-05'));
    assert.deepEqual(linesOf(course, on('2027-05-05')).slice(1), ['2027-05-05 2027-06-05 paid 1']);
    assert.equal(stateAt(course, on('2027-05-05')), 'active');
  });

  it('counts what rolled over in an advance once, and each payment that was tried in it', () => {
    const course = startedAt({ ...monthly, manner: 'recovers' }, begin);
    const counts = (from: string, to: string) => Object.values(countsOf([course], on(from), on(to)));
    assert.deepEqual(counts('2027-01-31', '2027-03-31'), [1, 2]);
    assert.deepEqual(counts('2027-02-28', '2027-03-01'), [0, 1]);
    assert.deepEqual(counts('2027-03-01', '2027-03-30'), [0, 0]);
  });

  it('takes the days that are left at the new price, now or with the next period, and uses credit first', () => {
    const course = startedAt({ ...monthly, every: 'week' }, Date.UTC(2027, 0, 4, 9), 7_000);
    const ask = (on: number, price: number, collect: 'now' | 'next_period') =>
      course.asks.push({ kind: 'change', after: 1, at: Date.UTC(2027, 0, on, 9), price, when: 'now', collect });
    ask(5, 14_000, 'now');
    ask(9, 21_000, 'next_period');
    const amounts = () => begunBy(course, on('2027-01-25')).map(({ amount }) => amount);
    // Six and two of seven days are left.
    assert.deepEqual(billBy(course, on('2027-01-09')).changes, [6_000]);
    assert.deepEqual(amounts(), [7_000, 23_000, 21_000, 21_000]);
    course.asks.push({ kind: 'change', after: 2, at: on('2027-01-11'), price: 700, when: 'now', collect: 'now' });
    assert.equal(billBy(course, on('2027-01-11')).credit, 20_300);
    course.asks.push({ kind: 'refund', after: 2, amount: 19_250 });
    assert.equal(billBy(course, on('2027-01-11')).refundable, 3_750);
    assert.deepEqual(amounts(), [7_000, 23_000, 0, 350]);
    assert.equal(begunBy(course, on('2027-01-25'))[2]?.attempts.length, 0);
  });

  it('rounds the price of the days that are left half up', () => {
    const course = startedAt(monthly, Date.UTC(2027, 1, 1, 9), 28);
    // One of 28 days is left: 1.5 of the new price, 1 of the old.
    course.asks.push({ kind: 'change', after: 1, at: on('2027-02-28'), price: 42, when: 'now', collect: 'now' });
    assert.deepEqual(billBy(course, on('2027-02-28')).changes, [1]);
  });
});
