import assert from 'node:assert/strict';
import fc from 'fast-check';
import { addBusinessDays, businessDaysFrom, isBusinessDay } from '../../../src/domain/business-days/business-days.ts';
import { addDays, dateIn, startOfDay } from '../../../src/domain/calendar.ts';
import { addMs, type CustomerInstant, customerInstant } from '../../../src/domain/instants.ts';
import { auBecs } from '../../../src/domain/schemes/au-becs.ts';
import {
  chargeDate,
  handOverAt,
  isRetryAt,
  mandateLapsesAt,
  resultAt,
  resultDate,
  retryAt,
  returnableUntil,
  sandboxReturnAt,
} from '../../../src/domain/schemes/debit-dates.ts';

const day = 86_400_000;
/** Thirty years, to the millisecond. */
const instants = fc
  .date({ min: new Date('2024-01-01T00:00:00Z'), max: new Date('2054-01-01T00:00:00Z'), noInvalidDate: true })
  .map((date) => customerInstant(date.getTime()));

/** Sydney's clock by the formatter of the platform, which shares no code with the date library. */
const sydney = new Intl.DateTimeFormat('en-CA', {
  timeZone: 'Australia/Sydney',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  hourCycle: 'h23',
});
const clock = (instant: CustomerInstant) => sydney.format(instant).replace(', ', ' ');

describe('the charge date of a debit', () => {
  const table: [title: string, acceptedAt: string, date: string][] = [
    ['is the same day until 15:59:59.999, in summer', '2027-03-23T04:59:59.999Z', '2027-03-23'],
    ['is the next business day from 16:00:00.000 on, in summer', '2027-03-23T05:00:00.000Z', '2027-03-24'],
    ['is the same day until 15:59:59.999, in winter', '2027-04-06T05:59:59.999Z', '2027-04-06'],
    ['is the next business day from 16:00:00.000 on, in winter', '2027-04-06T06:00:00.000Z', '2027-04-07'],
    ['is Tuesday after the cut-off on the Thursday before Easter', '2027-03-25T05:00:00.000Z', '2027-03-30'],
    ['is Monday from Saturday’s first instant on', '2027-03-19T13:00:00.000Z', '2027-03-22'],
    ['is Monday until its cut-off', '2027-03-22T04:59:59.999Z', '2027-03-22'],
    ['is Monday from Friday’s cut-off on, when clocks go back between', '2027-04-02T05:00:00.000Z', '2027-04-05'],
    ['is Monday from Friday’s cut-off on, when clocks go forward between', '2027-10-01T06:00:00.000Z', '2027-10-04'],
    ['is the same day for midnight in Perth', '2027-03-22T16:00:00.000Z', '2027-03-23'],
    ['is the same day for midnight in New York, 15:00 in Sydney', '2027-03-23T04:00:00.000Z', '2027-03-23'],
    ['is the next day for midnight in Los Angeles, 18:00 in Sydney', '2027-03-23T07:00:00.000Z', '2027-03-24'],
  ];
  for (const [title, acceptedAt, date] of table) {
    it(title, () => assert.equal(chargeDate(auBecs, customerInstant(acceptedAt)), date));
  }

  it('is the first business day whose cut-off is still ahead, at every instant of thirty years', () => {
    fc.assert(
      fc.property(instants, (acceptedAt) => {
        const charged = chargeDate(auBecs, acceptedAt);
        const ahead = businessDaysFrom('AU', dateIn(acceptedAt, 'Australia/Sydney'), 2).find(
          (date) => clock(acceptedAt) < `${date} 16:00:00.000`,
        );
        assert.equal(charged, ahead);
        assert.equal(clock(handOverAt(auBecs, charged)), `${charged} 16:00:00.000`);
        assert.ok(handOverAt(auBecs, charged) > acceptedAt);
      }),
      { numRuns: 1000 },
    );
  });

  it('is refused where the calendar has ended', () => {
    assert.equal(chargeDate(auBecs, customerInstant('2099-12-31T04:59:59.999Z')), '2099-12-31');
    assert.throws(() => chargeDate(auBecs, customerInstant('2099-12-31T05:00:00.000Z')), RangeError);
    assert.throws(() => chargeDate(auBecs, customerInstant(Number.NaN)), RangeError);
  });
});

