import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { addMs, customerInstant } from '../../../src/domain/instants.ts';
import { type ComingPeriod, comingPeriods, nextPeriodAmount } from '../../../src/domain/subscriptions/coming.ts';
import { sumOf } from '../../../src/domain/subscriptions/lines.ts';
import { isCollectedAsIs, unpaidPeriods } from '../../../src/domain/subscriptions/owed.ts';
import { openPeriods, type Period } from '../../../src/domain/subscriptions/subscription.ts';
import { searchMs, searchRuns, searchSeed } from '../../support/search.ts';
import { courses, live, Simulated } from './simulated.ts';

const dayMs = 86_400_000;
const most = 4;

/** A weekly subscription of 10.00 that began on 31 January, after so many days. */
function weekly(days: number, outcomes: Simulated['outcomes'] = [], terms: Partial<Terms> = {}): Simulated {
  const items = [{ id: 'sbi_1' as const, name: 'Class', unit_amount_cents: 1_000, quantity: 1 }];
  const subject = new Simulated({ frequency_type: 'weekly', items, ...terms }, outcomes);
  subject.ask({ name: 'start' });
  subject.runUntil(addMs(subject.now, days * dayMs));
  return subject;
}
type Terms = ConstructorParameters<typeof Simulated>[0];
const foretold = ({ subscription, now }: Simulated, isOwedApart = false) =>
  comingPeriods(subscription, now, most, { isOwedApart });
const rowOf = ({ number, start_date: start, end_date: end, amount_cents: amount, lines }: Period): ComingPeriod => ({
  number,
  start,
  end,
  amount,
  lines,
});

/** What is taken from now on, if all that is asked of it is to collect, and every payment succeeds. */
function taken(subject: Simulated, isOwedApart: boolean): ComingPeriod[] {
  const { terms } = subject.subscription;
  subject.outcomes.splice(0);
  // A first period that was not paid is begun again, under the same number.
  const known = new Set(terms.state === 'pending' ? [] : subject.periods.keys());
  const unpaid = unpaidPeriods(subject.subscription);
  const isRunning = isCollectedAsIs(subject.subscription, subject.now);
  const isFinal = unpaid.some(({ status }) => status === 'unpaid') && !terms.cancel_requested;
  if (terms.state === 'pending') subject.ask({ name: 'start' });
  if (terms.state === 'past_due' && isFinal) subject.ask({ name: 'retry_now' });
  const waits = terms.resumes_at !== null && unpaid.length === 0;
  const isResumed = terms.state === 'paused' && !waits && subject.ask({ name: 'resume', isOwedApart });
  const first = isResumed && isRunning ? unpaid.map(rowOf) : [];
  const begun = () => [...subject.periods.values()].filter(({ kind, number }) => kind === 'paid' && !known.has(number));
  for (let weeks = 0; weeks < 80 && begun().length < most; weeks += 1) subject.runUntil(addMs(subject.now, 7 * dayMs));
  return [...first, ...begun().map(rowOf)].slice(0, most);
}

/** Of what is retried and what is not, a schedule cannot know what is asked. */
function isMixed({ subscription }: Simulated): boolean {
  return new Set(unpaidPeriods(subscription).map(({ status }) => status)).size > 1;
}

describe('the periods to come of a subscription', () => {
  it('are what its steps then take, to the cent and to the day, in every state that random lives reach', () => {
    const states = new Set<string>();
    fc.assert(
      fc.property(courses, fc.boolean(), (life, isOwedApart) => {
        const subject = live(life);
        if (isMixed(subject)) return;
        states.add(subject.subscription.terms.state);
        const before = foretold(subject, isOwedApart);
        assert.deepEqual(before, taken(subject, isOwedApart));
      }),
      { numRuns: searchRuns(500), seed: searchSeed },
    );
    assert.deepEqual([...states].toSorted(), ['active', 'canceled', 'past_due', 'paused', 'pending', 'trialing']);
  }).timeout(60_000 + searchMs);

  it('take, first, what is said to be owed while it is paused for a payment', () => {
    fc.assert(
      fc.property(courses, (life) => {
        const subject = live(life);
        const { subscription, now, before } = subject;
        if (subscription.terms.state !== 'paused' || openPeriods(subscription).length === 0) return;
        const coming = foretold(subject);
        const unpaid = unpaidPeriods(subscription);
        const taking = isCollectedAsIs(subscription, now)
          ? coming.slice(0, unpaid.length).reduce((sum, { amount }) => sum + amount, 0)
          : sumOf(coming[0]?.lines.filter(({ kind }) => kind === 'owed') ?? []);
        if (coming.length > 0) assert.equal(before.owed_amount_cents, taking);
      }),
      { numRuns: searchRuns(300), seed: searchSeed },
    );
  });

  it('begin with the unpaid period while it runs, and once it is over with a new one that takes what is owed', () => {
    const running = weekly(13, [true, false, false, false, false]);
    assert.deepEqual(
      foretold(running).map(({ number, start, amount }) => [number, start, amount]),
      [
        [2, '2027-02-07', 1_000],
        [3, '2027-02-14', 1_000],
        [4, '2027-02-21', 1_000],
        [5, '2027-02-28', 1_000],
      ],
    );
    running.runUntil(customerInstant('2027-02-20T00:00:00Z'));
    assert.deepEqual(
      foretold(running).map(({ start, amount }) => [start, amount]),
      [
        ['2027-02-20', 1_714],
        ['2027-02-27', 1_000],
        ['2027-03-06', 1_000],
        ['2027-03-13', 1_000],
      ],
    );
  });

  it('are none after the end, and none of a trial', () => {
    const ending = weekly(8);
    ending.ask({ name: 'cancel', when: { on: '2027-02-21' } });
    assert.deepEqual(
      foretold(ending).map(({ start }) => start),
      ['2027-02-14'],
    );
    ending.ask({ name: 'cancel', when: 'now' });
    assert.deepEqual([foretold(ending), nextPeriodAmount(ending.subscription, ending.now)], [[], 0]);
    const trial = weekly(2, [], { trial_days: 10 });
    assert.deepEqual(foretold(trial)[0]?.start, '2027-02-10');
  });

  it('are as if it were started now while it is pending', () => {
    const pending = new Simulated({ frequency_type: 'weekly' }, []);
    assert.deepEqual(
      foretold(pending).map(({ start }) => start),
      ['2027-01-31', '2027-02-07', '2027-02-14', '2027-02-21'],
    );
    assert.equal(pending.subscription.terms.state, 'pending');
    const trial = new Simulated({ frequency_type: 'weekly', trial_days: 4, ends_at: '2027-02-11' }, []);
    assert.deepEqual(
      foretold(trial).map(({ number, start, end }) => [number, start, end].join(' ')),
      ['2 2027-02-04 2027-02-11'],
    );
  });
});
