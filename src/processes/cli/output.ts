import { safeLine } from '../../platform/terminal.ts';

/** Rows as a table for people: one line each, columns aligned. */
export function table(rows: readonly object[]): string {
  const [first] = rows;
  if (first === undefined) return '(none)';
  const names = Object.keys(first);
  const lines = [names, ...rows.map((row) => Object.values(row).map((value) => cell(value)))];
  const widths = names.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((text, column) => text.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** One object for people: a line for each member. */
export function card(object: object): string {
  return Object.entries(object)
    .map(([name, value]) => `${name}: ${cell(value)}`)
    .join('\n');
}

function cell(value: unknown): string {
  if (value === null) return '-';
  if (value instanceof Date) return value.toISOString();
  return safeLine(Array.isArray(value) ? value.join(',') : String(value));
}
