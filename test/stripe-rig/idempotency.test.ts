import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { after, before, beforeEach, describe, it } from 'mocha';
import { eventually } from '../../lab/eventually.ts';
import { type LoopbackServer, serveOnLoopback } from '../../lab/loopback-server.ts';
import { type IdempotencyLayer, openIdempotencyLayer } from '../../lab/stripe-rig/idempotency.ts';
import { type RigServer, rigKey, startLocalStripe, startStatefulMock } from '../../lab/stripe-rig/servers.ts';
import { useFolder } from '../runtime/support.ts';
import { needsPrograms } from './support.ts';

interface Sent {
  path?: string;
  form?: Record<string, string>;
  key?: string;
  secret?: string;
}

async function post(url: string, { path = '/v1/customers', form = {}, key, secret = rigKey }: Sent) {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, ...(key && { 'idempotency-key': key }) },
    body: new URLSearchParams(form),
  });
  const text = await response.text();
  const replayed = response.headers.get('idempotent-replayed');
  return { status: response.status, text, body: JSON.parse(text), replayed, headers: response.headers };
}

/** What Stripe publishes and both readings agree on. */
function agreed(title: string, urlOf: () => string): void {
  describe(title, () => {
    let last = 0;
    let key = '';
    beforeEach(() => {
      last += 1;
      key = `${title} ${last}`;
    });
    const form = { email: 'jo@example.com', description: 'one' };

    it('returns the stored answer to the same key and parameters, and says that it is a replay', async () => {
      const first = await post(urlOf(), { key, form });
      const second = await post(urlOf(), { key, form });
      assert.equal(first.status, 200);
      assert.equal(first.replayed, null);
      assert.equal(second.replayed, 'true');
      assert.deepEqual(second.body, first.body);
      assert.equal(second.headers.get('original-request'), first.headers.get('request-id'));
      assert.notEqual(second.headers.get('request-id'), first.headers.get('request-id'));
    });

    it('refuses other parameters under the key with a 400 idempotency_error, and keeps the first answer', async () => {
      const first = await post(urlOf(), { key, form });
      const other = await post(urlOf(), { key, form: { ...form, description: 'two' } });
      assert.equal(other.status, 400);
      assert.equal(other.body.error.type, 'idempotency_error');
      assert.deepEqual((await post(urlOf(), { key, form })).body, first.body);
    });

    it('executes the same parameters again without a key, and under another key', async () => {
      const answers = [
        await post(urlOf(), { form }),
        await post(urlOf(), { form }),
        await post(urlOf(), { key, form }),
        await post(urlOf(), { key: `${key} other`, form }),
      ];
      assert.equal(new Set(answers.map(({ body }) => body.id)).size, 4);
    });

    it('stores nothing of a request without a good secret key', async () => {
      assert.equal((await post(urlOf(), { key, form, secret: 'nonsense' })).status, 401);
      const { status, replayed } = await post(urlOf(), { key, form });
      assert.deepEqual([status, replayed], [200, null]);
    });
  });
}

describe('keys of idempotency in place of Stripe', function () {
  this.timeout(60_000);
  needsPrograms('localstripe', 'stripe-stateful-mock');
  const folder = useFolder();
  let localstripe: RigServer;
  let statefulMock: RigServer;
  let layer: IdempotencyLayer;

  before('start both readings', async () => {
    localstripe = await startLocalStripe(folder.path);
    statefulMock = await startStatefulMock(folder.path);
    layer = await openIdempotencyLayer(localstripe.url);
  });
  after('end them', async () => {
    await layer?.close();
    await localstripe?.stop();
    await statefulMock?.stop();
  });

  agreed('our layer before localstripe', () => layer.url);
  agreed('stripe-stateful-mock', () => statefulMock.url);

  it('listen on loopback alone, though both programs by themselves listen on every address', async function () {
    const outer = Object.values(networkInterfaces())
      .flat()
      .find((each) => each !== undefined && !each.internal && each.family === 'IPv4');
    if (outer === undefined) return this.skip();
    for (const { url } of [localstripe, statefulMock]) {
      const { port } = new URL(url);
      const [error]: { code?: string }[] = await once(connect(Number(port), outer.address), 'error');
      assert.equal(error?.code, 'ECONNREFUSED');
    }
  });

  describe('where they differ, ours follows the pages of Stripe', () => {
    it('a key that is used for another endpoint is refused; stripe-stateful-mock executes it', async () => {
      const elsewhere = { key: 'another endpoint', path: '/v1/products', form: { name: 'A', type: 'service' } };
      const form = { email: 'jo@example.com' };
      await post(layer.url, { key: elsewhere.key, form });
      assert.equal((await post(layer.url, elsewhere)).body.error.type, 'idempotency_error');
      await post(statefulMock.url, { key: elsewhere.key, form });
      assert.equal((await post(statefulMock.url, elsewhere)).status, 200);
    });

    it('a request whose parameters are wrong is not stored; stripe-stateful-mock stores it', async () => {
      const wrong = { key: 'wrong parameters', path: '/v1/charges', form: { amount: 'much', currency: 'aud' } };
      for (const [url, replayed] of [
        [layer.url, null],
        [statefulMock.url, 'true'],
      ] as const) {
        assert.equal((await post(url, wrong)).status, 400);
        const again = await post(url, wrong);
        assert.deepEqual([again.status, again.replayed], [400, replayed]);
      }
    });
  });
});

