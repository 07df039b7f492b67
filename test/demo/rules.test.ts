import assert from 'node:assert/strict';
import {
  activate,
  advance,
  advanceBound,
  type Card,
  type Course,
  day,
  dueDate,
  hasMissed,
  newCourse,
  nextPaymentDate,
  passTo,
  resume,
  type Terms,
  upcoming,
} from '../../demo/rules.ts';

const monthly: Terms = { every: 'month', period: 1, start: '2028-01-31', amount: 4900, total: null };
const weekly: Terms = { every: 'week', period: 1, start: '2028-02-01', amount: 12_000, total: 50_000 };
const fortnightly: Terms = { every: 'week', period: 2, start: '2028-02-02', amount: 7500, total: 30_000 };

/** A plan that was activated at noon of 31 January 2028. */
function activated(terms: Terms, card: Card = 'good'): Course {
  const course = newCourse(terms, card, at('2028-01-31T12:00'));
  activate(course);
  return course;
}

const at = (time: string): number => Date.parse(`${time}:00Z`);
const minute = (time: number): string => new Date(time).toISOString().slice(0, 16);
const told = ({ happenings }: Course) => happenings.map(({ type, at: time }) => `${minute(time)} ${type}`);
const statuses = ({ payments }: Course) =>
  payments.map(({ dueDate: due, amount, status }) => `${due} ${amount} ${status}`);

describe('the demo’s own rules', () => {
  const dates: [string, Terms, string[]][] = [
    ['month ends of a leap year', monthly, ['2028-01-31', '2028-02-29', '2028-03-31', '2028-04-30', '2028-05-31']],
    ['the February of a common year', { ...monthly, start: '2027-01-30' }, ['2027-01-30', '2027-02-28', '2027-03-30']],
    [
      'every third month, over a year’s end',
      { ...monthly, start: '2027-11-30', period: 3 },
      ['2027-11-30', '2028-02-29'],
    ],
    ['weeks', weekly, ['2028-02-01', '2028-02-08', '2028-02-15', '2028-02-22', '2028-02-29', '2028-03-07']],
    ['fortnights', fortnightly, ['2028-02-02', '2028-02-16', '2028-03-01']],
  ];
  for (const [what, terms, expected] of dates) {
    it(`count ${what} from the anchor`, () => {
      assert.deepEqual(
        expected.map((_, slot) => dueDate(terms, slot)),
        expected,
      );
    });
  }

  const bounds: [string, Course[], number][] = [
    ['no plan', [], 62],
    ['a pending plan alone', [newCourse(weekly, 'good', 0)], 62],
    ['a monthly plan', [activated(monthly)], 60],
    ['a fortnightly and a monthly plan', [activated(monthly), activated(fortnightly)], 28],
    ['all three', [activated(monthly), activated(fortnightly), activated(weekly)], 14],
  ];
  for (const [what, courses, days] of bounds) {
    it(`bound an advance by ${days} days with ${what}`, () => {
      assert.equal(advanceBound(day, courses), day + days * day);
    });
  }

  it('collect what has come at once at activation, and the rest at midnight', () => {
    const course = activated(monthly);
    passTo(course, at('2028-02-29T00:00'));
    assert.deepEqual(told(course), [
      '2028-01-31T12:00 payment_plan.activated',
      '2028-01-31T12:00 payment_intent.succeeded',
      '2028-02-29T00:00 payment_intent.succeeded',
    ]);
  });

  it('cut the last payment to what remains, and close the plan with it', () => {
    const course = activated(weekly);
    assert.deepEqual(
      upcoming(course, 9).map(({ amount }) => amount),
      [12_000, 12_000, 12_000, 12_000, 2000],
    );
    passTo(course, at('2028-06-01T00:00'));
    assert.deepEqual(statuses(course).at(-1), '2028-02-29 2000 paid');
    assert.equal(told(course).at(-1), '2028-02-29T00:00 payment_plan.closed');
    assert.deepEqual(
      [course.state, course.collected, nextPaymentDate(course), upcoming(course, 9)],
      ['closed', 50_000, null, []],
    );
  });

  it('try a declined payment again after 1, 3 and 5 days, and suspend the plan then', () => {
    const course = activated(fortnightly, 'declining');
    passTo(course, at('2028-02-14T12:00'));
    assert.deepEqual(told(course).slice(1), [
      '2028-02-02T00:00 payment_intent.failed',
      '2028-02-03T00:00 payment_intent.failed',
      '2028-02-05T00:00 payment_intent.failed',
      '2028-02-07T00:00 payment_intent.failed',
      '2028-02-07T00:00 payment_plan.suspended',
    ]);
    assert.equal(hasMissed(course), false);
  });

  it('catch up at resume, skip what passed while suspended, and go on by the calendar', () => {
    const course = activated(fortnightly, 'declining');
    passTo(course, at('2028-02-28T12:00'));
    assert.equal(hasMissed(course), true);
    course.card = 'good';
    resume(course);
    assert.deepEqual(statuses(course), ['2028-02-02 7500 paid', '2028-02-16 null skipped']);
    assert.equal(told(course).at(-1), '2028-02-28T12:00 payment_intent.succeeded');
    passTo(course, at('2028-06-01T00:00'));
    assert.deepEqual(statuses(course).slice(2), [
      '2028-03-01 7500 paid',
      '2028-03-15 7500 paid',
      '2028-03-29 7500 paid',
    ]);
  });

  it('count an intent that was tried four times once, and a plan in which nothing moved not at all', () => {
    const courses = [activated(monthly), activated(weekly), activated(fortnightly, 'declining')];
    const { payment_intents_enqueued: intents, plans_recalculated: plans } = advance(courses, at('2028-02-14T12:00'));
    assert.deepEqual({ intents, plans }, { intents: 3, plans: 2 });
  });
});
