import assert from 'node:assert/strict';
import { closedWeekdays, isWeekend, type SettlementCalendar } from '../../../src/domain/business-days/closed-days.ts';

/**
 * The weekdays on which each system is closed, written down by hand: from the tables that the systems publish, as far
 * as these go, then from the words of their rules, with Easter from a printed table (docs/bank-debits.md).
 */
const published: Record<SettlementCalendar, Record<number, string>> = {
  AU: {
    2024: '1 Jan, 26 Jan, 29 Mar, 1 Apr, 25 Apr, 10 Jun, 25 Dec, 26 Dec',
    2025: '1 Jan, 27 Jan, 18 Apr, 21 Apr, 25 Apr, 9 Jun, 25 Dec, 26 Dec',
    2026: '1 Jan, 26 Jan, 3 Apr, 6 Apr, 8 Jun, 25 Dec, 28 Dec',
    2027: '1 Jan, 26 Jan, 26 Mar, 29 Mar, 14 Jun, 27 Dec, 28 Dec',
    2028: '3 Jan, 26 Jan, 14 Apr, 17 Apr, 25 Apr, 12 Jun, 25 Dec, 26 Dec',
    2029: '1 Jan, 26 Jan, 30 Mar, 2 Apr, 25 Apr, 11 Jun, 25 Dec, 26 Dec',
    2030: '1 Jan, 28 Jan, 19 Apr, 22 Apr, 25 Apr, 10 Jun, 25 Dec, 26 Dec',
    2031: '1 Jan, 27 Jan, 11 Apr, 14 Apr, 25 Apr, 9 Jun, 25 Dec, 26 Dec',
    2032: '1 Jan, 26 Jan, 26 Mar, 29 Mar, 14 Jun, 27 Dec, 28 Dec',
    2033: '3 Jan, 26 Jan, 15 Apr, 18 Apr, 25 Apr, 13 Jun, 26 Dec, 27 Dec',
    2034: '2 Jan, 26 Jan, 7 Apr, 10 Apr, 25 Apr, 12 Jun, 25 Dec, 26 Dec',
  },
  EU: {
    2024: '1 Jan, 29 Mar, 1 Apr, 1 May, 25 Dec, 26 Dec',
    2025: '1 Jan, 18 Apr, 21 Apr, 1 May, 25 Dec, 26 Dec',
    2026: '1 Jan, 3 Apr, 6 Apr, 1 May, 25 Dec',
    2027: '1 Jan, 26 Mar, 29 Mar',
    2028: '14 Apr, 17 Apr, 1 May, 25 Dec, 26 Dec',
    2029: '1 Jan, 30 Mar, 2 Apr, 1 May, 25 Dec, 26 Dec',
    2030: '1 Jan, 19 Apr, 22 Apr, 1 May, 25 Dec, 26 Dec',
    2031: '1 Jan, 11 Apr, 14 Apr, 1 May, 25 Dec, 26 Dec',
    2032: '1 Jan, 26 Mar, 29 Mar',
    2033: '15 Apr, 18 Apr, 26 Dec',
    2034: '7 Apr, 10 Apr, 1 May, 25 Dec, 26 Dec',
  },
  US: {
    2024: '1 Jan, 15 Jan, 19 Feb, 27 May, 19 Jun, 4 Jul, 2 Sep, 14 Oct, 11 Nov, 28 Nov, 25 Dec',
    2025: '1 Jan, 20 Jan, 17 Feb, 26 May, 19 Jun, 4 Jul, 1 Sep, 13 Oct, 11 Nov, 27 Nov, 25 Dec',
    2026: '1 Jan, 19 Jan, 16 Feb, 25 May, 19 Jun, 7 Sep, 12 Oct, 11 Nov, 26 Nov, 25 Dec',
    2027: '1 Jan, 18 Jan, 15 Feb, 31 May, 5 Jul, 6 Sep, 11 Oct, 11 Nov, 25 Nov',
    2028: '17 Jan, 21 Feb, 29 May, 19 Jun, 4 Jul, 4 Sep, 9 Oct, 23 Nov, 25 Dec',
    2029: '1 Jan, 15 Jan, 19 Feb, 28 May, 19 Jun, 4 Jul, 3 Sep, 8 Oct, 12 Nov, 22 Nov, 25 Dec',
    2030: '1 Jan, 21 Jan, 18 Feb, 27 May, 19 Jun, 4 Jul, 2 Sep, 14 Oct, 11 Nov, 28 Nov, 25 Dec',
    2031: '1 Jan, 20 Jan, 17 Feb, 26 May, 19 Jun, 4 Jul, 1 Sep, 13 Oct, 11 Nov, 27 Nov, 25 Dec',
    2032: '1 Jan, 19 Jan, 16 Feb, 31 May, 5 Jul, 6 Sep, 11 Oct, 11 Nov, 25 Nov',
    2033: '17 Jan, 21 Feb, 30 May, 20 Jun, 4 Jul, 5 Sep, 10 Oct, 11 Nov, 24 Nov, 26 Dec',
    2034: '2 Jan, 16 Jan, 20 Feb, 29 May, 19 Jun, 4 Jul, 4 Sep, 9 Oct, 23 Nov, 25 Dec',
  },
};

