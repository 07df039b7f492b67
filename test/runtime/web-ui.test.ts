import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { findFreePorts } from '../../dev/ports.ts';
import { type Door, openDoor } from '../../dev/web-ui.ts';
import { type LoopbackServer, type Received, serveOnLoopback } from '../../lab/loopback-server.ts';
import { ask } from '../support/listeners.ts';

describe('the door of the Web UI', () => {
  let port = 0;
  let door: Door | undefined;
  let ui: LoopbackServer | undefined;
  let isUp = true;
  const received: Received[] = [];

  before('open one before a Web UI that shows what it gets', async () => {
    [port = 0] = await findFreePorts(1);
    ui = await serveOnLoopback((request, response) => {
      received.push(request);
      if (request.path.startsWith('/api/v1/settings')) {
        return response
          .setHeader('Content-Type', 'application/json')
          .end('{"Version":"2.54.1","WorkflowSignalDisabled":false}');
      }
      if (request.path === '/broken') return response.destroy();
      return response
        .writeHead(request.path === '/none' ? 404 : 200, { 'Set-Cookie': ['a=1', 'b=2'] })
        .end(request.body);
    });
    const at = { host: '127.0.0.1', port: Number(new URL(ui.url).port) };
    const publicUrl = 'https://temporal.example:8443';
    door = await openDoor({ port, publicUrl, defaultNamespace: 'payments', findUi: () => (isUp ? at : null) });
  });
  after('close it', async () => {
    await door?.close();
    await ui?.close();
  });

  it('passes on method, path, body, status and headers, and tells the Web UI nothing of the page', async () => {
    const path = '/api/v1/namespaces/payments/workflows/w?x=%2F';
    const headers = {
      Origin: `http://127.0.0.1:${port}`,
      'Sec-Fetch-Site': 'same-origin',
      'X-CSRF-Token': 't',
      Cookie: '_csrf=t',
    };
    const answer = await ask({ port, method: 'POST', path, headers, body: '{"a": 1}' });
    assert.equal(answer?.status, 200);
    assert.equal(answer.text, '{"a": 1}');
    assert.deepEqual(answer.headers['set-cookie'], ['a=1', 'b=2']);
    const { method, path: seen, headers: sent } = received.at(-1) ?? assert.fail('nothing came');
    assert.deepEqual([method, seen, sent['x-csrf-token'], sent.cookie], ['POST', path, 't', '_csrf=t']);
    assert.equal(sent.host, ui?.url.replace('http://', ''));
    assert.deepEqual([sent.origin, sent['sec-fetch-site']], [undefined, undefined]);
    assert.equal((await ask({ port, path: '/none' }))?.status, 404);
  });

  it('shows the buttons that free a plan, and none that loses its place', async () => {
    const { text = '{}', headers } = (await ask({ port, path: '/api/v1/settings' })) ?? {};
    assert.deepEqual(JSON.parse(text), {
      ...{ Version: '2.54.1', WorkflowSignalDisabled: false, DefaultNamespace: 'payments', DisableNewsFetch: true },
      ...{ WorkflowTerminateDisabled: true, WorkflowCancelDisabled: true, WorkflowResetDisabled: true },
      ...{ WorkflowPauseDisabled: true, StartWorkflowDisabled: true, BatchActionsDisabled: true },
      ActivityCommandsDisabled: true,
    });
    assert.equal(headers?.['content-type'], 'application/json');
  });

  const own = () => `http://localhost:${port}`;
  const pages: [string, Record<string, string>, number][] = [
    ['a program, which is no page', {}, 200],
    ['its own page', { 'Sec-Fetch-Site': 'same-origin', Origin: 'http://localhost:PORT' }, 200],
    ['its own page in a browser that does not say from where', { Origin: 'http://localhost:PORT' }, 200],
    ['its own page under its other name', { Origin: 'http://127.0.0.1:PORT', 'Sec-Fetch-Site': 'cross-site' }, 200],
    [
      'its page at its public address',
      { Origin: 'https://temporal.example:8443', 'Sec-Fetch-Site': 'cross-site' },
      200,
    ],
    ['a page of a stranger', { Origin: 'http://evil.test', 'Sec-Fetch-Site': 'cross-site' }, 403],
    ['a page of this machine on another port', { Origin: 'http://localhost:3000', 'Sec-Fetch-Site': 'same-site' }, 403],
    ['a page of a stranger in a browser that does not say from where', { Origin: 'http://evil.test' }, 403],
    ['a page without an origin', { Origin: 'null' }, 403],
    ['a page that hides its origin', { 'Sec-Fetch-Site': 'cross-site' }, 403],
  ];
  for (const [who, headers, status] of pages) {
    it(`${status === 200 ? 'takes' : 'refuses'} a change from ${who}`, async () => {
      const filled = Object.entries(headers).map(([name, value]) => [name, value.replace('PORT', String(port))]);
      const before = received.length;
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
        const host = new URL(own()).host;
        const answer = await ask({ port, method, host, path: '/api/v1/x', headers: Object.fromEntries(filled) });
        assert.equal(answer?.status, status, method);
      }
      assert.equal(received.length - before, status === 200 ? 4 : 0);
    });
  }

  it('refuses a path that names another host, and says so while there is no Web UI', async () => {
    const before = received.length;
    assert.equal((await ask({ port, path: 'http://evil.test/' }))?.status, 400);
    assert.equal(received.length, before);
    assert.equal((await ask({ port, path: '/broken' }))?.status, 502);
    isUp = false;
    assert.equal((await ask({ port }))?.status, 503);
    isUp = true;
    assert.equal((await ask({ port }))?.status, 200);
  });
});
