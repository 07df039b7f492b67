import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, it } from 'mocha';
import { Type } from 'typebox';
import { route } from '../../src/api/http/route.ts';
import { serve } from '../../src/api/http/server.ts';
import { openPool } from '../../src/platform/postgres/connection.ts';
import { InvalidState, NotFound, ProcessorNotConfigured, ValidationFailed } from '../../src/services/errors.ts';
import { createWebApp } from '../../src/sites/app.ts';
import { send, testDeps, useApi } from '../support/api.ts';
import { useDatabase } from '../support/database.ts';
import { makeKey } from '../support/factories.ts';
import { testRoute } from '../support/test-route.ts';

const secret = 'hunter2hunter2hunter2';
const failures: Record<string, () => Error> = {
  bug: () => new TypeError(`select * from secrets -- ${secret}`),
  missing: () => new NotFound('thing', 'thing_1'),
  state: () => new InvalidState('It is over.', 'invalid_state', { state: 'over' }),
  fault: () => ValidationFailed.of('/a~1b', 'invalid_value', 'That is wrong.'),
  processor: () => new ProcessorNotConfigured(),
};

const routes = [
  route({
    ...testRoute,
    path: '/things/:thing_id',
    operation: 'getThing',
    handle: async ({ params }) => ({ id: params.thing_id }),
  }),
  route({
    ...testRoute,
    method: 'PUT',
    path: '/things/:thing_id',
    operation: 'putThing',
    body: Type.Object({ n: Type.Optional(Type.Integer()) }, { additionalProperties: false }),
    response: { status: 202, schema: Type.Unknown() },
    handle: async ({ body }) => body,
  }),
  route({
    ...testRoute,
    path: '/failures/:kind',
    operation: 'fail',
    handle: async ({ params }) => {
      throw failures[params.kind]?.() ?? new Error('no such failure');
    },
  }),
  route({
    ...testRoute,
    path: '/page',
    operation: 'getPage',
    response: {
      status: 200,
      schema: Type.String(),
      contentType: 'text/html; charset=utf-8',
      headers: { 'Content-Security-Policy': "default-src 'self'" },
    },
    handle: async () => '<p>Hello</p>',
  }),
  route({
    ...testRoute,
    path: '/private',
    operation: 'getPrivate',
    access: { scope: 'customers:read' },
    handle: async ({ context }) => ({ now: context.now }),
  }),
];

