import assert from 'node:assert/strict';
import { createDecipheriv, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'mocha';
import pino from 'pino';
import { type RunningServer, serve } from '../../src/api/http/server.ts';
import { listSealed, type SealedColumn, sealedColumns } from '../../src/db/sealed-values.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { checkVault, type Vaults } from '../../src/processes/checked-vault.ts';
import { findUnreadable, keyUsage, rotateEncryption } from '../../src/services/accounts/encryption.ts';
import { createVault, type Vault } from '../../src/services/accounts/vault.ts';
import { createWebApp } from '../../src/sites/app.ts';
import { type Reply, send, testDeps } from '../support/api.ts';
import { useDatabase } from '../support/database.ts';
import { makeBiller, makeKey, tester } from '../support/factories.ts';

const allPages = { from: 0, to: 1_000_000 };
const columns = Object.keys(sealedColumns) as SealedColumn[];

describe('the upgrade to sealed values that are bound to their place', () => {
  const db = useDatabase(20);
  const key = { id: 'k1', key: randomBytes(32) };
  const upgrading = createVault([key], [1, 2]);
  const upgraded = createVault([key]);
  const strict = createVault([key], [2]);
  const servers: RunningServer[] = [];
  const answers = new Map<string, string>();
  let apiKey = '';

  before('make a key', async () => {
    apiKey = (await makeKey(db.sql)).key;
  });
  after('end the servers', () => Promise.all(servers.map((server) => server.close())));

  /** Starts an API process with this vault. */
  async function open(vault: Vault): Promise<string> {
    const server = await serve(createWebApp(testDeps(db, { vault }).deps), { port: 0 });
    servers.push(server);
    return `http://127.0.0.1:${server.port}/api/v1`;
  }

  const post = (url: string, path: string, body: unknown, name: string): Promise<Reply> =>
    send(url + path, 'POST', { key: apiKey, body, headers: { 'Idempotency-Key': name } });

  const bankAccount = {
    type: 'au_becs_debit',
    payment_method_data: { bsb_number: '000-000', account_name: 'Jo', account_number: '123498765' },
  };

  /** Makes an API process seal a value of every column. */
  async function fill(url: string, name: string): Promise<void> {
    const saved = await post(url, '/payment_methods', bankAccount, name);
    const endpoint = await post(url, '/webhook_endpoints', { url: 'http://127.0.0.1:9/' }, `${name} endpoint`);
    const rotated = await post(url, `/webhook_endpoints/${endpoint.body.id}/rotate_secret`, {}, `${name} rotation`);
    const offer = { name: 'Invoice', amount: 2500, currency: 'AUD' };
    const link = await post(url, '/payment_links', offer, `${name} link`);
    const session = await post(url, '/checkout_sessions', offer, `${name} session`);
    const made = [saved, endpoint, rotated, link, session].map(({ status }) => status);
    assert.deepEqual(made, [200, 201, 200, 201, 201]);
    answers.set(name, saved.text);
  }

  async function assertReplayed(url: string): Promise<void> {
    for (const [name, text] of answers) {
      const again = await post(url, '/payment_methods', bankAccount, name);
      assert.deepEqual([again.text, again.headers.get('idempotent-replayed')], [text, 'true'], name);
    }
  }

  /** How the former version opens a value. Copied here, so that it does not change. */
  function openAsFormerVersion(sealed: Buffer): string {
    assert.equal(sealed[0], 1);
    const head = sealed.subarray(0, 2 + sealed.readUInt8(1));
    const rest = sealed.subarray(head.length);
    const decipher = createDecipheriv('aes-256-gcm', key.key, rest.subarray(0, 12));
    decipher.setAAD(head).setAuthTag(rest.subarray(12, 28));
    const text = rest.subarray(28);
    return Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8');
  }

  async function formats(vault: Vault): Promise<(number | undefined)[]> {
    const [usage] = await keyUsage(db.sql, vault);
    return [usage?.format_1, usage?.format_2];
  }

  it('lets the former version read everything that is written while ENCRYPTION_FORMATS is 1,2', async () => {
    const url = await open(upgrading);
    await fill(url, 'begun');
    for (const column of columns) {
      const values = await listSealed(db.sql, column, allPages);
      assert.ok(values.length > 0, column);
      for (const { sealed, field } of values) {
        assert.equal(openAsFormerVersion(sealed), upgraded.open(sealed, field));
      }
    }
    assert.deepEqual(await formats(upgrading), [10, 0]);
  });

  it('fails no repeated request while processes of both settings run', async () => {
    const [before, later] = await Promise.all([open(upgrading), open(upgraded)]);
    await fill(later, 'went on');
    for (const url of [before, later]) await assertReplayed(url);
    assert.deepEqual(await formats(upgraded), [10, 10]);
  });

  it('is completed by a rotation under the same key: no value of the former format is left, and every value opens', async () => {
    const rotation = await rotateEncryption(db.sql, upgraded, { by: tester, now: realNow() });
    assert.deepEqual(rotation, { resealed: 10, unreadable: 0 });
    assert.deepEqual(await formats(upgraded), [0, 20]);
    assert.deepEqual(await findUnreadable(db.sql, strict), []);
    await assertReplayed(await open(strict));
    const again = await rotateEncryption(db.sql, strict, { by: tester, now: realNow() });
    assert.deepEqual(again, { resealed: 0, unreadable: 0 });
  });

  it('can be undone by a rotation in the former format, before a return to the former version', async () => {
    const rotation = await rotateEncryption(db.sql, upgrading, { by: tester, now: realNow() });
    assert.deepEqual(rotation, { resealed: 20, unreadable: 0 });
    for (const column of columns) {
      for (const { sealed } of await listSealed(db.sql, column, allPages)) openAsFormerVersion(sealed);
    }
  });

  it('skips and names a value that was moved, and continues with the others', async () => {
    await rotateEncryption(db.sql, upgraded, { by: tester, now: realNow() });
    await db.sql`
      update idempotency_keys set sealed_response = (select sealed_account_number from payment_methods limit 1)
      where key = 'begun'`;
    const [newKey, oldKey] = [{ id: 'k2', key: randomBytes(32) }, key];
    const rotation = await rotateEncryption(db.sql, createVault([newKey, oldKey]), { by: tester, now: realNow() });
    assert.deepEqual(rotation, { resealed: 19, unreadable: 1 });
    const [unreadable, ...others] = await findUnreadable(db.sql, createVault([newKey, oldKey]));
    assert.deepEqual(others, []);
    assert.equal(unreadable?.column, 'idempotent_answers');
    assert.match(unreadable?.problem ?? '', /"k1" do not open: changed, moved from another place, or another key/);
  });
});

describe('an installation', () => {
  const db = useDatabase();
  const keys = [{ id: 'k1', key: randomBytes(32) }];
  const field = { table: 't', column: 'c', billerId: 'b', livemode: false, rowId: 'r' };
  const former = createVault(keys, [1]).seal('kept', field);
  const asSet = createVault(keys, [2, 1]);
  const unset = { usual: asSet, ofNewInstallation: createVault(keys, [2]) };
  const logger = pino({ level: 'silent' });

  /** A vault as a process has it. */
  async function started(vaults: Vaults): Promise<Vault> {
    const checked = checkVault(db.sql, vaults, [], logger, new AbortController().signal);
    await checked.fits;
    return checked.vault;
  }

  it('that is new accepts no value of format 1, unless ENCRYPTION_FORMATS has it', async () => {
    const vault = await started(unset);
    assert.throws(() => vault.open(former, field), /format 1 is not in ENCRYPTION_FORMATS/);
    assert.equal(vault.open(vault.seal('new', field), field), 'new');
    const allowing = await started({ usual: asSet, ofNewInstallation: asSet });
    assert.equal(allowing.open(former, field), 'kept');
  });

  it('that had billers before this version goes on reading format 1', async () => {
    await makeBiller(db.sql);
    const name = '../../src/db/migrations/0090_sealed_formats.sql';
    const migration = await readFile(new URL(name, import.meta.url), 'utf8');
    await db.sql`drop table sealed_formats`;
    await db.sql.unsafe(migration);
    const vault = await started(unset);
    assert.equal(vault.open(former, field), 'kept');
  });
});

describe('an endpoint whose signing secret cannot be opened', () => {
  const db = useDatabase();

  it('gets a new one by rotation, without an overlap for the old one', async () => {
    const vault = createVault([{ id: 'k1', key: randomBytes(32) }]);
    const server = await serve(createWebApp(testDeps(db, { vault }).deps), { port: 0 });
    const { key } = await makeKey(db.sql);
    const url = `http://127.0.0.1:${server.port}/api/v1/webhook_endpoints`;
    const { body: endpoint } = await send(url, 'POST', { key, body: { url: 'http://127.0.0.1:9/' } });
    await db.sql`update webhook_endpoints set sealed_secret = ${randomBytes(60)} where id = ${endpoint.id}`;
    const rotated = await send(`${url}/${endpoint.id}/rotate_secret`, 'POST', { key, body: { overlap_hours: 24 } });
    assert.equal(rotated.status, 200, rotated.text);
    assert.deepEqual(await listSealed(db.sql, 'previous_webhook_secrets', allPages), []);
    const [value = assert.fail()] = await listSealed(db.sql, 'webhook_secrets', allPages);
    assert.equal(vault.open(value.sealed, value.field), rotated.body.secret);
    await server.close();
  });
});
