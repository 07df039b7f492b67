import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, it } from 'mocha';
import { type Reply, send } from '../support/api.ts';
import { makeKey, makeKeys } from '../support/factories.ts';
import { useTwoApis } from '../support/two-apis.ts';

const card = {
  type: 'card',
  payment_method_data: {
    expiry_month: 1,
    expiry_year: 2040,
    token_metadata: { type: 'fixture', token: 'tok_sandbox_visa_succeed', data: '' },
  },
};
/** Far less than the five seconds for which a request waits for the first one with its key. */
const atOnceMs = 2_000;

describe('the Idempotency-Key of a request with a publishable key', () => {
  const two = useTwoApis();
  const { db, api, other } = two;

  type Ask = (path: string, body: object, name: string, headers?: Record<string, string>) => Promise<Reply>;
  const asker =
    (key: () => string, url: () => string): Ask =>
    (path, body, name, headers = {}) =>
      send(`${url()}/api/v1${path}`, 'POST', { key: key(), body, headers: { 'Idempotency-Key': name, ...headers } });
  const here = () => api.url;
  const elsewhere = () => other.url;
  const page = asker(() => two.keys.sandboxPublishable, here);
  const server = asker(() => two.keys.sandboxSecret, here);
  const otherServer = asker(() => two.keys.sandboxSecret, elsewhere);

  const isReplay = (reply: Reply) => reply.headers.get('idempotent-replayed') === 'true';
  const isNew = (reply: Reply, status = 201) => assert.deepEqual([reply.status, isReplay(reply)], [status, false]);
  const methodOf = (reply: Reply): string => reply.body.payment_method.id;

  /** A payment that both kinds of key can confirm. */
  async function payment() {
    const { id: customer } = await two.merchant.customer();
    const payment_method = await two.merchant.card(customer);
    const { id, client_secret } = await two.merchant.intent({ customer_id: customer });
    const path = `/payment_intents/${id}/confirm`;
    return {
      id,
      byPage: (name: string) => page(path, { payment_method, client_secret }, name),
      byServer: (name: string, ask = server) => ask(path, { payment_method }, name),
    };
  }

  it('cannot use up a key of the server', async () => {
    isNew(await page('/payment_methods', card, 'order-1'), 200);
    const order = { amount: 700, currency: 'AUD' };
    const made = await server('/payment_intents', order, 'order-1');
    isNew(made);
    const again = await otherServer('/payment_intents', order, 'order-1');
    assert.deepEqual([again.text, isReplay(again)], [made.text, true]);
  });

  it('reveals nothing about a key of the server: neither its use nor its response', async () => {
    const first = await server('/payment_methods', card, 'order-2');
    const same = await page('/payment_methods', card, 'order-2');
    isNew(same, 200);
    assert.notEqual(methodOf(same), methodOf(first));
    await server('/customers', { name: 'Jo' }, 'order-3');
    isNew(await page('/payment_methods', card, 'order-3'), 200);
  });

  it('still returns its own first response again, and is refused for another request', async () => {
    const first = await page('/payment_methods', card, 'page-1');
    const again = await page('/payment_methods', card, 'page-1');
    assert.deepEqual([again.text, isReplay(again)], [first.text, true]);
    const other = { ...card, payment_method_data: { ...card.payment_method_data, expiry_year: 2041 } };
    const refused = await page('/payment_methods', other, 'page-1');
    assert.deepEqual([refused.status, refused.body.error.code], [422, 'idempotency_key_reused']);
  });

  it('is shared by the publishable keys of a biller, for the same request only', async () => {
    const { key: second } = await makeKey(db.sql, { billerId: two.keys.biller.id, kind: 'publishable' });
    const otherPage = asker(() => second, elsewhere);
    const first = await page('/payment_methods', card, 'page-2');
    assert.equal((await otherPage('/payment_methods', card, 'page-2')).text, first.text);
    const other = { ...card, payment_method_data: { ...card.payment_method_data, expiry_year: 2041 } };
    assert.equal((await otherPage('/payment_methods', other, 'page-2')).body.error.code, 'idempotency_key_reused');
  });

  it('is separate for another biller and the other mode, too', async () => {
    const stranger = await makeKeys(db.sql);
    const first = await page('/payment_methods', card, 'page-3');
    const theirs = await asker(() => stranger.sandboxPublishable, here)('/payment_methods', card, 'page-3');
    isNew(theirs, 200);
    assert.notEqual(methodOf(theirs), methodOf(first));
    const live = await asker(() => two.keys.livePublishable, here)('/payment_methods', card, 'page-3');
    assert.deepEqual([live.status, live.body.error.code], [403, 'sandbox_only']);
  });

  it('does not find a payment that the server began under the same key', async () => {
    const { byPage, byServer } = await payment();
    two.ledger.beforeAnswer = async () => {
      throw new Error('the process is gone');
    };
    assert.equal((await byServer('pay-1')).status, 500);
    two.ledger.beforeAnswer = async () => {};
    const refused = await byPage('pay-1');
    assert.deepEqual([refused.status, refused.body.error.code], [422, 'invalid_state']);
    const finished = await byServer('pay-1', otherServer);
    assert.deepEqual([finished.status, finished.body.status, two.ledger.taken.size], [200, 'succeeded', 1]);
  });

  it('is not found by the server, which starts no charge of its own, and continues for the page', async () => {
    const { byPage, byServer } = await payment();
    two.ledger.beforeAnswer = async () => {
      throw new Error('the process is gone');
    };
    assert.equal((await byPage('pay-2')).status, 500);
    two.ledger.beforeAnswer = async () => {};
    const refused = await byServer('pay-2');
    assert.deepEqual([refused.status, refused.body.error.code], [422, 'invalid_state']);
    const finished = await byPage('pay-2');
    assert.deepEqual([finished.status, finished.body.status, two.ledger.taken.size], [200, 'succeeded', 1]);
    assert.ok(isReplay(await byPage('pay-2')));
  });

  it('does not make a server request wait while its own is running, in any process', async () => {
    const [first, second, third] = [await payment(), await payment(), await payment()];
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    two.ledger.beforeAnswer = () => held;
    const slow = [first.byPage('pay-3'), second.byPage('pay-4')];
    while (two.ledger.requests.length < slow.length) await new Promise(setImmediate);
    two.ledger.beforeAnswer = async () => {};
    const begun = performance.now();
    isNew(await server('/customers', { name: 'Here' }, 'pay-3'));
    isNew(await third.byServer('pay-4', otherServer), 200);
    assert.ok(performance.now() - begun < atOnceMs);
    release();
    for (const { body } of await Promise.all(slow)) assert.equal(body.status, 'succeeded');
  });

  it('makes one separate object when both kinds race with one key, at two processes', async () => {
    const otherPage = asker(() => two.keys.sandboxPublishable, elsewhere);
    for (let round = 0; round < 5; round++) {
      const sides = { page: [page, otherPage], server: [server, otherServer] };
      const race = (asks: Ask[]) =>
        Promise.all(Array.from({ length: 10 }, (_, racer) => asks[racer % 2]?.('/payment_methods', card, `r${round}`)));
      const [ofPage, ofServer] = await Promise.all([race(sides.page), race(sides.server)]);
      const made = [ofPage, ofServer].map((replies) => new Set(replies.map((reply) => reply?.text)));
      assert.deepEqual([made[0]?.size, made[1]?.size], [1, 1]);
      assert.notDeepEqual(made[0], made[1]);
    }
    const [row] = await db.sql<{ n: number }[]>`
      select count(*)::integer as n from payment_methods where biller_id = ${two.keys.biller.id}`;
    assert.equal(row?.n, 10);
  });

  it('lives for at most a day; a longer TTL is refused with the reason', async () => {
    const lifetimes = async () => {
      const rows = await db.sql<{ seconds: number }[]>`
        select extract(epoch from expires_at - created_at)::integer as seconds from idempotency_keys
        where biller_id = ${two.keys.biller.id} order by 1`;
      return rows.map(({ seconds }) => seconds);
    };
    const asked: [string | undefined, number][] = [
      [undefined, 86_400],
      ['86400', 86_400],
      ['60', 60],
    ];
    for (const [ttl, seconds] of asked) {
      const headers: Record<string, string> = ttl === undefined ? {} : { 'Idempotency-TTL': ttl };
      isNew(await page('/payment_methods', card, `ttl ${ttl}`, headers), 200);
      assert.ok((await lifetimes()).includes(seconds), `${ttl}`);
    }
    for (const ttl of ['86401', '2592000', '0']) {
      const { status, body } = await page('/payment_methods', card, `ttl ${ttl}`, { 'Idempotency-TTL': ttl });
      assert.deepEqual(
        [status, body.error.code, body.error.details[0].path],
        [400, 'invalid_header', 'header/Idempotency-TTL'],
      );
      assert.match(body.error.message, /from 1 to 86400 with a publishable key/);
    }
    assert.deepEqual(await lifetimes(), [60, 86_400, 86_400]);
    isNew(await server('/payment_methods', card, 'long', { 'Idempotency-TTL': '2592000' }), 200);
    assert.deepEqual(await lifetimes(), [60, 86_400, 86_400, 2_592_000]);
  });

  it('has 1 to 255 characters, like every key, whatever the first one is', async () => {
    for (const name of ['k'.repeat(255), 'é'.repeat(255), '~', 'ÿ']) {
      isNew(await page('/payment_methods', card, name), 200);
      assert.ok(isReplay(await page('/payment_methods', card, name)), name);
      isNew(await server('/payment_methods', card, name), 200);
    }
    const tooLong = await page('/payment_methods', card, 'k'.repeat(256));
    assert.deepEqual([tooLong.status, tooLong.body.error.code], [400, 'invalid_header']);
  });

  /** A request of the server whose header has these bytes, as they are: what no client would send. */
  async function byServerWithBytes(name: Buffer): Promise<number> {
    const body = JSON.stringify({ name: 'Raw' });
    const head =
      `POST /api/v1/customers HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${two.keys.sandboxSecret}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nIdempotency-Key: `;
    const socket = connect(api.running.port, '127.0.0.1').setEncoding('utf8');
    socket.write(Buffer.concat([Buffer.from(head), name, Buffer.from(`\r\n\r\n${body}`)]));
    const answer = (await socket.toArray()).join('');
    return Number(answer.split(' ')[1]);
  }

  it('is stored in a form that no header of a secret key can spell', async () => {
    await page('/payment_methods', card, 'spelt');
    const [row] = await db.sql<
      { key: string }[]
    >`select key from idempotency_keys where biller_id = ${two.keys.biller.id}`;
    const stored = row?.key ?? '';
    assert.ok(stored.charCodeAt(0) > 0xff && stored.length === 'spelt'.length, stored);
    for (const encoding of ['utf8', 'latin1', 'utf16le'] as const) {
      const status = await byServerWithBytes(Buffer.from(stored, encoding));
      // 422 would say that the key is taken. The parser refuses control characters, which UTF-16 has.
      assert.equal(status, encoding === 'utf16le' ? 400 : 201, encoding);
    }
  });
});
