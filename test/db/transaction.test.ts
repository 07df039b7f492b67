import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { before, beforeEach, describe, it } from 'mocha';
import postgres from 'postgres';
import { lockPlan } from '../../src/db/payment-plans.ts';
import { type Db, openPool, type Pool, type Tx } from '../../src/platform/postgres/connection.ts';
import { databaseNow } from '../../src/platform/postgres/database-clock.ts';
import { enqueue } from '../../src/platform/postgres/outbox.ts';
import {
  afterCommit,
  atomically,
  beforeCommit,
  ChangedMeanwhile,
  dryRun,
  isOutage,
  pipelined,
  queued,
} from '../../src/platform/postgres/transaction.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { record } from '../../src/services/events.ts';
import { useDatabase } from '../support/database.ts';

describe('statements that a transaction sends together', () => {
  const db = useDatabase();
  before('make a table', () => db.sql`create table steps (n integer primary key)`);
  beforeEach('empty it', () => db.sql`truncate steps`);

  const steps = async () => (await db.sql<{ n: number }[]>`select n from steps order by n`).map(({ n }) => n);
  const isDivision = (error: unknown) => error instanceof postgres.PostgresError && error.code === '22012';
  const insert = async (tx: Tx, n: number) => (await tx`insert into steps values (${n})`).count;
  const count = async (tx: Tx) => (await tx`select n from steps`).length;
  const fail = async (tx: Tx) => void (await tx`select 1 / 0`);

  it('run in the order of the list, and each result has its place and type', async () => {
    const [first, before, second, after, none] = await atomically(db.sql, (tx) =>
      pipelined(tx, [insert(tx, 1), count(tx), insert(tx, 2), count(tx), null]),
    );
    const results: [number, number, number, number, null] = [first, before, second, after, none];
    assert.deepEqual(results, [1, 1, 1, 2, null]);
  });

  it('are committed with the rest when no caller waits for them', async () => {
    const seen = await atomically(db.sql, async (tx) => {
      queued(tx, [insert(tx, 1)]);
      const rows = await count(tx);
      queued(tx, [insert(tx, 2)]);
      return rows;
    });
    assert.deepEqual([seen, await steps()], [1, [1, 2]]);
  });

  it('fail with the first error of the list, once all of them have ended', async () => {
    let hasEnded = false;
    const last = async (tx: Tx) => {
      await insert(tx, 1).catch(() => {});
      await new Promise((ended) => setTimeout(ended, 50));
      hasEnded = true;
    };
    await atomically(db.sql, async (tx) => {
      await assert.rejects(pipelined(tx, [count(tx), fail(tx), insert(tx, 2), last(tx)]), isDivision);
      assert.equal(hasEnded, true);
    }).catch((error) => assert.ok(isDivision(error)));
    assert.deepEqual(await steps(), []);
  });

  it('fail the transaction with their own error, whether the caller waits, catches the error or does neither', async () => {
    const failing = (work: (tx: Tx) => Promise<unknown>) =>
      atomically(db.sql, async (tx) => {
        await insert(tx, 1);
        await work(tx);
      });
    await assert.rejects(
      failing(async (tx) => queued(tx, [fail(tx)])),
      isDivision,
    );
    await assert.rejects(
      failing((tx) => pipelined(tx, [fail(tx)])),
      isDivision,
    );
    await assert.rejects(
      failing((tx) => pipelined(tx, [fail(tx)]).catch(() => {})),
      isDivision,
    );
    const inBetween = async (tx: Tx) => {
      queued(tx, [fail(tx)]);
      await insert(tx, 2);
    };
    await assert.rejects(failing(inBetween), isDivision);
    assert.deepEqual(await steps(), []);
  });

  it('fail the transaction that their caller is in', async () => {
    const outer = atomically(db.sql, async (tx) => {
      await insert(tx, 1);
      await atomically(tx, async (same) => queued(same, [fail(same)]));
    });
    await assert.rejects(outer, isDivision);
    assert.deepEqual(await steps(), []);
  });

  it('have their transaction run again when it loses a deadlock', async () => {
    await db.sql`insert into steps values (1), (2)`;
    let tries = 0;
    let both = 0;
    let meet = () => {};
    const met = new Promise<void>((resolve) => {
      meet = resolve;
    });
    const update = async (tx: Tx, n: number) => void (await tx`update steps set n = n where n = ${n}`);
    const touch = (first: number, second: number) =>
      atomically(db.sql, async (tx) => {
        tries += 1;
        await update(tx, first);
        both += 1;
        if (both >= 2) meet();
        await met;
        queued(tx, [update(tx, second)]);
      });
    await Promise.all([touch(1, 2), touch(2, 1)]);
    assert.equal(tries, 3);
  });

  it('fail a dry run too', async () => {
    const work = async (tx: Tx) => queued(tx, [fail(tx)]);
    await assert.rejects(dryRun(db.sql, work), isDivision);
    await assert.rejects(
      atomically(db.sql, (tx) => dryRun(tx, work)),
      isDivision,
    );
  });
});