describe('the hand-over of a debit', () => {
  it('is at 16:00 in Sydney, on both sides of daylight saving', () => {
    assert.equal(handOverAt(auBecs, '2027-04-02').toISOString(), '2027-04-02T05:00:00.000Z');
    assert.equal(handOverAt(auBecs, '2027-04-05').toISOString(), '2027-04-05T06:00:00.000Z');
    assert.equal(handOverAt(auBecs, '2027-10-01').toISOString(), '2027-10-01T06:00:00.000Z');
    assert.equal(handOverAt(auBecs, '2027-10-04').toISOString(), '2027-10-04T05:00:00.000Z');
  });
});

describe('the result of a debit', () => {
  const table: [title: string, charged: string, at: string][] = [
    ['comes two business days later at 09:00', '2027-03-23', '2027-03-24T22:00:00.000Z'],
    ['comes after Easter', '2027-03-24', '2027-03-29T22:00:00.000Z'],
    ['comes after Anzac Day', '2028-04-21', '2028-04-25T23:00:00.000Z'],
    ['comes at 09:00 after clocks went back', '2027-04-01', '2027-04-04T23:00:00.000Z'],
    ['comes at 09:00 after clocks went forward', '2027-09-30', '2027-10-03T22:00:00.000Z'],
  ];
  for (const [title, charged, at] of table) {
    it(`${title}, for a debit of ${charged}`, () => assert.equal(resultAt(auBecs, charged).toISOString(), at));
  }

  it('comes at 09:00 of the second business day after the charge date, at every instant of thirty years', () => {
    fc.assert(
      fc.property(instants, (acceptedAt) => {
        const charged = chargeDate(auBecs, acceptedAt);
        const at = resultAt(auBecs, charged);
        assert.equal(clock(at), `${resultDate(auBecs, charged)} 09:00:00.000`);
        assert.ok(isBusinessDay('AU', resultDate(auBecs, charged)));
        assert.ok(resultDate(auBecs, charged) >= addDays(charged, 2));
        assert.ok(at > handOverAt(auBecs, charged));
        assert.ok(at.getTime() - acceptedAt.getTime() < 8 * day);
      }),
      { numRuns: 1000 },
    );
  });

  it('never comes before that of a debit that was accepted earlier', () => {
    const spans = fc.oneof(fc.nat(2 * day), fc.nat(20 * day));
    fc.assert(
      fc.property(instants, spans, (first, span) => {
        const later = chargeDate(auBecs, addMs(first, span));
        assert.ok(chargeDate(auBecs, first) <= later);
        assert.ok(resultAt(auBecs, chargeDate(auBecs, first)) <= resultAt(auBecs, later));
      }),
      { numRuns: 1000 },
    );
  });
});

