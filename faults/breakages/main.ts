// `npm run breakages`: breaks services of its own in every way of ./list/, looks where an operator looks, and
// frees each by the command that is named there.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { thawAll } from '../../lab/frozen.ts';
import { readOptions, startLog, UsageError } from '../../lab/program.ts';
import { stopAllServices } from '../../lab/service.ts';
import { print, printError } from '../../src/platform/terminal.ts';
import { openScene, type Scene } from '../scene.ts';
import { type Account, type Breakage, carryOut } from './course.ts';
import { breakageNames, ofTheRunning, ofTheStart } from './list/index.ts';
import { openStartGround, type StartGround } from './list/start-ground.ts';
import { renderAccounts, wasResolved } from './report.ts';

const usage = `npm run breakages -- [--only NAME]… [--keep]
  Breaks a service in ${breakageNames.length} ways, one after the other, and prints what said so, after how many seconds, in which words,
  and which command freed it. Takes some 15 minutes. Ends with 1 if one was not found within a minute, or not freed.
  --only   ${breakageNames.join(', ')}; may be repeated
  --keep   keeps data and logs`;

const interruption = new AbortController();

async function main(): Promise<number> {
  const values = readOptions({
    only: { type: 'string', multiple: true },
    keep: { type: 'boolean', default: false },
  });
  if (values === null) {
    print(usage);
    return 0;
  }
  const names = values.only ?? breakageNames;
  const unknown = names.filter((name) => !breakageNames.includes(name));
  if (unknown.length > 0) throw new UsageError(`--only: there is no breakage "${unknown.join(', ')}"`);
  const folder = await mkdtemp(join(tmpdir(), 'payments-breakages-'));
  const { log } = startLog();
  log(`data in ${folder}`);
  const accounts: Account[] = [];
  try {
    accounts.push(...(await runAll(ofTheRunning, names, () => openScene(folder, interruption.signal), log)));
    accounts.push(...(await runAll(ofTheStart, names, () => openStartGround(folder, interruption.signal), log)));
  } finally {
    thawAll();
    await stopAllServices();
    if (values.keep) log(`data and logs are kept in ${folder}`);
    else await rm(folder, { recursive: true, force: true });
  }
  print(renderAccounts(accounts));
  const missed = accounts.filter((account) => !wasResolved(account)).map(({ name }) => name);
  if (missed.length > 0) printError(`Not found within a minute, or not freed: ${missed.join(', ')}`);
  return missed.length > 0 ? 1 : 0;
}

/** Opens the ground, and carries out those that are chosen. */
async function runAll<Ground extends Scene | StartGround>(
  breakages: readonly Breakage<Ground>[],
  names: readonly string[],
  open: () => Promise<Ground>,
  log: (line: string) => void,
): Promise<Account[]> {
  const accounts: Account[] = [];
  const chosen = breakages.filter(({ name }) => names.includes(name));
  if (chosen.length === 0) return accounts;
  const ground = await open();
  try {
    for (const breakage of chosen) {
      log(`now ${breakage.what}`);
      const account = await carryOut(breakage, ground, interruption.signal);
      const { foundAfter, words, measured, freedBy, freeAfter, problem } = account;
      for (const each of measured) log(each);
      log(problem ?? `found after ${foundAfter} s: ${words}; ${freedBy.join(', ')}; free after ${freeAfter} s`);
      accounts.push(account);
    }
  } finally {
    thawAll();
    await ground.stop();
  }
  return accounts;
}

for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(name, () => {
    printError(`${name}: ending the service`);
    interruption.abort(new Error(`ended by ${name}`));
  });
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    if (interruption.signal.aborted) process.exit(130);
    printError(error instanceof UsageError ? `${error.message}\n${usage}` : error);
    process.exit(1);
  },
);
