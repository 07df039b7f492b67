import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  addDays,
  addLocalDays,
  type Cadence,
  dateIn,
  firstSlotAfter,
  instantAt,
  millisecondsPerDay,
  slotDueAt,
  startOfDay,
} from '../../src/domain/calendar.ts';
import { addMs, customerInstant } from '../../src/domain/instants.ts';

const zones = [
  'UTC',
  'Etc/UTC',
  'Australia/Sydney',
  'Australia/Lord_Howe',
  'America/Sao_Paulo',
  'America/St_Johns',
  'America/New_York',
  'America/Havana',
  'Africa/Cairo',
  'Asia/Beirut',
  'Asia/Kathmandu',
  'Asia/Tehran',
  'Europe/London',
  'Pacific/Apia',
  'Pacific/Kiritimati',
  'Pacific/Pago_Pago',
];
const anyZone = fc.constantFrom(...zones);
/** From 1970 on, when zones keep to whole minutes, to a century ahead. */
const instants = fc.integer({ min: 0, max: Date.parse('2130-01-01T00:00:00Z') }).map(customerInstant);
const dates = instants.map((instant) => instant.toISOString().slice(0, 10));
const cadences = fc.record({
  frequencyType: fc.constantFrom('weekly' as const, 'monthly' as const),
  frequencyPeriod: fc.integer({ min: 1, max: 6 }),
  startDate: dates,
  firstDate: fc.constant(null),
});

/** The local date by the formatter of the platform, which shares no code with the date library. */
const formatters = new Map(
  zones.map((timeZone) => [
    timeZone,
    new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' }),
  ]),
);
function formattedDate(milliseconds: number, zone: string): string {
  return formatters.get(zone)?.format(milliseconds) ?? '';
}

describe('the start of a day', () => {
  const table: [title: string, date: string, zone: string, instant: string][] = [
    ['is midnight', '2027-02-28', 'UTC', '2027-02-28T00:00:00.000Z'],
    ['is the evening before in UTC, east of it', '2027-02-28', 'Australia/Sydney', '2027-02-27T13:00:00.000Z'],
    ['follows daylight saving', '2027-06-30', 'Australia/Sydney', '2027-06-29T14:00:00.000Z'],
    ['is midnight where the change comes later that day', '2027-10-03', 'Australia/Sydney', '2027-10-02T14:00:00.000Z'],
    ['is the morning in UTC, west of it', '2027-01-15', 'America/St_Johns', '2027-01-15T03:30:00.000Z'],
    ['is 01:00 where São Paulo skipped midnight', '2018-11-04', 'America/Sao_Paulo', '2018-11-04T03:00:00.000Z'],
    ['is 01:00 where Cairo skips midnight', '2024-04-26', 'Africa/Cairo', '2024-04-25T22:00:00.000Z'],
    ['is 01:00 where Beirut skips midnight', '2024-03-31', 'Asia/Beirut', '2024-03-30T22:00:00.000Z'],
    ['is the first of two midnights in St John’s', '2006-10-29', 'America/St_Johns', '2006-10-29T02:30:00.000Z'],
    ['is the first of two midnights in Havana', '2023-11-05', 'America/Havana', '2023-11-05T04:00:00.000Z'],
    ['is that of the next day where Apia left one out', '2011-12-30', 'Pacific/Apia', '2011-12-30T10:00:00.000Z'],
    ['is half an hour off in Lord Howe’s summer', '2027-01-01', 'Australia/Lord_Howe', '2026-12-31T13:00:00.000Z'],
  ];
  for (const [title, date, zone, instant] of table) {
    it(`${title} (the zone ${zone}, the date ${date})`, () => {
      assert.equal(startOfDay(date, zone).toISOString(), instant);
    });
  }

  it('is on that date, and the millisecond before is not', () => {
    fc.assert(
      fc.property(dates, anyZone, (date, zone) => {
        fc.pre(!(zone === 'Pacific/Apia' && date === '2011-12-30'));
        const start = startOfDay(date, zone).getTime();
        assert.equal(formattedDate(start, zone), date);
        assert.ok(formattedDate(start - 1, zone) < date);
      }),
      { numRuns: 2000 },
    );
  });

  it('is so on every day of the years in which the zones changed their clocks at midnight', () => {
    for (const [zone, year] of [
      ['America/Sao_Paulo', 2018],
      ['America/St_Johns', 2006],
      ['Africa/Cairo', 2024],
      ['Asia/Beirut', 2024],
      ['Pacific/Apia', 2011],
      ['Australia/Sydney', 2027],
    ] as const) {
      for (let date = `${year}-01-01`; date <= `${year}-12-31`; date = addDays(date, 1)) {
        if (zone === 'Pacific/Apia' && date === '2011-12-30') continue;
        const start = startOfDay(date, zone).getTime();
        assert.equal(formattedDate(start, zone), date, zone);
        assert.ok(formattedDate(start - 1, zone) < date, `${zone} ${date}`);
      }
    }
  });

  it('is the same by the short way for UTC as by the long way', () => {
    fc.assert(
      fc.property(dates, instants, (date, instant) => {
        assert.deepEqual(startOfDay(date, 'UTC'), startOfDay(date, 'Etc/UTC'));
        assert.equal(dateIn(instant, 'UTC'), dateIn(instant, 'Etc/UTC'));
      }),
    );
  });

  it('is refused for what is no date or no zone', () => {
    assert.throws(() => startOfDay('2027-02-30', 'UTC'), RangeError);
    assert.throws(() => startOfDay('2027-02-30', 'Australia/Sydney'), RangeError);
    assert.throws(() => startOfDay('2027-02-28', 'Mars/Olympus'), RangeError);
  });
});

