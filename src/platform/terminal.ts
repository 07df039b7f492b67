import { inspect } from 'node:util';
import { describeLoss, nonBlockingStdout, openLogOutput } from './log-output.ts';

/** Prints lines on stdout. Nothing in them can control the terminal. */
export function print(text: string): void {
  process.stdout.write(`${safeLines(text)}\n`);
}

/**
 * Returns a `print` for a program that must outlive its output. A full disk or a reader that is gone costs lines, which
 * are counted, and nothing else (`openLogOutput`).
 */
export function openPrinter(): (text: string) => void {
  const output = openLogOutput(nonBlockingStdout(), (loss) => `${describeLoss(loss)}\n`);
  return (text) => output.write(`${safeLines(text)}\n`);
}

/** Prints lines, or an error with its stack and causes, on stderr. Nothing in them can control the terminal. */
export function printError(problem: unknown): void {
  process.stderr.write(`${safeLines(typeof problem === 'string' ? problem : describe(problem))}\n`);
}

/** An error's message may come from outside, so it is kept on one line. */
function describe(problem: unknown): string {
  const text = inspect(problem);
  return problem instanceof Error ? text.replace(problem.message, () => safeLine(problem.message)) : text;
}

/**
 * Control characters (C0, DEL, C1), characters that reorder text (bidi), line breaks, and invisible characters
 * (zero-width and other default-ignorable ones). With these, a name could clear the screen, make a link or look like
 * another name.
 */
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * Returns the text on one line, safe for a terminal: unsafe characters become `\uXXXX`. For every value from outside:
 * the database, a request, another program. JSON stays JSON with the same values.
 */
export function safeLine(text: string): string {
  return text.replace(unsafe, escaped);
}

/** The same for our own text: line breaks stay. Pass foreign values in it through `safeLine` first. */
export function safeLines(text: string): string {
  return text.split('\n').map(safeLine).join('\n');
}

/** One escape for each UTF-16 code unit, as in JSON. */
function escaped(symbol: string): string {
  return symbol
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
