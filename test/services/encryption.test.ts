import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { after, before, describe, it } from 'mocha';
import { eventually } from '../../lab/eventually.ts';
import { type RunningServer, serve } from '../../src/api/http/server.ts';
import { listSealed, type SealedColumn, type SealedField, sealedField } from '../../src/db/sealed-values.ts';
import type { Id } from '../../src/domain/ids.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { listAudit } from '../../src/services/accounts/audit.ts';
import { findUnreadable, keyUsage, rotateEncryption } from '../../src/services/accounts/encryption.ts';
import { createVault, type Vault } from '../../src/services/accounts/vault.ts';
import { createWebApp } from '../../src/sites/app.ts';
import { type Reply, send, testDeps } from '../support/api.ts';
import { useDatabase } from '../support/database.ts';
import { makeKey, tester } from '../support/factories.ts';

const older = { id: 'k1', key: randomBytes(32) };
const newer = { id: 'k2', key: randomBytes(32) };
const allPages = { from: 0, to: 1_000_000 };

describe('the rotation of encryption keys', () => {
  const db = useDatabase(20);
  const deed = () => ({ by: tester, now: realNow() });
  const servers = new Set<RunningServer>();
  let key = '';
  /** What was sent and what was answered, to be found again under the new key. */
  const accounts: string[] = [];
  const answers = new Map<string, { account: string; reply: Reply }>();

  before('make a key', async () => {
    ({ key } = await makeKey(db.sql));
  });
  after('end the servers', () => Promise.all([...servers].map(close)));

  async function close(server: RunningServer): Promise<void> {
    servers.delete(server);
    await server.close();
  }

  /** An API process with these encryption keys. */
  async function open(keys: Parameters<typeof createVault>[0]) {
    const server = await serve(createWebApp(testDeps(db, { vault: createVault(keys) }).deps), { port: 0 });
    servers.add(server);
    return {
      server,
      post: (path: string, body: unknown, idempotencyKey?: string) =>
        send(`http://127.0.0.1:${server.port}/api/v1${path}`, 'POST', {
          key,
          body,
          headers: idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey },
        }),
    };
  }
  type Api = Awaited<ReturnType<typeof open>>;

  const bodyOf = (account: string) => ({
    type: 'au_becs_debit',
    payment_method_data: { bsb_number: '000-000', account_name: 'Jo', account_number: account },
  });

  /** Saves a bank account under an Idempotency-Key of its own. */
  async function saveAccount(api: Api): Promise<void> {
    const account = String(100_000_000 + accounts.length);
    accounts.push(account);
    const reply = await api.post('/payment_methods', bodyOf(account), `account ${account}`);
    assert.equal(reply.status, 200, reply.text);
    answers.set(`account ${account}`, { account, reply });
  }

  async function usageOf(vault: Vault, id: string) {
    return (await keyUsage(db.sql, vault)).find((row) => row.key === id);
  }

  async function opened(vault: Vault, column: SealedColumn): Promise<string[]> {
    const values = await listSealed(db.sql, column, allPages);
    return values.map(({ sealed, field }) => vault.open(sealed, field)).sort();
  }

  /** Those of all account numbers, in the order of the methods' ids. */
  async function accountFields(): Promise<SealedField[]> {
    const rows = await db.sql<{ id: string; biller_id: Id<'biller'>; livemode: boolean }[]>`
      select id, biller_id, livemode from payment_methods where sealed_account_number is not null order by id`;
    return rows.map(({ id, biller_id: billerId, livemode }) =>
      sealedField('account_numbers', { billerId, livemode }, id),
    );
  }

  it('seals everything anew while the service works, and nothing needs the old key afterwards', async function () {
    this.timeout(60_000);
    const first = await open([older]);
    for (let n = 0; n < 120; n++) await saveAccount(first);
    const endpoint = await first.post('/webhook_endpoints', { url: 'http://127.0.0.1:9/hooks' });
    const rotated = await first.post(`/webhook_endpoints/${endpoint.body.id}/rotate_secret`, {});

    // As docs/security.md says: every process knows the new key before the first one seals with it.
    const laggard = await open([older, newer]);
    const ahead = await open([newer, older]);
    await close(first.server);
    let isLoaded = true;
    const load = [laggard, ahead].map(async (api) => {
      while (isLoaded) {
        await saveAccount(api);
        await pause(5);
      }
    });
    const both = createVault([newer, older]);
    const rotation = await rotateEncryption(db.sql, both, deed());
    assert.ok(rotation.resealed >= 242, `${rotation.resealed}`);
    assert.equal(rotation.unreadable, 0);
    isLoaded = false;
    await Promise.all(load);
    await close(laggard.server);
    assert.ok(accounts.length > 120, 'nothing was saved meanwhile');

    await rotateEncryption(db.sql, both, deed());
    const ofOld = [...answers.keys()].length - ((await usageOf(both, 'k2'))?.requests ?? 0);
    assert.ok(ofOld >= 120, `${ofOld}`);
    assert.deepEqual(await usageOf(both, 'k1'), {
      key: 'k1',
      role: 'decrypts',
      values: 0,
      other_format: 0,
      requests: ofOld,
      account_numbers: 0,
      webhook_secrets: 0,
      previous_webhook_secrets: 0,
      payment_link_tokens: 0,
      checkout_session_tokens: 0,
      idempotent_answers: 0,
    });

    const alone = createVault([newer]);
    assert.deepEqual(await findUnreadable(db.sql, alone), []);
    assert.deepEqual(await opened(alone, 'account_numbers'), accounts.toSorted());
    assert.deepEqual(await opened(alone, 'webhook_secrets'), [rotated.body.secret]);
    assert.deepEqual(await opened(alone, 'previous_webhook_secrets'), [endpoint.body.secret]);
    for (const [idempotencyKey, { account, reply }] of answers) {
      const again = await ahead.post('/payment_methods', bodyOf(account), idempotencyKey);
      assert.deepEqual([again.status, again.text], [reply.status, reply.text]);
      assert.equal(again.headers.get('idempotent-replayed'), 'true');
    }
    // Without the old key its requests are not known again, and are refused; nothing is done twice.
    const last = await open([newer]);
    const statuses = new Map<number, number>();
    for (const [idempotencyKey, { account }] of answers) {
      const { status } = await last.post('/payment_methods', bodyOf(account), idempotencyKey);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    assert.deepEqual([statuses.get(422), statuses.get(200)], [ofOld, answers.size - ofOld]);
    assert.deepEqual(await opened(alone, 'account_numbers'), accounts.toSorted());
  });

  it('tells by key what is left, also of one that is not configured', async () => {
    const stranger = createVault([{ id: 'k0', key: randomBytes(32) }]);
    const [oldest = assert.fail()] = await accountFields();
    await db.sql`
      update payment_methods set sealed_account_number = ${stranger.seal('123456', oldest)} where id = ${oldest.rowId}`;
    const vault = createVault([newer, older]);
    const usage = await keyUsage(db.sql, vault);
    assert.deepEqual(
      usage.map(({ key, role, account_numbers }) => [key, role, account_numbers]),
      [
        ['k2', 'encrypts', accounts.length - 1],
        ['k1', 'decrypts', 0],
        ['k0', 'missing', 1],
      ],
    );
  });

  it('leaves a value that does not open as it is, counts and names it, and goes on with the others', async () => {
    const [{ place = '' } = {}] = await db.sql<{ place: string }[]>`
      update payment_methods set sealed_account_number = decode('0102', 'hex')
      where id = (select max(id) from payment_methods) returning ctid::text as place`;
    const newest = { id: 'k3', key: randomBytes(32) };
    const vault = createVault([newest, newer]);
    const rotation = await rotateEncryption(db.sql, vault, deed());
    assert.equal(rotation.unreadable, 2);
    assert.equal((await usageOf(vault, 'k2'))?.values, 0);
    assert.equal((await usageOf(vault, 'k0'))?.values, 1);
    const unreadable = await findUnreadable(db.sql, vault);
    assert.deepEqual(
      unreadable.map(({ column }) => column),
      ['account_numbers', 'account_numbers'],
    );
    assert.deepEqual(
      unreadable.find((one) => one.place === place)?.problem,
      'these bytes are in no format of this version',
    );
    assert.ok(unreadable.some(({ problem }) => problem === 'the encryption key "k0" is not configured'));
  });

  it('does not wait: a row that is locked is sealed anew once it is free', async () => {
    const newest = { id: 'k4', key: randomBytes(32) };
    const vault = createVault([newest, newer, { id: 'k3', key: randomBytes(32) }]);
    await db.sql`delete from idempotency_keys`;
    for (const field of await accountFields()) {
      const sealed = createVault([newer]).seal('123456', field);
      await db.sql`update payment_methods set sealed_account_number = ${sealed} where id = ${field.rowId}`;
    }
    let release = () => {};
    const held = db.sql.begin(async (tx) => {
      await tx`select 1 from payment_methods where id = (select max(id) from payment_methods) for update`;
      await new Promise<void>((resolve) => {
        release = resolve;
      });
    });
    const rotating = rotateEncryption(db.sql, vault, deed());
    await eventually('all the others are sealed anew', async () => {
      return (await usageOf(vault, 'k4'))?.account_numbers === accounts.length - 1;
    });
    release();
    await held;
    assert.equal((await rotating).resealed, accounts.length);
    assert.equal((await usageOf(vault, 'k2'))?.account_numbers, 0);
  });

  it('is in the audit log: from which keys to which, and what was left of each', async () => {
    const entries = (await listAudit(db.sql, { limit: 100 })).filter(({ action }) => action.startsWith('encryption.'));
    const [finished, begun] = entries.slice(-2);
    assert.deepEqual([finished?.action, finished?.actor], ['encryption.rotation_finished', tester]);
    assert.deepEqual([begun?.action, begun?.actor], ['encryption.rotation_begun', tester]);
    assert.deepEqual(begun?.changes, { keys: { from: ['k1'], to: ['k2', 'k1'] } });
    assert.ok(entries.every(({ biller_id }) => biller_id === null));
    assert.equal(JSON.stringify(entries).includes(newer.key.toString('base64').slice(0, 20)), false);
  });
});
