import assert from 'node:assert/strict';
import { ApiError, type ClientOptions, ConnectionError, PaymentsClient } from '@payments-service/client';
import { delayBeforeRetry, readRetryAfter } from '../../clients/typescript/src/retry.ts';
import { useStage } from '../support/stage.ts';
import { errorBody, type Fate, useFront } from './front.ts';

const json = { 'Content-Type': 'application/json' };

describe('the client’s retries', () => {
  const stage = useStage();
  const front = useFront(stage.api);

  function client(options: Partial<ClientOptions> = {}): PaymentsClient {
    return new PaymentsClient({ baseUrl: front.url, apiKey: stage.keys.sandboxSecret, ...options });
  }
  const keysSeen = () => front.seen.map(({ headers }) => headers['idempotency-key']);
  async function customers(): Promise<number> {
    return (await stage.merchant.client.customers.list().toArray()).length;
  }

  const losses: [string, Fate][] = [
    ['is cut before the service saw the request', 'cut before'],
    ['is cut after the service has committed', 'cut after'],
    ['is cut in the middle of the answer', 'cut within'],
  ];
  for (const [what, fate] of losses) {
    it(`make one object when the connection ${what}, twice in a row`, async () => {
      front.fates.push(fate, fate);
      const { id, name } = await client().customers.create({ name: 'Once' });
      assert.equal(name, 'Once');
      assert.equal((await stage.merchant.client.customers.get(id)).name, 'Once');
      assert.equal(await customers(), 1);
      assert.equal(front.seen.length, 3);
      const [key, ...others] = keysSeen();
      assert.match(String(key), /^[0-9a-f-]{36}$/);
      assert.deepEqual(others, [key, key]);
      assert.equal(new Set(front.seen.map(({ body }) => body)).size, 1);
    });
  }

  it('charge once when the response to a confirm is lost', async () => {
    const { id: customer } = await stage.merchant.payer();
    const { id } = await client().paymentIntents.create({ amount: 5000, currency: 'AUD', customer_id: customer });
    const [method] = (await stage.merchant.client.customers.listPaymentMethods(customer)).payment_methods;
    front.fates.push('cut after');
    const intent = await client().paymentIntents.confirm(id, { payment_method: method?.id ?? '' });
    assert.equal(intent.status, 'succeeded');
    assert.deepEqual([...stage.ledger.taken.values()], [5000]);
  });

  it('create a key for each POST, keep a given one, and send no key with other methods', async () => {
    const { id } = await client().customers.create({ name: 'A' });
    await client().customers.create({ name: 'B' });
    await client().customers.create({ name: 'C' }, { idempotencyKey: 'order-17', idempotencyTtlSeconds: 60 });
    await client().customers.update(id, { name: 'D' });
    await client().customers.get(id);
    await client().customers.delete(id);
    const [first, second, ...rest] = keysSeen();
    assert.notEqual(first, second);
    assert.deepEqual(rest, ['order-17', undefined, undefined, undefined]);
    assert.equal(front.seen[2]?.headers['idempotency-ttl'], '60');
  });

  it('repeat reads, changes and deletions as well', async () => {
    const { id } = await client().customers.create({ name: 'A' });
    front.fates.push('cut after');
    assert.equal((await client().customers.update(id, { name: 'B' })).name, 'B');
    front.fates.push({ status: 502 });
    assert.equal((await client().customers.get(id)).name, 'B');
    front.fates.push('cut after');
    assert.notEqual((await client().customers.delete(id)).deleted_at, null);
    assert.deepEqual(
      front.seen.map(({ method }) => method),
      ['POST', 'PUT', 'PUT', 'GET', 'GET', 'DELETE', 'DELETE'],
    );
  });

  const passing: [string, Fate][] = [
    ['408 of a proxy', { status: 408 }],
    ['409 idempotency_key_in_use', { status: 409, headers: json, body: errorBody('idempotency_key_in_use') }],
    ['429', { status: 429, headers: json, body: errorBody('rate_limited') }],
    ['500', { status: 500, headers: json, body: errorBody('internal_error') }],
    ['502 of a proxy', { status: 502, headers: { 'Content-Type': 'text/html' }, body: '<h1>Bad gateway</h1>' }],
    ['503 of a proxy', { status: 503 }],
    ['503 unavailable', { status: 503, headers: { ...json, 'Retry-After': '0' }, body: errorBody('unavailable') }],
    ['504', { status: 504 }],
  ];
  for (const [what, fate] of passing) {
    it(`repeat a request after ${what}`, async () => {
      front.fates.push(fate);
      await client().customers.create({ name: 'Again' });
      assert.equal(front.seen.length, 2);
      assert.equal(await customers(), 1);
    });
  }

  it('wait as long as Retry-After says, then get the response', async () => {
    front.fates.push({ status: 429, headers: { ...json, 'Retry-After': '1' }, body: errorBody('rate_limited') });
    await client().customers.list();
    const waited = front.seen[1]?.after ?? 0;
    assert.ok(waited >= 1000 && waited < 2500, `${waited} ms`);
  });

  it('fail at once if Retry-After is more than a minute', async () => {
    front.fates.push({ status: 429, headers: { ...json, 'Retry-After': '61' }, body: errorBody('rate_limited') });
    await assert.rejects(client().customers.list(), (error) => {
      assert.ok(error instanceof ApiError);
      assert.deepEqual([error.status, error.code, error.retryAfterSeconds], [429, 'rate_limited', 61]);
      return true;
    });
    assert.equal(front.seen.length, 1);
  });

  it('end after maxRetries, with the last failure', async () => {
    front.fates.push({ status: 502 }, { status: 502 }, { status: 504 }, 'pass');
    await assert.rejects(client().customers.list(), { name: 'ApiError', status: 504, code: undefined });
    assert.equal(front.seen.length, 3);
    front.fates.splice(0);
    front.fates.push({ status: 502 });
    await assert.rejects(client().customers.list({}, { maxRetries: 0 }), { status: 502 });
    assert.equal(front.seen.length, 4);
  });

  it('do not repeat a request that the service refused', async () => {
    await assert.rejects(client().customers.create({ name: '' }), { status: 422, code: 'validation_failed' });
    await assert.rejects(client().customers.get('cus_unknown'), { status: 404, code: 'resource_missing' });
    await client().customers.create({ name: 'A' }, { idempotencyKey: 'k' });
    await assert.rejects(client().customers.create({ name: 'B' }, { idempotencyKey: 'k' }), {
      status: 422,
      code: 'idempotency_key_reused',
    });
    assert.equal(front.seen.length, 4);
  });

  it('do not repeat a live charge without a configured processor', async () => {
    const live = client({ apiKey: stage.keys.liveSecret });
    const { payment_method: method } = await live.paymentMethods.create({
      type: 'au_becs_debit',
      payment_method_data: { bsb_number: '000-000', account_name: 'A', account_number: '123456' },
    });
    const { id } = await live.paymentIntents.create({ amount: 5000, currency: 'AUD' });
    const before = front.seen.length;
    await assert.rejects(live.paymentIntents.confirm(id, { payment_method: method.id }), {
      status: 503,
      code: 'processor_not_configured',
    });
    assert.equal(front.seen.length, before + 1);
  });

  it('distinguish a request without a response in time from a refused one', async () => {
    front.fates.push('silence', 'silence');
    await assert.rejects(client({ timeoutMs: 60, maxRetries: 1 }).customers.list(), (error) => {
      assert.ok(error instanceof ConnectionError);
      assert.match(error.message, /^GET http.*\/api\/v1\/customers got no response: 60 ms have passed$/);
      return true;
    });
    assert.equal(front.seen.length, 2);
  });

  it('get the response of the first try after a time-out', async () => {
    const slow = stage.ledger;
    const { id: customer } = await stage.merchant.payer();
    const [method] = (await stage.merchant.client.customers.listPaymentMethods(customer)).payment_methods;
    const { id } = await client().paymentIntents.create({ amount: 4000, currency: 'AUD', customer_id: customer });
    slow.beforeAnswer = () => new Promise((done) => setTimeout(done, 300));
    const intent = await client({ timeoutMs: 200 }).paymentIntents.confirm(id, { payment_method: method?.id ?? '' });
    assert.equal(intent.status, 'succeeded');
    assert.deepEqual([...slow.taken.values()], [4000]);
  });

  it('say why the connection failed', async () => {
    const nowhere = new PaymentsClient({ baseUrl: 'http://127.0.0.1:1', apiKey: 'sk_x', maxRetries: 0 });
    await assert.rejects(nowhere.customers.list(), (error) => {
      assert.ok(error instanceof ConnectionError && error.cause instanceof Error);
      assert.match(error.message, /ECONNREFUSED|bad port/);
      return true;
    });
  });

  it('throw the reason of the caller’s signal, during a request and between two', async () => {
    for (const fate of ['silence', { status: 429, headers: { 'Retry-After': '30' } }] as const) {
      const leaving = new AbortController();
      front.fates.push(fate);
      const asked = client().customers.list({}, { signal: leaving.signal });
      setTimeout(() => leaving.abort(new Error('gone home')), 80);
      await assert.rejects(asked, { message: 'gone home' });
    }
    const seen = front.seen.length;
    await assert.rejects(client().customers.list({}, { signal: AbortSignal.abort() }), { name: 'AbortError' });
    assert.equal(front.seen.length, seen);
  });

  it('do not retry if the user’s own fetch aborts a request', async () => {
    let calls = 0;
    const ending = client({
      fetch: async () => {
        calls += 1;
        throw new DOMException('enough', 'AbortError');
      },
    });
    await assert.rejects(ending.customers.list(), { name: 'AbortError', message: 'enough' });
    assert.equal(calls, 1);
  });
});

