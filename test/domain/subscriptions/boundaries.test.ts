import assert from 'node:assert/strict';
import fc from 'fast-check';
import { addDays, daysBetween } from '../../../src/domain/calendar.ts';
import { customerInstant } from '../../../src/domain/instants.ts';
import { periodDates } from '../../../src/domain/subscriptions/periods.ts';
import { respondTo } from '../../../src/domain/subscriptions/requests.ts';
import { calendarOf, endsNear, openPeriods } from '../../../src/domain/subscriptions/subscription.ts';
import { searchRuns, searchSeed } from '../../support/search.ts';
import { type fresh, Simulated } from './simulated.ts';

/** A monthly subscription of 31 January 2027, after so many days. */
function lived(days: number, terms: Partial<typeof fresh> = {}, outcomes: boolean[] = []): Simulated {
  const subject = new Simulated(terms, outcomes);
  subject.ask({ name: 'start' });
  subject.runUntil(customerInstant(subject.now.getTime() + days * 86_400_000));
  return subject;
}
const refusal = (subject: Simulated, request: Parameters<typeof respondTo>[0]) => {
  const answer = respondTo(request, subject.subscription, subject.now);
  return 'refused' in answer ? [answer.field, answer.refused] : null;
};
const cancelOn = (on: string) => ({ name: 'cancel', when: { on } }) as const;
const stateOf = ({ subscription: { terms } }: Simulated) => [terms.state, terms.state_reason];

describe('the ends of periods that a date may be', () => {
  it('are the end of the current period, and those after it', () => {
    const { subscription } = lived(10);
    assert.deepEqual(endsNear(subscription, '2027-02-28', '2027-02-10'), ['2027-02-28', '2027-03-31']);
    assert.deepEqual(endsNear(subscription, '2027-06-30', '2027-02-10'), ['2027-06-30', '2027-07-31']);
  });

  it('are for another date the nearest two: the one before it and the one after it', () => {
    const { subscription } = lived(10);
    assert.deepEqual(endsNear(subscription, '2027-05-01', '2027-02-10'), ['2027-04-30', '2027-05-31']);
  });

  it('are for a date that has passed the first two to come', () => {
    const { subscription } = lived(10);
    for (const date of ['2026-01-01', '2027-02-10', '2027-02-27']) {
      assert.deepEqual(endsNear(subscription, date, '2027-02-10'), ['2027-02-28', '2027-03-31']);
    }
  });

  it('begin in a trial with its end', () => {
    const { subscription } = lived(3, { trial_days: 14 });
    assert.deepEqual(endsNear(subscription, '2027-02-01', '2027-02-03'), ['2027-02-14', '2027-03-14']);
  });

  it('are to come also while the payment of a period that is over is under way', () => {
    const { subscription } = lived(10, { frequency_type: 'weekly' });
    const late = {
      ...subscription,
      current: subscription.current && { ...subscription.current, end_date: '2027-02-14' },
    };
    assert.deepEqual(endsNear(late, '2027-02-14', '2027-02-15'), ['2027-02-21', '2027-02-28']);
  });

  it('are those of the calendar, around the date, and after today', () => {
    const types = fc.constantFrom('weekly' as const, 'monthly' as const, 'yearly' as const);
    fc.assert(
      fc.property(
        types,
        fc.integer({ min: 1, max: 5 }),
        fc.nat(400),
        fc.integer({ min: -50, max: 900 }),
        (...given) => {
          const [frequency_type, frequency_period, days, ahead] = given;
          const { subscription } = lived(days, { frequency_type, frequency_period });
          const today = addDays('2027-01-31', days);
          const date = addDays(today, ahead);
          const ends = Array.from(
            { length: 400 },
            (_, index) => periodDates(calendarOf(subscription.terms), index + 1).end,
          );
          const coming = ends.filter((end) => end > today);
          const before = coming.findLast((end) => end <= date) ?? coming[0];
          const after = coming[coming.indexOf(before ?? '') + 1];
          assert.deepEqual(endsNear(subscription, date, today), [before, after]);
        },
      ),
      { numRuns: searchRuns(100), seed: searchSeed },
    );
  });
});

