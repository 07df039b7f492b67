// The command line of the service: `npm run payments -- COMMAND`. It finds the running service through DATA_DIR, or
// through DATABASE_URL and TEMPORAL_ADDRESS. Exit status 2 means that the command line is not valid.
import { inWords } from '../../platform/database-causes.ts';
import { causeOf } from '../../platform/postgres/causes.ts';
import { print, printError, safeLine } from '../../platform/terminal.ts';
import { ServiceError } from '../../services/errors.ts';
import { ConfigError } from '../config/config.ts';
import { type Command, UsageError } from './command.ts';
import { type Closable, findContext } from './context.ts';

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

/** Runs one command. Prints its result on stdout, or its error on stderr as one message. Returns the exit status. */
async function main([name, ...args]: string[]): Promise<number> {
  const isHelp = (word: string | undefined) => word === '--help' || word === '-h';
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
  if (args.some(isHelp)) {
    print(command.usage);
    return 0;
  }
  const opened: Closable[] = [];
  try {
    const output = await command.run(args, () => findContext(process.env, opened));
    print(typeof output === 'string' ? output : output.text);
    return typeof output === 'string' ? 0 : output.status;
  } catch (error) {
    printError(explain(error, command.usage));
    return isMisuse(error) ? 2 : command.failureStatus;
  } finally {
    await Promise.all(opened.map((connection) => connection.close()));
  }
}

function explain(error: unknown, usage: string): string {
  if (!(error instanceof Error)) return safeLine(String(error));
  if (error instanceof ConfigError) return error.message;
  const message = safeLine(error.message);
  if (isMisuse(error)) return `${message}\n\n${usage}`;
  if (error instanceof ServiceError) return message;
  const cause = causeOf(error);
  return cause === null ? message : safeLine(inWords(cause));
}

function isMisuse(error: unknown): boolean {
  if (error instanceof UsageError) return true;
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
}

process.exitCode = await main(process.argv.slice(2));
