import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  addDays,
  addMonths,
  type Cadence,
  dayOfWeek,
  daysBetween,
  isNearSlot,
  isPlainDate,
  isTimeZone,
  lastSlot,
  type PlainDate,
  slotDate,
} from '../../src/domain/calendar.ts';
import { customerInstant } from '../../src/domain/instants.ts';

function cadence(
  frequencyType: Cadence['frequencyType'],
  frequencyPeriod: number,
  startDate: PlainDate,
  firstDate: PlainDate | null = null,
): Cadence {
  return { frequencyType, frequencyPeriod, startDate, firstDate };
}

const dates = fc
  .date({ min: new Date('1900-01-01T00:00:00Z'), max: new Date('2200-12-31T00:00:00Z'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));
const slots = fc.nat(1200);

/** The date of a slot by plain arithmetic on the numbers of the date, to check the library against. */
function expectedMonthly(startDate: PlainDate, months: number): PlainDate {
  const [year = 0, month = 0, day = 0] = startDate.split('-').map(Number);
  const index = year * 12 + month - 1 + months;
  const daysInMonth = new Date(Date.UTC(Math.floor(index / 12), (index % 12) + 1, 0)).getUTCDate();
  return new Date(Date.UTC(Math.floor(index / 12), index % 12, Math.min(day, daysInMonth))).toISOString().slice(0, 10);
}

describe('plain dates', () => {
  for (const value of ['2027-01-31', '2028-02-29', '2000-02-29', '0001-01-01', '9999-12-31']) {
    it(`include the date ${value}`, () => assert.equal(isPlainDate(value), true));
  }

  const wrong = ['2027-02-30', '2027-02-29', '1900-02-29', '2027-04-31', '2027-13-01', '2027-00-10', '2027-01-00'];
  const malformed = [
    '',
    '2027-1-31',
    '27-01-31',
    '2027-01-31T00:00:00Z',
    ' 2027-01-31',
    '2027-01-31\n',
    '+012027-01-31',
  ];
  for (const value of [...wrong, ...malformed, '2027/01/31', '0000-01-01', '2027-01-32', '２０２７-01-31']) {
    it(`do not include ${JSON.stringify(value)}`, () => assert.equal(isPlainDate(value), false));
  }

  it('are counted in days across months and leap years', () => {
    assert.equal(addDays('2028-02-28', 1), '2028-02-29');
    assert.equal(addDays('2027-02-28', 1), '2027-03-01');
    assert.equal(addDays('2027-03-01', -1), '2027-02-28');
    assert.equal(addDays('2027-01-01', 366), '2028-01-02');
    assert.equal(daysBetween('2028-01-01', '2029-01-01'), 366);
    assert.equal(daysBetween('2027-01-02', '2027-01-01'), -1);
  });

  it('are counted in months, and become the last day of a month that is shorter', () => {
    assert.equal(addMonths('2027-01-15', 15), '2028-04-15');
    assert.equal(addMonths('2027-08-31', 15), '2028-11-30');
    assert.equal(addMonths('2026-11-30', 15), '2028-02-29');
    assert.equal(addMonths('2028-02-29', -12), '2027-02-28');
    assert.throws(() => addMonths('2027-02-30', 1), RangeError);
    assert.throws(() => addMonths('2027-01-01', 0.5), RangeError);
    assert.throws(() => addMonths('9999-12-01', 1), RangeError);
  });

  it('have a day of the week, from 1 for Monday to 7 for Sunday', () => {
    assert.equal(dayOfWeek('2027-03-29'), 1);
    assert.equal(dayOfWeek('2027-03-28'), 7);
    fc.assert(
      fc.property(dates, (date) => {
        assert.equal(dayOfWeek(date) % 7, new Date(date).getUTCDay());
      }),
    );
    assert.throws(() => dayOfWeek('2027-02-30'), RangeError);
  });

  it('are as far apart as was added', () => {
    fc.assert(
      fc.property(dates, fc.integer({ min: -40_000, max: 40_000 }), (date, days) => {
        assert.equal(daysBetween(date, addDays(date, days)), days);
      }),
    );
  });

  it('are refused by arithmetic when they are none, and when the result would be none', () => {
    assert.throws(() => addDays('2027-02-30', 1), RangeError);
    assert.throws(() => addDays('9999-12-31', 1), RangeError);
    assert.throws(() => addDays('0001-01-01', -1), RangeError);
    assert.throws(() => addDays('2027-01-01', 0.5), RangeError);
    assert.throws(() => daysBetween('2027-01-01', 'tomorrow'), RangeError);
  });
});

describe('time zones', () => {
  for (const value of ['UTC', 'Australia/Sydney', 'America/St_Johns', 'America/Argentina/Buenos_Aires', 'Etc/GMT+3']) {
    it(`include the zone ${value}`, () => assert.equal(isTimeZone(value), true));
  }
  for (const value of ['', 'Sydney', 'Mars/Olympus', '+10:00', '-03:30', 'Z', 'UTC ', 'Australia/Sydney\n', '[UTC]']) {
    it(`do not include ${JSON.stringify(value)}`, () => assert.equal(isTimeZone(value), false));
  }
});

describe('the date of a slot', () => {
  const table: [title: string, cadence: Cadence, dates: PlainDate[]][] = [
    [
      'comes back to the 31st after shorter months',
      cadence('monthly', 1, '2027-01-31'),
      ['2027-01-31', '2027-02-28', '2027-03-31', '2027-04-30', '2027-05-31'],
    ],
    ['is 29 February in a leap year', cadence('monthly', 1, '2028-01-31'), ['2028-01-31', '2028-02-29', '2028-03-31']],
    [
      'comes back to 29 February after four years',
      cadence('monthly', 12, '2028-02-29'),
      ['2028-02-29', '2029-02-28', '2030-02-28', '2031-02-28', '2032-02-29'],
    ],
    ['crosses the year end', cadence('monthly', 1, '2026-12-30'), ['2026-12-30', '2027-01-30', '2027-02-28']],
    [
      'is quarterly with a period of 3',
      cadence('monthly', 3, '2026-11-30'),
      ['2026-11-30', '2027-02-28', '2027-05-30'],
    ],
    ['is weekly', cadence('weekly', 1, '2026-12-28'), ['2026-12-28', '2027-01-04', '2027-01-11']],
    [
      'is fortnightly with a period of 2',
      cadence('weekly', 2, '2028-02-20'),
      ['2028-02-20', '2028-03-05', '2028-03-19'],
    ],
    [
      'is the first date for slot 0 alone',
      cadence('monthly', 1, '2027-01-31', '2027-02-10'),
      ['2027-02-10', '2027-02-28', '2027-03-31'],
    ],
    [
      'is weekly from the start date, not from the first date',
      cadence('weekly', 1, '2027-01-04', '2027-01-06'),
      ['2027-01-06', '2027-01-11', '2027-01-18'],
    ],
  ];
  for (const [title, plan, expected] of table) {
    it(title, () => {
      assert.deepEqual(
        expected.map((_, slot) => slotDate(plan, slot)),
        expected,
      );
    });
  }

  it('is so many months after the anchor, on its day or the last of the month', () => {
    fc.assert(
      fc.property(dates, fc.integer({ min: 1, max: 24 }), slots, (startDate, period, slot) => {
        assert.equal(slotDate(cadence('monthly', period, startDate), slot), expectedMonthly(startDate, period * slot));
      }),
      { numRuns: 1000 },
    );
  });

  it('is so many weeks after the anchor', () => {
    fc.assert(
      fc.property(dates, fc.integer({ min: 1, max: 60 }), slots, (startDate, period, slot) => {
        assert.equal(daysBetween(startDate, slotDate(cadence('weekly', period, startDate), slot)), 7 * period * slot);
      }),
    );
  });

  it('strictly rises with the slot for a century', () => {
    for (const plan of [cadence('monthly', 1, '2027-01-31'), cadence('weekly', 1, '2027-01-31')]) {
      const days = Array.from({ length: plan.frequencyType === 'monthly' ? 1200 : 5218 }, (_, slot) =>
        slotDate(plan, slot),
      );
      assert.deepEqual(days, [...new Set(days)].sort());
      assert.ok((days.at(-1) ?? '') > '2126-12');
    }
  });

  it('exists up to the last slot, which is in the last interval of the year 9999', () => {
    fc.assert(
      fc.property(dates, fc.constantFrom('weekly' as const, 'monthly' as const), slots, (startDate, type, period) => {
        const plan = cadence(type, period + 1, startDate);
        const last = lastSlot(plan);
        assert.ok(slotDate(plan, last) <= '9999-12-31');
        assert.throws(() => slotDate(plan, last + 1), RangeError);
      }),
    );
  });

  it('is refused for a slot, a period or a date that is none', () => {
    for (const slot of [-1, 0.5, Number.NaN, 2 ** 53]) {
      assert.throws(() => slotDate(cadence('weekly', 2, '2027-01-01'), slot), RangeError);
      assert.throws(() => slotDate(cadence('monthly', 2, '2027-01-01'), slot), RangeError);
    }
    for (const period of [0, -1, 1.5, Number.NaN]) {
      assert.throws(() => slotDate(cadence('monthly', period, '2027-01-01'), 1), RangeError);
      assert.throws(() => slotDate(cadence('weekly', period, '2027-01-01'), 1), RangeError);
    }
    assert.throws(() => slotDate(cadence('monthly', 1, '2027-02-30'), 0), RangeError);
    assert.throws(() => slotDate(cadence('monthly', 2 ** 52, '2027-01-01'), 1), RangeError);
    assert.throws(() => slotDate(cadence('weekly', 2 ** 52, '2027-01-01'), 1), RangeError);
  });
});

describe('an instant near a slot', () => {
  it('is within two days of the slot’s date, 00:00 UTC, whatever the zone: no two slots are so near', () => {
    const monthly = cadence('monthly', 1, '2027-01-31', '2027-02-03');
    const near = (slot: number, instant: string) => isNearSlot(monthly, slot, customerInstant(instant));
    assert.deepEqual(
      ['2027-02-26T00:00:00Z', '2027-02-28T00:00:00Z', '2027-03-02T00:00:00Z'].map((instant) => near(1, instant)),
      [true, true, true],
    );
    assert.deepEqual(
      ['2027-02-25T23:59:59Z', '2027-03-02T00:00:01Z', '2027-01-31T00:00:00Z'].map((instant) => near(1, instant)),
      [false, false, false],
    );
    assert.deepEqual([near(0, '2027-02-03T00:00:00Z'), near(0, '2027-01-31T00:00:00Z')], [true, false]);
    assert.throws(() => isNearSlot(monthly, 10_000_000, customerInstant(0)), RangeError);
  });
});
