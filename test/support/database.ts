import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before } from 'mocha';
import { findViolations, type Violation } from '../../src/operations/invariants/invariants.ts';
import { openPool, type Pool } from '../../src/platform/postgres/connection.ts';
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
  const all = broken.splice(0);
  assert.deepEqual({ count: all.length, first: all.slice(0, 3) }, { count: 0, first: [] });
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
  let opened: { sql: Pool; url: string } | undefined;

  before('make the database', async function () {
    this.timeout(serverStartTimeoutMs);
    const template = await templateDatabase();
    await copyDatabase(template, name);
    const url = new URL(process.env.TEST_DATABASE_URL ?? '');
    url.pathname = name;
    const pool = openPool(url.href, { max: connections, name: 'test' });
    opened = { sql: watchLocks(pool, noteInversion), url: url.href };
  });

  after('check the invariants and drop the database', async function () {
    if (opened !== undefined && !isDamaged) {
      const violations = await findViolations(opened.sql);
      broken.push(...violations.map((violation) => ({ after: this.test?.parent?.fullTitle() ?? '', ...violation })));
    }
    if (opened === undefined) return;
    await opened.sql.end({ timeout: 1 });
    await onServer((server) => server`drop database if exists ${server(name)} with (force)`);
  });

  function existing(): { sql: Pool; url: string } {
    if (!opened) throw new Error('the database is there only while the tests of its describe run');
    return opened;
  }
  return {
    get sql() {
      return existing().sql;
    },
    get url() {
      return existing().url;
    },
  };
}
