import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Suite } from 'mocha';
import postgres from 'postgres';
import { startPostgres } from '../../dev/postgres.ts';
import { migrate } from '../../src/db/migrate.ts';
import { assertInvariantsHeld } from './database.ts';
import { endRun } from './endings.ts';
import { assertDocumentExercised } from './openapi.ts';

const testFolder = fileURLToPath(new URL('../', import.meta.url));

let stop: () => Promise<void> = async () => {};

/**
 * After the tests of this process: the databases that they left were sound, and when they were all tests that there are,
 * they have seen every answer and every event that the OpenAPI document promises.
 */
export const mochaHooks = {
  async afterAll(this: Mocha.Context): Promise<void> {
    assertInvariantsHeld();
    const root = this.test?.parent;
    if (root && (await isWholeRun(root))) assertDocumentExercised();
  },
};

/** Whether every test of every file has been run, and none was left out by a name, a pattern, a failed hook or `bail`. */
async function isWholeRun(root: Suite): Promise<boolean> {
  const loaded = new Set(root.suites.map((suite) => suite.file));
  const files = await readdir(testFolder, { recursive: true });
  const isLoaded = (file: string) => loaded.has(join(testFolder, file));
  let unrun = 0;
  root.eachTest((test) => {
    if (test.state === undefined && !test.pending) unrun += 1;
  });
  return unrun === 0 && files.filter((file) => file.endsWith('.test.ts')).every(isLoaded);
}

/**
 * Before all tests: one PostgreSQL in a temporary folder (or the server that TEST_DATABASE_URL names), with one migrated
 * database that those of the test files are copies of. Told through the environment, which mocha's workers inherit too.
 */
export async function mochaGlobalSetup(): Promise<void> {
  process.env.TEST_DATABASE_URL ??= await startServer();
  process.env.TEST_DATABASE_TEMPLATE = `payments_template_${process.pid}`;
  await onServer(async (sql, template) => {
    await sql`create database ${sql(template)}`;
  });
  const url = new URL(process.env.TEST_DATABASE_URL);
  url.pathname = process.env.TEST_DATABASE_TEMPLATE;
  await migrate(url.href);
}

/** After all tests: what the setup made is gone. */
export async function mochaGlobalTeardown(): Promise<void> {
  await endRun();
  await onServer(async (sql, template) => {
    await sql`drop database if exists ${sql(template)} with (force)`;
  });
  await stop();
}

async function startServer(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'payments-test-'));
  const server = await startPostgres({ dataDir: folder, log: () => {} });
  stop = async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
  const sql = postgres(server.url, { max: 1 });
  // Nothing in here outlives the run, and the tests make thousands of commits.
  await sql`alter system set fsync = off`;
  await sql`select pg_reload_conf()`;
  await sql.end();
  return server.url;
}

async function onServer(work: (sql: postgres.Sql, template: string) => Promise<void>): Promise<void> {
  const sql = postgres(process.env.TEST_DATABASE_URL ?? '', { max: 1, onnotice: () => {} });
  try {
    await work(sql, process.env.TEST_DATABASE_TEMPLATE ?? '');
  } finally {
    await sql.end();
  }
}
