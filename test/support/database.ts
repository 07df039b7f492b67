import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before } from 'mocha';
import { findViolations, type Violation } from '../../src/operations/invariants/invariants.ts';
import { openPool, type Pool } from '../../src/platform/postgres/connection.ts';
import { followLedgers } from '../../src/services/ledger/follower.ts';
import { noteInversion, watchLocks } from './lock-order.ts';
import { copyDatabase, onServer, templateDatabase } from './postgres.ts';

/** The first database of a run waits for its server. */
const serverStartTimeoutMs = 120_000;

const broken: (Violation & { after: string })[] = [];

/**
 * Fails when a test has left a database in which an invariant does not hold; a hook of the file itself would stop the
 * others.
 */
export function assertInvariantsHeld(): void {
  assertNone(broken.splice(0));
}

function assertNone(violations: readonly Violation[]): void {
  assert.deepEqual({ count: violations.length, first: violations.slice(0, 3) }, { count: 0, first: [] });
}

/** The database of one test file. Only to be read inside of hooks and tests: before them it does not exist. */
export interface TestDatabase {
  readonly sql: Pool;
  readonly url: string;
}

/**
 * Gives the calling `describe` a migrated, empty database of its own, made before its tests and dropped after them,
 * once the invariants of the service have been found to hold in it; `isDamaged` is for tests that break them on
 * purpose. `connections` is the size of the pool `sql`.
 */
export function useDatabase(connections = 10, { isDamaged = false } = {}): TestDatabase {
  const name = `test_${randomBytes(8).toString('hex')}`;
  let opened: TestDatabase | undefined;

  before('make the database', async function () {
    this.timeout(serverStartTimeoutMs);
    const template = await templateDatabase();
    await copyDatabase(template, name);
    const url = urlOf(name);
    const pool = openPool(url, { max: connections, name: 'test' });
    opened = { sql: watchLocks(pool, noteInversion), url };
  });

  after('check the invariants and drop the database', async function () {
    if (opened === undefined) return;
    if (!isDamaged) await noteViolations(opened.sql, this);
    await opened.sql.end({ timeout: 1 });
    await onServer((server) => server`drop database if exists ${server(name)} with (force)`);
  });

  return onceOpened(() => opened);
}

/**
 * Checks the invariants after the tests of the calling `describe`, for one in the shared database: what is broken is
 * known by its title.
 */
export function useInvariants(db: TestDatabase): void {
  after('check the invariants', async function () {
    await noteViolations(db.sql, this);
  });
}

async function noteViolations(sql: Pool, { test }: Mocha.Context): Promise<void> {
  const title = test?.parent?.fullTitle() ?? '';
  await postAll(sql);
  broken.push(...(await findViolations(sql)).map((violation) => ({ after: title, ...violation })));
}

/** Posts to the ledger, which is compared with the events and payments of whatever the tests have done. */
async function postAll(sql: Pool): Promise<void> {
  await followLedgers(sql, new AbortController().signal).catch(unlessMadeUp);
}

/** Some tests make up events of payments that there are not. Such a ledger waits in front of them. */
function unlessMadeUp(error: unknown): void {
  const causes: unknown[] = error instanceof AggregateError ? error.errors : [error];
  for (const cause of causes) if (!/does not say what it moves/.test(String(cause))) throw cause;
}

let shared: Promise<TestDatabase> | undefined;

/**
 * Gives the calling `describe` the database that the tests of this process share, one file after the other: a biller of
 * its own keeps each test apart. What reads across billers, or breaks rows, takes a database of its own. Its invariants
 * are checked after all tests.
 */
export function useSharedDatabase(): TestDatabase {
  let opened: TestDatabase | undefined;
  before('have the database', async function () {
    this.timeout(serverStartTimeoutMs);
    shared ??= openSharedDatabase();
    opened = await shared;
    await forgetPageUses(opened);
  });
  return onceOpened(() => opened);
}

/** More than the tests of a file use at once. */
const sharedConnections = 24;

const sharedNames = () => join(process.env.TEST_RUN_FOLDER ?? '', 'databases');

/** Makes a database whose invariants are checked after all tests. */
export async function openSharedDatabase(): Promise<TestDatabase> {
  const name = `test_shared_${randomBytes(8).toString('hex')}`;
  await copyDatabase(await templateDatabase(), name);
  await mkdir(sharedNames(), { recursive: true });
  await writeFile(join(sharedNames(), name), '');
  const url = urlOf(name);
  return { sql: watchLocks(openPool(url, { max: sharedConnections, name: 'test' }), noteInversion), url };
}

/** Forms are counted by the address they come from, whatever the biller: all tests have the same. */
export async function forgetPageUses({ sql }: TestDatabase): Promise<void> {
  await sql`delete from page_uses`;
}

/** Events in a shared database. Some tests read all rows, and the more there are, the longer these take. */
const manyEvents = 2_000;

/** After a file: if the shared database has many rows, the next file gets a new one. */
export async function leaveFullDatabase(): Promise<void> {
  const { sql } = (await shared) ?? {};
  if (sql === undefined) return;
  const [{ count } = { count: 0 }] = await sql<{ count: number }[]>`select count(*)::integer as count from events`;
  if (count < manyEvents) return;
  shared = undefined;
  await sql.end({ timeout: 1 });
}

/** After all tests: fails when one has left a row in a shared database that breaks an invariant. Drops them. */
export async function checkSharedDatabases(): Promise<void> {
  const violations: Violation[] = [];
  for (const name of await readdir(sharedNames()).catch(() => [])) {
    const sql = openPool(urlOf(name), { max: 4, name: 'test' });
    await postAll(sql);
    violations.push(...(await findViolations(sql)));
    await sql.end({ timeout: 1 });
    await onServer((server) => server`drop database if exists ${server(name)} with (force)`);
  }
  assertNone(violations);
}

function urlOf(name: string): string {
  const url = new URL(process.env.TEST_DATABASE_URL ?? '');
  url.pathname = name;
  return url.href;
}

/** @throws while it is not open. */
function onceOpened(read: () => TestDatabase | undefined): TestDatabase {
  const existing = (): TestDatabase => {
    const opened = read();
    if (!opened) throw new Error('the database is there only while the tests of its describe run');
    return opened;
  };
  return {
    get sql() {
      return existing().sql;
    },
    get url() {
      return existing().url;
    },
  };
}