describe('the instant of a time of day', () => {
  const sydney = 'Australia/Sydney';

  it('follows daylight saving', () => {
    assert.equal(instantAt('2027-10-02', '16:00', sydney).toISOString(), '2027-10-02T06:00:00.000Z');
    assert.equal(instantAt('2027-10-03', '16:00', sydney).toISOString(), '2027-10-03T05:00:00.000Z');
    assert.equal(instantAt('2027-04-03', '09:00', sydney).toISOString(), '2027-04-02T22:00:00.000Z');
    assert.equal(instantAt('2027-04-04', '09:00', sydney).toISOString(), '2027-04-03T23:00:00.000Z');
  });

  it('is an hour later on the clock for a time that is skipped', () => {
    assert.equal(instantAt('2027-10-03', '02:30', sydney).toISOString(), '2027-10-02T16:30:00.000Z'); // 03:30
  });

  it('is the first of two for a time that comes twice', () => {
    assert.equal(instantAt('2027-04-04', '02:30', sydney).toISOString(), '2027-04-03T15:30:00.000Z');
  });

  it('is refused for what is no date, no time or no zone', () => {
    assert.throws(() => instantAt('2027-02-30', '16:00', sydney), RangeError);
    assert.throws(() => instantAt('2027-02-28', '25:00', sydney), RangeError);
    assert.throws(() => instantAt('2027-02-28', '16:00', 'Mars/Olympus'), RangeError);
  });
});

describe('the local date of an instant', () => {
  it('is what the platform’s formatter says', () => {
    fc.assert(
      fc.property(instants, anyZone, (instant, zone) => {
        assert.equal(dateIn(instant, zone), formattedDate(instant.getTime(), zone));
      }),
      { numRuns: 2000 },
    );
  });

  it('changes at local midnight, to the millisecond', () => {
    assert.equal(dateIn(customerInstant('2027-02-27T12:59:59.999Z'), 'Australia/Sydney'), '2027-02-27');
    assert.equal(dateIn(customerInstant('2027-02-27T13:00:00.000Z'), 'Australia/Sydney'), '2027-02-28');
  });

  it('is refused for an invalid instant and outside the years that can be written', () => {
    for (const zone of ['UTC', 'Australia/Sydney']) {
      assert.throws(() => dateIn(customerInstant(Number.NaN), zone), RangeError);
      assert.throws(() => dateIn(customerInstant(Date.UTC(10_000, 0, 2)), zone), RangeError);
      assert.throws(() => dateIn(customerInstant('0000-06-01T00:00:00Z'), zone), RangeError);
    }
  });
});

describe('due instants', () => {
  it('strictly rise with the slot, in every zone', () => {
    fc.assert(
      fc.property(cadences, anyZone, fc.nat(1300), (plan, zone, slot) => {
        assert.ok(slotDueAt(plan, slot, zone) < slotDueAt(plan, slot + 1, zone));
      }),
      { numRuns: 1000 },
    );
  });

  it('keep to local midnight for a weekly plan across a change to daylight saving', () => {
    const plan: Cadence = { frequencyType: 'weekly', frequencyPeriod: 1, startDate: '2027-09-30', firstDate: null };
    assert.equal(slotDueAt(plan, 0, 'Australia/Sydney').toISOString(), '2027-09-29T14:00:00.000Z');
    assert.equal(slotDueAt(plan, 1, 'Australia/Sydney').toISOString(), '2027-10-06T13:00:00.000Z');
  });
});

