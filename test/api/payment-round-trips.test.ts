import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'mocha';
import { eventually } from '../../lab/eventually.ts';
import { type RunningServer, serve } from '../../src/api/http/server.ts';
import { openPool, type Pool } from '../../src/platform/postgres/connection.ts';
import { realNow } from '../../src/platform/real-time.ts';
import type { PaymentProcessor } from '../../src/processors/processor.ts';
import { sandboxProcessor } from '../../src/processors/sandbox.ts';
import { changeBillerProfile } from '../../src/services/accounts/biller-profile.ts';
import { createWebApp } from '../../src/sites/app.ts';
import { sendChecked, testDeps } from '../support/api.ts';
import { useCountedWay } from '../support/counted-way.ts';
import { useDatabase } from '../support/database.ts';
import { makeKey, makeKeys, tester } from '../support/factories.ts';
import { createMerchant, type Merchant } from '../support/merchant.ts';

/** The rules of the sandbox, by references, as a processor of live mode has them. */
const reserving: PaymentProcessor = {
  ...sandboxProcessor,
  prepare: async ({ idempotencyKey }) => ({ kind: 'reserved', reference: `ref of ${idempotencyKey}` }),
};

describe('a payment and its round trips to PostgreSQL', () => {
  const db = useDatabase();
  const way = useCountedWay(db);
  let sql: Pool;
  let running: RunningServer;
  let merchant: Merchant;
  let live: Merchant;
  let customer = '';
  let method = '';

  before('serve an API with one connection, and have a payer', async () => {
    sql = openPool(way.url, { max: 1, name: 'counted' });
    // The credential is looked up once, by the warm-up.
    const processors = { sandbox: sandboxProcessor, live: reserving };
    const { deps } = testDeps(db, { sql, processors, waits: { credentialMs: 600_000 } });
    running = await serve(createWebApp(deps), { port: 0 });
    const url = `http://127.0.0.1:${running.port}`;
    merchant = createMerchant(url, (await makeKeys(db.sql)).sandboxSecret);
    live = createMerchant(url, (await makeKey(db.sql, { livemode: true })).key, 'live');
    customer = (await merchant.customer()).id;
    method = await merchant.card(customer);
    // The first request of a kind also prepares its statements.
    for (const keyed of [false, true, false]) {
      await confirm(await newIntent(), keyed);
      await pay(keyed);
      await confirm(await newIntent({ metadata: { _sandbox_outcome: 'decline' } }), keyed);
      await pay(keyed, { metadata: { _sandbox_outcome: 'decline' } });
    }
  });
  after('end the API', async () => {
    await running.close();
    await sql.end();
  });

  const newIntent = async (more: object = {}) => (await merchant.intent({ customer_id: customer, ...more })).id;
  async function post(path: string, body: object, keyed: boolean) {
    const headers: Record<string, string> = keyed ? { 'Idempotency-Key': randomUUID() } : {};
    const url = `http://127.0.0.1:${running.port}/api/v1${path}`;
    return sendChecked(url, 'POST', { key: merchant.key, body, headers });
  }
  const confirm = (id: string, keyed: boolean) =>
    post(`/payment_intents/${id}/confirm`, { payment_method: method }, keyed);
  const pay = (keyed: boolean, more: object = {}) =>
    post('/payment_intents', { ...terms(), confirm: true, ...more }, keyed);
  const terms = () => ({ amount: 1000, currency: 'AUD', customer_id: customer, payment_method: method });

  /** The round trips while `work` runs, up to its response. */
  async function during<T>(work: () => Promise<T>) {
    const from = way.count();
    const result = await work();
    const to = way.count();
    return { result, statements: to.statements - from.statements, locks: to.locks - from.locks };
  }

  for (const [outcome, more] of [
    ['succeeded', {}],
    ['failed', { metadata: { _sandbox_outcome: 'decline' } }],
  ] as const) {
    it(`has three of them in a confirm that has ${outcome}: a read, the opening, the outcome`, async () => {
      const id = await newIntent(more);
      const { result, statements, locks } = await during(() => confirm(id, false));
      assert.deepEqual([result.status, result.body.status, statements, locks], [200, outcome, 3, 0]);
    });

    it(`has three of them in a create with confirm that has ${outcome}`, async () => {
      const { result, statements, locks } = await during(() => pay(false, more));
      assert.deepEqual([result.status, result.body.status, statements, locks], [201, outcome, 3, 0]);
    });
  }

  it('has no more of them where the rules decide a surcharge: the country comes with the key', async () => {
    const change = { country: 'AU', costs: { amex: 190 } };
    const { sandboxSecret, biller } = await makeKeys(db.sql);
    await changeBillerProfile(db.sql, biller.id, change, { by: tester, now: realNow() });
    const url = `http://127.0.0.1:${running.port}`;
    const shop = createMerchant(url, sandboxSecret);
    const { id: customer_id } = await shop.customer();
    const payment_method = await shop.card(customer_id, 'tok_sandbox_amex_succeed');
    const intents = [];
    for (let made = 0; made < 3; made += 1) intents.push(await shop.intent({ customer_id, surcharge_applied: true }));
    const counts = [];
    for (const { id } of intents) {
      const sent = { key: shop.key, body: { payment_method } };
      const path = `/api/v1/payment_intents/${id}/confirm`;
      const { result, statements } = await during(() => sendChecked(`${url}${path}`, 'POST', sent));
      counts.push([statements, result.body.surcharge_amount, result.body.surcharge_reason]);
    }
    assert.deepEqual(counts.at(-1), [3, 19, 'capped']);
  });

  it('has one more with an Idempotency-Key: the lock of the key. The response does not wait for its release', async () => {
    for (const kind of ['confirm', 'create with confirm']) {
      const id = await newIntent();
      const letGo = way.holdReleases();
      const { result, statements, locks } = await during(() => (kind === 'confirm' ? confirm(id, true) : pay(true)));
      assert.deepEqual([result.status, result.body.status], [kind === 'confirm' ? 200 : 201, 'succeeded']);
      assert.equal(statements, 3, kind);
      // The second, if it is there, is the release that is held back.
      assert.ok(locks === 1 || locks === 2, `${locks} on the connection of the locks`);
      assert.equal(await heldLocks(), 1, 'the key is still locked');
      letGo();
      await eventually('the lock is released', async () => (await heldLocks()) === 0);
    }
  });

  it('has one more in live mode, for the reference that the processor has reserved', async () => {
    const payer = await live.customer();
    const card = await live.card(payer.id);
    const confirmed = async () => {
      const { id } = await live.intent({ customer_id: payer.id });
      const url = `http://127.0.0.1:${running.port}/api/v1/payment_intents/${id}/confirm`;
      return during(() => sendChecked(url, 'POST', { key: live.key, body: { payment_method: card } }));
    };
    await confirmed(); // prepares the statement of the reference
    const { result, statements, locks } = await confirmed();
    assert.deepEqual([result.status, result.body.status, statements, locks], [200, 'succeeded', 4, 0]);
  });

  async function heldLocks(): Promise<number> {
    const rows = await db.sql`
      select from pg_locks join pg_database on pg_database.oid = database
      where locktype = 'advisory' and datname = current_database()`;
    return rows.length;
  }
});
