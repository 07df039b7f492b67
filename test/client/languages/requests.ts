import assert from 'node:assert/strict';
import { it } from 'mocha';
import type { Document } from '../../../clients/typescript/generate/document.ts';
import { serviceDocument } from '../../../clients/typescript/generate/generate.ts';
import { wordsOf } from '../../../clients/typescript/generate/naming.ts';
import { resourcesOf } from '../../../clients/typescript/generate/resources.ts';
import { serveOnLoopback } from '../../../lab/loopback-server.ts';
import { usePayer } from '../../support/payer.ts';
import { errorBody, type Fate, useFront } from '../front.ts';
import { anyAddress, encryptedOrHere, plainElsewhere } from './addresses.ts';
import { type Call, type Driver, type Outcome, useDriver } from './driver.ts';

/** Texts of 300 kB for whatever looks for a query or a secret. */
export const lengthy = ['?', '?a', 'sk_', '_secret_', 'sk_live_a', '?=', '%', ' ?'].map((part) =>
  part.repeat(300_000 / part.length),
);
const json = { 'Content-Type': 'application/json' };

/** What the clients of all languages do with requests. The rules are those of the client in TypeScript. */
export function itSendsLikeTheOthers(driver: Driver): void {
  const payer = usePayer();
  const { stage } = payer;
  const front = useFront(stage.api);
  const client = useDriver(driver, () => ({ url: front.url, key: stage.keys.sandboxSecret }));
  const ofCustomers = (method: string, args: unknown[], options = {}, more: Partial<Call> = {}): Promise<Outcome> =>
    client.attempt({ resource: 'customers', method, arguments: args, options, ...more });
  const create = (name: string, options = {}, more: Partial<Call> = {}) =>
    ofCustomers('create', [{ name }], options, more);
  const keysSeen = () => front.seen.map(({ headers }) => headers['idempotency-key']);
  const stored = async () => (await stage.merchant.client.customers.list().toArray()).length;

  it('reaches every operation of the document, by its own method and path', async () => {
    const document: Document = serviceDocument();
    const asked: string[] = [];
    const server = await serveOnLoopback(({ method, path, headers }, response) => {
      asked.push(`${method} ${path.split('?')[0]}`);
      response.writeHead(200, { 'Content-Type': String(headers.accept) }).end('{}');
    });
    const expected: string[] = [];
    for (const { words, methods } of resourcesOf(document)) {
      for (const { name, httpMethod, path, pathParameters, body, schemas } of methods) {
        const ids = pathParameters.map((_, index) => `id${index}`);
        const { error } = await client.attempt({
          resource: words.join('_'),
          method: wordsOf(name).join('_'),
          arguments: [...ids, ...(body === null ? [] : [{}])],
          query: Object.fromEntries(schemas.query.filter(({ required }) => required).map((each) => [each.name, 'x'])),
          client: { base_url: server.url },
        });
        assert.equal(error, undefined, `${words.join('_')}.${name}: ${JSON.stringify(error)}`);
        const filled = ids.reduce((text, id, index) => text.replace(`{${pathParameters[index]}}`, id), path);
        expected.push(`${httpMethod} ${filled}`);
      }
    }
    await server.close();
    const operations = Object.values(document.paths).flatMap((methods) => Object.keys(methods));
    assert.deepEqual(asked, expected);
    assert.equal(new Set(asked).size, operations.length);
  });

  const losses: [string, Fate][] = [
    ['is cut before the service saw the request', 'cut before'],
    ['is cut after the service has committed', 'cut after'],
    ['is cut in the middle of the response', 'cut within'],
  ];
  for (const [what, fate] of losses) {
    it(`makes one object when the connection ${what}, twice in a row`, async () => {
      front.fates.push(fate, fate);
      const { result, error } = await create('Once');
      assert.equal(result?.name, 'Once', JSON.stringify(error));
      assert.equal(await stored(), 1);
      const [key, ...others] = keysSeen();
      assert.match(String(key), /^[0-9a-f-]{36}$/);
      assert.deepEqual(others, [key, key]);
      assert.equal(new Set(front.seen.map(({ body }) => body)).size, 1);
    });
  }

  it('creates a key for each POST, keeps a given one, and sends no key with other methods', async () => {
    const { id } = (await create('A')).result;
    await create('B');
    await create('C', { idempotency_key: 'order-17', idempotency_ttl_seconds: 60 });
    await ofCustomers('update', [id, { name: 'D' }]);
    await ofCustomers('get', [id]);
    await ofCustomers('delete', [id]);
    const [first, second, ...rest] = keysSeen();
    assert.notEqual(first, second);
    assert.deepEqual(rest, ['order-17', undefined, undefined, undefined]);
    assert.equal(front.seen[2]?.headers['idempotency-ttl'], '60');
    assert.equal(front.seen[0]?.headers.authorization, `Bearer ${stage.keys.sandboxSecret}`);
    assert.match(String(front.seen[0]?.headers['user-agent']), /^payments-client-(python|go)\/\d+\.\d+\.\d+$/);
  });

  it('repeats reads, changes and deletions as well', async () => {
    const { id } = (await create('A')).result;
    front.fates.push('cut after');
    assert.equal((await ofCustomers('update', [id, { name: 'B' }])).result.name, 'B');
    front.fates.push({ status: 502 });
    assert.equal((await ofCustomers('get', [id])).result.name, 'B');
    front.fates.push('cut after');
    assert.notEqual((await ofCustomers('delete', [id])).result.deleted_at, null);
    assert.equal(front.seen.map(({ method }) => method).join(), 'POST,PUT,PUT,GET,GET,DELETE,DELETE');
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
    it(`repeats a request after ${what}, once`, async () => {
      front.fates.push(fate);
      assert.equal((await create('Again')).result.name, 'Again');
      assert.equal(front.seen.length, 2);
      assert.equal(await stored(), 1);
    });
  }

  it('waits as long as Retry-After says, and gives up at once if that is more than a minute', async () => {
    front.fates.push({ status: 429, headers: { ...json, 'Retry-After': '1' }, body: errorBody('rate_limited') });
    assert.equal((await create('Later')).result.name, 'Later');
    const waited = front.seen[1]?.after ?? 0;
    assert.ok(waited >= 1000 && waited < 2500, `${waited} ms`);
    front.fates.push({ status: 429, headers: { ...json, 'Retry-After': '61' }, body: errorBody('rate_limited') });
    const { error } = await create('Never');
    assert.deepEqual([error.status, error.code, error.retry_after_seconds], [429, 'rate_limited', 61]);
    assert.equal(front.seen.length, 3);
  });

  it('ends after the maximum number of retries, with the last failure', async () => {
    front.fates.push({ status: 502 }, { status: 502 }, { status: 504 }, { status: 502 });
    assert.equal((await create('A')).error.status, 504);
    assert.equal((await create('B', { max_retries: 0 })).error.status, 502);
    assert.equal(front.seen.length, 4);
  });

  it('does not repeat a refused request, and says what is wrong with it', async () => {
    const { error } = await create('');
    assert.deepEqual([error.name, error.status, error.code], ['ApiError', 422, 'validation_failed']);
    assert.deepEqual([error.details[0].path, error.method, error.path], ['/name', 'POST', '/api/v1/customers']);
    assert.match(error.request_id, /^req_/);
    assert.equal((await ofCustomers('get', ['cus_unknown'])).error.code, 'resource_missing');
    assert.equal(front.seen.length, 2);
  });

  it('distinguishes a request without a response in time from a refused one', async () => {
    front.fates.push('silence', 'silence');
    const { error } = await create('Silent', {}, { client: { timeout: 0.06, max_retries: 1 } });
    assert.equal(error.name, 'ApiConnectionError');
    assert.match(error.message, /^POST http.*\/api\/v1\/customers got no response: 0\.06 s have passed$/);
    assert.equal(front.seen.length, 2);
  });

  it('leaves the key and the query of a request out of its errors', async () => {
    const secret = 'pi_1_secret_0123456789abcdef';
    const body = JSON.stringify({
      error: { message: `GET /x?client_secret=${secret} by ${stage.keys.sandboxSecret}`, type: 'api_error' },
    });
    front.fates.push({ status: 400, headers: json, body });
    const { error } = await client.attempt({
      resource: 'payment_intents',
      method: 'get',
      arguments: ['pi_1'],
      query: { client_secret: secret },
    });
    assert.equal(error.status, 400);
    assert.match(front.seen[0]?.path ?? '', /client_secret=pi_1_secret/);
    assert.ok(!JSON.stringify(error).includes('0123456789abcdef'), JSON.stringify(error));
    assert.ok(!JSON.stringify(error).includes(stage.keys.sandboxSecret), JSON.stringify(error));
  });

  it('has an action by the name of its path too', async () => {
    const { id } = await stage.merchant.customer();
    for (const method of ['retry', 'retry_now']) {
      const { error } = await client.attempt({ resource: 'subscriptions', method, arguments: [id] });
      assert.deepEqual([error.code, error.path], ['resource_missing', `/api/v1/subscriptions/${id}/retry_now`]);
    }
  });

  it('refuses an id that would change the path', async () => {
    for (const id of ['', '.', '..']) assert.match((await ofCustomers('get', [id])).error.message, /not an id/);
    await ofCustomers('get', ['a/../b?c']);
    assert.deepEqual(
      front.seen.map(({ path }) => path),
      ['/api/v1/customers/a%2F..%2Fb%3Fc'],
    );
  });

  it('reads a refusal in time in proportion to its length, whatever it quotes', async () => {
    for (const message of lengthy) {
      front.fates.push({ status: 400, headers: json, body: JSON.stringify({ error: { message, type: 'api_error' } }) });
      const begun = performance.now();
      const { error } = await create('Ada', { max_retries: 0, timeout: 60 });
      const ms = performance.now() - begun;
      assert.deepEqual([error.name, error.status], ['ApiError', 400]);
      assert.ok(ms < 2_000, `${Math.round(ms)} ms for ${message.slice(0, 20)}`);
    }
  });

  it('takes an address without https only on this machine, or if that is asked for by name', async () => {
    const refusal = async (base_url: string, more = {}) => {
      const { error } = await ofCustomers(
        'get',
        ['cus_1'],
        { max_retries: 0, timeout: 2 },
        {
          client: { base_url, ...more },
        },
      );
      return error.name === 'ApiConnectionError' ? null : error.message;
    };
    for (const address of encryptedOrHere) assert.equal(await refusal(address), null, address);
    for (const address of plainElsewhere) assert.match(await refusal(address), /must begin with https:/, address);
    // This one reaches no other machine.
    assert.match(await refusal(anyAddress), /must begin with https:/);
    assert.equal(await refusal(anyAddress, { allow_plain_http: true }), null);
    assert.match(await refusal('ftp://127.0.0.1', { allow_plain_http: true }), /must be an address such as https:/);
  });

  it('returns the first page of a list, all its items, or at most so many', async () => {
    const ids: string[] = [];
    for (let number = 0; number < 5; number += 1) ids.unshift((await stage.merchant.customer()).id);
    const idsIn = (found: { id: string }[]) => found.map(({ id }) => id);
    const page = await ofCustomers('list', [], {}, { query: { limit: 2 } });
    assert.deepEqual([idsIn(page.result.data), page.result.has_more], [ids.slice(0, 2), true]);
    const all = await ofCustomers('list', [], {}, { query: { limit: 2 }, iterate: true });
    assert.deepEqual(idsIn(all.result), ids);
    assert.deepEqual(
      front.seen.slice(1).map(({ path }) => path.replace('/api/v1/customers', '')),
      ['?limit=2', `?limit=2&starting_after=${ids[1]}`, `?limit=2&starting_after=${ids[3]}`],
    );
    const some = await ofCustomers('list', [], {}, { query: { limit: 2 }, iterate: true, limit: 3 });
    assert.deepEqual(idsIn(some.result), ids.slice(0, 3));
    assert.equal(front.seen.length, 6);
  });

  it('pages through the payments of a plan by the number of the slot', async () => {
    const plan = await payer.active();
    await payer.advance('2027-01-24T00:00:00Z');
    const { result } = await client.attempt({
      resource: 'payment_plans',
      method: 'list_payments',
      arguments: [plan],
      query: { limit: 1 },
      iterate: true,
    });
    assert.deepEqual(
      result.map(({ slot, status }: { slot: number; status: string }) => `${slot} ${status}`),
      ['2 paid', '1 paid', '0 paid'],
    );
    assert.match(front.seen[2]?.path ?? '', /starting_after=1$/);
  });

  it('returns the items before a page that fails', async () => {
    for (let number = 0; number < 3; number += 1) await stage.merchant.customer();
    front.fates.push('pass', { status: 500, headers: json, body: errorBody('internal_error') });
    const asked = { query: { limit: 2 }, iterate: true, limit: 2 } as const;
    assert.equal((await ofCustomers('list', [], { max_retries: 0 }, asked)).result.length, 2);
    assert.equal((await ofCustomers('list', [], { max_retries: 0 }, { ...asked, limit: 3 })).error.status, 500);
  });
}
