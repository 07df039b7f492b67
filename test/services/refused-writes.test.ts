import assert from 'node:assert/strict';
import { eventually } from '../../lab/eventually.ts';
import { serve } from '../../src/api/http/server.ts';
import { grantRights } from '../../src/db/grants.ts';
import { migrate } from '../../src/db/migrate.ts';
import { findRefusedWrites } from '../../src/operations/stuck/refused-writes.ts';
import { findStuckRows } from '../../src/operations/stuck/stuck.ts';
import { refusalOf } from '../../src/platform/database-causes.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { openPool } from '../../src/platform/postgres/connection.ts';
import { databaseNow } from '../../src/platform/postgres/database-clock.ts';
import { isOutage, takesWrites } from '../../src/platform/postgres/transaction.ts';
import { watchSelf } from '../../src/processes/self-watch.ts';
import { createVault } from '../../src/services/accounts/vault.ts';
import { createWebApp } from '../../src/sites/app.ts';
import { send, testDeps, useApi } from '../support/api.ts';
import { useDatabase } from '../support/database.ts';
import { makeKeys } from '../support/factories.ts';
import { onServer } from '../support/postgres.ts';
import { useStage } from '../support/stage.ts';
import { testLogger } from '../support/temporal.ts';

describe('a PostgreSQL that refuses writes', () => {
  const db = useDatabase();
  /** What is found, in the order of the report, and null where PostgreSQL takes all writes. */
  const found = async (sql: Parameters<typeof findRefusedWrites>[0] = db.sql) => (await findRefusedWrites(sql)).found;

  it('is not found while it takes them', async () => {
    assert.deepEqual(await found(), []);
    await takesWrites(db.sql);
  });

  it('because it is read-only is found with what to do', async () => {
    const { pathname } = new URL(db.url);
    await db.sql.unsafe(`alter database ${pathname.slice(1)} set default_transaction_read_only = on`);
    const sql = openPool(db.url, { max: 1, name: 'test' });
    try {
      const [stuck, ...others] = await found(sql);
      assert.equal(stuck?.why, 'it is read-only (default_transaction_read_only)');
      assert.match(stuck.remedy, /alter database "test_\w+" reset default_transaction_read_only;/);
      assert.deepEqual(others, []);
      await assert.rejects(takesWrites(sql), /PostgreSQL is read-only/);
    } finally {
      await sql.end();
      await db.sql.unsafe(`alter database ${pathname.slice(1)} reset default_transaction_read_only`);
    }
  });

  it('because a right was revoked names the tables and the grant', async () => {
    const role = `limited_${new URL(db.url).pathname.slice(-8)}`;
    await db.sql.unsafe(`
      create role ${role};
      grant select, insert, update, delete on all tables in schema public to ${role};
      revoke insert on payment_attempts from ${role};
      revoke update on refunds from ${role};`);
    try {
      const [stuck, ...others] = await db.sql.begin(async (tx) => {
        await tx.unsafe(`set local role ${role}`);
        return found(tx as unknown as typeof db.sql);
      });
      assert.equal(stuck?.why, `${role} has not all rights on payment_attempts, refunds`);
      assert.equal(
        stuck.remedy,
        `As the owner of the tables: grant insert on payment_attempts to "${role}"; grant update on refunds to "${role}".`,
      );
      assert.deepEqual(others, []);
    } finally {
      await db.sql.unsafe(`drop owned by ${role}; drop role ${role};`);
    }
  });

  it('is not found where the role of the service has its rights, and no others', async () => {
    const role = `service_${new URL(db.url).pathname.slice(-8)}`;
    await db.sql.unsafe(`create role ${role}`);
    try {
      await grantRights(db.sql, role);
      await db.sql.begin(async (tx) => {
        await tx.unsafe(`set local role ${role}`);
        assert.deepEqual(await found(tx as unknown as typeof db.sql), []);
      });
    } finally {
      await db.sql.unsafe(`drop owned by ${role}; drop role ${role};`);
    }
  });

  for (const [what, change, undo, why, remedy] of [
    [
      'a renamed table',
      'alter table refunds rename to refunds_old',
      'alter table refunds_old rename to refunds',
      'the table refunds is not there: it was renamed or dropped',
      /^If it was renamed: alter table refunds_old rename to refunds\. /,
    ],
    [
      'a renamed column',
      'alter table payment_attempts rename column outcome to result',
      'alter table payment_attempts rename column result to outcome',
      'the table payment_attempts has no column outcome: it was renamed or dropped',
      /^If it was renamed: alter table payment_attempts rename column result to outcome\. /,
    ],
    [
      'a dropped column',
      'alter table customers drop column deleted_at cascade',
      null,
      'the table customers has no column deleted_at: it was renamed or dropped',
      /^Find out who has changed it, and restore it from a back-up\.$/,
    ],
  ] as const) {
    it(`because of ${what} names it, and the statement that mends it`, async () => {
      const mended = new Error('mended');
      await db.sql
        .begin(async (tx) => {
          await tx.unsafe(change);
          const [stuck, ...others] = await found(tx as unknown as typeof db.sql);
          assert.equal(stuck?.why, why);
          assert.match(stuck.remedy, remedy);
          assert.deepEqual(others, []);
          if (undo !== null) {
            await tx.unsafe(undo);
            assert.deepEqual(await found(tx as unknown as typeof db.sql), []);
          }
          throw mended;
        })
        .catch((error) => {
          if (error !== mended) throw error;
        });
    });
  }

  it('is found where nothing was migrated yet', async () => {
    const sql = openPool(db.url.replace(/test_\w+/, 'postgres'), { max: 1, name: 'test' });
    try {
      const [stuck] = await found(sql);
      assert.match(stuck?.why ?? '', /^the database has no tables yet/);
      assert.match(stuck?.remedy ?? '', /^npm run migrate/);
    } finally {
      await sql.end();
    }
  });

  it('is still known for what it is at the next start, which migrates nothing', async () => {
    await db.sql`alter table refunds rename to refunds_old`;
    try {
      await migrate(db.url);
      assert.equal((await found())[0]?.why, 'the table refunds is not there: it was renamed or dropped');
    } finally {
      await db.sql`alter table refunds_old rename to refunds`;
    }
  });

  it('because a sequence has no number left names it', async () => {
    const [sequence] = await db.sql<[{ name: string; last: string }]>`
      select sequencename as name, max_value::text as last from pg_sequences
      where sequencename like 'audit_log%' and schemaname = 'public'`;
    await db.sql`select setval(${sequence.name}, ${sequence.last}::text::bigint)`;
    const [stuck, ...others] = await found();
    assert.equal(stuck?.why, `the sequence ${sequence.name} has no number left`);
    assert.deepEqual(others, []);
    await db.sql`select setval(${sequence.name}, 1, false)`;
    assert.deepEqual(await found(), []);
  });
});