describe('a transaction that finds a row changed between its read and its lock', () => {
  const db = useDatabase();
  before('make a table', () => db.sql`create table seen (n integer primary key)`);

  it('is run again, at most five times, and keeps nothing of the tries before', async () => {
    let tries = 0;
    const work = async (tx: Tx) => {
      tries += 1;
      await tx`insert into seen values (1)`;
      if (tries < 5) throw new ChangedMeanwhile('changed');
      return tries;
    };
    assert.equal(await atomically(db.sql, (tx) => atomically(tx, work)), 5);
    assert.equal((await db.sql`select n from seen`).length, 1);
    tries = 0;
    const changing = async () => {
      tries += 1;
      throw new ChangedMeanwhile('changed again');
    };
    await assert.rejects(atomically(db.sql, changing), /changed again/);
    assert.equal(tries, 5);
  });
});

describe('what to do after the commit', () => {
  const db = useDatabase();

  it('is done once, and never for a transaction that is rolled back or is a dry run', async () => {
    let calls = 0;
    const callback = () => {
      calls += 1;
    };
    const twice = async (tx: Tx) => {
      afterCommit(tx, callback);
      afterCommit(tx, callback);
      assert.equal(calls, 0);
    };
    const failing = async (tx: Tx) => {
      await twice(tx);
      throw new Error('no');
    };
    await assert.rejects(atomically(db.sql, failing), /no/);
    await dryRun(db.sql, twice);
    await atomically(db.sql, (tx) => dryRun(tx, twice));
    await atomically(db.sql, twice);
    assert.equal(calls, 1);
  });
});

describe('what to do before the commit', () => {
  const db = useDatabase();
  before('make a table', () => db.sql`create table notes (n integer primary key)`);

  it('is done once, after the work, and never for work that throws or is a dry run', async () => {
    const calls: string[] = [];
    const note = async (tx: Tx) => void (await tx`insert into notes values (1)`);
    const work = async (tx: Tx) => {
      const callback = () => {
        calls.push('callback');
        queued(tx, [note(tx)]);
      };
      beforeCommit(tx, callback);
      beforeCommit(tx, callback);
      await atomically(tx, async () => {});
      calls.push('work');
    };
    const failing = async (tx: Tx) => {
      await work(tx);
      throw new Error('no');
    };
    await assert.rejects(atomically(db.sql, failing), /no/);
    await dryRun(db.sql, work);
    await atomically(db.sql, (tx) => dryRun(tx, work));
    assert.deepEqual([calls, (await db.sql`select n from notes`).length], [['work', 'work', 'work'], 0]);
    await atomically(db.sql, work);
    assert.deepEqual([calls.slice(3), (await db.sql`select n from notes`).length], [['work', 'callback'], 1]);
  });

  it('rolls the transaction back if it throws', async () => {
    const work = async (tx: Tx) => {
      await tx`insert into notes values (2)`;
      beforeCommit(tx, () => {
        throw new Error('not so');
      });
    };
    await assert.rejects(atomically(db.sql, work), /not so/);
    assert.deepEqual([...(await db.sql`select n from notes where n = 2`)], []);
  });
});

