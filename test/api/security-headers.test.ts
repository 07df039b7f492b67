import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, it } from 'mocha';
import { useApi } from '../support/api.ts';
import { useDatabase } from '../support/database.ts';
import { makeKey } from '../support/factories.ts';

describe('security headers', () => {
  const db = useDatabase();
  const api = useApi(db);
  const everywhere = {
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
    'strict-transport-security': 'max-age=31536000',
  };
  const closed = "default-src 'none'; frame-ancestors 'none'";

  it('are on every answer: of a success, of each sort of error, of what no route takes', async () => {
    const { key } = await makeKey(db.sql);
    const replies = [
      await api.send('GET', '/healthz'),
      await api.send('GET', '/api/v1/customers', { key }),
      await api.send('GET', '/api/v1/customers'),
      await api.send('GET', '/api/v1/customers/cus_none', { key }),
      await api.send('POST', '/api/v1/customers', { key, body: '{' }),
      await api.send('POST', '/api/v1/customers', { key, body: {} }),
      await api.send('POST', '/api/v1/customers', { key, body: { name: 'x'.repeat(300_000) } }),
      await api.send('PATCH', '/api/v1/customers', { key }),
      await api.send('OPTIONS', '/api/v1/customers'),
      await api.send('GET', '/none'),
    ];
    const statuses = replies.map(({ status }) => status);
    assert.deepEqual(statuses, [200, 200, 401, 404, 400, 422, 413, 405, 204, 404]);
    for (const { status, headers } of replies) {
      for (const [name, value] of Object.entries(everywhere))
        assert.equal(headers.get(name), value, `${status} ${name}`);
      assert.equal(headers.get('content-security-policy'), closed, `${status}`);
      assert.equal(headers.get('cache-control'), 'no-store', `${status}`);
    }
  });

  it('are on the reference page and its files too, which run no script but their own and may be kept', async () => {
    const page = await api.send('GET', '/docs');
    const files = [...page.text.matchAll(/(?:src|href)="(\/docs\/[^"]+\.(?:css|js))"/g)].map(([, path]) => path ?? '');
    assert.equal(files.length, 2);
    const replies = await Promise.all(files.map((path) => api.send('GET', path)));
    for (const { status, headers } of [page, ...replies, await api.send('GET', '/openapi.json')]) {
      assert.equal(status, 200);
      for (const [name, value] of Object.entries(everywhere)) assert.equal(headers.get(name), value, name);
      assert.match(headers.get('cache-control') ?? '', /^public, max-age=/);
    }
    const policy = page.headers.get('content-security-policy') ?? '';
    assert.match(policy, /^default-src 'none'; style-src 'self'; script-src 'self'; /);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.equal(/script-src[^;]*unsafe/.test(policy), false);
    assert.equal(/<script(?![^>]* src=)/.test(page.text), false, 'a script in the page itself would not run');
    for (const { headers } of replies) assert.equal(headers.get('content-security-policy'), closed);
  });

  it('are on what is refused before it is a request', async () => {
    const socket = connect(api.running.port, '127.0.0.1').setEncoding('utf8');
    socket.write('nothing of the sort\r\n\r\n');
    const [head = ''] = (await socket.toArray()).join('').split('\r\n\r\n');
    const lines = head.toLowerCase().split('\r\n');
    for (const [name, value] of Object.entries(everywhere)) assert.ok(lines.includes(`${name}: ${value}`), name);
    assert.ok(lines.includes(`content-security-policy: ${closed}`));
  });
});
