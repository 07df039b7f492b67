import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '../lab/program.ts';
import { stopAllServices } from '../lab/service.ts';
import { print, printError } from '../src/platform/terminal.ts';
import { findAftermath, invariantCount, markLogs } from './aftermath.ts';
import { help, type Options, readOptions } from './options.ts';
import { makePasses } from './passes.ts';
import { type Command, prepareSchemathesis, Unprepared } from './python.ts';
import { type PassResult, runPass } from './run.ts';
import { findTarget, makeTenant, type Target } from './target.ts';

const stopped = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopped.abort());

try {
  const options = readOptions();
  if (options === null) print(help);
  else if (!(await fuzz(options))) process.exitCode = 1;
} catch (error) {
  process.exitCode = 1;
  await stopAllServices();
  const isExpected = error instanceof UsageError || error instanceof Unprepared;
  printError(stopped.signal.aborted ? 'Stopped.' : isExpected ? error.message : error);
}

/**
 * Runs all passes against a service, then looks for broken invariants and logged errors. Returns whether all is well.
 */
async function fuzz(options: Options): Promise<boolean> {
  const schemathesis = await prepareSchemathesis();
  const target = await findTarget(options.keys);
  const folder = await mkdtemp(join(tmpdir(), 'payments-fuzz-reports-'));
  let isClean = false;
  try {
    const marks = await markLogs(target);
    const arePassesClean = await runPasses(schemathesis, target, folder, options);
    const aftermath = await findAftermath(target, marks);
    for (const line of aftermath) printError(line);
    if (aftermath.length === 0) print(`${invariantCount} invariants hold, and the logs have no errors.`);
    isClean = arePassesClean && aftermath.length === 0;
  } finally {
    await target.end(isClean || stopped.signal.aborted ? 'clean' : 'found something');
    if (isClean || stopped.signal.aborted) await rm(folder, { recursive: true, force: true });
    else printError(`The configurations and reports are kept in ${folder}.`);
  }
  return isClean;
}

/** Prints a line for each pass when it has ended. Returns whether none has found anything. */
async function runPasses(schemathesis: Command, target: Target, folder: string, options: Options): Promise<boolean> {
  const tenant = await makeTenant(target, 'Fuzzed biller');
  const stranger = await makeTenant(target, 'Another biller');
  let isClean = true;
  for (const [index, pass] of (await makePasses(target, tenant, stranger, options)).entries()) {
    const begun = performance.now();
    const passFolder = join(folder, String(index));
    const result = await runPass(schemathesis, pass, passFolder, target.baseUrl, options, stopped.signal);
    print(summaryOf(pass.title, result, (performance.now() - begun) / 1000));
    if (!result.isClean) printError(result.findings);
    isClean &&= result.isClean;
  }
  return isClean;
}

function summaryOf(title: string, { report, accepted, refused, isClean }: PassResult, seconds: number): string {
  const { test_cases, operations, seed } = report;
  const never = Object.keys(accepted).filter((operation) => accepted[operation] === 0);
  const reached = Object.keys(accepted).length - never.length;
  const found = isClean ? 'nothing found' : `${test_cases.unique_failures} failures`;
  const others = never.length > 0 && never.length <= 6 ? ` (not ${never.join(', ')})` : '';
  const refusals = Object.values(refused).reduce((sum, count) => sum + count, 0);
  const denied = `; ${refusals} requests to ${Object.keys(refused).length} operations refused, to which the key has no right`;
  return (
    `${title}: ${found} in ${test_cases.generated} cases of ${operations.tested} operations, ` +
    `${reached} of which have succeeded${others}${refusals > 0 ? denied : ''}; ${seconds.toFixed(0)} s, seed ${seed}`
  );
}
