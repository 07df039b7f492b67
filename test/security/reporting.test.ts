import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { after, beforeEach, describe, it } from 'mocha';
import { reportingCategories } from '../../src/domain/ledger/balance-transactions.ts';
import { openPool, type Pool } from '../../src/platform/postgres/connection.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { grantReporting, type NewReader, revokeReporting } from '../../src/services/accounts/reporting-readers.ts';
import { followLedgers } from '../../src/services/ledger/follower.ts';
import { useSubscriber } from '../support/subscriber.ts';

const refused = '42501';
const views = [
  ...['balance_transactions_v1', 'payments_v1', 'refunds_v1', 'payouts_v1', 'customers_v1', 'plans_v1'],
  'subscriptions_v1',
];

describe('a reader of the schema reporting', () => {
  const subscriber = useSubscriber({ isAlone: true });
  const { stage, here } = subscriber;
  const origin = () => ({ by: { kind: 'command_line', id: 'ada' } as const, now: realNow() });
  const made: string[] = [];
  const pools: Pool[] = [];
  let reader: NewReader;
  let own: Pool;

  function connect({ role_name: role, password }: NewReader, database?: string): Pool {
    const url = new URL(stage.db.url);
    url.username = role;
    url.password = password;
    if (database !== undefined) url.pathname = database;
    const pool = openPool(url.href, { max: 1, name: 'bi' });
    pools.push(pool);
    return pool;
  }
  async function grant(billerId = stage.keys.biller.id, livemode = false): Promise<NewReader> {
    const granted = await grantReporting(stage.db.sql, { billerId, livemode }, origin());
    made.push(granted.role_name);
    return granted;
  }
  async function outcomeOf(sql: Pool, statement: string): Promise<string> {
    return sql.unsafe(statement).then(
      () => 'done',
      (error: Error & { code?: string }) => error.code ?? error.message,
    );
  }
  const idsOf = async (sql: Pool, view: string): Promise<string[]> =>
    (await sql.unsafe(`select id from reporting.${view} order by id`)).map(({ id }) => id);

  /** A payment that was refunded in part, a plan, a subscription and a payout; and a payment of another biller. */
  async function haveSomethingOfEach(): Promise<void> {
    await subscriber.started();
    const card = await stage.merchant.card(here.customer);
    const { id } = await stage.merchant.intent({ amount: 10_000, customer_id: here.customer });
    await stage.request('POST', `/payment_intents/${id}/confirm`, { payment_method: card });
    await stage.request('POST', `/payment_intents/${id}/refunds`, { amount: 2_500 });
    await here.active({});
    await here.advance('2027-01-20T00:00:00Z');
    const { merchant } = await stage.stranger();
    const { id: stranger } = await merchant.customer({ name: 'Secret Stranger', email: 'secret@example.com' });
    const { id: theirs } = await merchant.intent({ customer_id: stranger, amount: 77_700 });
    const payment_method = await merchant.card(stranger);
    await merchant.request('POST', `/payment_intents/${theirs}/confirm`, { payment_method });
    await followLedgers(stage.db.sql, new AbortController().signal);
  }

  beforeEach('grant a reader', async () => {
    reader = await grant();
    own = connect(reader);
  });
  after('drop the roles, which belong to the server', async () => {
    for (const pool of pools) await pool.end({ timeout: 1 });
    for (const role of made) await revokeReporting(stage.db.sql, role, origin()).catch(() => {});
  });

  it('reads all rows of its biller and mode, and no others', async () => {
    await haveSomethingOfEach();
    const { sql } = stage.db;
    const tables = { customers_v1: 'customers', payments_v1: 'payment_intents', refunds_v1: 'refunds' };
    const more = { payouts_v1: 'payouts', plans_v1: 'payment_plans', subscriptions_v1: 'subscriptions' };
    for (const [view, table] of Object.entries({
      ...tables,
      ...more,
      balance_transactions_v1: 'balance_transactions',
    })) {
      const all = await sql.unsafe(`select id, biller_id, livemode from ${table} order by id`);
      const mine = all.filter((row) => row.biller_id === stage.keys.biller.id && !row.livemode);
      assert.ok(mine.length > 0, view);
      assert.deepEqual(
        await idsOf(own, view),
        mine.map(({ id }) => id),
        view,
      );
    }
    const live = connect(await grant(stage.keys.biller.id, true));
    for (const view of views) assert.deepEqual(await idsOf(live, view), [], view);
    const [count] = await sql`select count(distinct biller_id)::integer as billers from customers`;
    assert.ok((count?.billers ?? 0) > 1);
  });

  it('reads in the books what the API returns', async () => {
    await haveSomethingOfEach();
    const { body } = await stage.request('GET', `/balance_transactions?test_clock=${here.clock}&limit=100`);
    const columns = [
      'id',
      'type',
      'reporting_category',
      'currency',
      'gross',
      'fee',
      'net',
      'source',
      'payout_id',
    ] as const;
    const picked = (row: Record<string, unknown>) => columns.map((name) => String(row[name]));
    const rows = await own.unsafe('select * from balance_transactions_v1 order by created_at desc, id desc');
    assert.ok(rows.length >= 3);
    assert.deepEqual(rows.map(picked), body.data.map(picked));
    const definition = await stage.db.sql`select pg_get_viewdef('reporting.balance_transactions_v1') as text`;
    for (const [type, category] of Object.entries(reportingCategories)) {
      if (type !== category) assert.match(definition[0]?.text, new RegExp(`'${type}'::text THEN '${category}'`));
    }
  });

  it('adds up a month with the statement of the guide, as its rows do', async () => {
    await haveSomethingOfEach();
    const guide = await readFile(new URL('../../docs/api/17b-your-own-bi.md', import.meta.url), 'utf8');
    const [, statement = ''] = /```sql\n([^`]*)```/.exec(guide) ?? [];
    const onClock = await own.unsafe(statement.replace('test_clock is null', 'test_clock is not null'));
    const types = [...new Set(onClock.map(({ type }) => type))].toSorted();
    assert.deepEqual(types, ['payment', 'payout', 'refund']);
    const sums = (await own.unsafe('select sum(net) as net, sum(fee) as fee from balance_transactions_v1'))[0];
    for (const name of ['net', 'fee'] as const) {
      assert.equal(
        onClock.reduce((sum, row) => sum + Number(row[name]), 0),
        Number(sums?.[name]),
      );
    }
    assert.deepEqual([...(await own.unsafe(statement))], []);
  });

  it('shows in each view nothing that is sealed, and no column but those of its version', async () => {
    const columns = await own.unsafe(`
      select table_name || ': ' || string_agg(column_name, ', ' order by ordinal_position) as line
      from information_schema.columns where table_schema = 'reporting' group by table_name order by table_name`);
    const shown = columns.map(({ line }) => line);
    assert.equal(shown.length, views.length);
    for (const line of shown) assert.doesNotMatch(line, /sealed|secret|token|instrument_data|biller_id|livemode/);
  });

  for (const [what, statement] of [
    ['read a table', 'select * from public.customers'],
    ['read one column of a table', 'select id from public.payment_methods'],
    ['read sealed account numbers', 'select sealed_account_number from public.payment_methods'],
    ['read API keys', 'select * from public.api_keys'],
    ['read events', 'select * from public.events'],
    ['read the view of the books of all', 'select * from public.balance_transactions'],
    ['read who else is a reader', 'select * from reporting.readers'],
    ['read whose rows it reads, but through the views', 'select * from reporting.reader'],
    ['enter itself for another biller', `update reporting.readers set livemode = true`],
    ['make a table', 'create table reporting.mine (id int)'],
    ['make a table in public', 'create table public.mine (id int)'],
    ['make a temporary table', 'create temporary table mine (id int)'],
    [
      'make a function for its conditions',
      `create function reporting.f(text) returns bool language sql as 'select true'`,
    ],
    ['make a temporary function', `create function pg_temp.f(text) returns bool language sql as 'select true'`],
    ['make a schema', 'create schema mine'],
    ['replace a view', 'create or replace view reporting.payouts_v1 as select 1 as id'],
    ['take the barrier off a view', 'alter view reporting.payouts_v1 reset (security_barrier)'],
    ['give itself a right', 'grant select on public.customers to current_user'],
    ['read passwords', 'select * from pg_authid'],
    ['read a file of the server', `select pg_read_file('postgresql.conf')`],
    ['run a program', `copy (select 1) to program 'cat'`],
    ['write a file', `copy (select 1) to '/tmp/mine'`],
    [
      'end the session of another',
      `select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()`,
    ],
    ['make itself a superuser', 'alter role current_user superuser'],
    ['have more sessions', 'alter role current_user connection limit 100'],
    ['make a role', 'create role mine'],
    ['skip triggers', 'set session_replication_role = replica'],
  ] as const) {
    it(`has no right to ${what}`, async () => {
      // Without its own default, which a session may change.
      await own.unsafe('set default_transaction_read_only = off');
      assert.equal(await outcomeOf(own, statement), refused);
    });
  }

  for (const statement of [
    'update payouts_v1 set amount = 1',
    'delete from customers_v1',
    `insert into payouts_v1 (currency) values ('AUD')`,
  ]) {
    it(`cannot ${statement.split(' ')[0]} through a view`, async () => {
      await own.unsafe('set default_transaction_read_only = off');
      assert.equal(await outcomeOf(own, statement), refused);
    });
  }

  it('cannot become another reader, the owner, or the role of the service', async () => {
    const other = await grant((await stage.stranger()).keys.biller.id);
    const owner = new URL(stage.db.url).username;
    for (const role of [other.role_name, owner, 'pg_read_all_data', 'pg_signal_backend', 'pg_monitor']) {
      for (const how of ['set role', 'set session authorization']) {
        assert.equal(await outcomeOf(own, `${how} "${role}"`), refused, role);
      }
    }
    // Of the other it can read the name of the role, which says nothing.
    assert.match(other.role_name, /^reporting_[0-9a-f]{16}$/);
  });

  it('learns nothing of the rows of others by conditions that fail, tell or are cheap', async () => {
    await haveSomethingOfEach();
    const probes = [
      `select id from customers_v1 where 1 / (case when name = 'Secret Stranger' then 0 else 1 end) = 1`,
      `select id from payments_v1 where (case when amount = 77700 then (id || 'x')::integer else 1 end) = 1`,
      `select id from customers_v1 where name::xml is not null or email = 'secret@example.com'`,
      `select id from customers_v1 where name ~ 'Secret' or email like 'secret%'`,
      `select count(*) from customers_v1 c full join payments_v1 p on true where c.name = 'Secret Stranger'`,
    ];
    for (const probe of probes) {
      const result = await own.unsafe(probe).catch((error: Error) => [{ error: error.message }]);
      assert.doesNotMatch(
        JSON.stringify(result),
        /Secret|secret|77700|division|invalid input syntax for type integer/,
        probe,
      );
    }
    const plan = await own.unsafe(`explain select id from customers_v1 where name ~ 'Secret'`);
    const text = plan.map((row) => row['QUERY PLAN']).join('\n');
    assert.match(text, /Subquery Scan on customers_v1[\s\S]*Filter: \(customers_v1.name ~ 'Secret'/, text);
  });

  it('sees no statement of others, and no statistics of their values', async () => {
    await haveSomethingOfEach();
    await stage.db.sql`select 'a statement of the service'`;
    await stage.db.sql.unsafe('analyze customers');
    const activity = await own.unsafe('select query from pg_stat_activity where usename <> current_user');
    assert.ok(activity.length > 0);
    assert.deepEqual([...new Set(activity.map(({ query }) => query))], ['<insufficient privilege>']);
    assert.deepEqual([...(await own.unsafe(`select * from pg_stats where schemaname = 'public'`))], []);
  });

  it('has four sessions at most, and statements that end by themselves', async () => {
    const url = new URL(stage.db.url);
    [url.username, url.password] = [reader.role_name, reader.password];
    const many = openPool(url.href, { max: 6, name: 'bi' });
    pools.push(many);
    const held = Promise.allSettled(Array.from({ length: 6 }, () => many.unsafe('select pg_sleep(1)')));
    const codes = (await held).flatMap((one) => (one.status === 'rejected' ? [String(one.reason.code)] : []));
    assert.ok(codes.length > 0 && codes.every((code) => code === '53300'), `${codes}`);
    const plain = await many.unsafe(`select name, setting from pg_db_role_setting, unnest(setconfig) setting, pg_roles r
      cross join lateral (select split_part(setting, '=', 1) as name) n where r.oid = setrole and rolname = current_user`);
    assert.ok(plain.some(({ setting }) => setting === 'statement_timeout=60s'));
  });

  it('logs in with its password alone, which is in no table, and in no statement that the server has seen', async () => {
    const wrong = connect({ ...reader, password: 'wrong' });
    assert.equal(await outcomeOf(wrong, 'select 1'), '28P01');
    const [stored] = await stage.db.sql`select rolpassword from pg_authid where rolname = ${reader.role_name}`;
    assert.match(stored?.rolpassword, /^SCRAM-SHA-256\$4096:/);
    const [entry] = await stage.db.sql`
      select * from audit_log where subject_id = ${reader.role_name} and action = 'reporting.granted'`;
    assert.equal(entry?.biller_id, stage.keys.biller.id);
    assert.ok(!JSON.stringify(entry).includes(reader.password));
  });

  it('reads nothing once it is revoked, and its sessions end', async () => {
    await haveSomethingOfEach();
    const gone = await grant();
    const session = connect(gone);
    assert.equal((await idsOf(session, 'customers_v1')).length, 1);
    await revokeReporting(stage.db.sql, gone.role_name, origin());
    assert.notEqual(await outcomeOf(session, 'select * from reporting.customers_v1'), 'done');
    await assert.rejects(revokeReporting(stage.db.sql, gone.role_name, origin()), /No such reader/);
    await assert.rejects(revokeReporting(stage.db.sql, 'postgres', origin()), /No such reader/);
  });

  it('is revoked also when it has left something in the database, which goes with it', async () => {
    const { sql } = stage.db;
    const gone = await grant();
    const session = connect(gone);
    await session.unsafe('set default_transaction_read_only = off');
    assert.equal(await outcomeOf(session, `select lo_from_bytea(0, 'mine')`), 'done');
    await revokeReporting(sql, gone.role_name, origin());
    assert.equal((await sql`select from pg_roles where rolname = ${gone.role_name}`).length, 0);
    assert.equal((await sql`select from pg_largeobject_metadata`).length, 0);
  });

  it('that has left something in another database is shut, and dropped by a second try once that is gone', async () => {
    const gone = await grant();
    const elsewhere = connect(gone, 'postgres');
    assert.equal(await outcomeOf(elsewhere, `select lo_from_bytea(0, 'mine')`), 'done');
    const session = connect(gone);
    await session.unsafe('select 1');
    await assert.rejects(revokeReporting(stage.db.sql, gone.role_name, origin()), /some objects depend on it/);
    assert.notEqual(await outcomeOf(session, 'select * from reporting.customers_v1'), 'done');
    for (const database of [undefined, 'postgres']) {
      assert.equal(await outcomeOf(connect(gone, database), 'select 1'), '28000');
    }
    const url = new URL(stage.db.url);
    url.pathname = 'postgres';
    const server = openPool(url.href, { max: 1, name: 'server' });
    pools.push(server);
    await server.unsafe(`drop owned by ${gone.role_name}`);
    assert.equal((await revokeReporting(stage.db.sql, gone.role_name, origin())).role_name, gone.role_name);
  });

  it('is made and revoked by a role that is no superuser, and its sessions end then too', async () => {
    const { sql } = stage.db;
    const keeper = `keeper_${randomBytes(4).toString('hex')}`;
    const [{ name: database }] = await sql<[{ name: string }]>`select current_database() as name`;
    await sql.unsafe(`
      create role ${keeper} login createrole password 'own';
      grant select on all tables in schema public to ${keeper};
      grant insert on audit_log to ${keeper};
      alter schema reporting owner to ${keeper};
      alter table reporting.readers owner to ${keeper};
      alter database ${database} owner to ${keeper}`);
    const url = new URL(stage.db.url);
    [url.username, url.password] = [keeper, 'own'];
    const pool = openPool(url.href, { max: 2, name: 'keeper' });
    pools.push(pool);
    try {
      const tenant = { billerId: stage.keys.biller.id, livemode: false };
      const gone = await grantReporting(pool, tenant, origin());
      const session = connect(gone);
      await session.unsafe('select * from customers_v1');
      const asked = outcomeOf(session, 'select pg_sleep(20)');
      await revokeReporting(pool, gone.role_name, origin());
      assert.notEqual(await asked, 'done');
      assert.equal((await sql`select from pg_roles where rolname = ${gone.role_name}`).length, 0);
    } finally {
      await pool.end({ timeout: 1 });
      await sql.unsafe(`
        alter database ${database} owner to current_user;
        alter schema reporting owner to current_user;
        alter table reporting.readers owner to current_user;
        drop owned by ${keeper};
        drop role ${keeper}`);
    }
  });

  it('is not made while PUBLIC may read a table: every reader could, and nothing is left of it', async () => {
    const { sql } = stage.db;
    const count = async () =>
      (await sql`select count(*)::integer as n from pg_roles where rolname like 'reporting%'`)[0]?.n;
    const before = await count();
    await sql`grant select (id) on api_keys to public`;
    await assert.rejects(grant(), /PUBLIC has rights on public.api_keys/);
    await sql`revoke select (id) on api_keys from public`;
    assert.equal(await count(), before);
  });
});
