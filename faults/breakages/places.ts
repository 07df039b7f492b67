// Where an operator looks: the command line, the output of npm start, logs, pages. Nothing here knows what is broken.
import { readFile } from 'node:fs/promises';
import { runScript } from '../../lab/run-program.ts';

/** What was found there. */
export interface Finding {
  words: string;
  /** The sentence that says what to do, commands included. */
  remedy: string;
}

/** A place to look at, and what to look for in it. */
export interface Look {
  /** For the report, such as "`ops stuck`". */
  place: string;
  /** Null if it is not found. */
  look(): Promise<Finding | null>;
}

/** What the environment of this program says about another service must not reach the command line. */
const unset = {
  DATABASE_URL: '',
  TEMPORAL_ADDRESS: '',
  TEMPORAL_NAMESPACE: '',
  ENCRYPTION_KEYS: '',
  API_URL: '',
  PUBLIC_URL: '',
  PAGES_URL: '',
};

/** Runs a command of the command line, for the service of this data folder. Returns all that it has printed. */
export async function runCommand(
  dataDir: string,
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<{ code: number | null; text: string }> {
  const variables = { ...unset, DATA_DIR: dataDir, ...environment };
  const { code, stdout, stderr } = await runScript('src/processes/cli/main.ts', args, variables);
  return { code, text: `${stdout}${stderr}`.trim() };
}

/** The same of the command `ops`. */
export function runOps(dataDir: string, args: readonly string[], environment: Record<string, string> = {}) {
  return runCommand(dataDir, ['ops', ...args], environment);
}

/** An entry of `ops stuck`: of this kind, and about this object; null is the whole service. */
export function stuck(dataDir: string, kind: string, subjectId: string | null = null): Look {
  return {
    place: '`ops stuck`',
    async look() {
      const { text } = await runOps(dataDir, ['stuck']);
      const paragraph = text.split('\n\n').find((part) => part.startsWith(`${kind}: `));
      const entry = paragraph?.split(/\n(?= {2}\S)/).find((part) => part.startsWith(`  ${subjectId ?? 'the service'}`));
      const [, why, remedy] = /^ {4}why: +(.*)$[\s\S]*^ {4}free it: (.*)$/m.exec(entry ?? '') ?? [];
      return why === undefined || remedy === undefined ? null : { words: `${kind}: ${why}`, remedy };
    },
  };
}

/** A line of `ops stuck` outside of its entries, such as that the database is away. */
export function stuckLine(dataDir: string, pattern: RegExp): Look {
  return {
    place: '`ops stuck`',
    async look() {
      const { text } = await runOps(dataDir, ['stuck']);
      // What does not match is not what is looked for, but it is what an operator would see.
      return lineIn(text, pattern) ?? { words: text, remedy: '' };
    },
  };
}

/** A line of a text file, such as a log or what `npm start` has printed, after the first `skipped` characters. */
export function lineOf(place: string, file: string, pattern: RegExp, skipped = 0): Look {
  return { place, look: async () => lineIn((await readFile(file, 'utf8')).slice(skipped), pattern) };
}

/** The lines of a text which match; the remedy is in the same lines. */
export function lineIn(text: string, pattern: RegExp): Finding | null {
  const words = text.split('\n').filter((line) => pattern.test(line));
  return words.length === 0 ? null : { words: words.join(' '), remedy: words.join(' ') };
}
