import assert from 'node:assert/strict';
import { before, describe, it } from 'mocha';
import { allKinds, idKinds } from '../../src/domain/ids.ts';
import {
  type Reference,
  referencesIn,
  tenantTables,
  untenanted,
} from '../../src/operations/invariants/tenant-tables.ts';
import { Customer } from '../../src/resources/customer.ts';
import { createCustomer } from '../../src/services/customers/customers.ts';
import { useDatabase } from '../support/database.ts';
import { makeCall } from '../support/webhooks.ts';

/** References between tables with biller and mode that go by the id alone, and why. The invariants check them. */
const byIdAlone: Readonly<Record<string, string>> = {
  'dashboard_sessions.api_key_id': 'the key of the request that makes it, whose biller and mode it takes',
  'webhook_deliveries.event_id': 'events are written in the statement that writes their deliveries',
};

/** Tables without `unique (biller_id, livemode, id)`, and why. */
const withoutTenantKey: Readonly<Record<string, string>> = {
  events: 'numbered by biller and mode instead; nothing references them with all three columns',
  api_keys: 'nothing references them',
};

/** The tables that say what a processor has of a payment. Only the trigger of a test clock deletes their rows. */
const withCharges = ['bank_debits', 'payment_attempts', 'payment_reservations', 'refunds'];

