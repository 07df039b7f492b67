import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  addBusinessDays,
  businessDaysFrom,
  isBusinessDay,
  nextBusinessDay,
} from '../../../src/domain/business-days/business-days.ts';
import { addDays, daysBetween } from '../../../src/domain/calendar.ts';

const calendars = fc.constantFrom('AU' as const, 'EU' as const, 'US' as const);
/** Thirty years. */
const dates = fc.integer({ min: 0, max: daysBetween('2024-01-01', '2054-01-01') }).map((n) => addDays('2024-01-01', n));
const counts = fc.integer({ min: 1, max: 60 });

describe('business days', () => {
  it('are those of the settlement system: Easter 2028 in Sydney, Frankfurt and New York', () => {
    const days = ['2028-04-13', '2028-04-14', '2028-04-15', '2028-04-16', '2028-04-17', '2028-04-18'];
    const openIn = (calendar: 'AU' | 'EU' | 'US') => days.filter((day) => isBusinessDay(calendar, day));
    assert.deepEqual(openIn('AU'), ['2028-04-13', '2028-04-18']);
    assert.deepEqual(openIn('EU'), ['2028-04-13', '2028-04-18']);
    assert.deepEqual(openIn('US'), ['2028-04-13', '2028-04-14', '2028-04-17', '2028-04-18']);
  });

  it('follow one another over the five closed days of Easter and Anzac Day 2011', () => {
    assert.equal(nextBusinessDay('AU', '2011-04-22'), '2011-04-27');
    assert.equal(addBusinessDays('AU', '2011-04-21', 1), '2011-04-27');
    assert.deepEqual(businessDaysFrom('AU', '2011-04-21', 2), ['2011-04-21', '2011-04-27']);
  });

  it('are counted from a closed day as from the open day before it', () => {
    assert.equal(addBusinessDays('AU', '2027-03-25', 2), '2027-03-31');
    for (const closed of ['2027-03-26', '2027-03-27', '2027-03-28', '2027-03-29'])
      assert.equal(addBusinessDays('AU', closed, 2), '2027-03-31');
  });

  it('are listed from a date on, that date included', () => {
    assert.deepEqual(businessDaysFrom('AU', '2027-03-25', 3), ['2027-03-25', '2027-03-30', '2027-03-31']);
    assert.deepEqual(businessDaysFrom('AU', '2027-03-26', 1), ['2027-03-30']);
  });

  it('begin with 2000 and end with 2099', () => {
    assert.deepEqual(businessDaysFrom('EU', '2000-01-01', 1), ['2000-01-03']);
    assert.deepEqual(businessDaysFrom('EU', '2099-12-30', 5), ['2099-12-30', '2099-12-31']);
    assert.equal(addBusinessDays('EU', '2099-12-30', 1), '2099-12-31');
    assert.throws(() => addBusinessDays('EU', '2099-12-30', 2), RangeError);
    for (const outside of ['1999-12-31', '2100-01-01', '2100-01-02', '9999-12-31']) {
      assert.throws(() => isBusinessDay('EU', outside), RangeError, outside);
      assert.throws(() => nextBusinessDay('EU', outside), RangeError, outside);
      assert.throws(() => businessDaysFrom('EU', outside, 1), RangeError, outside);
    }
  });

  it('are refused for what is no date or no count', () => {
    for (const wrong of ['2027-02-30', '2027-2-3', '', '20a7-01-01']) {
      assert.throws(() => isBusinessDay('US', wrong), RangeError, wrong);
      assert.throws(() => addBusinessDays('US', wrong, 1), RangeError, wrong);
    }
    for (const count of [0, -1, 1.5, Number.NaN, 2 ** 53]) {
      assert.throws(() => addBusinessDays('US', '2027-01-04', count), RangeError, String(count));
      assert.throws(() => businessDaysFrom('US', '2027-01-04', count), RangeError, String(count));
    }
  });

  it('add up: m days and then n days are m + n days, in every calendar over thirty years', () => {
    fc.assert(
      fc.property(calendars, dates, counts, counts, (calendar, date, m, n) => {
        const there = addBusinessDays(calendar, date, m);
        assert.equal(addBusinessDays(calendar, there, n), addBusinessDays(calendar, date, m + n));
      }),
      { numRuns: 200 },
    );
  });

  it('are n in number between a date, exclusive, and the n-th after it, inclusive', () => {
    fc.assert(
      fc.property(calendars, dates, counts, (calendar, date, n) => {
        const last = addBusinessDays(calendar, date, n);
        let open = 0;
        for (let day = addDays(date, 1); day <= last; day = addDays(day, 1))
          if (isBusinessDay(calendar, day)) open += 1;
        assert.equal(open, n);
        assert.ok(isBusinessDay(calendar, last));
      }),
      { numRuns: 200 },
    );
  });

  it('are at most four days away: the next one is open, and all days before it are closed', () => {
    fc.assert(
      fc.property(calendars, dates, (calendar, date) => {
        const next = nextBusinessDay(calendar, date);
        assert.ok(isBusinessDay(calendar, next));
        for (let day = date; day < next; day = addDays(day, 1)) assert.ok(!isBusinessDay(calendar, day), day);
        assert.ok(daysBetween(date, next) <= 4);
        assert.equal(nextBusinessDay(calendar, next), next);
      }),
      { numRuns: 1000 },
    );
  });

  it('keep the order of dates: a later date is never rolled to an earlier day', () => {
    fc.assert(
      fc.property(calendars, dates, fc.nat(20), counts, (calendar, date, later, n) => {
        assert.ok(nextBusinessDay(calendar, date) <= nextBusinessDay(calendar, addDays(date, later)));
        assert.ok(addBusinessDays(calendar, date, n) <= addBusinessDays(calendar, addDays(date, later), n));
      }),
      { numRuns: 200 },
    );
  });
});
