import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Id, namedId } from '../../domain/ids.ts';
import type { WorkflowSides } from '../../operations/sides/workflow-sides.ts';
import type { StuckReport } from '../../operations/stuck/reading/find-stuck.ts';
import { assertOwnFile, NotOurs } from '../../platform/own-folder.ts';
import { causeOf } from '../../platform/postgres/causes.ts';
import { openPool, type Pool } from '../../platform/postgres/connection.ts';
import type { Processors } from '../../processors/processor.ts';
import { createVault, type Vault } from '../../services/accounts/vault.ts';
import { type Config, type EncryptionKey, readConfig } from '../config/config.ts';
import { checkKeyFile } from './key-file.ts';

/** What a command works on: the database of the running service, and its demo biller where there is one. */
export interface CliContext {
  sql: Pool;
  /** The Temporals. Opened by the call, and closed with the command. */
  sides(): Promise<WorkflowSides>;
  /** The processors of the environment, to ask for the state of a payment. Closed with the command. */
  processors(): Promise<Processors>;
  demoBillerId: string | null;
  /** The address of the API, without a slash at its end: API_URL, or that of `npm start`. Null: it is not known. */
  apiUrl: string | null;
  /** The same of the pages for payers: PAGES_URL, PUBLIC_URL, or that of `npm start`. */
  pagesUrl: string | null;
  /** OPERATOR_KEY, for the page `/ops`. */
  operatorKey: string | null;
  /** Whether the key file of `npm start` is as it should be. Null if the environment has the keys or the database. */
  checkKeyFile(): Promise<StuckReport | null>;
  /** The keys of ENCRYPTION_KEYS, or else those of the data directory. @throws when there are none. */
  encryptionKeys(): Promise<readonly EncryptionKey[]>;
  /** With these keys. */
  vault(): Promise<Vault>;
}

/** Something to be closed at the end of the command. */
export interface Closable {
  close(): Promise<void>;
}

function isClosable(value: unknown): value is Closable {
  return typeof value === 'object' && value !== null && 'close' in value;
}

/** Opens the database of the configuration. Everything that is opened is added to `opened`. */
export async function findContext(env: NodeJS.ProcessEnv, opened: Closable[]): Promise<CliContext> {
  const { config, demoBillerId, pagesUrl, accounts } = await readRunningConfig(env);
  const { databaseUrl: url, dataDir } = config;
  if (url === null) throw new NoServiceRuns(dataDir, 'does not exist');
  const sql = openPool(url, { max: 4, name: 'cli' });
  opened.push({ close: () => sql.end({ timeout: 5 }) });
  if (accounts !== null) {
    await sql`select 1`.catch(async (error: unknown) => {
      const kind = causeOf(error)?.kind;
      if (kind === 'connections') return; // it runs; the command says what it can do without a connection
      if (!(await isServed(accounts))) throw new NoServiceRuns(dataDir, 'is of a service that has ended');
      if (kind !== 'login') throw error; // as above
    });
  }
  const encryptionKeys = async () => config.encryptionKeys ?? (await readDevelopmentKeys(config.dataDir));
  const vault = async () => createVault(await encryptionKeys());
  return {
    sql,
    async sides() {
      // Importing it takes longer than the rest of a command, and most commands do not need it.
      const { openSides } = await import('../temporal/sides.ts');
      const sides = openSides(config);
      opened.push(...sides.map(({ temporal }) => temporal.connection));
      return sides;
    },
    async processors() {
      const { processorsOf } = await import('../dependencies.ts');
      const processors = processorsOf({ ...config, sandboxLedger: null }, sql, vault);
      opened.push(...Object.values(processors).filter(isClosable));
      return processors;
    },
    demoBillerId,
    apiUrl: config.apiUrl,
    pagesUrl,
    operatorKey: config.operatorKey,
    checkKeyFile: async () =>
      accounts === null || config.encryptionKeys !== null
        ? null
        : checkKeyFile(sql, config.dataDir, () => readDevelopmentKeys(config.dataDir)),
    encryptionKeys,
    vault,
  };
}

/** `development.json` is missing, or a service that was killed has left it behind. */
class NoServiceRuns extends Error {
  override name = 'NoServiceRuns';

  constructor(dataDir: string, what: string) {
    super(
      `No service runs from ${dataDir}: ${join(dataDir, 'development.json')} ${what}. ` +
        'Start it with npm start, or set DATABASE_URL or DATA_DIR.',
    );
  }
}

/** Where `npm start` serves accounts, the token that it alone knows, and the address of its API, which it returns. */
interface Accounts {
  url: string;
  token: string;
  apiUrl: string | null;
}