const dayAndMonth = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', day: 'numeric', month: 'long' });
const written = (date: string) => dayAndMonth.format(new Date(date)).replace(/ (\w{3})\w*/, ' $1');

describe('the closed weekdays', () => {
  for (const calendar of ['AU', 'EU', 'US'] as const) {
    for (const [year, days] of Object.entries(published[calendar])) {
      it(`are the published ones of ${calendar} in ${year}`, () => {
        const dates = [...closedWeekdays(calendar, Number(year))].sort();
        assert.equal(dates.map(written).join(', '), days);
        for (const date of dates) assert.ok(!['Sat', 'Sun'].includes(new Date(date).toUTCString().slice(0, 3)), date);
      });
    }
  }

  const single: [why: string, calendar: SettlementCalendar, date: string, isClosed: boolean][] = [
    ['Anzac Day was Easter Monday, the Tuesday was kept too', 'AU', '2011-04-26', true],
    ['the National Day of Mourning', 'AU', '2022-09-22', true],
    ['the day after it, a holiday in Victoria alone', 'AU', '2022-09-23', false],
    ['the Monday after Anzac Day on a Saturday, kept in NSW alone', 'AU', '2026-04-27', false],
    ['the Monday after Anzac Day on a Sunday, kept in NSW alone', 'AU', '2027-04-26', false],
    ['the Bank Holiday of NSW', 'AU', '2027-08-02', false],
    ['Melbourne Cup Day, of Victoria', 'AU', '2027-11-02', false],
    ['New Year’s Day was a Sunday', 'AU', '2023-01-02', true],
    ['Christmas Day was a Sunday', 'AU', '2022-12-27', true],
    ['New Year’s Day was a Saturday: it does not move', 'EU', '2022-01-03', false],
    ['Ascension Day', 'EU', '2027-05-06', false],
    ['Whit Monday', 'EU', '2027-05-17', false],
    ['the day before euro notes and coins', 'EU', '2001-12-31', true],
    ['New Year’s Eve of any other year', 'EU', '2027-12-31', false],
    ['the Friday before Juneteenth', 'US', '2027-06-18', false],
    ['the Friday before Christmas', 'US', '2027-12-24', false],
    ['the Friday before New Year', 'US', '2027-12-31', false],
    ['the Friday before Independence Day', 'US', '2026-07-03', false],
    ['New Year’s Day was a Sunday', 'US', '2023-01-02', true],
    ['Juneteenth before it was a holiday', 'US', '2020-06-19', false],
    ['Juneteenth, a Sunday', 'US', '2022-06-20', true],
    ['a day of mourning on which the payment systems worked', 'US', '2018-12-05', false],
    ['a day of mourning on which the payment systems worked', 'US', '2025-01-09', false],
    ['Good Friday', 'US', '2027-03-26', false],
  ];
  for (const [why, calendar, date, isClosed] of single) {
    const verb = isClosed ? 'include' : 'do not include';
    it(`${verb} in ${calendar} the date ${date}: ${why}`, () => {
      assert.equal(closedWeekdays(calendar, Number(date.slice(0, 4))).has(date), isClosed);
    });
  }

  it('are refused for years that no rule covers', () => {
    for (const calendar of ['AU', 'EU', 'US'] as const) {
      for (const year of [1999, 2100, 2027.5, Number.NaN])
        assert.throws(() => closedWeekdays(calendar, year), RangeError, `${calendar} ${year}`);
      for (const year of [2000, 2099]) assert.ok(closedWeekdays(calendar, year).size >= 3, `${calendar} ${year}`);
    }
  });
});

describe('the weekend', () => {
  it('is Saturday and Sunday', () => {
    const week = ['2027-03-22', '2027-03-23', '2027-03-24', '2027-03-25', '2027-03-26', '2027-03-27', '2027-03-28'];
    assert.deepEqual(week.filter(isWeekend), ['2027-03-27', '2027-03-28']);
  });
});
