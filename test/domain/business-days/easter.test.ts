import assert from 'node:assert/strict';
import { easterSunday } from '../../../src/domain/business-days/easter.ts';
import { dayOfWeek } from '../../../src/domain/calendar.ts';

/** Easter by the "anonymous" algorithm (Nature, 20 April 1876), which shares no step with Gauss's. */
function anonymousEaster(year: number): string {
  const whole = (a: number, b: number) => Math.floor(a / b);
  const a = year % 19;
  const [b, c] = [whole(year, 100), year % 100];
  const h = (19 * a + b - whole(b, 4) - whole(b - whole(b + 8, 25) + 1, 3) + 15) % 30;
  const l = (32 + 2 * (b % 4) + 2 * whole(c, 4) - h - (c % 4)) % 7;
  const monthAndDay = h + l - 7 * whole(a + 11 * h + 22 * l, 451) + 114;
  return new Date(Date.UTC(year, whole(monthAndDay, 31) - 1, (monthAndDay % 31) + 1)).toISOString().slice(0, 10);
}

describe('Easter Sunday', () => {
  const published: [what: string, date: string][] = [
    ['in a year of the golden tables', '2024-03-31'],
    ['in a year of the golden tables', '2025-04-20'],
    ['in a year of the golden tables', '2028-04-16'],
    ['the earliest of the century', '2008-03-23'],
    ['the latest of the century', '2038-04-25'],
    ['beside Anzac Day', '2011-04-24'],
    ['moved by the first exception', '1981-04-19'],
    ['moved by the first exception', '2076-04-19'],
    ['moved by the second exception', '1954-04-18'],
    ['moved by the second exception', '2049-04-18'],
  ];
  for (const [what, date] of published) {
    it(`is as published, ${what}: ${date}`, () => assert.equal(easterSunday(Number(date.slice(0, 4))), date));
  }

  it('is the date that another algorithm finds, a Sunday, in each of two hundred years', () => {
    for (let year = 1900; year <= 2099; year += 1) {
      assert.equal(easterSunday(year), anonymousEaster(year));
      assert.equal(dayOfWeek(easterSunday(year)), 7, String(year));
    }
  });

  it('is refused for years that its constants do not fit', () => {
    for (const year of [1899, 2100, 2027.5, Number.NaN]) assert.throws(() => easterSunday(year), RangeError);
  });
});