describe('a pause from a date', () => {
  it('lets the periods before it go on, and ends them then', () => {
    const subject = lived(0);
    assert.ok(subject.ask({ name: 'pause', from: '2027-04-30', resumesAt: '2027-06-15', anchorDay: null }));
    subject.runUntil(customerInstant('2027-07-20T00:00:00Z'));
    const periods = [...subject.periods.values()].map(({ start_date: start, end_date: end }) => `${start} ${end}`);
    assert.deepEqual(periods, [
      '2027-01-31 2027-02-28',
      '2027-02-28 2027-03-31',
      '2027-03-31 2027-04-30',
      '2027-06-15 2027-07-15',
      '2027-07-15 2027-08-15',
    ]);
  });

  it('is refused for another day, by the name of its field and with the two nearest', () => {
    const nearest = 'from must be on the end of a period: the nearest to come are 2027-04-30 and 2027-05-31.';
    assert.deepEqual(refusal(lived(0), { name: 'pause', from: '2027-05-15', resumesAt: null, anchorDay: null }), [
      'from',
      nearest,
    ]);
  });

  it('is refused if it resumes before it begins', () => {
    const request = { name: 'pause', from: '2027-04-30', resumesAt: '2027-04-30', anchorDay: null } as const;
    assert.deepEqual(refusal(lived(0), request)?.[0], 'resumes_at');
  });

  it('keeps its end if a payment fails before it and is collected', () => {
    const subject = lived(0, {}, [true, false, true]);
    assert.ok(subject.ask({ name: 'pause', from: '2027-04-30', resumesAt: '2027-06-15', anchorDay: null }));
    subject.runUntil(customerInstant('2027-03-20T00:00:00Z'));
    const { terms } = subject.subscription;
    assert.deepEqual([terms.pauses_at, terms.resumes_at], ['2027-04-30', '2027-06-15']);
    assert.ok(subject.told.some(({ what }) => what === 'recovered'));
  });
});

describe('a cancellation at a date', () => {
  it('lets the periods before it go on, and ends them then', () => {
    const subject = lived(0);
    assert.ok(subject.ask(cancelOn('2027-04-30')));
    subject.runUntil(customerInstant('2027-07-20T00:00:00Z'));
    assert.deepEqual(stateOf(subject), ['canceled', 'ended']);
    assert.equal(subject.periods.size, 3);
  });

  it('lets retries go on, and that at the end of the current period ends them', () => {
    const later = lived(30, {}, [true, false, true]);
    assert.ok(later.ask(cancelOn('2027-04-30')));
    later.runUntil(customerInstant('2027-03-10T00:00:00Z'));
    assert.deepEqual(stateOf(later), ['active', null]);
    const atEnd = lived(28, {}, [true, false, true]);
    assert.ok(atEnd.ask(cancelOn('2027-03-31')));
    atEnd.runUntil(customerInstant('2027-03-10T00:00:00Z'));
    assert.deepEqual(stateOf(atEnd), ['past_due', null]);
  });

  it('gives the retries back that an earlier one has ended', () => {
    const subject = lived(28, {}, [true, false, true]);
    assert.equal(subject.subscription.terms.state, 'past_due');
    assert.ok(subject.ask({ name: 'cancel', when: 'period_end' }));
    assert.equal(openPeriods(subject.subscription)[0]?.status, 'unpaid');
    assert.ok(subject.ask(cancelOn('2027-04-30')));
    subject.runUntil(customerInstant('2027-03-10T00:00:00Z'));
    assert.deepEqual([...stateOf(subject), subject.subscription.terms.ends_at], ['active', null, '2027-04-30']);
  });

  it('hides a pause that is not before it, and an uncancel gives that and the end of the terms back', () => {
    const subject = lived(0, { ends_at: '2027-08-31' });
    assert.ok(subject.ask({ name: 'pause', from: '2027-05-31', resumesAt: null, anchorDay: null }));
    for (const on of ['2027-06-30', '2027-04-30', '2027-03-31']) assert.ok(subject.ask(cancelOn(on)));
    assert.ok(subject.ask({ name: 'cancel', when: 'period_end' }));
    assert.ok(subject.ask({ name: 'uncancel' }));
    const { ends_at, pauses_at, cancel_planned, cancel_requested } = subject.subscription.terms;
    assert.deepEqual(
      { ends_at, pauses_at, cancel_planned, cancel_requested },
      { ends_at: '2027-08-31', pauses_at: '2027-05-31', cancel_planned: false, cancel_requested: false },
    );
  });

  it('stays with a resume, and so does the end of the terms: the last period is short', () => {
    const subject = lived(0, { ends_at: '2027-08-31' });
    assert.ok(subject.ask(cancelOn('2027-06-30')));
    assert.ok(subject.ask({ name: 'pause', from: null, resumesAt: '2027-03-10', anchorDay: null }));
    subject.runUntil(customerInstant('2027-03-11T00:00:00Z'));
    const { ends_at, ends_at_before_cancel } = subject.subscription.terms;
    assert.deepEqual([ends_at, ends_at_before_cancel], ['2027-06-30', '2027-08-31']);
    subject.runUntil(customerInstant('2027-08-01T00:00:00Z'));
    const last = [...subject.periods.values()].at(-1);
    assert.deepEqual([last?.start_date, last?.end_date, last?.amount_cents], ['2027-06-10', '2027-06-30', 67]);
    assert.deepEqual(stateOf(subject), ['canceled', 'ended']);
  });

  it('is refused after the end of the terms, for another day, and while no period is under way', () => {
    assert.deepEqual(refusal(lived(0, { ends_at: '2027-04-30' }), cancelOn('2027-05-31')), [
      'at',
      'It ends on 2027-04-30 already.',
    ]);
    assert.deepEqual(refusal(lived(0), cancelOn('2027-05-01')), [
      'at',
      'at must be on the end of a period: the nearest to come are 2027-04-30 and 2027-05-31.',
    ]);
    const paused = lived(0);
    assert.ok(paused.ask({ name: 'pause', from: null, resumesAt: null, anchorDay: null }));
    paused.runUntil(customerInstant('2027-03-05T00:00:00Z'));
    assert.match(String(refusal(paused, cancelOn('2027-03-31'))?.[1]), /^It is paused, .* only be canceled at once/);
    assert.match(String(refusal(new Simulated({}, []), cancelOn('2027-03-31'))?.[1]), /^It is pending, /);
  });
});

