import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import Type, { type Static } from 'typebox';
import { Value } from 'typebox/value';
import type { Options } from './options.ts';
import { type Pass, writeConfiguration } from './passes.ts';
import type { Command } from './python.ts';

/** What is read of the report that schemathesis writes. */
const Report = Type.Object({
  seed: Type.Integer(),
  stop_reason: Type.String(),
  operations: Type.Object({ total: Type.Integer(), tested: Type.Integer(), errored: Type.Integer() }),
  test_cases: Type.Object({ generated: Type.Integer(), unique_failures: Type.Integer() }),
  filtered: Type.Integer(),
  errors: Type.Array(Type.Unknown()),
});

/** What hooks.py counts. */
const Counts = Type.Record(Type.String(), Type.Integer());
const Reached = Type.Object({ accepted: Counts, refused: Counts });

export interface PassResult {
  readonly report: Static<typeof Report>;
  /** How many requests have succeeded, by operation id. */
  readonly accepted: Readonly<Record<string, number>>;
  /** How many requests that the key has no right to were refused, by operation id. */
  readonly refused: Readonly<Record<string, number>>;
  /** Whether every operation was tested, and nothing was found. */
  readonly isClean: boolean;
  /** From the first failure on, what schemathesis printed. */
  readonly findings: string;
}

/**
 * Runs a pass in a folder, which then has its configuration, its report and its output.
 * @throws Error when it broke off.
 */
export async function runPass(
  command: Command,
  pass: Pass,
  folder: string,
  baseUrl: string,
  { seed }: Options,
  signal: AbortSignal,
): Promise<PassResult> {
  await writeConfiguration(folder, pass);
  const [program, ...first] = command;
  const exitCode = await run(
    program,
    [
      ...first,
      ...['--config-file', 'schemathesis.toml', '--no-color', 'run', `${baseUrl}/openapi.json`],
      ...['--phases', pass.phases.join(',')],
      ...(pass.seconds === null ? [] : ['--max-time', String(pass.seconds)]),
      ...(seed === null ? [] : ['--seed', String(seed)]),
      ...['--report', 'json', '--report-json-path', 'report.json'],
    ],
    folder,
    signal,
  );
  const output = await readFile(join(folder, outputFile), 'utf8');
  const read = async (name: string): Promise<unknown> => JSON.parse(await readFile(join(folder, name), 'utf8'));
  try {
    const report = Value.Parse(Report, Value.Clean(Report, await read('report.json')));
    const { accepted, refused } = Value.Parse(Reached, await read('reached.json'));
    const { operations, test_cases, errors, stop_reason } = report;
    // Who has a time ends when it is up, wherever that is.
    const isTimed = pass.seconds !== null && stop_reason === 'max_time' && operations.tested > 0;
    const isWhole = isTimed || (stop_reason === 'completed' && operations.tested === operations.total);
    const isClean = exitCode === 0 && isWhole && test_cases.unique_failures === 0 && errors.length === 0;
    return {
      report,
      accepted,
      refused,
      isClean,
      findings: output.slice(Math.max(0, output.search(/^=+ (FAILURES|ERRORS) =+$/m))),
    };
  } catch (cause) {
    throw new Error(`Schemathesis has ended with ${exitCode} and without a report:\n${output}`, { cause });
  }
}

const outputFile = 'output.txt';

async function run(program: string, args: string[], cwd: string, signal: AbortSignal): Promise<number | null> {
  const output = createWriteStream(join(cwd, outputFile));
  await once(output, 'open');
  const child = spawn(program, args, { cwd, stdio: ['ignore', output, output], signal });
  const [code] = await once(child, 'close');
  return typeof code === 'number' ? code : null;
}
