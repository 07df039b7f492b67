// The command line of the service: `npm run payments -- COMMAND`. It finds the running service through DATA_DIR, or
// through DATABASE_URL and TEMPORAL_ADDRESS. Exit status 2 means that the command line is not valid.
import { print, printError, safeLine } from '../../platform/terminal.ts';
import type { Command } from './command.ts';
import { isHelp, runCommand } from './run-command.ts';

/** A command's module is loaded only when it runs: some take long. */
const commands: Record<string, { summary: string; load: () => Promise<{ command: Command }> }> = {
  keys: { summary: 'create, list, revoke and roll API keys', load: () => import('./keys.ts') },
  billers: { summary: 'create and list billers', load: () => import('./billers.ts') },
  ops: { summary: 'what is stuck, and the commands that free it', load: () => import('./ops.ts') },
  audit: { summary: 'who changed keys, billers and webhook endpoints', load: () => import('./audit.ts') },
  encryption: { summary: 'what is sealed with which key; rotate keys', load: () => import('./encryption.ts') },
  reconcile: {
    summary: 'compare PostgreSQL with Temporal and repair differences',
    load: () => import('./reconcile.ts'),
  },
  'check-invariants': {
    summary: 'prove that nothing was charged twice or lost',
    load: () => import('./check-invariants.ts'),
  },
  reporting: { summary: 'roles of PostgreSQL for BI: grant, list and revoke', load: () => import('./reporting.ts') },
  ledger: { summary: 'post all events to the ledger again', load: () => import('./ledger.ts') },
  replay: {
    summary: "run today's workflow code against the history of a workflow",
    load: () => import('./replay.ts'),
  },
  migrate: { summary: "bring a database up to this version's schema", load: () => import('./migrate.ts') },
  'temporal:prepare': {
    summary: 'create the namespaces and the search attributes in Temporal',
    load: () => import('./prepare-temporal.ts'),
  },
  versions: {
    summary: 'the versions of the workers, what still runs on each, and the current one',
    load: () => import('./versions.ts'),
  },
  'workflows:bundle': {
    summary: 'bundle the workflows ahead of the first start, for an image',
    load: () => import('./bundle-workflows.ts'),
  },
};

function overview(): string {
  const width = Math.max(...Object.keys(commands).map((name) => name.length));
  const lines = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`);
  return [
    'Usage: npm run payments -- COMMAND [--help]',
    '',
    ...lines,
    '',
    'COMMAND --help shows its arguments. Use npm run --silent with --json, and pass the output on.',
  ].join('\n');
}

/** Finds a command and runs it. Returns the exit status. */
async function main([name, ...args]: string[]): Promise<number> {
  if (name === undefined || name === 'help' || isHelp(name)) {
    (name === undefined ? printError : print)(overview());
    return name === undefined ? 2 : 0;
  }
  const entry = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (entry === undefined) {
    const near = Object.keys(commands).find((known) => known.includes(name) || known.startsWith(name.slice(0, 2)));
    const hint = near === undefined ? '' : ` Did you mean "${near}"?`;
    printError(`There is no command "${safeLine(name)}".${hint}\n\n${overview()}`);
    return 2;
  }
  const { command } = await entry.load();
  return runCommand(command, args);
}

process.exitCode = await main(process.argv.slice(2));
