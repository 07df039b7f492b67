import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { before, beforeEach, describe, it } from 'mocha';
import type { Db } from '../../src/platform/postgres/connection.ts';
import { shareCommit } from '../../src/platform/postgres/shared-commit.ts';
import { holdLocks } from '../races/barriers.ts';
import { useDatabase } from '../support/database.ts';

describe('statements that lock one row until they are committed', () => {
  const db = useDatabase();
  before('make the row', async () => {
    await db.sql`create table counters (name text primary key, value integer not null)`;
  });
  beforeEach('start it at 0', async () => {
    await db.sql`delete from counters`;
    await db.sql`insert into counters values ('one', 0), ('other', 0)`;
  });

  const add = (name: string) => async (sql: Db) => {
    const [row] = await sql<{ value: number; transaction: string }[]>`
      update counters set value = value + 1 where name = ${name}
      returning value, pg_current_xact_id()::text as transaction`;
    assert.ok(row);
    return row;
  };
  const share = (name = 'one') => shareCommit(db.sql, name, add(name));
  const hold = (name = 'one') => holdLocks(db.sql, (tx) => tx`select from counters where name = ${name} for update`);
  const value = async (name = 'one') => (await db.sql`select value from counters where name = ${name}`)[0]?.value;

  it('are one transaction if they come while one is under way, in their order', async () => {
    const held = await hold();
    const all = [share(), share(), share(), share()];
    await held.waiting(() => 1);
    await held.release();
    const [first, ...others] = await Promise.all(all);
    assert.deepEqual([first?.value, ...others.map((row) => row.value)], [1, 2, 3, 4]);
    assert.equal(new Set(others.map((row) => row.transaction)).size, 1);
    assert.notEqual(first?.transaction, others[0]?.transaction);
    assert.notEqual((await share()).transaction, others[0]?.transaction);
  });

  it('do not wait for those of another row', async () => {
    const held = await hold();
    const waiting = share();
    assert.equal((await share('other')).value, 1);
    await held.release();
    assert.equal((await waiting).value, 1);
  });

  it('fail alone: the others of the transaction are committed, and each caller has its own result', async () => {
    const held = await hold();
    const first = share();
    const failing = shareCommit(db.sql, 'one', async (sql) => sql`select 1 / (value * 0) from counters`);
    const others = [share(), share()];
    const refused = assert.rejects(failing, /division by zero/);
    await held.waiting(() => 1);
    await held.release();
    await refused;
    const values = (await Promise.all([first, ...others])).map((row) => row.value);
    assert.deepEqual([values[0], values.slice(1).sort(), await value()], [1, [2, 3], 3]);
  });

  it('run each in the context of its own caller', async () => {
    const caller = new AsyncLocalStorage<string>();
    const held = await hold();
    const callers = ['a', 'b', 'c'].map((name) =>
      caller.run(name, () =>
        shareCommit(db.sql, 'one', async (sql) => {
          const seen = caller.getStore();
          await add('one')(sql);
          return seen;
        }),
      ),
    );
    await held.waiting(() => 1);
    await held.release();
    assert.deepEqual(await Promise.all(callers), ['a', 'b', 'c']);
  });
});
