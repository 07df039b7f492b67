import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { startPostgres } from '../../dev/postgres.ts';
import { migrate } from '../../src/db/migrate.ts';
import { atEndOfRun, refuseInUnitTests } from './endings.ts';

let prepared: Promise<string> | undefined;

/**
 * The migrated database that the databases of the tests are copies of, on the PostgreSQL server of this run. The server
 * is the one in TEST_DATABASE_URL, or one in a temporary folder that starts for the first who asks. Both names are in
 * the environment afterwards, for mocha's workers too.
 */
export function templateDatabase(): Promise<string> {
  prepared ??= prepare();
  return prepared;
}

async function prepare(): Promise<string> {
  refuseInUnitTests();
  process.env.TEST_DATABASE_URL ??= await startPostgresOfRun();
  if (process.env.TEST_DATABASE_TEMPLATE) return process.env.TEST_DATABASE_TEMPLATE;
  const template = `payments_template_${process.pid}`;
  await onServer((sql) => sql`create database ${sql(template)}`);
  atEndOfRun(() => onServer((sql) => sql`drop database if exists ${sql(template)} with (force)`));
  const url = new URL(process.env.TEST_DATABASE_URL);
  url.pathname = template;
  await migrate(url.href);
  process.env.TEST_DATABASE_TEMPLATE = template;
  return template;
}

async function startPostgresOfRun(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'payments-test-'));
  const server = await startPostgres({ dataDir: folder, log: () => {} });
  atEndOfRun(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const sql = postgres(server.url, { max: 1 });
  // Nothing in here outlives the run, and the tests make thousands of commits.
  await sql`alter system set fsync = off`;
  await sql`select pg_reload_conf()`;
  await sql.end();
  const url = new URL(server.url);
  // Files run side by side: on a busy machine a connection may take longer than a service should wait for it.
  url.searchParams.set('connect_timeout', '30');
  return url.href;
}

/**
 * Copies a database that has no connections. Files are copied as they are: the default writes each page into the log,
 * which takes five times as much processor time.
 */
export async function copyDatabase(from: string, to: string): Promise<void> {
  await onServer((server) => server`create database ${server(to)} template ${server(from)} strategy file_copy`);
}

/** Works on a connection of its own to the server of this run. */
export async function onServer(work: (server: postgres.Sql) => PromiseLike<unknown>): Promise<void> {
  const server = postgres(process.env.TEST_DATABASE_URL ?? '', { max: 1, onnotice: () => {} });
  try {
    await work(server);
  } finally {
    await server.end();
  }
}
