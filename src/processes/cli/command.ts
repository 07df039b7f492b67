import { readFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import type { CommandLineUser } from '../../messages/operator-command.ts';
import { openPool, type Pool } from '../../platform/postgres/connection.ts';
import { isOutage } from '../../platform/postgres/transaction.ts';
import { print, printError } from '../../platform/terminal.ts';
import { safeLine } from '../../platform/terminal-text.ts';
import { createVault, type Vault } from '../../services/accounts/vault.ts';
import { ServiceError } from '../../services/errors.ts';
import { ConfigError, type EncryptionKey, readConfig } from '../config/config.ts';

/** What a command works on: the database of the running service, and its demo biller where there is one. */
export interface CliContext {
  sql: Pool;
  /** Opened on the first call, and closed with the command. */
  temporal(): Promise<Client>;
  taskQueue: string;
  demoBillerId: string | null;
  /** With the keys of ENCRYPTION_KEYS, or else those of the data directory. @throws when there are none. */
  vault(): Promise<Vault>;
}

/** The command line is not valid. The message says what to type instead. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

/**
 * Runs one command. Prints its result on stdout with exit status 0. Prints an error as one message on stderr, with
 * status 2 for an invalid command line and `failed` (by default 1) for any other error. --help prints the usage.
 */
export async function runCommand(
  usage: string,
  work: (openContext: () => Promise<CliContext>) => Promise<string>,
  { failed = 1 } = {},
) {
  if (process.argv.slice(2).some((argument) => argument === '--help' || argument === '-h')) {
    print(usage);
    return;
  }
  const opened: { close(): Promise<void> }[] = [];
  try {
    const text = await work(async () => {
      return findContext(process.env, opened);
    });
    print(text);
  } catch (error) {
    printError(explain(error, usage));
    process.exitCode = isMisuse(error) ? 2 : failed;
  } finally {
    await Promise.all(opened.map((connection) => connection.close()));
  }
}

/** Who runs the command, for the audit log: the user of the operating system, or its uid if it has no name. */
export function operator(): CommandLineUser {
  try {
    return { kind: 'command_line', id: userInfo().username };
  } catch {
    return { kind: 'command_line', id: `uid ${process.getuid?.() ?? 'unknown'}` };
  }
}

/** Rows as a table for people: one line each, columns aligned. */
export function table(rows: readonly object[]): string {
  const [first] = rows;
  if (first === undefined) return '(none)';
  const names = Object.keys(first);
  const lines = [names, ...rows.map((row) => Object.values(row).map((value) => cell(value)))];
  const widths = names.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((text, column) => text.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** One object for people: a line for each member. */
export function card(object: object): string {
  return Object.entries(object)
    .map(([name, value]) => `${name}: ${cell(value)}`)
    .join('\n');
}

function cell(value: unknown): string {
  if (value === null) return '-';
  if (value instanceof Date) return value.toISOString();
  return safeLine(Array.isArray(value) ? value.join(',') : String(value));
}

async function findContext(env: NodeJS.ProcessEnv, opened: { close(): Promise<void> }[]): Promise<CliContext> {
  const given = readConfig(env);
  const development = await readDevelopment(given.dataDir);
  // The values from development.json must pass the same checks as those from the environment.
  const config = readConfig({
    ...env,
    DATABASE_URL: given.databaseUrl ?? development.databaseUrl ?? '',
    TEMPORAL_ADDRESS: given.temporalAddress ?? development.temporalAddress ?? '',
  });
  const url = config.databaseUrl;
  if (url === null) {
    throw new Error(
      `There is no database: ${join(config.dataDir, 'development.json')} does not exist. ` +
        'Start the service with npm start, or set DATABASE_URL or DATA_DIR.',
    );
  }
  const sql = openPool(url, { max: 4, name: 'cli' });
  opened.push({ close: () => sql.end({ timeout: 5 }) });
  return {
    sql,
    async temporal() {
      // Importing it takes longer than the rest of a command, and most commands do not need it.
      const { openTemporal } = await import('../temporal/client.ts');
      const temporal = openTemporal(config);
      opened.push(temporal.connection);
      return temporal;
    },
    taskQueue: config.temporalTaskQueue,
    demoBillerId: development.billerId,
    vault: async () => {
      const keys = config.encryptionKeys ?? (await readDevelopmentKeys(config.dataDir));
      return createVault(keys, config.encryptionFormats);
    },
  };
}

/** The keys that `npm start` has made for itself. */
async function readDevelopmentKeys(dataDir: string): Promise<readonly EncryptionKey[]> {
  const file = join(dataDir, 'encryption.key');
  const text = await readFile(file, 'utf8').catch(() => '');
  const { encryptionKeys } = readConfig({ ENCRYPTION_KEYS: text });
  if (encryptionKeys === null)
    throw new Error(`There are no keys: set ENCRYPTION_KEYS, as the service has it (no ${file}).`);
  return encryptionKeys;
}

interface Development {
  databaseUrl: string | null;
  temporalAddress: string | null;
  billerId: string | null;
}

async function readDevelopment(dataDir: string): Promise<Development> {
  const file = join(dataDir, 'development.json');
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      return { databaseUrl: null, temporalAddress: null, billerId: null };
    throw error;
  }
  try {
    const content: unknown = JSON.parse(text);
    return {
      databaseUrl: member(content, 'database_url'),
      temporalAddress: member(content, 'temporal_address'),
      billerId: member(content, 'biller_id'),
    };
  } catch (cause) {
    throw new Error(`${file} is not JSON. Start the service again, which writes it anew.`, { cause });
  }
}

function member(content: unknown, name: string): string | null {
  if (typeof content !== 'object' || content === null) return null;
  const value: unknown = Object.entries(content).find(([key]) => key === name)?.[1];
  return typeof value === 'string' ? value : null;
}

function explain(error: unknown, usage: string): string {
  if (!(error instanceof Error)) return safeLine(String(error));
  if (error instanceof ConfigError) return error.message;
  const message = safeLine(error.message);
  if (isMisuse(error)) return `${message}\n\n${usage}`;
  if (error instanceof ServiceError) return message;
  if (isOutage(error)) return `The database cannot be reached (${message}). Is the service running?`;
  if ('code' in error && error.code === '42P01') return 'The database has no tables yet: start the service once.';
  return message;
}

function isMisuse(error: unknown): boolean {
  if (error instanceof UsageError) return true;
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
}
