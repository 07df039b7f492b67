import assert from 'node:assert/strict';
import Holidays from 'date-holidays';
import { closedWeekdays, isWeekend, type SettlementCalendar } from '../../../src/domain/business-days/closed-days.ts';

/**
 * The package date-holidays knows countries, and no settlement system. It is asked for the nearest that it has: the
 * days that all these places keep, by law or in their banks.
 */
const places: Record<SettlementCalendar, [country: string, state?: string][]> = {
  AU: [
    ['AU', 'NSW'],
    ['AU', 'VIC'],
  ],
  EU: [['DE']],
  US: [['US']],
};

/** What the package has for these places, although the system is open. On Fridays in the US, a Saturday's holiday. */
const openAnyway: Record<SettlementCalendar, string[]> = {
  AU: [],
  EU: ['Ascension Day', 'Christmas Eve', 'National Holiday', "New Year's Eve", 'Reformation Day', 'Whit Monday'],
  US: [
    'Christmas Day (substitute day), Fri',
    'Independence Day (substitute day), Fri',
    'Juneteenth (substitute day), Fri',
    "New Year's Day (substitute day), Fri",
    'Veterans Day (substitute day), Fri',
  ],
};

/** What the package lacks, although the system was closed: Anzac Day was Easter Monday, the Tuesday was kept too. */
const closedAnyway: Record<SettlementCalendar, string[]> = { AU: ['2011-04-26'], EU: [], US: [] };

const weekday = (date: string) => new Date(date).toUTCString().slice(0, 3);
const years = Array.from({ length: 100 }, (_, index) => 2000 + index);

/** Returns the dates and names of a calendar's weekdays. */
function opinion(calendar: SettlementCalendar): Map<string, string> {
  const [first = new Map<string, string>(), ...others] = places[calendar].map(([country, state]) => {
    const rules = state === undefined ? new Holidays(country) : new Holidays(country, state);
    rules.setLanguages('en');
    const days = years.flatMap((year) => rules.getHolidays(year)).filter(({ type }) => /^(public|bank)$/.test(type));
    return new Map(days.map(({ date, name }) => [date.slice(0, 10), name]));
  });
  return new Map([...first].filter(([date]) => !isWeekend(date) && others.every((other) => other.has(date))));
}

describe('the closed weekdays of a century, in the opinion of another program', () => {
  for (const calendar of ['AU', 'EU', 'US'] as const) {
    it(`are the same for ${calendar}, but for the differences that are known by name`, () => {
      const theirs = opinion(calendar);
      const ours = new Set(years.flatMap((year) => [...closedWeekdays(calendar, year)]));
      const named = ([date, name]: [string, string]) => (calendar === 'US' ? `${name}, ${weekday(date)}` : name);
      const theirsAlone = [...theirs].filter(([date]) => !ours.has(date)).map(named);
      assert.deepEqual([...new Set(theirsAlone)].sort(), openAnyway[calendar]);
      assert.deepEqual(
        [...ours].filter((date) => !theirs.has(date)),
        closedAnyway[calendar],
      );
    });
  }
});