describe('the return of a debit', () => {
  it('is possible until the 20th business day after the result', () => {
    assert.equal(returnableUntil(auBecs, '2027-03-25'), '2027-04-26');
  });

  it('is simulated on the 3rd business day for a late dishonour and on the 20th for a dispute, at 09:00', () => {
    assert.equal(sandboxReturnAt(auBecs, 'lateDishonour', '2027-03-25').toISOString(), '2027-03-31T22:00:00.000Z');
    assert.equal(sandboxReturnAt(auBecs, 'dispute', '2027-03-25').toISOString(), '2027-04-25T23:00:00.000Z');
  });

  it('is never simulated after the last possible date, nor before the business day after the result', () => {
    fc.assert(
      fc.property(instants, (instant) => {
        const resultOn = resultDate(auBecs, chargeDate(auBecs, instant));
        for (const kind of ['lateDishonour', 'dispute'] as const) {
          const at = sandboxReturnAt(auBecs, kind, resultOn);
          const date = dateIn(at, 'Australia/Sydney');
          assert.equal(clock(at), `${date} 09:00:00.000`);
          assert.ok(date <= returnableUntil(auBecs, resultOn) && date >= addBusinessDays('AU', resultOn, 1));
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('the retry of a debit', () => {
  const at9 = (date: string) => startOfDay(date, 'Australia/Sydney').getTime() + 9 * 3_600_000;
  const next = (failures: number, first: string, latest: string) =>
    retryAt(auBecs, {
      failures,
      firstResultAt: customerInstant(at9(first)),
      latestResultAt: customerInstant(at9(latest)),
    });
  const dateOf = (instant: CustomerInstant | null) => instant && clock(instant);

  it('waits for each result: four attempts from Monday, 1 February 2027, each dishonoured after two business days', () => {
    assert.equal(dateOf(next(1, '2027-02-01', '2027-02-01')), '2027-02-02 09:00:00.000');
    assert.equal(dateOf(next(2, '2027-02-01', '2027-02-04')), '2027-02-05 09:00:00.000');
    assert.equal(dateOf(next(3, '2027-02-01', '2027-02-09')), '2027-02-10 09:00:00.000');
    assert.equal(next(4, '2027-02-01', '2027-02-12'), null);
  });

  it('is 1, 3 and 5 days after the first result if the results do not take longer', () => {
    assert.equal(dateOf(next(1, '2027-02-01', '2027-02-01')), '2027-02-02 09:00:00.000');
    assert.equal(dateOf(next(2, '2027-02-01', '2027-02-02')), '2027-02-04 09:00:00.000');
    assert.equal(dateOf(next(3, '2027-02-02', '2027-02-05')), '2027-02-08 09:00:00.000');
  });

  it('is rolled forward over a weekend and over Easter', () => {
    assert.equal(dateOf(next(3, '2027-02-01', '2027-02-04')), '2027-02-08 09:00:00.000');
    assert.equal(dateOf(next(1, '2027-03-25', '2027-03-25')), '2027-03-30 09:00:00.000');
  });

  it('is on the business day after the latest result at the earliest, whatever the hour of that result', () => {
    const lateInTheDay = customerInstant('2027-02-04T12:59:59.999Z'); // 23:59:59.999 in Sydney
    const series = { failures: 2, firstResultAt: customerInstant(at9('2027-02-01')), latestResultAt: lateInTheDay };
    assert.equal(dateOf(retryAt(auBecs, series)), '2027-02-05 09:00:00.000');
    series.latestResultAt = customerInstant('2027-02-04T13:00:00.000Z');
    assert.equal(dateOf(retryAt(auBecs, series)), '2027-02-08 09:00:00.000');
  });

  it('is refused for a count of failures that is none', () => {
    for (const failures of [0, -1, 1.5, Number.NaN])
      assert.throws(() => next(failures, '2027-02-01', '2027-02-01'), RangeError);
  });

  it('comes three times, after the latest result and in time for its own day, in thirty years', () => {
    fc.assert(
      fc.property(instants, (acceptedAt) => {
        let attempts = 0;
        let firstResultAt: CustomerInstant | undefined;
        for (let due: CustomerInstant | null = acceptedAt; due !== null; attempts += 1) {
          const charged = chargeDate(auBecs, due);
          if (attempts > 0) assert.equal(clock(due), `${charged} 09:00:00.000`);
          const latestResultAt = resultAt(auBecs, charged);
          firstResultAt ??= latestResultAt;
          due = retryAt(auBecs, { failures: attempts + 1, firstResultAt, latestResultAt });
          assert.ok(due === null || due > latestResultAt);
        }
        assert.equal(attempts, 4);
      }),
      { numRuns: 500 },
    );
  });
});

describe('a stored retry', () => {
  const due = customerInstant('2027-04-05T14:00:00Z');
  const hours = (n: number, ms = 0) => addMs(due, n * 3_600_000 + ms);

  it('by card is right up to three hours from where dunning puts it: the account has another time zone since', () => {
    for (const stored of [due, hours(-3), hours(3)]) assert.ok(isRetryAt(stored, due, { last_result_at: null }));
    for (const stored of [hours(-3, -1), hours(3, 1), hours(24)])
      assert.ok(!isRetryAt(stored, due, { last_result_at: null }));
  });

  it('of a debit is right at the very instant: the clock of its scheme does not change', () => {
    const reported = { last_result_at: hours(-24) };
    assert.ok(isRetryAt(hours(0), due, reported));
    for (const stored of [hours(0, -1), hours(0, 1)]) assert.ok(!isRetryAt(stored, due, reported));
  });
});

describe('a mandate without a debit', () => {
  it('lapses at the start of the day 15 months after the last debit', () => {
    assert.equal(
      mandateLapsesAt(auBecs, customerInstant('2027-01-15T02:00:00Z')).toISOString(),
      '2028-04-14T14:00:00.000Z',
    );
  });

  it('lapses on the last day of a month that is too short', () => {
    assert.equal(
      mandateLapsesAt(auBecs, customerInstant('2026-11-30T02:00:00Z')).toISOString(),
      '2028-02-28T13:00:00.000Z',
    );
  });

  it('counts from the date in Sydney', () => {
    assert.equal(
      mandateLapsesAt(auBecs, customerInstant('2027-01-14T13:00:00Z')).toISOString(),
      '2028-04-14T14:00:00.000Z',
    );
    assert.equal(
      mandateLapsesAt(auBecs, customerInstant('2027-01-14T12:59:59Z')).toISOString(),
      '2028-04-13T14:00:00.000Z',
    );
  });
});
