import assert from 'node:assert/strict';
import { serve } from '../../src/api/http/server.ts';
import { findRefusedWrites } from '../../src/operations/stuck/refused-writes.ts';
import { openPool } from '../../src/platform/postgres/connection.ts';
import { takesWrites } from '../../src/platform/postgres/transaction.ts';
import { createWebApp } from '../../src/sites/app.ts';
import { send, testDeps, useApi } from '../support/api.ts';
import { useDatabase } from '../support/database.ts';
import { makeKeys } from '../support/factories.ts';

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
      assert.match(stuck.remedy, new RegExp(`grant select, insert, update, delete .* to "${role}"`));
      assert.deepEqual(others, []);
    } finally {
      await db.sql.unsafe(`drop owned by ${role}; drop role ${role};`);
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
