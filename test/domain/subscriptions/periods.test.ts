import assert from 'node:assert/strict';
import fc from 'fast-check';
import { addDays, daysBetween, startOfDay } from '../../../src/domain/calendar.ts';
import { linesOf, shareOf, sumOf } from '../../../src/domain/subscriptions/lines.ts';
import {
  lengthOf,
  type PeriodCalendar,
  periodDates,
  periodOf,
  withEnd,
} from '../../../src/domain/subscriptions/periods.ts';
import { searchRuns, searchSeed } from '../../support/search.ts';

const monthly = (start: string, more: Partial<PeriodCalendar> = {}): PeriodCalendar => ({
  frequency_type: 'monthly',
  frequency_period: 1,
  anchor_day: null,
  anchor_start: start,
  anchor_number: 1,
  cut_number: null,
  cut_at: null,
  ...more,
});
const starts = (calendar: PeriodCalendar, count: number) =>
  Array.from({ length: count }, (_, index) => periodDates(calendar, calendar.anchor_number + index).start);

/** An independent calendar, on JavaScript's own dates: years, months and days as numbers. */
function expectedStart(
  { frequency_type: type, frequency_period: every, anchor_start: start }: PeriodCalendar,
  n: number,
) {
  const [year = 0, month = 0, day = 0] = start.split('-').map(Number);
  if (type === 'weekly') return iso(Date.UTC(year, month - 1, day + 7 * every * n));
  const months = (type === 'yearly' ? 12 : 1) * every * n;
  const last = new Date(Date.UTC(year, month + months, 0)).getUTCDate();
  return iso(Date.UTC(year, month - 1 + months, Math.min(day, last)));
}
const iso = (time: number) => new Date(time).toISOString().slice(0, 10);

const dates = fc
  .date({ min: new Date('2020-01-01'), max: new Date('2060-12-31'), noInvalidDate: true })
  .map((date) => iso(date.getTime()));
const calendars = fc.record({
  frequency_type: fc.constantFrom('weekly' as const, 'monthly' as const, 'yearly' as const),
  frequency_period: fc.integer({ min: 1, max: 12 }),
  anchor_day: fc.constant(null),
  anchor_start: dates,
  anchor_number: fc.integer({ min: 1, max: 50 }),
  cut_number: fc.constant(null),
  cut_at: fc.constant(null),
});
const anchored = fc.record({
  frequency_type: fc.constantFrom('monthly' as const, 'yearly' as const),
  frequency_period: fc.integer({ min: 1, max: 6 }),
  anchor_day: fc.integer({ min: 1, max: 31 }),
  anchor_start: dates,
  anchor_number: fc.constant(1),
  cut_number: fc.constant(null),
  cut_at: fc.constant(null),
});

describe('the periods of a subscription', () => {
  it('begin, for the 31st, on the last day of shorter months, and on the 31st again after them', () => {
    assert.deepEqual(starts(monthly('2027-01-31'), 4), ['2027-01-31', '2027-02-28', '2027-03-31', '2027-04-30']);
  });

  it('begin, for 29 February, on the 28th in common years, and on the 29th in the next leap year', () => {
    const yearly = monthly('2028-02-29', { frequency_type: 'yearly' });
    assert.deepEqual(starts(yearly, 5), ['2028-02-29', '2029-02-28', '2030-02-28', '2031-02-28', '2032-02-29']);
  });

  it('begin, with a day of the month, with a short one, and then on that day', () => {
    const calendar = monthly('2027-02-10', { anchor_day: 31 });
    assert.deepEqual(starts(calendar, 4), ['2027-02-10', '2027-02-28', '2027-03-31', '2027-04-30']);
    assert.deepEqual(lengthOf(calendar, periodDates(calendar, 1)), { days: 18, whole: 28 });
    assert.deepEqual(lengthOf(calendar, periodDates(calendar, 2)), { days: 31, whole: 31 });
  });

  it('have no short one if they start on their day of the month', () => {
    const calendar = monthly('2027-02-28', { anchor_day: 31 });
    assert.deepEqual(starts(calendar, 3), ['2027-02-28', '2027-03-31', '2027-04-30']);
    assert.deepEqual(lengthOf(calendar, periodDates(calendar, 1)), { days: 31, whole: 31 });
  });

  it('are those of an independent calendar', () => {
    fc.assert(
      fc.property(calendars, fc.nat(200), (calendar, n) => {
        const { start, end } = periodDates(calendar, calendar.anchor_number + n);
        assert.deepEqual([start, end], [expectedStart(calendar, n), expectedStart(calendar, n + 1)]);
      }),
      { numRuns: 2_000 },
    );
  });

  it('tile: each begins where the one before ends, with a day of the month too', () => {
    fc.assert(
      fc.property(fc.oneof(calendars, anchored), fc.nat(60), (calendar, n) => {
        const period = periodDates(calendar, calendar.anchor_number + n);
        assert.ok(period.start < period.end);
        assert.equal(periodDates(calendar, period.number + 1).start, period.end);
      }),
      { numRuns: 2_000 },
    );
  });

  it('are found by any of their days', () => {
    fc.assert(
      fc.property(fc.oneof(calendars, anchored), fc.nat(3_000), (calendar, days) => {
        const date = iso(Date.parse(calendar.anchor_start) + days * 86_400_000);
        const period = periodOf(calendar, date);
        assert.ok(period.start <= date && date < period.end, `${date} in ${JSON.stringify(period)}`);
      }),
      { numRuns: 1_000 },
    );
  });

  it('begin at instants that rise, through the daylight saving of Sydney and Lord Howe and on both sides of midnight', () => {
    for (const zone of ['Australia/Sydney', 'Australia/Lord_Howe', 'Pacific/Kiritimati', 'Pacific/Pago_Pago']) {
      const calendar = monthly('2027-01-03', { frequency_type: 'weekly' });
      const instants = starts(calendar, 104).map((date) => startOfDay(date, zone).getTime());
      const gaps = instants.slice(1).map((instant, index) => (instant - (instants[index] ?? 0)) / 3_600_000);
      assert.ok(
        gaps.every((hours) => Math.abs(hours - 168) <= 1),
        zone,
      );
      assert.equal(
        gaps.some((hours) => hours !== 168),
        zone.startsWith('Australia'),
        zone,
      );
    }
  });
});

