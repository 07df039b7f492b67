import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeEach, describe, it } from 'mocha';
import { defaultWaits } from '../../src/api/http/deps.ts';
import { createVault } from '../../src/services/accounts/vault.ts';
import { type Reply, send, useApi, useOtherApi } from '../support/api.ts';
import { useDatabase } from '../support/database.ts';
import { makeKeys } from '../support/factories.ts';
import { createMerchant, type Merchant } from '../support/merchant.ts';

const intent = { amount: 1234, currency: 'AUD' };

describe('the Idempotency-Key of a customer or an intent, which is written by the transaction that makes it', () => {
  const db = useDatabase();
  const vault = createVault([{ id: 'test', key: randomBytes(32) }]);
  const api = useApi(db, undefined, () => ({ vault }));
  const other = useOtherApi(db, { vault });
  let keys: Awaited<ReturnType<typeof makeKeys>>;
  let merchant: Merchant;

  beforeEach('make a biller', async () => {
    keys = await makeKeys(db.sql);
    merchant = createMerchant(api.url, keys.sandboxSecret);
  });

  const ask = (url: string, idempotencyKey: string, path: string, body: object, ttl?: string): Promise<Reply> =>
    send(`${url}/api/v1${path}`, 'POST', {
      key: keys.sandboxSecret,
      body,
      headers: { 'Idempotency-Key': idempotencyKey, ...(ttl === undefined ? {} : { 'Idempotency-TTL': ttl }) },
    });
  const here = (key: string, path: string, body: object, ttl?: string) => ask(api.url, key, path, body, ttl);
  const elsewhere = (key: string, path: string, body: object) => ask(other.url, key, path, body);
  const isReplay = ({ headers }: Reply) => headers.get('idempotent-replayed') === 'true';
  const count = async (table: string) =>
    (await db.sql`select 1 from ${db.sql(table)} where biller_id = ${keys.biller.id}`).length;
  const outcome = ({ status, body }: Reply) => [status, body.error?.code];
  /** Until a statement of this database waits for a lock. */
  const untilSomebodyWaits = async () => {
    const waiting = () => db.sql`
      select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    while ((await waiting()).length === 0) await pause(5);
  };
  /** The requests: a customer, an intent without a customer, and one of a customer. */
  const requests = async (): Promise<[path: string, body: object, table: string][]> => [
    ['/customers', { name: 'Jo' }, 'customers'],
    ['/payment_intents', intent, 'payment_intents'],
    ['/payment_intents', { ...intent, customer_id: (await merchant.customer()).id }, 'payment_intents'],
  ];

  it('gives the first answer again, in any process, and refuses another request', async () => {
    for (const [index, [path, body]] of (await requests()).entries()) {
      const first = await here(`a${index}`, path, body);
      assert.deepEqual([first.status, isReplay(first)], [201, false], first.text);
      for (const again of [await here(`a${index}`, path, body), await elsewhere(`a${index}`, path, body)]) {
        assert.deepEqual([again.status, again.text, isReplay(again)], [201, first.text, true]);
      }
      const another = path === '/customers' ? { name: 'Another' } : { ...body, amount: 999 };
      for (const ask of [here, elsewhere]) {
        assert.deepEqual(outcome(await ask(`a${index}`, path, another)), [422, 'idempotency_key_reused']);
      }
    }
    assert.deepEqual([await count('customers'), await count('payment_intents')], [2, 2]);
  });

  it('is committed by the very transaction that commits the object', async () => {
    for (const [index, [path, body, table]] of (await requests()).entries()) {
      const { id } = (await here(`x${index}`, path, body)).body;
      const [row] = await db.sql`
        select made.xmin = k.xmin as same from ${db.sql(table)} made join idempotency_keys k using (biller_id)
        where made.id = ${id} and k.key = ${`x${index}`}`;
      assert.equal(row?.same, true, path);
    }
  });

  it('makes one object and twenty equal answers of twenty racers in two processes', async () => {
    for (const [index, [path, body, table]] of (await requests()).entries()) {
      const already = await count(table);
      const racers = Array.from({ length: 20 }, (_, racer) => (racer % 2 ? here : elsewhere)(`r${index}`, path, body));
      const replies = await Promise.all(racers);
      assert.deepEqual(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size, 1, path);
      assert.equal(replies.filter((reply) => !isReplay(reply)).length, 1);
      assert.equal(await count(table), already + 1);
    }
  });

  it('gives the first answer even when the same request would be refused by now, and refuses another as reused', async () => {
    const { id } = await merchant.customer();
    const body = { ...intent, customer_id: id };
    const first = await here('a', '/payment_intents', body);
    await merchant.request('DELETE', `/customers/${id}`);
    for (const ask of [here, elsewhere]) {
      assert.deepEqual([(await ask('a', '/payment_intents', body)).text], [first.text]);
      assert.deepEqual(outcome(await ask('a', '/payment_intents', { ...body, amount: 999 })), [
        422,
        'idempotency_key_reused',
      ]);
    }
  });

  it('stays free after a refusal, and is free again when its time is over', async () => {
    const { id } = await merchant.customer();
    await merchant.request('DELETE', `/customers/${id}`);
    assert.equal((await here('a', '/payment_intents', { ...intent, customer_id: id })).status, 400);
    assert.deepEqual(
      [...(await db.sql`select 1 from idempotency_keys where key = 'a' and biller_id = ${keys.biller.id}`)],
      [],
    );
    const first = await here('a', '/payment_intents', intent, '1');
    assert.equal((await here('a', '/payment_intents', intent)).text, first.text);
    await pause(1_050);
    const later = await here('a', '/customers', { name: 'Jo' });
    assert.deepEqual([later.status, isReplay(later)], [201, false]);
  });

  /** Runs `work` while another transaction has these keys, which then gives them up. */
  const whileHeld = (names: string[], work: () => Promise<void>) =>
    db.sql
      .begin(async (tx) => {
        await tx`
          insert into idempotency_keys (biller_id, livemode, key, fingerprint, fingerprint_key, created_at, expires_at)
          select ${keys.biller.id}, false, name, ${Buffer.alloc(32)}, 'test', now(), now() + interval '1 h'
          from unnest(${names}::text[]) name`;
        await work();
        throw new Error('given up');
      })
      .catch((error) => assert.equal(error.message, 'given up'));

  it('is waited for while another transaction has it: its place is taken when that gives it up', async () => {
    for (const [index, [path, body]] of (await requests()).entries()) {
      let asked: Promise<Reply> | undefined;
      await whileHeld([`held${index}`], async () => {
        asked = here(`held${index}`, path, body);
        await untilSomebodyWaits();
      });
      const reply = await asked;
      assert.deepEqual([reply?.status, reply && isReplay(reply)], [201, false]);
    }
  });

  it('is in use (409) when another transaction has it for 5 s, and nothing is made', async function () {
    this.timeout(15_000);
    assert.equal(defaultWaits.idempotencyKeyMs, 5_000);
    const asked = await requests();
    const [customers, intents] = [await count('customers'), await count('payment_intents')];
    await whileHeld(['long0', 'long1', 'long2'], async () => {
      const begun = performance.now();
      const replies = await Promise.all(asked.map(([path, body], index) => here(`long${index}`, path, body)));
      const waited = performance.now() - begun;
      assert.ok(waited > 4_900 && waited < 7_000, `waited ${waited} ms`);
      assert.deepEqual(replies.map(outcome), Array(3).fill([409, 'idempotency_key_in_use']));
    });
    assert.deepEqual([await count('customers'), await count('payment_intents')], [customers, intents]);
  });

  it('is claimed before the customer of the intent is locked, so its holder can change that customer meanwhile', async () => {
    const { id } = await merchant.customer();
    let asked: Promise<Reply> | undefined;
    const held = db.sql
      .begin(async (tx) => {
        await tx`
          insert into idempotency_keys (biller_id, livemode, key, fingerprint, fingerprint_key, created_at, expires_at)
          values (${keys.biller.id}, false, 'crossed', ${Buffer.alloc(32)}, 'test', now(), now() + interval '1 h')`;
        asked = here('crossed', '/payment_intents', { ...intent, customer_id: id });
        await untilSomebodyWaits();
        await tx`update customers set reference = 'changed' where id = ${id}`;
        throw new Error('given up');
      })
      .catch((error) => assert.equal(error.message, 'given up'));
    await held;
    const reply = await asked;
    assert.deepEqual([reply?.status, reply && isReplay(reply)], [201, false]);
    assert.equal(await count('payment_intents'), 1);
  });

  it('is kept on a test clock too', async () => {
    const clock = await merchant.clock('2031-01-06T00:00:00.000Z');
    const customer = { name: 'Jo', test_clock: clock.id };
    const first = await here('a', '/customers', customer);
    assert.deepEqual([first.status, (await elsewhere('a', '/customers', customer)).text], [201, first.text]);
    const body = { ...intent, customer_id: first.body.id };
    const made = await here('b', '/payment_intents', body);
    assert.equal(made.body.created_at, '2031-01-06T00:00:00.000Z');
    assert.deepEqual([isReplay(await here('b', '/payment_intents', body)), await count('payment_intents')], [true, 1]);
  });

  it('keeps the answer as it was committed when who pays the fees changes under way', async () => {
    const { id } = await merchant.customer();
    const body = { ...intent, customer_id: id };
    let asked: Promise<Reply> | undefined;
    await db.sql.begin(async (tx) => {
      await tx`update customers set fee_preferences = '{"customer_pays_transaction_fees": true}' where id = ${id}`;
      asked = here('a', '/payment_intents', body);
      await untilSomebodyWaits();
    });
    const first = await asked;
    assert.deepEqual([first?.status, first?.body.surcharge_applied], [201, true]);
    const shown = await merchant.request('GET', `/payment_intents/${first?.body.id}`);
    assert.equal((await here('a', '/payment_intents', body)).text, first?.text);
    assert.deepEqual(shown.body, first?.body);
  });
});
