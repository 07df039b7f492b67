import { UsageError } from './command.ts';

const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/**
 * Returns an instant: a date (`2028-03-01`, midnight in UTC), an instant in ISO 8601, or a span from `from`, such as
 * `+90m`, `+12h`, `+14d`, `+2w`, `+3mo` and `+1y`. A month later is the same day, or the last day of a shorter month.
 * @throws UsageError for any other text, and for a day that there is not, such as 30 February.
 */
export function parseInstant(text: string, from: Date): Date {
  const [, count = '', unit = ''] = /^\+(\d{1,4})(m|h|d|w|mo|y)$/.exec(text) ?? [];
  if (unit === 'mo' || unit === 'y') return monthsLater(from, Number(count) * (unit === 'y' ? 12 : 1));
  if (unit !== '') return new Date(from.getTime() + Number(count) * (units[unit] ?? 0));
  const [day] = /^\d{4}-\d{2}-\d{2}(?=T|$)/.exec(text) ?? [];
  // A Date takes 2028-02-31 for 2 March.
  if (day !== undefined && !isDay(day)) throw new UsageError(`There is no ${day}.`);
  const at = /^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2}))?$/.test(text) ? new Date(text) : new Date(Number.NaN);
  if (Number.isNaN(at.getTime())) {
    throw new UsageError(
      `"${text}" is not an instant: write 2028-03-01, 2028-03-01T09:00:00Z, or +14d, +2w, +3mo, +12h.`,
    );
  }
  return at;
}

function isDay(day: string): boolean {
  const at = new Date(day);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(day);
}

function monthsLater(from: Date, months: number): Date {
  const later = new Date(from);
  later.setUTCDate(1);
  later.setUTCMonth(from.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(later.getUTCFullYear(), later.getUTCMonth() + 1, 0)).getUTCDate();
  later.setUTCDate(Math.min(from.getUTCDate(), lastDay));
  return later;
}
