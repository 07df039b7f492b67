import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { after, before, describe, it } from 'mocha';
import { type RunningPostgres, startPostgres } from '../../dev/postgres.ts';
import { findOnPath } from '../../dev/tool.ts';
import { openPool, type Pool } from '../../src/platform/postgres/connection.ts';
import { useFleet } from '../runtime/rolling/fleet.ts';
import { useFolder } from '../runtime/support.ts';
import { makeBiller, makeKey } from '../support/factories.ts';
import { createMerchant } from '../support/merchant.ts';
import { frozen } from '../support/payer.ts';

const run = promisify(execFile);
const temporalFolder = fileURLToPath(new URL('../../temporal/', import.meta.url));

/** `insufficient_privilege`. */
const refused = '42501';

const passwords = { payments_owner: 'owner-secret', payments: "service's secret", temporal: 'temporal-secret' };
type Role = keyof typeof passwords;

/** The result of a statement: `done`, or its error code. */
async function outcomeOf(url: string, statement: string): Promise<string> {
  const sql = openPool(url, { max: 1, name: 'attack' });
  try {
    await sql.unsafe(statement);
    return 'done';
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** The roles of compose.yaml, on a separate PostgreSQL: roles belong to a server, not to a database. */
describe('the role that the service runs as', function () {
  this.timeout(180_000);
  const folder = useFolder();
  const startFleet = useFleet();
  let server: RunningPostgres | undefined;
  let service: Pool | undefined;

  function urlOf(role: Role, database = 'payments'): string {
    const url = new URL(server?.url ?? '');
    url.username = role;
    url.password = encodeURIComponent(passwords[role]);
    url.pathname = database;
    return url.href;
  }

  async function makeRoles(): Promise<void> {
    const { hostname, port, username, password } = new URL(server?.url ?? '');
    await run('sh', [join(temporalFolder, 'compose/make-roles.sh')], {
      env: {
        PATH: process.env.PATH,
        ...{ PGHOST: hostname, PGPORT: port, PGUSER: username, PGPASSWORD: password },
        ...{ OWNER_PASSWORD: passwords.payments_owner, SERVICE_PASSWORD: passwords.payments },
        TEMPORAL_PASSWORD: passwords.temporal,
      },
    });
  }

  function migrate(role: Role, ...args: string[]) {
    const program = fileURLToPath(new URL('../../src/processes/cli/main.ts', import.meta.url));
    return run(process.execPath, [program, 'migrate', ...args], {
      env: { PATH: process.env.PATH, DATABASE_URL: urlOf(role) },
    });
  }

  before('make the roles, the databases and the tables', async function () {
    if ((await findOnPath('psql', process.env.PATH ?? '')) === null) this.skip();
    server = await startPostgres({ dataDir: folder.path, log: () => {} });
    // Each is safe to repeat, as compose does at every start.
    for (let time = 0; time < 2; time += 1) {
      await makeRoles();
      const { stdout } = await migrate('payments_owner', '--grant-to', 'payments');
      assert.match(stdout, /up to date, and payments has its rights/);
    }
    service = openPool(urlOf('payments'), { max: 4, name: 'test' });
  });
  after('end the server', async () => {
    await service?.end({ timeout: 1 });
    await server?.stop();
  });

  it('is enough for an API and a worker that take a payment, run a plan and issue keys', async () => {
    assert.ok(service);
    const sql = service;
    const fleet = await startFleet(urlOf('payments'), join(folder.path, 'ledger.jsonl'));
    await Promise.all([fleet.start('api'), fleet.start('worker')]);
    const biller = await makeBiller(sql);
    const { key } = await makeKey(sql, { billerId: biller.id });
    const merchant = createMerchant(fleet.balancer.url, key);
    const clock = await merchant.clock(frozen);
    const onClock = await merchant.payer({ test_clock: clock.id });
    const plan = await merchant.activePlan({ customer_id: onClock.id, start_date: frozen.slice(0, 10) });
    await merchant.advance(clock.id, '2027-01-24T00:00:00.000Z');
    const paid = await merchant.payments(plan.id);
    assert.deepEqual(
      paid.map(({ status }) => status),
      ['paid', 'paid', 'paid'],
    );
    const payer = await merchant.customer();
    const payment_method = await merchant.card(payer.id);
    const intent = await merchant.intent({ customer_id: payer.id, payment_method });
    assert.equal((await merchant.client.paymentIntents.confirm(intent.id)).status, 'succeeded');
    const refund = await merchant.request('POST', `/payment_intents/${intent.id}/refunds`, { amount: 400 });
    assert.equal(refund.status, 201);
    await merchant.client.customers.delete(payer.id);
    const [row] = await sql<{ count: number }[]>`select count(*)::int as count from audit_log`;
    assert.ok((row?.count ?? 0) >= 2, 'a biller and a key were made, and it is in the audit log');
  });

  for (const [what, statement] of [
    ['change the audit log', `update audit_log set actor_id = 'nobody'`],
    ['remove from the audit log', 'delete from audit_log'],
    ['empty the audit log', 'truncate audit_log'],
    ['switch the trigger of the audit log off', 'alter table audit_log disable trigger all'],
    ['drop the audit log', 'drop table audit_log'],
    [
      'replace the function of its trigger',
      'create or replace function refuse_change() returns trigger as $$ $$ language sql',
    ],
    ['rename the audit log', 'alter table audit_log rename to old_log'],
    ['empty another table', 'truncate events cascade'],
    ['say that a migration has run', `insert into schema_migrations (name) values ('9999_evil.sql')`],
    ['make a table', 'create table mine (id int)'],
    ['make a temporary table', 'create temporary table mine (id int)'],
    ['make a schema', 'create schema mine'],
    ['make an extension', 'create extension dblink'],
    ['drop a table', 'drop table payment_attempts'],
    ['drop a constraint', 'alter table payment_attempts drop constraint payment_attempts_pkey'],
    ['make a role', 'create role mine'],
    ['make itself a superuser', 'alter role payments superuser'],
    ['make a database', 'create database mine'],
    ['become the owner', 'set role payments_owner'],
    ['become Temporal', 'set role temporal'],
    ['read the passwords of roles', 'select * from pg_authid'],
    ['run a program', `copy (select 1) to program 'cat'`],
    ['write a file of the server', `copy (select 1) to '/tmp/mine'`],
    ['read a file of the server', `select pg_read_file('postgresql.conf')`],
    ['change a setting of the server', 'alter system set fsync = off'],
    ['skip the triggers', 'set session_replication_role = replica'],
  ] as const) {
    it(`has no right to ${what}`, async () => {
      assert.equal(await outcomeOf(urlOf('payments'), statement), refused);
    });
  }

  for (const [role, database] of [
    ['payments', 'temporal'],
    ['payments', 'temporal_visibility'],
    ['payments', 'postgres'],
    ['payments_owner', 'temporal'],
    ['payments_owner', 'temporal_visibility'],
    ['temporal', 'payments'],
  ] as const) {
    it(`does not let ${role} connect to the database ${database}`, async () => {
      assert.equal(await outcomeOf(urlOf(role, database), 'select 1'), refused);
    });
  }

  it('leaves Temporal the rights that its schema tool needs in its own databases', async () => {
    for (const database of ['temporal', 'temporal_visibility']) {
      const statements = 'create extension btree_gin; create table of_temporal (id int); drop table of_temporal';
      assert.equal(await outcomeOf(urlOf('temporal', database), statements), 'done');
    }
    assert.equal(await outcomeOf(urlOf('temporal', 'temporal'), 'create database mine'), refused);
  });

  it('gets no rights if it is the owner, who could change the audit log', async () => {
    for (const role of ['payments_owner', new URL(server?.url ?? '').username]) {
      await assert.rejects(migrate('payments_owner', '--grant-to', role), /Name the role that the service runs as/);
    }
    await assert.rejects(migrate('payments_owner', '--grant-to', 'nobody_such'), /does not exist/);
  });
});

describe('the compose file', () => {
  const read = (name: string) => readFile(join(temporalFolder, name), 'utf8');

  it('runs the service as the role with the fewest rights, and uses the superuser in one step only', async () => {
    const compose = await read('compose.yaml');
    const services = new Map(
      compose
        .slice(compose.indexOf('\nservices:'), compose.indexOf('\nvolumes:'))
        .split(/^(?= {2}[a-z-]+:$)/m)
        .map((block) => [/^ {2}([a-z-]+):/.exec(block)?.[1] ?? '', block]),
    );
    const [shared = ''] = compose.match(/^x-service:.*?^services:/ms) ?? [];
    assert.match(shared, /DATABASE_URL: postgres:\/\/payments:/);
    const withSuperuser = [...services].filter(([, block]) => /POSTGRES_PASSWORD/.test(block)).map(([name]) => name);
    assert.deepEqual(withSuperuser, ['postgres', 'roles']);
    const withOwner = [...services].filter(([, block]) => /OWNER_PASSWORD/.test(block)).map(([name]) => name);
    assert.deepEqual(withOwner, ['roles', 'prepare']);
    const withTemporal = [...services].filter(([, block]) => /TEMPORAL_PASSWORD/.test(block)).map(([name]) => name);
    assert.deepEqual(withTemporal, ['roles', 'temporal-tables', 'temporal']);
  });

  it('names every image by an exact version and a digest', async () => {
    const compose = await read('compose.yaml');
    const images = [...compose.matchAll(/^ +image: (?!\*)(?:&\S+ )?(\S+)/gm)].map(([, image = '']) => image);
    const [base = ''] = (await read('compose/service.Dockerfile')).match(/(?<=^FROM )\S+/m) ?? [];
    const foreign = [...images.filter((image) => image !== 'payments-service'), base];
    assert.equal(foreign.length, 6);
    for (const image of foreign) assert.match(image, /^[\w/-]+:\d+\.\d+(\.\d+)?(-[\w-]+)?@sha256:[0-9a-f]{64}$/);
  });

  it('keeps its secrets out of the image and out of git', async () => {
    const root = join(temporalFolder, '..');
    assert.match(await readFile(join(root, '.dockerignore'), 'utf8'), /^temporal\/\.env$/m);
    assert.match(await readFile(join(root, '.gitignore'), 'utf8'), /^\.env$/m);
  });
});