describe('an end or a pause that was planned for a later period', () => {
  const begun = fc.record({
    terms: fc.record({
      frequency_type: fc.constantFrom('weekly' as const, 'monthly' as const),
      trial_days: fc.option(fc.integer({ min: 1, max: 20 }), { nil: null }),
      grace_days: fc.nat(9),
    }),
    days: fc.nat(40),
    plan: fc.record({
      do: fc.constant('plan' as const),
      what: fc.constantFrom('cancel' as const, 'pause' as const),
      periods: fc.nat(4),
      pausedDays: fc.constant(null),
    }),
    outcomes: fc.array(fc.boolean(), { maxLength: 8 }),
  });

  it('comes on its day, with every period before it and none after it', () => {
    fc.assert(
      fc.property(begun, ({ terms, days, plan, outcomes }) => {
        const subject = lived(days, terms, outcomes);
        const date = subject.plan(plan);
        if (date === null) return;
        subject.runUntil(customerInstant(subject.now.getTime() + 200 * 86_400_000));
        const told = subject.told.findLast(({ what }) => what === `${plan.what}${plan.what === 'pause' ? 'd' : 'ed'}`);
        const isGivenUp = subject.subscription.terms.state_reason === 'payment_failed';
        if (!isGivenUp) assert.equal(told && new Date(told.at).toISOString().slice(0, 10), date);
        const bought = [...subject.periods.values()].filter(({ status }) => status !== 'void');
        for (const period of bought) assert.ok(period.end_date <= date, `${period.end_date} ${date}`);
        // The periods adjoin up to the day, unless money was owed meanwhile.
        const hasFailed = subject.told.some(({ what }) => what === 'past_due');
        if (!isGivenUp && !hasFailed) assert.equal(bought.at(-1)?.end_date, date);
        assert.ok(daysBetween('2027-01-31', date) > 0);
      }),
      { numRuns: searchRuns(400), seed: searchSeed },
    );
  });
});
