import assert from 'node:assert/strict';
import fc from 'fast-check';
import { maxFrozenTime } from '../../src/domain/advance-bound.ts';
import { customerInstant } from '../../src/domain/instants.ts';

const frozenTime = customerInstant('2027-01-01T08:30:00.000Z');
const weekly = (frequencyPeriod: number) => ({ frequencyType: 'weekly' as const, frequencyPeriod });
const monthly = (frequencyPeriod: number) => ({ frequencyType: 'monthly' as const, frequencyPeriod });

function daysAhead(plans: Parameters<typeof maxFrozenTime>[1]): number {
  return (maxFrozenTime(frozenTime, plans).getTime() - frozenTime.getTime()) / 86_400_000;
}

describe('the advance bound', () => {
  it('is 62 days without an active plan', () => {
    assert.equal(daysAhead([]), 62);
    assert.equal(maxFrozenTime(frozenTime, []).toISOString(), '2027-03-04T08:30:00.000Z');
  });

  const table: [title: string, plans: Parameters<typeof maxFrozenTime>[1], days: number][] = [
    ['a weekly plan', [weekly(1)], 14],
    ['a fortnightly plan', [weekly(2)], 28],
    ['a monthly plan', [monthly(1)], 60],
    ['a quarterly plan', [monthly(3)], 180],
    ['a monthly and a weekly plan', [monthly(1), weekly(1)], 14],
    ['a plan every five weeks and a monthly one', [weekly(5), monthly(1)], 60],
    ['a plan every four weeks and a monthly one', [weekly(4), monthly(1)], 56],
  ];
  for (const [title, plans, days] of table) {
    it(`is ${days} days with ${title}`, () => {
      assert.equal(daysAhead(plans), days);
    });
  }

  it('is the smallest of the bounds of the single plans, in any order', () => {
    const plan = fc.oneof(fc.integer({ min: 1, max: 60 }).map(weekly), fc.integer({ min: 1, max: 24 }).map(monthly));
    fc.assert(
      fc.property(fc.array(plan, { minLength: 1, maxLength: 9 }), (plans) => {
        assert.equal(daysAhead(plans), Math.min(...plans.map((one) => daysAhead([one]))));
      }),
    );
  });

  it('stays within the years that can be written, whatever the period', () => {
    assert.equal(maxFrozenTime(frozenTime, [monthly(1_000_000)]).toISOString(), '9999-12-31T23:59:59.999Z');
    assert.equal(maxFrozenTime(frozenTime, [weekly(2 ** 52)]).toISOString(), '9999-12-31T23:59:59.999Z');
  });

  it('refuses a period that is none', () => {
    for (const period of [0, -1, 1.5]) assert.throws(() => maxFrozenTime(frozenTime, [weekly(period)]), RangeError);
  });
});