describe('the first slot after an instant', () => {
  const monthly: Cadence = { frequencyType: 'monthly', frequencyPeriod: 1, startDate: '2027-01-31', firstDate: null };
  const table: [title: string, changes: Partial<Cadence>, instant: string, fromSlot: number, slot: number][] = [
    ['is slot 0 before it is due', {}, '2027-01-30T23:59:59.999Z', 0, 0],
    ['is not the slot that falls due at that very instant', {}, '2027-01-31T00:00:00.000Z', 0, 1],
    ['is never below the slot to begin from', {}, '2027-01-01T00:00:00.000Z', 5, 5],
    ['skips what has passed', {}, '2027-06-30T00:00:00.000Z', 0, 6],
    ['knows the short months', {}, '2027-02-27T23:59:59.999Z', 0, 1],
    ['waits for a first date that is later than the start', { firstDate: '2027-02-10' }, '2027-02-01T00:00:00Z', 0, 0],
    ['goes on by the anchor after the first date', { firstDate: '2027-02-10' }, '2027-02-10T00:00:00Z', 0, 1],
    ['leaves out a first date that is not asked for', { firstDate: '2027-02-10' }, '2027-01-01T00:00:00Z', 1, 1],
    ['is exact a century on', {}, '2127-01-30T23:59:59.999Z', 0, 1200],
  ];
  for (const [title, changes, instant, fromSlot, slot] of table) {
    it(title, () => {
      assert.equal(firstSlotAfter({ ...monthly, ...changes }, 'UTC', customerInstant(instant), fromSlot), slot);
    });
  }

  const nearby = fc.integer({ min: -3, max: 40 });
  const shifts = fc.constantFrom(-86_400_000, -3_600_001, -1, 0, 1, 3_600_000, 90_000_000);
  it('is the one that walking there finds, in every zone and at the very edges', () => {
    const firstDates = fc.option(fc.integer({ min: -20, max: 6 }));
    fc.assert(
      fc.property(
        cadences,
        firstDates,
        anyZone,
        nearby,
        shifts,
        fc.nat(5),
        (base, first, zone, near, shift, fromSlot) => {
          const plan = { ...base, firstDate: first === null ? null : addDays(base.startDate, first) };
          const instant = addMs(slotDueAt(plan, Math.max(near, 0), zone), Math.sign(near || 1) * shift);
          let expected = fromSlot;
          while (slotDueAt(plan, expected, zone) <= instant) expected += 1;
          assert.equal(firstSlotAfter(plan, zone, instant, fromSlot), expected);
        },
      ),
      { numRuns: 1500 },
    );
  });

  it('is after the instant, and the slot before is not, over spans of centuries', () => {
    fc.assert(
      fc.property(cadences, anyZone, fc.integer({ min: 0, max: 300 * 366 }), (plan, zone, days) => {
        const instant = startOfDay(addDays(plan.startDate, days), zone);
        const slot = firstSlotAfter(plan, zone, instant, 0);
        assert.ok(slotDueAt(plan, slot, zone) > instant);
        assert.ok(slot > 0 && slotDueAt(plan, slot - 1, zone) <= instant);
      }),
      { numRuns: 500 },
    );
  });

  it('is found a century ahead without walking there', () => {
    const plan: Cadence = { frequencyType: 'weekly', frequencyPeriod: 1, startDate: '1927-01-01', firstDate: null };
    const instant = customerInstant('9027-01-01T00:00:00Z');
    const started = process.hrtime.bigint();
    for (let turn = 0; turn < 20; turn += 1) firstSlotAfter(plan, 'Australia/Sydney', instant, 0);
    // A walk would look at 370,000 slots a turn, which takes seconds for each.
    assert.ok(process.hrtime.bigint() - started < 1_000_000_000n);
  });

  it('is refused where the calendar ends before one comes, and for a slot that is none', () => {
    assert.throws(() => firstSlotAfter(monthly, 'UTC', customerInstant('9999-12-31T00:00:00Z'), 0), RangeError);
    assert.throws(() => firstSlotAfter(monthly, 'UTC', customerInstant('2027-01-01T00:00:00Z'), -1), RangeError);
    assert.throws(() => firstSlotAfter(monthly, 'UTC', customerInstant(Number.NaN), 0), RangeError);
  });
});

