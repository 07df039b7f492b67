// What the programs of this folder's users share: a command line, a log of progress, a table.
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { printError, safeLine } from '../src/platform/terminal.ts';

type Options = NonNullable<ParseArgsConfig['options']>;

/** The command line is wrong; the message says how. */
export class UsageError extends Error {
  override name = 'UsageError';

  constructor(message: string) {
    super(safeLine(message));
  }
}

/**
 * Reads the options of a command line; null if `--help` is one of them.
 * @throws UsageError if an option is unknown, or lacks its value
 */
export function readOptions<const T extends Options>(options: T, args = process.argv.slice(2)) {
  try {
    const { values } = parseArgs({ args, options: { ...options, help: { type: 'boolean', short: 'h' } } });
    // The type of `values` depends on that of the options; with one more, the compiler cannot resolve it.
    return 'help' in values ? null : (values as ReturnType<typeof parseArgs<{ options: T }>>['values']);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** The number that an option gives. @throws UsageError unless it is whole, and from 1 to `most` */
export function wholeNumber(option: string, text: string, most = 100_000): number {
  if (/^[1-9]\d{0,9}$/.test(text) && Number(text) <= most) return Number(text);
  throw new UsageError(`${option} needs a whole number from 1 to ${most}, not "${text}"`);
}

/** Prints what goes on to stderr, with the seconds since now. */
export function startLog(): { log(line: string): void; seconds(): number } {
  const begun = performance.now();
  const seconds = () => (performance.now() - begun) / 1000;
  return { seconds, log: (line) => printError(`[${seconds().toFixed(1).padStart(6)} s] ${line}`) };
}

/** Rows of cells as lines for a fixed-width font: the first column begins at the left, the others end at the right. */
export function tableOf(rows: readonly (readonly string[])[], aligned: 'left' | 'right' = 'right'): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const padded = (cell: string, column: number) =>
    column === 0 || aligned === 'left' ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  return rows.map((row) => row.map(padded).join('  ').trimEnd());
}
