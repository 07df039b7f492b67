// `npm run generators`: has strangers' generators make clients from the document, and runs the same scenario by each.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clientOf } from '../../lab/client.ts';
import { readOptions, startLog, tableOf, UsageError } from '../../lab/program.ts';
import { type ServiceCopy, startService, stopAllServices } from '../../lab/service.ts';
import { print, printError } from '../../src/platform/terminal.ts';
import { type Generator, type Outcome, tryGenerator } from './generator.ts';
import { generators } from './list.ts';

const help = `npm run generators [-- OPTIONS]

Generates a client with each of these generators, compiles it, and runs one scenario against a service of its own: a
customer with a card, a payment, a plan on a test clock, an advance, its payments and events. Prints a table. Exit code
0 if all pass, or 1. A generator whose language is not on this machine is skipped.

${generators.map(({ name }) => `  ${name}`).join('\n')}

  --only NAME       this generator alone, or all whose names contain NAME
  --document NAME   openapi.json or openapi.compat.json for all, instead of the one that each reads rightly
  --keep            leave the folders with what was generated
  --help            show this

Generators come from npm, PyPI, the Go module proxy and Maven Central, once, into the cache of the user.`;

const documents = ['/openapi.json', '/openapi.compat.json'] as const;
const stopped = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopped.abort());

try {
  const options = readOptions({
    only: { type: 'string' },
    document: { type: 'string' },
    keep: { type: 'boolean' },
  });
  if (options === null) print(help);
  else if (!(await runAll(chosen(options.only, options.document), options.keep === true))) process.exitCode = 1;
} catch (error) {
  process.exitCode = 1;
  printError(stopped.signal.aborted ? 'Stopped.' : error instanceof UsageError ? error.message : error);
} finally {
  await stopAllServices();
}

/** @throws UsageError if nothing is chosen, or the document is none of the two */
function chosen(only = '', document?: string): Generator[] {
  const path = documents.find((one) => one === `/${document}`);
  if (document !== undefined && path === undefined) {
    throw new UsageError(`--document needs openapi.json or openapi.compat.json, not "${document}"`);
  }
  const found = generators.filter(({ name }) => name.includes(only));
  if (found.length === 0) throw new UsageError(`--only: no generator has a name with "${only}". See --help.`);
  return found.map((generator) => ({ ...generator, document: path ?? generator.document }));
}

/** Returns whether no generator has failed. */
async function runAll(list: readonly Generator[], isKept: boolean): Promise<boolean> {
  const { log } = startLog();
  const folder = await mkdtemp(join(tmpdir(), 'generators-'));
  try {
    log('Starts the service');
    const service = await startService(join(folder, 'service'), { signal: stopped.signal });
    const outcomes: Outcome[] = [];
    for (const generator of list) {
      log(`${generator.name} ${generator.version} with ${generator.document}`);
      const outcome = await runOne(generator, service, await mkdtemp(join(folder, 'client-')));
      if (outcome.isSkipped) log(`  skipped: ${outcome.report}`);
      else if (outcome.failed !== null) log(`  failed at "${outcome.failed}". ${outcome.report}`);
      outcomes.push(outcome);
    }
    for (const line of tableOf([['generator', 'version', 'document', 'result'], ...outcomes.map(row)], 'left')) {
      print(line);
    }
    await service.stop();
    return outcomes.every(({ failed }) => failed === null);
  } finally {
    await stopAllServices();
    if (isKept) log(`What was generated is in ${folder}`);
    else await rm(folder, { recursive: true, force: true });
  }
}

async function runOne(generator: Generator, service: ServiceCopy, folder: string): Promise<Outcome> {
  const response = await fetch(service.baseUrl + generator.document, { signal: stopped.signal });
  const outcome = await tryGenerator(generator, await response.text(), folder, service, stopped.signal);
  stopped.signal.throwIfAborted();
  // A scenario that broke off has left its clock, and an account has three at most.
  const client = clientOf(service);
  for await (const { id } of client.testClocks.list()) await client.testClocks.delete(id);
  return outcome;
}

function row({ generator: { name, version, document }, failed, isSkipped }: Outcome): string[] {
  return [name, version, document, isSkipped ? 'skipped' : failed === null ? 'passes' : `fails: ${failed}`];
}