describe('our layer of keys', () => {
  let server: LoopbackServer;
  let layer: IdempotencyLayer;
  let executed: string[] = [];
  let answer: { status: number; body: object } | 'reset' = { status: 200, body: {} };
  let release: () => void = () => {};
  let held: Promise<void> = Promise.resolve();

  before('start a server', async () => {
    server = await serveOnLoopback(async ({ method, path, body, message }, response) => {
      executed.push(`${method} ${path} ${body}`);
      await held;
      if (answer === 'reset') return message.socket.resetAndDestroy();
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body));
    });
  });
  beforeEach(async () => {
    await layer?.close();
    layer = await openIdempotencyLayer(server.url);
    executed = [];
    held = Promise.resolve();
    answer = { status: 200, body: { id: 'cus_1' } };
  });
  after(async () => {
    await layer.close();
    await server.close();
  });
  const refused = (status: number, error: object) => {
    answer = { status, body: { error } };
  };

  it('returns a stored 500, although the server is well again', async () => {
    refused(500, { type: 'api_error' });
    await post(layer.url, { key: 'k' });
    answer = { status: 200, body: {} };
    const again = await post(layer.url, { key: 'k' });
    assert.deepEqual([again.status, again.replayed, executed.length], [500, 'true', 1]);
  });

  it('stores a 500 if the server gives no answer: it may have done what was asked', async () => {
    answer = 'reset';
    assert.equal((await post(layer.url, { key: 'k' })).status, 500);
    answer = { status: 200, body: {} };
    assert.deepEqual([(await post(layer.url, { key: 'k' })).status, executed.length], [500, 1]);
  });

  it('stores a decline', async () => {
    refused(402, { type: 'card_error', code: 'card_declined' });
    await post(layer.url, { key: 'k' });
    assert.deepEqual([(await post(layer.url, { key: 'k' })).replayed, executed.length], ['true', 1]);
  });

  it('stores a 400 that the execution has found, and none about parameters', async () => {
    refused(400, { type: 'invalid_request_error', code: 'payment_intent_unexpected_state' });
    await post(layer.url, { key: 'state' });
    assert.equal((await post(layer.url, { key: 'state' })).replayed, 'true');
    refused(400, { type: 'invalid_request_error', param: 'amount' });
    await post(layer.url, { key: 'parameter' });
    answer = { status: 200, body: {} };
    const again = await post(layer.url, { key: 'parameter', form: { amount: '2' } });
    assert.deepEqual([again.status, again.replayed], [200, null]);
  });

  for (const status of [409, 429]) {
    it(`stores no ${status}`, async () => {
      refused(status, { type: 'invalid_request_error' });
      await post(layer.url, { key: 'k' });
      answer = { status: 200, body: {} };
      assert.equal((await post(layer.url, { key: 'k' })).status, 200);
    });
  }

  it('refuses a key that is under way with a 409 idempotency_key_in_use', async () => {
    held = new Promise((resolve) => {
      release = resolve;
    });
    const first = post(layer.url, { key: 'k' });
    await eventually('the first is under way', () => executed.length === 1);
    const second = await post(layer.url, { key: 'k' });
    release();
    assert.deepEqual([second.status, second.body.error.code], [409, 'idempotency_key_in_use']);
    assert.equal((await first).status, 200);
    assert.equal((await post(layer.url, { key: 'k' })).replayed, 'true');
  });

  it('stores the answer of a client that has gone', async () => {
    held = new Promise((resolve) => {
      release = resolve;
    });
    const gone = new AbortController();
    const headers = { authorization: `Bearer ${rigKey}`, 'idempotency-key': 'k' };
    const first = fetch(`${layer.url}/v1/customers`, { method: 'POST', headers, body: '', signal: gone.signal });
    await eventually('the first is under way', () => executed.length === 1);
    gone.abort();
    await assert.rejects(first);
    release();
    await eventually('it is stored', async () => (await post(layer.url, { key: 'k' })).replayed === 'true');
    assert.equal(executed.length, 1);
  });

  it('executes a key again after it was pruned, at 24 hours and not before', async () => {
    await post(layer.url, { key: 'k' });
    layer.age(86_400_000 - 60_000);
    assert.equal((await post(layer.url, { key: 'k' })).replayed, 'true');
    layer.age(60_000);
    assert.equal(layer.keys, 0);
    assert.equal((await post(layer.url, { key: 'k' })).replayed, null);
    assert.equal(executed.length, 2);
  });

  it('keeps the keys of two secret keys apart', async () => {
    await post(layer.url, { key: 'k' });
    assert.equal((await post(layer.url, { key: 'k', secret: 'sk_test_another' })).replayed, null);
  });

  it('takes the parameters in any order', async () => {
    await post(layer.url, { key: 'k', form: { a: '1', b: '2' } });
    assert.equal((await post(layer.url, { key: 'k', form: { b: '2', a: '1' } })).replayed, 'true');
  });

  it('lets a GET with a key pass each time', async () => {
    const headers = { authorization: `Bearer ${rigKey}`, 'idempotency-key': 'k' };
    for (const _ of [1, 2]) await fetch(`${layer.url}/v1/customers`, { headers });
    assert.equal(executed.length, 2);
  });

  it('refuses a key of 256 characters', async () => {
    assert.equal((await post(layer.url, { key: 'k'.repeat(256) })).status, 400);
    assert.equal(executed.length, 0);
  });
});
