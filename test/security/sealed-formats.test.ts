import assert from 'node:assert/strict';
import { createSecretKey, hkdfSync, randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'mocha';
import { type RunningServer, serve } from '../../src/api/http/server.ts';
import { listSealed, type SealedColumn, sealedColumns } from '../../src/db/sealed-values.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { type SealFormat, sealFormats } from '../../src/platform/sealed-bytes.ts';
import { findUnreadable, keyUsage, rotateEncryption } from '../../src/services/accounts/encryption.ts';
import { createVault, type Vault } from '../../src/services/accounts/vault.ts';
import { createWebApp } from '../../src/sites/app.ts';
import { type Reply, send, testDeps } from '../support/api.ts';
import { useDatabase } from '../support/database.ts';
import { makeKey, tester } from '../support/factories.ts';

const allPages = { from: 0, to: 1_000_000 };
const columns = Object.keys(sealedColumns) as SealedColumn[];

/** A format as a later version may add it. */
const nextFormat: SealFormat = {
  number: 2,
  saltLength: 24,
  secretsOf(key, salt) {
    const derived = Buffer.from(hkdfSync('sha256', key, salt, 'a later format', 44));
    return { key: createSecretKey(derived.subarray(0, 32)), nonce: derived.subarray(32) };
  },
  authenticated: (head, field) => Buffer.concat([Buffer.from('later'), head, Buffer.from(JSON.stringify(field))]),
};

describe('a change of the format of sealed values', () => {
  const db = useDatabase(20);
  const key = { id: 'k1', key: randomBytes(32) };
  const today = createVault([key]);
  const reading = createVault([key], [...sealFormats, nextFormat]);
  const writing = createVault([key], [nextFormat, ...sealFormats]);
  const strict = createVault([key], [nextFormat]);
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

  async function inOtherFormat(vault: Vault): Promise<(number | undefined)[]> {
    const [usage] = await keyUsage(db.sql, vault);
    return [usage?.values, usage?.other_format];
  }

  it('lets this version read all that the next one writes, while that only reads the new format', async () => {
    await fill(await open(reading), 'begun');
    for (const column of columns) {
      const values = await listSealed(db.sql, column, allPages);
      assert.ok(values.length > 0, column);
      for (const { sealed, field } of values) assert.equal(today.open(sealed, field), reading.open(sealed, field));
    }
    assert.deepEqual(await inOtherFormat(reading), [10, 0]);
  });

  it('fails no repeated request while processes that write the one and the other run', async () => {
    const [before, later] = await Promise.all([open(reading), open(writing)]);
    await fill(later, 'went on');
    for (const url of [before, later]) await assertReplayed(url);
    assert.deepEqual(await inOtherFormat(writing), [20, 10]);
  });

  it('is completed by a rotation under the same key: every value is in the new format, and opens without the old one', async () => {
    const rotation = await rotateEncryption(db.sql, writing, { by: tester, now: realNow() });
    assert.deepEqual(rotation, { resealed: 10, unreadable: 0 });
    assert.deepEqual(await inOtherFormat(writing), [20, 0]);
    assert.deepEqual(await findUnreadable(db.sql, strict), []);
    await assertReplayed(await open(strict));
    const again = await rotateEncryption(db.sql, strict, { by: tester, now: realNow() });
    assert.deepEqual(again, { resealed: 0, unreadable: 0 });
  });

  it('leaves no value that a process opens that does not know its format, and says so of each', async () => {
    const unreadable = await findUnreadable(db.sql, today);
    assert.equal(unreadable.length, 20);
    assert.match(unreadable[0]?.problem ?? '', /in no format of this version/);
    const [ofKey, unknown] = await keyUsage(db.sql, today);
    assert.deepEqual([ofKey?.values, unknown?.key, unknown?.role, unknown?.values], [0, '', 'missing', 20]);
  });

  it('can be undone by a rotation in the old format, before a return to this version', async () => {
    const rotation = await rotateEncryption(db.sql, reading, { by: tester, now: realNow() });
    assert.deepEqual(rotation, { resealed: 20, unreadable: 0 });
    assert.deepEqual(await findUnreadable(db.sql, today), []);
  });

  it('skips and names a value that was moved, and continues with the others', async () => {
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