describe('a PostgreSQL whose tables were changed by hand', () => {
  const stage = useStage({ isDamaged: true });

  it('is named by ops stuck, which says what it cannot read; no processor is blamed for it', async () => {
    const { merchant, db } = stage;
    const payer = await merchant.customer();
    const method = await merchant.card(payer.id);
    const { id } = await merchant.intent({ customer_id: payer.id, payment_method: method });
    await stage.request('POST', `/payment_intents/${id}/confirm`);
    await db.sql`
      update payment_attempts set outcome = 'processing', settled_at = null, opened_at = now() - interval '1 minute'
      where payment_intent_id = ${id}`;
    await db.sql`alter table refunds rename column status to state`;
    try {
      const reports = await findStuckRows(db.sql, await databaseNow(db.sql));
      const of = (kind: string) => reports.find((report) => report.kind === kind)?.found ?? [];
      assert.match(of('writes_refused')[0]?.remedy ?? '', /alter table refunds rename column state to status/);
      assert.ok(
        of('not_readable').some(({ why }) => why.startsWith('refund_processing could not be read: the tables')),
      );
      const [payment] = of('payment_processing');
      assert.match(
        payment?.why ?? '',
        /^PostgreSQL refuses the service \(writes_refused\), so nothing can be recorded;/,
      );
      assert.match(payment?.remedy ?? '', /^First do what writes_refused says/);
    } finally {
      await db.sql`alter table refunds rename column state to status`;
    }
  });
});