describe('a function that needs a transaction', () => {
  it('takes no pool: the compiler refuses it', () => {
    // Never called: only the types matter.
    const refused = async (pool: Pool, db: Db, opened: postgres.TransactionSql) => {
      // @ts-expect-error: the lock would end with its statement
      await lockPlan(pool, 'pp_1');
      // @ts-expect-error: it may be a pool
      await lockPlan(db, 'pp_1');
      // @ts-expect-error: only `atomically` and `dryRun` make a transaction
      await lockPlan(opened, 'pp_1');
      // @ts-expect-error: the events would be committed without the change
      record(pool);
      // @ts-expect-error: the entries would be committed without the change
      await enqueue(pool, [], realNow());
      // @ts-expect-error: nothing is committed
      afterCommit(pool, () => {});
      // @ts-expect-error: a pool runs its statements side by side
      await pipelined(pool, [databaseNow(pool)]);
      await atomically(pool, async (tx) => {
        // @ts-expect-error: a bare query is sent when it is awaited, so its place would not be kept
        await pipelined(tx, [databaseNow(tx), tx`select 1`]);
      });
    };
    assert.equal(typeof refused, 'function');
  });

  it('is every one whose SQL locks rows for longer than its own statement', async () => {
    const folder = new URL('../../src/db/', import.meta.url);
    const names = (await readdir(folder)).filter((name) => name.endsWith('.ts'));
    let locking = 0;
    for (const name of names) {
      const written = await readFile(new URL(name, folder), 'utf8');
      // A member of a table of queries has its type from an interface.
      const typed = [...written.matchAll(/^ {2}(\w+)\(tx: Tx, /gm)].map(([, member]) => member);
      const ofTables = new RegExp(`^ {4}(${typed.join('|') || 'none'}): \\(tx, \\w+\\) => tx\`[^\`]*\``, 'gm');
      const text = written.replace(ofTables, '');
      for (const part of text.split(/^(?=(?:export )?(?:async )?function )/m)) {
        if (
          !/^\s*(and .*\s)?for (no key update|update|share)\b/m.test(part) &&
          !/\sfor (no key update|update|share)`/.test(part)
        )
          continue;
        // One statement locks and changes.
        if (/skip locked/.test(part) && /delete from|^ +update \w+$/m.test(part)) continue;
        if (/: InsertCondition \{/.test(part)) continue;
        locking += 1;
        assert.match(part, /^(export )?async function \w+\(\s*tx: Tx,/, `${name}: ${part.slice(0, 80)}`);
      }
    }
    assert.ok(locking >= 15, `${locking} functions that lock`);
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

  it('is run again where such a statement was sent together with one that this connection has never sent', async () => {
    const sql = openPool(db.url, { max: 1, name: 'migrated' });
    let rounds = 0;
    const person = async (tx: Tx) => tx`select * from people where id = ${1}`;
    const rename = async (tx: Tx) => void (await tx`update people set name = ${'Grace'} where id = ${1}`);
    const never = async (tx: Tx) => tx.unsafe(`select ${++rounds}, $1::integer`, [1], { prepare: true });
    const read = () => atomically(sql, (tx) => pipelined(tx, [person(tx), rename(tx), never(tx)]));
    try {
      await read();
      await db.sql`alter table people add column died integer`;
      // It would wait for ever, and keep its locks.
      await Promise.race([read(), pause(10_000).then(() => assert.fail('it does not end'))]);
    } finally {
      await sql.end({ timeout: 1 });
    }
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
