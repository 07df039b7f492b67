/** Control, reordering and invisible characters, and line breaks: with them, a name could change the terminal. */
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Returns the text on one line, safe for a terminal. For every value from outside. JSON keeps its values. */
export function safeLine(text: string): string {
  return text.replace(unsafe, (symbol) =>
    symbol
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

function safeLines(text: string): string {
  return text.split('\n').map(safeLine).join('\n');
}

/** Prints a result on stdout. */
export function print(text: string): void {
  process.stdout.write(`${safeLines(text)}\n`);
}

/** Prints progress or an error on stderr, so that stdout has results alone. */
export function printNote(text: string): void {
  process.stderr.write(`${safeLines(text)}\n`);
}

/** Prints a value as one line of JSON on stdout. */
export function printJson(value: unknown): void {
  print(JSON.stringify(value));
}

/** Returns rows in columns. A column is at least as wide as `widths` says, so that rows printed later fit below. */
export function columns(rows: readonly (readonly string[])[], widths: readonly number[] = []): string {
  const count = Math.max(0, ...rows.map((row) => row.length));
  const wide = Array.from({ length: count }, (_, index) =>
    Math.max(widths[index] ?? 0, ...rows.map((row) => safeLine(row[index] ?? '').length)),
  );
  const line = (row: readonly string[]) =>
    row.map((cell, index) => safeLine(cell).padEnd(index === row.length - 1 ? 0 : (wide[index] ?? 0))).join('  ');
  return rows.map((row) => line(row).trimEnd()).join('\n');
}