describe('the design of the database', () => {
  const db = useDatabase();
  let references: Reference[] = [];
  let tenanted: string[] = [];
  before('read the catalogue', async () => {
    references = await referencesIn(db.sql);
    tenanted = await tenantTables(db.sql);
  });

  it('has biller and mode in every table, or a reason in the list of exceptions', async () => {
    const tables = await db.sql<{ name: string }[]>`
      select tablename as name from pg_tables where schemaname = 'public' order by tablename`;
    assert.deepEqual([...tenanted, ...Object.keys(untenanted)].sort(), tables.map(({ name }) => name).sort());
  });

  it('has for each part of another row a foreign key to it, that it cannot be without', async () => {
    for (const [table, { ownedBy }] of Object.entries(untenanted)) {
      if (ownedBy === undefined) continue;
      const rows = await db.sql`
        select from pg_constraint f
        join pg_attribute a on a.attrelid = f.conrelid and a.attnum = any(f.conkey)
        where f.contype = 'f' and f.conrelid = ${table}::regclass and a.attname = ${ownedBy} and a.attnotnull
          and f.confrelid::regclass::text = any(${tenanted})`;
      assert.equal(rows.length, 1, `${table}.${ownedBy}`);
    }
  });

  it('has unique (biller_id, livemode, id) in every table with an id, or a reason', async () => {
    const rows = await db.sql<{ name: string }[]>`
      select c.relname as name from pg_class c
      where c.relname = any(${tenanted}) and c.relnamespace = 'public'::regnamespace
        and exists (select from pg_attribute where attrelid = c.oid and attname = 'id')
        and not exists (
          select from pg_constraint u where u.conrelid = c.oid and u.contype = 'u'
            and pg_get_constraintdef(u.oid) = 'UNIQUE (biller_id, livemode, id)'
        )`;
    assert.deepEqual(rows.map(({ name }) => name).sort(), Object.keys(withoutTenantKey).sort());
  });

  it('has biller and mode in every reference between tables that have both, or a reason', () => {
    const loose = references.filter(({ table, isEnforced }) => tenanted.includes(table) && !isEnforced);
    assert.deepEqual(
      loose.map(({ table, column }) => `${table}.${column}`),
      Object.keys(byIdAlone),
    );
  });

  it('can delete a test clock: every reference to what it takes along cascades, or becomes null, or is deleted as well', async () => {
    const all = await db.sql<{ table: string; target: string; action: string; deferred: boolean }[]>`
      select conrelid::regclass::text as table, confrelid::regclass::text as target, confdeltype as action,
        condeferred as deferred
      from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace`;
    const deleted = new Set(['test_clocks', ...withCharges]);
    // A set grows while it is iterated.
    for (const target of deleted) {
      for (const { table, action } of all.filter((reference) => reference.target === target && !reference.deferred)) {
        if (withCharges.includes(table)) continue; // the trigger of test_clocks deletes its row before
        assert.match(action, /^[cn]$/, `${table} keeps a row of ${target} from being deleted`);
        if (action === 'c') deleted.add(table);
      }
    }
    // These are checked when the transaction ends.
    for (const { table } of all.filter(({ deferred }) => deferred)) assert.ok(deleted.has(table), table);
    assert.ok(deleted.has('payment_intents') && !deleted.has('events'));
  });

  it('deletes no attempt of a payment or a refund, and no reference of a processor, because another row is deleted', async () => {
    const holders = await db.sql<{ name: string }[]>`
      select c.relname as name from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and exists (
        select from pg_attribute where attrelid = c.oid and attname in ('attempt_id', 'request_key')
      )
      order by c.relname`;
    assert.deepEqual(
      holders.map(({ name }) => name),
      withCharges,
    );
    const taken = await db.sql<{ name: string }[]>`
      select conrelid::regclass || '.' || conname as name from pg_constraint
      where contype = 'f' and conrelid = any(${withCharges}::regclass[]) and confdeltype not in ('a', 'r')`;
    assert.deepEqual(
      taken.map(({ name }) => name),
      [],
    );
  });

  it('has a table with biller and mode, or a view of one, for every collection of the API', async () => {
    const collections = allKinds.flatMap((kind) => idKinds[kind].collection ?? []);
    const views = (
      await db.sql<{ name: string }[]>`
        select v.table_name as name from information_schema.columns v
        where v.table_name in (select viewname from pg_views where schemaname = 'public')
          and v.column_name in ('biller_id', 'livemode')
        group by v.table_name having count(*) = 2`
    ).map(({ name }) => name);
    assert.deepEqual(
      collections.filter((name) => !tenanted.includes(name) && !views.includes(name)),
      [],
    );
  });

  it('takes as an id a prefix with 20 to 60 letters, digits and underscores, and nothing else', async () => {
    const end = 'a1B2c3D4e5F6g7H8i9J0';
    const taken = [`pi_${end}`, `pi_sandbox_${end}`, `pi_${end.repeat(3)}`, `pi_${'_'.repeat(20)}`];
    const refused = [
      ...[`pi_${end.slice(1)}`, `pi_${end.repeat(3)}x`, `_${end}`, `Pi_${end}`, `p1_${end}`, `pi-${end}`],
      ...[`pi_${end}\n`, `pi_${end}é`, `pi_ ${end}`, `\npi_${end}`, `${end}`, 'pi_', ''],
    ];
    for (const id of taken) assert.equal((await db.sql`select ${id}::text::object_id as id`)[0]?.id, id);
    for (const id of refused) await assert.rejects(db.sql`select ${id}::text::object_id`, /object_id_check/, id);
  });

  it('keeps a payment out of the index of what it is not for: a plan, a subscription, a link, a session', async () => {
    const rows = await db.sql<{ name: string }[]>`
      select c.relname as name from pg_index x
      join pg_class c on c.oid = x.indexrelid
      join pg_attribute a on a.attrelid = x.indrelid and a.attnum = x.indkey[0]
      where x.indrelid = 'payment_intents'::regclass and not a.attnotnull and x.indpred is null`;
    assert.deepEqual([...rows], []);
  });

  it('has the columns of a customer that the code writes and the API shows', async () => {
    const row = await createCustomer(db.sql, await makeCall(db.sql), { name: 'Jo' });
    const columns = await db.sql<{ name: string }[]>`
      select column_name as name from information_schema.columns
      where table_schema = 'public' and table_name = 'customers'`;
    assert.deepEqual(Object.keys(row).sort(), columns.map(({ name }) => name).sort());
    // The API shows each of them, two under another name.
    const shown = Object.keys(Customer.properties).map((field) => (field in row ? field : `${field}_id`));
    assert.deepEqual(shown.sort(), Object.keys(row).sort());
  });
});