describe('an instant some local dates later', () => {
  const table: [title: string, instant: string, days: number, zone: string, later: string][] = [
    ['is at the same local time', '2027-04-02T13:00:00Z', 3, 'Australia/Sydney', '2027-04-05T14:00:00.000Z'],
    ['is days of 24 hours in UTC', '2027-04-02T13:00:00Z', 3, 'UTC', '2027-04-05T13:00:00.000Z'],
    ['keeps its milliseconds', '2027-04-02T13:00:07.089Z', 5, 'Australia/Sydney', '2027-04-07T14:00:07.089Z'],
    [
      'is the first instant after a gap that has its local time: 02:30 gives 03:00',
      ...(['2027-10-01T16:30:00Z', 1, 'Australia/Sydney', '2027-10-02T16:00:00.000Z'] as const),
    ],
    [
      'is the end of the gap if its local time is the first that the clocks skip',
      ...(['2027-10-01T16:00:00Z', 1, 'Australia/Sydney', '2027-10-02T16:00:00.000Z'] as const),
    ],
    [
      'is the first of two instants with its local time',
      ...(['2027-04-02T15:30:00Z', 1, 'Australia/Sydney', '2027-04-03T15:30:00.000Z'] as const),
    ],
    [
      'is the next midnight if the zone skipped the whole date',
      ...(['2011-12-29T20:00:00Z', 1, 'Pacific/Apia', '2011-12-30T10:00:00.000Z'] as const),
    ],
    [
      'is the instant itself after 0 days, also the second one of its local time',
      ...(['2027-04-03T16:30:00Z', 0, 'Australia/Sydney', '2027-04-03T16:30:00.000Z'] as const),
    ],
  ];
  for (const [title, instant, days, zone, later] of table) {
    it(title, () => assert.equal(addLocalDays(customerInstant(instant), days, zone).toISOString(), later));
  }

  const someZone = fc.constantFrom(
    'Australia/Sydney',
    'Australia/Lord_Howe',
    'America/New_York',
    'Asia/Kathmandu',
    'Pacific/Apia',
  );
  const walls = new Map<string, Intl.DateTimeFormat>();
  /** What a clock of the zone shows, as if it were UTC, by the formatter of the platform. */
  function wallAt(instant: Date, timeZone: string): number {
    const known = walls.get(timeZone);
    const wall = known ?? new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
    walls.set(timeZone, wall);
    return Date.parse(`${wall.format(instant).replace(' ', 'T')}Z`);
  }
  const offsetAt = (instant: Date, zone: string) => wallAt(instant, zone) - Math.floor(instant.getTime() / 1000) * 1000;
  /** Days around the changes of the clocks of these zones, so that the properties meet gaps and repeated hours. */
  const nearChanges = fc
    .tuple(
      fc.constantFrom('2027-03-14', '2027-04-04', '2027-10-03', '2027-11-07', '2011-12-30'),
      fc.integer({ min: -8 * 96, max: 8 * 96 }),
    )
    .map(([date, quarters]) => customerInstant(Date.parse(date) + quarters * 900_000));
  const someInstant = fc.oneof(instants, nearChanges);
  const days = fc.nat(60);

  it('has its local time; in a gap, the clocks show a later one, and one millisecond before an earlier one', () => {
    fc.assert(
      fc.property(someInstant, days, someZone, (instant, n, zone) => {
        const wanted = wallAt(instant, zone) + n * millisecondsPerDay;
        const later = addLocalDays(instant, n, zone);
        if (wallAt(later, zone) === wanted) return;
        assert.ok(wallAt(later, zone) > wanted && wallAt(addMs(later, -1), zone) < wanted);
      }),
      { numRuns: 2000 },
    );
  });

  it('is the first one with its local time', () => {
    fc.assert(
      fc.property(someInstant, fc.integer({ min: 1, max: 60 }), someZone, (instant, n, zone) => {
        const later = addLocalDays(instant, n, zone);
        for (const minutes of [30, 60]) {
          assert.notEqual(wallAt(addMs(later, -minutes * 60_000), zone), wallAt(later, zone));
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('is days of 24 hours later if the clocks do not change between', () => {
    fc.assert(
      fc.property(someInstant, fc.nat(9), someZone, (instant, n, zone) => {
        const between = Array.from({ length: 2 * n + 5 }, (_, half) => addMs(instant, (half - 2) * 43_200_000));
        fc.pre(between.every((one) => offsetAt(one, zone) === offsetAt(instant, zone)));
        assert.equal(addLocalDays(instant, n, zone).getTime(), instant.getTime() + n * millisecondsPerDay);
      }),
      { numRuns: 2000 },
    );
  });

  it('is never before that of fewer days', () => {
    fc.assert(
      fc.property(someInstant, days, someZone, (instant, n, zone) => {
        assert.ok(addLocalDays(instant, n, zone) <= addLocalDays(instant, n + 1, zone));
      }),
      { numRuns: 2000 },
    );
  });

  it('is refused for what is no zone', () => {
    assert.throws(() => addLocalDays(customerInstant(0), 1, 'Mars/Olympus'), RangeError);
  });
});