/**
 * Whether the `npm start` that wrote `development.json` still runs: its database may be away for a moment. Another
 * program that has its port now does not return the address of the API.
 */
async function isServed({ url, token, apiUrl }: Accounts): Promise<boolean> {
  const headers = { Authorization: `Bearer ${token}` };
  try {
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(2_000) });
    return response.ok && member(await response.json(), 'base_url') === apiUrl;
  } catch {
    return false;
  }
}

export interface RunningConfig {
  config: Config;
  demoBillerId: string | null;
  pagesUrl: string | null;
  /** Of the `npm start` whose database it is. Null if the environment names the database. */
  accounts: Accounts | null;
}

/** The configuration of the environment. What it leaves open is taken from the service that `npm start` runs. */
export async function readRunningConfig(env: NodeJS.ProcessEnv): Promise<RunningConfig> {
  const given = readConfig(env);
  const found = await readDevelopment(given.dataDir).catch((error: unknown) => {
    // What another user has put there is not needed: the environment names the database.
    if (error instanceof NotOurs && given.databaseUrl !== null) return noDevelopment;
    throw error;
  });
  const { databaseUrl, apiUrl, pagesUrl, temporal, billerId, accounts } = found;
  const variables: NodeJS.ProcessEnv = { ...env, DATABASE_URL: given.databaseUrl ?? databaseUrl ?? '' };
  // An API elsewhere may use the database that the environment names: the one of `npm start` says nothing about it.
  if (variables.DATABASE_URL === databaseUrl) {
    variables.API_URL = given.apiUrl ?? apiUrl ?? '';
    variables.PUBLIC_URL = env.PUBLIC_URL || (pagesUrl ?? '');
  }
  // Of a server that the environment names, development.json knows nothing.
  if (given.temporal.address === null) {
    for (const [name, value] of Object.entries(temporal)) variables[name] = env[name] || (value ?? '');
  }
  // The values from development.json must pass the same checks as those from the environment.
  const config = readConfig(variables);
  return {
    config,
    demoBillerId: billerId,
    pagesUrl: config.pagesUrl ?? config.publicUrl,
    accounts: given.databaseUrl === null ? accounts : null,
  };
}

/** The keys that `npm start` has made for itself. */
async function readDevelopmentKeys(dataDir: string): Promise<readonly EncryptionKey[]> {
  const file = join(dataDir, 'encryption.key');
  assertOwnFile(file);
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw new Error(`${file} cannot be read (${error.message}). Set ENCRYPTION_KEYS to the keys of the service.`);
  });
  const { encryptionKeys } = readConfig({ ENCRYPTION_KEYS: text });
  if (encryptionKeys === null)
    throw new Error(`There are no encryption keys. Set ENCRYPTION_KEYS to those of the service (there is no ${file}).`);
  return encryptionKeys;
}

interface Development {
  databaseUrl: string | null;
  apiUrl: string | null;
  pagesUrl: string | null;
  /** The connection to Temporal, as variables of the environment. */
  temporal: Record<string, string | null>;
  billerId: Id<'biller'> | null;
  accounts: Accounts | null;
}

const noDevelopment: Development = {
  ...{ databaseUrl: null, apiUrl: null, pagesUrl: null },
  ...{ temporal: {}, billerId: null, accounts: null },
};

/** What `npm start` has written. @throws NotOurs if another user could have written it. */
async function readDevelopment(dataDir: string): Promise<Development> {
  const file = join(dataDir, 'development.json');
  assertOwnFile(file);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return noDevelopment;
    throw error;
  }
  try {
    const content: unknown = JSON.parse(text);
    const [url, token] = [member(content, 'accounts_url'), member(content, 'accounts_token')];
    const apiUrl = member(content, 'base_url');
    return {
      databaseUrl: member(content, 'database_url'),
      apiUrl,
      pagesUrl: member(content, 'pages_url'),
      temporal: {
        TEMPORAL_ADDRESS: member(content, 'temporal_address'),
        TEMPORAL_NAMESPACE: member(content, 'temporal_namespace'),
        SANDBOX_TEMPORAL_ADDRESS: member(content, 'sandbox_temporal_address'),
        SANDBOX_TEMPORAL_NAMESPACE: member(content, 'sandbox_temporal_namespace'),
      },
      billerId: namedId('biller', member(content, 'biller_id')),
      accounts: url === null || token === null ? null : { url, token, apiUrl },
    };
  } catch (cause) {
    throw new Error(`${file} is not JSON. Start the service again; it writes the file.`, { cause });
  }
}

function member(content: unknown, name: string): string | null {
  if (typeof content !== 'object' || content === null) return null;
  const value: unknown = Object.entries(content).find(([key]) => key === name)?.[1];
  return typeof value === 'string' ? value : null;
}
