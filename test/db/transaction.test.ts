import assert from 'node:assert/strict';
import { before, beforeEach, describe, it } from 'mocha';
import postgres from 'postgres';
import { openPool } from '../../src/platform/postgres/connection.ts';
import { atomically, dryRun, isOutage, withoutWaiting } from '../../src/platform/postgres/transaction.ts';
import { useDatabase } from '../support/database.ts';

describe('a statement that its transaction does not wait for', () => {
  const db = useDatabase();
  before('make a table', () => db.sql`create table steps (n integer primary key)`);
  beforeEach('empty it', () => db.sql`truncate steps`);

  const steps = async () => (await db.sql<{ n: number }[]>`select n from steps order by n`).map(({ n }) => n);
  const isDivision = (error: unknown) => error instanceof postgres.PostgresError && error.code === '22012';

  it('is carried out in its place, and committed with the rest', async () => {
    const seen = await atomically(db.sql, async (tx) => {
      await withoutWaiting(tx, tx`insert into steps values (1)`);
      const rows = await tx`select n from steps`;
      await withoutWaiting(tx, tx`insert into steps values (2)`);
      return rows.length;
    });
    assert.deepEqual([seen, await steps()], [1, [1, 2]]);
  });

  it('fails the transaction with its own error, whether it was the last or not, and takes all of it back', async () => {
    const failing = (last: boolean) =>
      atomically(db.sql, async (tx) => {
        await tx`insert into steps values (1)`;
        await withoutWaiting(tx, tx`select 1 / 0`);
        if (!last) await tx`insert into steps values (2)`;
      });
    await assert.rejects(failing(true), isDivision);
    await assert.rejects(failing(false), isDivision);
    assert.deepEqual(await steps(), []);
  });

  it('fails the transaction that its caller is in', async () => {
    const outer = atomically(db.sql, async (tx) => {
      await tx`insert into steps values (1)`;
      await atomically(tx, (same) => withoutWaiting(same, same`select 1 / 0`));
    });
    await assert.rejects(outer, isDivision);
    assert.deepEqual(await steps(), []);
  });

  it('has its transaction run again when it loses a deadlock', async () => {
    await db.sql`insert into steps values (1), (2)`;
    let tries = 0;
    let both = 0;
    let meet = () => {};
    const met = new Promise<void>((resolve) => {
      meet = resolve;
    });
    const touch = (first: number, second: number) =>
      atomically(db.sql, async (tx) => {
        tries += 1;
        await tx`update steps set n = n where n = ${first}`;
        both += 1;
        if (both >= 2) meet();
        await met;
        await withoutWaiting(tx, tx`update steps set n = n where n = ${second}`);
      });
    await Promise.all([touch(1, 2), touch(2, 1)]);
    assert.equal(tries, 3);
  });

  it('fails a dry run too', async () => {
    await assert.rejects(
      dryRun(db.sql, (tx) => withoutWaiting(tx, tx`select 1 / 0`)),
      isDivision,
    );
    const inside = atomically(db.sql, (tx) => dryRun(tx, (same) => withoutWaiting(same, same`select 1 / 0`)));
    await assert.rejects(inside, isDivision);
  });

  it('is waited for on a pool, where it stands alone', async () => {
    await withoutWaiting(db.sql, db.sql`insert into steps values (1)`);
    assert.deepEqual(await steps(), [1]);
    await assert.rejects(withoutWaiting(db.sql, db.sql`select 1 / 0`), isDivision);
  });
});

describe('a transaction beside a migration', () => {
  const db = useDatabase(3);
  before('make a table', () => db.sql`create table people (id integer primary key, name text not null)`);

  let ids = 1;

  it('is run again where a statement of it was prepared before a column was added, on whatever connection', async () => {
    const read = () =>
      atomically(db.sql, async (tx) => {
        await tx`insert into people values (${ids++}, 'Ada')`;
        return tx`select * from people limit ${1}`;
      });
    const readOnAll = () => Promise.all(Array.from({ length: 12 }, read));
    await readOnAll();
    await db.sql`alter table people add column born integer`;
    for (const [row] of await readOnAll()) assert.deepEqual(Object.keys(row ?? {}), ['id', 'name', 'born']);
    assert.equal((await db.sql`select 1 from people`).length, 24, 'nothing twice');
  });
});

describe('a transaction whose connection is cut between two statements', function () {
  this.timeout(60_000);
  const db = useDatabase();
  const rounds = 100;

  it('fails as an outage, however soon the next statement follows, and neither the process nor the pool does', async () => {
    const sql = openPool(db.url, { max: 2, name: 'cut' });
    try {
      let slowest = 0;
      for (let round = 0; round < rounds; round += 1) {
        const begunAt = performance.now();
        const cut = atomically(sql, async (tx) => {
          const [row] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`;
          await db.sql`select pg_terminate_backend(${row?.pid ?? 0})`;
          // The client hears of it within a millisecond or two: before, while or after it sends what comes next.
          const sendAt = performance.now() + (round % 20) / 4;
          while (performance.now() < sendAt) await new Promise((go) => setImmediate(go));
          await tx`select 1`;
        });
        await assert.rejects(cut, isOutage);
        slowest = Math.max(slowest, performance.now() - begunAt);
      }
      const rows = await Promise.all([sql`select 1 as n`, sql`select 2 as n`]);
      assert.deepEqual(rows.flat(), [{ n: 1 }, { n: 2 }]);
      // A connection that was left unable to send anything is given up after 5 s.
      assert.ok(slowest < 4_000, `the slowest round took ${Math.round(slowest)} ms`);
    } finally {
      await sql.end({ timeout: 1 });
    }
  });
});