describe('every answer', () => {
  const db = useDatabase();
  const api = useApi(db, routes);

  it('carries a Request-Id of its own, whatever the status', async () => {
    const ids = new Set<string>();
    const requests: [string, string, number][] = [
      ['GET', '/things/a', 200],
      ['GET', '/nowhere', 404],
      ['POST', '/things/a', 405],
      ['GET', '/private', 401],
      ['GET', '/failures/bug', 500],
    ];
    for (const [method, path, status] of requests) {
      const reply = await api.send(method, path);
      assert.equal(reply.status, status);
      const id = reply.headers.get('request-id') ?? '';
      assert.match(id, /^req_[0-9A-Za-z]{32}$/);
      if (status !== 200) assert.equal(reply.body.error.request_id, id);
      ids.add(id);
    }
    const tooLarge = await api.send('PUT', '/things/a', { body: 'x'.repeat(300_000) });
    assert.equal(tooLarge.status, 413);
    ids.add(tooLarge.headers.get('request-id') ?? '');
    assert.equal(ids.size, requests.length + 1);
  });

  it('is JSON that must not be cached, sniffed or framed', async () => {
    for (const path of ['/things/a', '/nowhere']) {
      const { headers } = await api.send('GET', path);
      assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
      assert.equal(headers.get('cache-control'), 'no-store');
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.match(headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/);
    }
  });

  it('has the status, type and headers that the route names', async () => {
    assert.equal((await api.send('PUT', '/things/a', { body: { n: 1 } })).status, 202);
    const page = await api.send('GET', '/page');
    assert.equal(page.text, '<p>Hello</p>');
    assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
    assert.equal(page.headers.get('content-security-policy'), "default-src 'self'");
  });

  it('is 404 with the envelope for an unknown path', async () => {
    const { status, body } = await api.send('GET', '/nowhere');
    assert.equal(status, 404);
    assert.deepEqual([body.error.type, body.error.code], ['invalid_request_error', 'route_not_found']);
    assert.equal((await api.send('GET', '/things/a/')).status, 404);
    assert.equal((await api.send('GET', '/Things/a')).status, 404);
  });

  it('is 405 with the envelope for a wrong method, and an Allow that lists the right ones', async () => {
    const { status, headers, body } = await api.send('POST', '/things/a', { body: {} });
    assert.equal(status, 405);
    assert.equal(headers.get('allow'), 'HEAD, GET, PUT, OPTIONS');
    assert.equal(body.error.code, 'method_not_allowed');
    assert.equal((await api.send('PATCH', '/things/a')).status, 405);
    assert.equal((await api.send('PROPFIND', '/things/a')).status, 405);
  });

  it('is that of GET without its body for HEAD, and the methods for OPTIONS', async () => {
    const head = await api.send('HEAD', '/things/a');
    assert.deepEqual([head.status, head.text, head.headers.get('content-length')], [200, '', '10']);
    const options = await api.send('OPTIONS', '/things/a');
    assert.deepEqual([options.status, options.headers.get('allow')], [204, 'HEAD, GET, PUT, OPTIONS']);
    assert.equal((await api.send('OPTIONS', '/nowhere')).status, 404);
    assert.equal((await api.send('HEAD', '/nowhere')).status, 404);
  });

  it('is 404 for a path with undecodable or unstorable characters, not an error', async () => {
    for (const id of ['%ff', '%', '%00', 'a%00b', '%ED%A0%80']) {
      const { status, body } = await api.send('GET', `/things/${id}`);
      assert.ok(status === 200 || status === 404, `${id}: ${status}`);
      if (id.includes('%00')) assert.deepEqual([status, body.error.code], [404, 'resource_missing']);
    }
  });

  it('reaches a request line that is no path too', async () => {
    for (const target of ['*', '//', '/?', '/things/a?%', 'http://example.com/things/a', '/things/a#x']) {
      const socket = connect(api.running.port, '127.0.0.1');
      socket.end(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk;
      });
      await once(socket, 'close');
      assert.match(text, /^HTTP\/1\.1 (200|400|404) /, target);
    }
  });

  it('is a 500 that says nothing for a bug, while the log has the stack under the same request id', async () => {
    const { status, headers, text, body } = await api.send('GET', '/failures/bug');
    assert.equal(status, 500);
    assert.deepEqual([body.error.type, body.error.code], ['api_error', 'internal_error']);
    assert.equal(text.includes(secret) || text.includes('select') || text.includes('.ts'), false);
    const line = api.log.find(
      (entry) => entry.msg === 'request failed' && entry.request_id === headers.get('request-id'),
    );
    assert.match(JSON.stringify(line), /TypeError: select .* at /);
  });

  it('has the status, code, details and further members of a refusal', async () => {
    const missing = await api.send('GET', '/failures/missing');
    assert.deepEqual([missing.status, missing.body.error.code], [404, 'resource_missing']);
    const state = await api.send('GET', '/failures/state');
    assert.deepEqual([state.status, state.body.error.code, state.body.error.state], [422, 'invalid_state', 'over']);
    const processor = await api.send('GET', '/failures/processor');
    assert.deepEqual([processor.status, processor.body.error.type], [503, 'api_error']);
  });

  it('has the status of the route for a validation failure of a service', async () => {
    const { status, body } = await api.send('GET', '/failures/fault');
    assert.equal(status, 400);
    assert.deepEqual(body.error.details, [{ code: 'invalid_value', message: 'That is wrong.', path: '/a~1b' }]);
  });

  it('is logged once, without query string, headers and body', async () => {
    const { headers } = await api.send('PUT', `/things/a?client_secret=${secret}`, {
      body: { note: secret },
      headers: { 'X-Secret': secret },
    });
    const lines = api.log.filter((entry) => entry.request_id === headers.get('request-id'));
    assert.equal(lines.length, 1);
    assert.deepEqual([lines[0]?.route, lines[0]?.operation, lines[0]?.status], ['/things/:thing_id', 'putThing', 400]);
    assert.equal(JSON.stringify(api.log.slice(-5)).includes(secret), false);
  });

  it('is logged with the biller, mode and key id of a request with a key, never the key', async () => {
    const { key, id, biller_id } = await makeKey(db.sql);
    const { headers } = await api.send('GET', '/private', { key });
    const line = api.log.find((entry) => entry.request_id === headers.get('request-id'));
    assert.deepEqual([line?.biller_id, line?.livemode, line?.key_id], [biller_id, false, id]);
    assert.equal(JSON.stringify(api.log).includes(key), false);
  });
});

describe('without its database', () => {
  const db = useDatabase();

  it('the API answers 503 with Retry-After, and says nothing of it in detail', async () => {
    const nowhere = openPool('postgres://user:password@127.0.0.1:1/none', { max: 1, name: 'test' });
    const running = await serve(createWebApp(testDeps(db, { sql: nowhere }).deps, routes), { port: 0 });
    const key = `sk_sandbox_${'a'.repeat(43)}`;
    const { status, headers, body, text } = await send(`http://127.0.0.1:${running.port}/private`, 'GET', { key });
    assert.deepEqual([status, headers.get('retry-after')], [503, '1']);
    assert.deepEqual([body.error.type, body.error.code], ['api_error', 'unavailable']);
    assert.equal(text.includes('127.0.0.1'), false);
    await running.close();
    await nowhere.end();
  });
});
