import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { Host } from '../src/processes/config/config.ts';
import type { Say } from './daemon.ts';
import { buildSchemaTool } from './temporal-build.ts';

const settingsFile = new URL('../temporal/on-postgres.env', import.meta.url);
const schemaTimeoutMs = 120_000;

/** A PostgreSQL in which Temporal keeps its workflows. */
export interface PostgresStore {
  /** The URL of any database there, for a user who may create others. */
  readonly url: string;
  /**
   * The number of history shards, fixed when the databases are created. By default that of `temporal/on-postgres.env`.
   */
  readonly shards?: number;
}

interface Tables {
  database: string;
  schema: string;
}

/**
 * Creates Temporal's two databases and their tables, or updates them to the pinned version, with Temporal's own schema
 * tool. Safe to repeat.
 * @throws with the end of the tool's output; when Go is missing.
 */
export async function prepareTemporalTables(store: PostgresStore, host: Host, say: Say, signal?: AbortSignal) {
  const tool = await buildSchemaTool(host, say, signal);
  const settings = await readSettings();
  for (const { database, schema } of tablesOf(settings)) {
    // Each step does nothing if its work is already done.
    await runTool(tool, store, database, ['create-database'], signal);
    await runTool(tool, store, database, ['setup-schema', '--version', '0.0'], signal);
    await runTool(tool, store, database, ['update-schema', '--schema-name', schema], signal);
  }
}

/** The environment from which a server makes its configuration. The `${…}` of its ports and files are not included. */
export async function storeEnvironment(store: PostgresStore): Promise<Record<string, string>> {
  const { hostname, port, user, password } = connectionOf(store);
  return {
    ...(await readSettings()),
    POSTGRES_SEEDS: hostname,
    DB_PORT: port,
    POSTGRES_USER: user,
    POSTGRES_PWD: password,
    ...(store.shards === undefined ? {} : { NUM_HISTORY_SHARDS: String(store.shards) }),
  };
}

async function runTool(tool: string, store: PostgresStore, database: string, step: string[], signal?: AbortSignal) {
  const { hostname, port, user, password } = connectionOf(store);
  const target = ['--plugin', 'postgres12_pgx', '--endpoint', hostname, '--port', port, '--user', user];
  try {
    await promisify(execFile)(tool, [...target, '--database', database, ...step], {
      env: { PATH: '/usr/bin:/bin', SQL_PASSWORD: password }, // not an argument: all users of the machine see those
      timeout: schemaTimeoutMs,
      ...(signal ? { signal } : {}),
    });
  } catch (error) {
    const output = error instanceof Error && 'stderr' in error ? String(error.stderr).trim().split('\n').slice(-5) : [];
    throw new Error(`Temporal's database ${database} could not be made (${step[0]}):\n${output.join('\n')}`, {
      cause: error,
    });
  }
}

function connectionOf({ url }: PostgresStore) {
  const { hostname, port, username, password } = new URL(url);
  return {
    hostname,
    port: port || '5432',
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
  };
}

function tablesOf(settings: Record<string, string>): Tables[] {
  return [
    { database: settings.DBNAME ?? 'temporal', schema: 'postgresql/v12/temporal' },
    { database: settings.VISIBILITY_DBNAME ?? 'temporal_visibility', schema: 'postgresql/v12/visibility' },
  ];
}

async function readSettings(): Promise<Record<string, string>> {
  const text = await readFile(settingsFile, 'utf8');
  return Object.fromEntries(
    [...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value.trim()]),
  );
}