describe('a period that ends early', () => {
  const calendar = monthly('2027-01-31');

  it('is cut on the day that was set as the end, and costs its share of the interval', () => {
    const cut = withEnd(calendar, 2, '2027-03-10');
    assert.deepEqual(periodDates(cut, 2), { number: 2, start: '2027-02-28', end: '2027-03-10' });
    assert.deepEqual(lengthOf(cut, periodDates(cut, 2)), { days: 10, whole: 31 });
  });

  it('leaves the rest of its interval to the next one, if it goes on after all, and no other period moves', () => {
    const cut = withEnd(calendar, 2, '2027-03-10');
    assert.deepEqual(periodDates(cut, 3), { number: 3, start: '2027-03-10', end: '2027-03-31' });
    assert.deepEqual(lengthOf(cut, periodDates(cut, 3)), { days: 21, whole: 31 });
    assert.deepEqual(periodDates(cut, 4), { number: 4, start: '2027-03-31', end: '2027-04-30' });
    assert.deepEqual(periodDates(cut, 1), periodDates(calendar, 1));
  });

  it('is none if the end is an end of a period anyway, or not in this one', () => {
    for (const end of ['2027-03-31', '2027-02-28', '2027-04-01', null]) {
      assert.deepEqual(withEnd(calendar, 2, end), calendar);
    }
  });

  it('tiles with the others and shares one interval with the next, wherever it is cut', () => {
    fc.assert(
      fc.property(fc.oneof(calendars, anchored), fc.nat(20), fc.nat(400), (whole, n, day) => {
        const number = whole.anchor_number + n;
        const { start, end } = periodDates(whole, number);
        const cut = withEnd(whole, number, addDays(start, 1 + (day % daysBetween(start, end))));
        for (const each of [number - 1, number, number + 1, number + 2]) {
          if (each < whole.anchor_number) continue;
          const period = periodDates(cut, each);
          assert.ok(period.start < period.end);
          assert.equal(periodDates(cut, each + 1).start, period.end);
          assert.deepEqual(periodOf(cut, period.start), period);
          assert.ok(lengthOf(cut, period).days <= lengthOf(cut, period).whole);
        }
        if (cut === whole) return;
        const [one, rest] = [lengthOf(cut, periodDates(cut, number)), lengthOf(cut, periodDates(cut, number + 1))];
        assert.equal(one.whole, rest.whole);
        assert.equal(one.days + rest.days, daysBetween(start, end));
      }),
      { numRuns: searchRuns(200), seed: searchSeed },
    );
  });
});

describe('the lines of a period', () => {
  const items = [{ id: 'sbi_1' as const, name: 'Seat', unit_amount_cents: 1000, quantity: 3 }];

  it('cost unit amount times quantity for a whole period', () => {
    assert.equal(sumOf(linesOf(items, { days: 31, whole: 31 })), 3000);
  });

  it('cost their share of the days, rounded half up, for a shorter one', () => {
    assert.equal(sumOf(linesOf(items, { days: 7, whole: 31 })), 677);
    assert.equal(shareOf(1, 1, 2), 1);
    assert.equal(shareOf(1, 1, 3), 0);
  });

  it('never cost more than the whole, and two shares of one period differ from it by a minor unit at most', () => {
    fc.assert(
      fc.property(fc.nat(99_999_999), fc.integer({ min: 1, max: 366 }), fc.nat(366), (amount, whole, part) => {
        const days = Math.min(part, whole);
        const [one, other] = [shareOf(amount, days, whole), shareOf(amount, whole - days, whole)];
        assert.ok(one <= amount && Math.abs(one + other - amount) <= 1);
      }),
    );
  });

  it('refuse what is no share', () => {
    assert.throws(() => shareOf(-1, 1, 2), RangeError);
    assert.throws(() => shareOf(1, 1, 0), RangeError);
  });
});