describe('the words about a PostgreSQL that refuses', () => {
  const db = useDatabase();

  for (const [what, statement, kind] of [
    ['a table that is not there', 'select from none_of_this_name', 'schema'],
    ['a column that is not there', 'select none_of_this_name from billers', 'schema'],
    ['a right that was revoked', 'set role pg_monitor; select from billers', 'right'],
    ['a transaction that only reads', 'begin read only; create table none ()', 'read_only'],
    [
      'a sequence without numbers',
      `create temp sequence two maxvalue 2; select nextval('two') from generate_series(1, 3)`,
      'sequence',
    ],
  ] as const) {
    it(`name ${what}`, async () => {
      const sql = openPool(db.url, { max: 1, name: 'test' });
      const error = await sql.unsafe(statement).then(
        () => assert.fail('it was not refused'),
        (thrown: Error) => thrown,
      );
      await sql.end();
      const refusal = refusalOf(error);
      assert.equal(refusal?.kind, kind, String(error));
      assert.ok(refusal.why.endsWith(`(${error.message})`), refusal.why);
      assert.equal(isOutage(error), kind === 'read_only', 'only then a repetition may succeed');
    });
  }

  it('are those of no other error', async () => {
    const wrong = await db.sql`select 1/0`.catch((error: unknown) => error);
    assert.equal(refusalOf(wrong), null);
    assert.equal(refusalOf(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })), null);
  });
});

describe('a request to a PostgreSQL whose tables were changed by hand', () => {
  const db = useDatabase();
  const lines: { msg: string; err: Record<string, string> }[] = [];
  const logger = createLogger('warn', 'test', { write: (line) => void lines.push(JSON.parse(line)) });
  const api = useApi(db, undefined, () => ({ logger }));

  it('is 500 without Retry-After, and its line in the log says why and what to do', async () => {
    const { sandboxSecret: key } = await makeKeys(db.sql);
    await db.sql`alter table customers rename to customers_old`;
    try {
      const refused = await api.send('POST', '/api/v1/customers', { key, body: { name: 'Ada' } });
      assert.deepEqual([refused.status, refused.body.error.code], [500, 'internal_error'], refused.text);
      assert.equal(refused.headers.get('retry-after'), null);
    } finally {
      await db.sql`alter table customers_old rename to customers`;
    }
    const line = lines.find(({ msg }) => msg === 'request failed');
    assert.match(
      line?.err.why ?? '',
      /^the tables are not those of this version \(relation "customers" does not exist\)$/,
    );
    assert.match(line?.err.remedy ?? '', /npm run --silent ops -- stuck/);
  });
});

