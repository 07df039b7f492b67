import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { customerInstant } from '../../../src/domain/instants.ts';
import { derive } from '../../../src/domain/subscriptions/derive.ts';
import { openPeriods } from '../../../src/domain/subscriptions/subscription.ts';
import { type Outcome, Simulated } from './simulated.ts';

/** Day 0 is 31 January 2027. */
const day = (days: number) => customerInstant(Date.parse('2027-01-31') + days * 86_400_000);

function weekly(on: number, outcomes: Outcome[] = [], terms: ConstructorParameters<typeof Simulated>[0] = {}) {
  const subject = new Simulated({ frequency_type: 'weekly', ...terms }, outcomes);
  subject.ask({ name: 'start' });
  subject.runUntil(day(on));
  return subject;
}
const until = ({ before }: Simulated) => [before.in_effect, before.in_effect_until];
const derived = ({ subscription, now, inEffect }: Simulated) => derive(subscription, now, inEffect);
const declined: Outcome[] = [true, false, false, false, false];

describe('until when a subscription is in effect', () => {
  it('is the end of what is paid or in trial, or an earlier end or pause', () => {
    assert.deepEqual(until(weekly(1)), [true, day(7)]);
    assert.deepEqual(until(weekly(1, [], { trial_days: 10 })), [true, day(10)]);
    assert.deepEqual(until(weekly(1, [], { ends_at: '2027-02-04' })), [true, day(4)]);
    const pausing = weekly(1);
    pausing.ask({ name: 'pause', from: null, resumesAt: null, anchorDay: null });
    assert.deepEqual(until(pausing), [true, day(7)]);
  });

  it('is, while it is past due, the last retry if grace lasts longer', () => {
    assert.deepEqual(until(weekly(7, declined)), [true, day(12)]);
  });

  it('is, while it is past due, the end of grace if that is earlier, and then it is not in effect', () => {
    assert.deepEqual(until(weekly(7, declined, { grace_days: 2 })), [true, day(9)]);
    assert.deepEqual(until(weekly(9, declined, { grace_days: 2 })), [false, null]);
  });

  it('is, while it is past due, an end or a pause if that is earlier', () => {
    assert.deepEqual(until(weekly(7, declined, { ends_at: '2027-02-10' })), [true, day(10)]);
  });

  it('does not begin again at the instant of a planned pause, if one of two payments that came back is paid then', () => {
    const subject = weekly(13, [true, false, true]);
    assert.ok(subject.ask({ name: 'pause', from: null, resumesAt: null, anchorDay: null }));
    subject.comeBack(2);
    subject.comeBack(1);
    assert.equal(subject.inEffect, false);
    subject.runUntil(day(14));
    const last = subject.told.filter(({ at }) => at === day(14).getTime()).map(({ what }) => what);
    assert.deepEqual(last, ['period_paid', 'recovered', 'period_paid', 'paused']);
  });

  it('is the same after a final decline: the retries end, and not the days that they would have had', () => {
    const subject = weekly(7, [true, 'final']);
    const { terms } = subject.subscription;
    const [owed] = openPeriods(subject.subscription);
    assert.deepEqual([terms.state, owed?.status, ...until(subject)], ['past_due', 'unpaid', true, day(12)]);
    const { next_attempt_at: retryAt, lapses_at: lapsesAt } = derived(subject);
    assert.deepEqual([retryAt, lapsesAt], [null, day(12)]);
    subject.runUntil(day(12));
    assert.deepEqual([subject.subscription.terms.state, ...until(subject)], ['paused', false, null]);
  });
});

describe('what a subscription waits for', () => {
  it('is the end of its unpaid period while it is paused for that, once', () => {
    const subject = weekly(13, declined);
    assert.deepEqual(derived(subject).lapses_at, day(14));
    subject.runUntil(day(14));
    assert.equal(derived(subject).lapses_at, null);
    assert.notEqual(subject.periods.get(2)?.lapsed_at, null);
  });

  it('is not the end of an unpaid period in a pause that was asked for', () => {
    const subject = weekly(8);
    subject.ask({ name: 'pause', from: null, resumesAt: null, anchorDay: null });
    subject.runUntil(day(16));
    subject.comeBack(2);
    assert.equal(subject.subscription.terms.state_reason, 'requested');
    assert.equal(derived(subject).lapses_at, null);
  });

  it('is, with a planned end that lies within a period, that day; after an uncancel the rest of it follows', () => {
    const subject = weekly(1, [], { ends_at: '2027-02-10' });
    subject.runUntil(day(8));
    assert.deepEqual(derived(subject).next_period_at, day(10));
    assert.ok(subject.ask({ name: 'uncancel' }));
    subject.runUntil(day(15));
    const periods = [...subject.periods.values()].map(({ start_date: start, end_date: end, amount_cents: amount }) =>
      [start, end, amount].join(' '),
    );
    assert.deepEqual(periods, [
      '2027-01-31 2027-02-07 100',
      '2027-02-07 2027-02-10 43',
      '2027-02-10 2027-02-14 57',
      '2027-02-14 2027-02-21 100',
    ]);
  });
});
