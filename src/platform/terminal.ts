import { inspect } from 'node:util';
import { describeLoss, nonBlockingStdout, openLogOutput } from './log-output.ts';
import { safeLine, safeLines } from './terminal-text.ts';

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