describe('a PostgreSQL that has another password for the role of the service', () => {
  const db = useDatabase();
  let url = '';
  let role = '';

  before('make a role with a password', async () => {
    role = `login_${new URL(db.url).pathname.slice(-8)}`;
    await db.sql.unsafe(`
      create role ${role} login password 'former';
      grant select, insert, update, delete on all tables in schema public to ${role};
      grant usage on all sequences in schema public to ${role};`);
    url = Object.assign(new URL(db.url), { username: role, password: 'former' }).href;
  });
  // Its rights have gone with the database.
  after('drop it', () => onServer((server) => server.unsafe(`drop role ${role}`)));

  it('is named by the processes that are connected, until they can log in again', async () => {
    const vault = createVault([{ id: 'test', key: Buffer.alloc(32, 1) }]);
    const open = openPool(url, { max: 1, name: 'test' });
    await open`select 1`;
    await db.sql.unsafe(`alter role ${role} password 'changed'`);
    const watching = watchSelf({ sql: open, databaseUrl: url, vault }, 'worker', testLogger());
    const look = async () => (await findRefusedWrites(db.sql)).found;
    try {
      const stuck = await eventually('it is named', async () => (await look())[0]);
      assert.match(stuck.why, /^worker \d+@\S+: PostgreSQL refuses the password of DATABASE_URL/);
      assert.match(stuck.remedy, /alter role ROLE password/);
    } finally {
      await watching.close();
      await db.sql.unsafe(`alter role ${role} password 'former'`);
    }
    const again = watchSelf({ sql: open, databaseUrl: url, vault }, 'worker', testLogger());
    await db.sql`update process_reports set reported_at = reported_at - interval '1 minute'`;
    await eventually('it is taken back or forgotten', async () => (await look()).length === 0);
    await again.close();
    await open.end();
  });

  it('gives a request that needs a new connection 503 with Retry-After, since nothing was sent', async () => {
    const { sandboxSecret: key } = await makeKeys(db.sql);
    const refusing = openPool(url.replace('former', 'wrong'), { max: 1, name: 'test' });
    const app = await serve(
      createWebApp(
        testDeps({ url: db.url, sql: refusing }, { checks: { PostgreSQL: () => takesWrites(refusing) } }).deps,
      ),
      { port: 0 },
    );
    try {
      const refused = await send(`http://127.0.0.1:${app.port}/api/v1/customers`, 'POST', {
        key,
        body: { name: 'Ada' },
      });
      assert.deepEqual([refused.status, refused.body.error.code], [503, 'unavailable'], refused.text);
      assert.ok(refused.headers.get('retry-after'));
      const unready = await send(`http://127.0.0.1:${app.port}/readyz`, 'GET');
      assert.deepEqual([unready.status, unready.body.error.missing], [503, ['PostgreSQL']]);
      assert.match(unready.body.error.message, /PostgreSQL\. PostgreSQL refuses the password of DATABASE_URL\.$/);
    } finally {
      await app.close();
      await refusing.end();
    }
  });
});

describe('a request to a PostgreSQL that is read-only', () => {
  const db = useDatabase();
  const api = useApi(db);

  it('that writes is 503 with Retry-After, since nothing was written; one that reads is answered', async () => {
    const { sandboxSecret: key } = await makeKeys(db.sql);
    const made = await api.send('POST', '/api/v1/customers', { key, body: { name: 'Jo' } });
    assert.equal(made.status, 201, made.text);
    const name = new URL(db.url).pathname.slice(1);
    const [before] = await db.sql<[{ count: number }]>`select count(*)::int as count from customers`;
    await db.sql.unsafe(`alter database ${name} set default_transaction_read_only = on`);
    const readOnly = openPool(db.url, { max: 4, name: 'test' });
    const app = await serve(createWebApp(testDeps({ url: db.url, sql: readOnly }).deps), { port: 0 });
    const ask = (method: string, path: string, body?: unknown) =>
      send(`http://127.0.0.1:${app.port}/api/v1${path}`, method, { key, body });
    try {
      const refused = await ask('POST', '/customers', { name: 'Ada' });
      assert.deepEqual([refused.status, refused.body.error.code], [503, 'unavailable'], refused.text);
      assert.ok(refused.headers.get('retry-after'));
      const read = await ask('GET', `/customers/${made.body.id}`);
      assert.equal(read.status, 200, read.text);
    } finally {
      await app.close();
      await readOnly.end();
      await db.sql.unsafe(`alter database ${name} reset default_transaction_read_only`);
    }
    const [after] = await db.sql<[{ count: number }]>`select count(*)::int as count from customers`;
    assert.deepEqual(after, before);
  });
});
