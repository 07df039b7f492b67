import type { PlainDate } from '../calendar.ts';

/**
 * Returns the date of Easter Sunday in the Western churches, by Gauss's rule with his constants for 1900 to 2099.
 * Source: C. F. Gauss, "Berechnung des Osterfestes" (1800), with his two exceptions: 26 April becomes 19 April, and
 * 25 April becomes 18 April in the later years of the moon's cycle.
 * @throws RangeError for a year outside 1900 to 2099.
 */
export function easterSunday(year: number): PlainDate {
  if (!Number.isInteger(year) || year < 1900 || year > 2099) throw new RangeError(`no date of Easter for ${year}`);
  const yearOfCycle = year % 19;
  const fullMoon = (19 * yearOfCycle + 24) % 30; // days from 21 March to the full moon of Easter
  const toSunday = (2 * (year % 4) + 4 * (year % 7) + 6 * fullMoon + 5) % 7;
  const isTooLate = toSunday === 6 && (fullMoon === 29 || (fullMoon === 28 && yearOfCycle > 10));
  const day = 22 + fullMoon + toSunday - (isTooLate ? 7 : 0); // of March
  return day <= 31 ? `${year}-03-${day}` : `${year}-04-${String(day - 31).padStart(2, '0')}`;
}