describe('the waits between retries', () => {
  const lost = new ConnectionError('lost');
  const most = () => 1;

  it('double from half a second to eight seconds, with full jitter', () => {
    const longest = [0, 1, 2, 3, 4, 5, 6].map((retries) => delayBeforeRetry(lost, retries, most));
    assert.deepEqual(longest, [500, 1000, 2000, 4000, 8000, 8000, 8000]);
    assert.equal(
      delayBeforeRetry(lost, 3, () => 0),
      0,
    );
    const drawn = Array.from({ length: 200 }, () => delayBeforeRetry(lost, 2) ?? -1);
    assert.ok(drawn.every((delay) => delay >= 0 && delay < 2000));
    assert.ok(new Set(drawn).size > 100);
  });

  it('do not apply to programming errors', () => {
    assert.equal(delayBeforeRetry(new TypeError('a slip'), 0), null);
  });

  it('read Retry-After in seconds and as a date, and ignore other values', () => {
    const now = Date.parse('2027-01-04T09:00:00Z');
    const given = ['7', ' 0 ', 'Mon, 04 Jan 2027 09:00:30 GMT', 'Mon, 04 Jan 2027 08:00:00 GMT', 'soon', null];
    assert.deepEqual(
      given.map((header) => readRetryAfter(header, now)),
      [7, 0, 30, 0, undefined, undefined],
    );
  });
});
