import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, it } from 'mocha';
import { Type } from 'typebox';
import { eventually } from '../../lab/eventually.ts';
import { route } from '../../src/api/http/route.ts';
import { type Limits, serve } from '../../src/api/http/server.ts';
import { createWebApp } from '../../src/sites/app.ts';
import { send, testDeps, useApi } from '../support/api.ts';
import { useDatabase } from '../support/database.ts';
import { testRoute } from '../support/test-route.ts';

let answerNow = () => {};
let arrived = 0;
const slow = route({
  ...testRoute,
  path: '/slow',
  operation: 'slow',
  async handle() {
    arrived += 1;
    await new Promise<void>((resolve) => {
      answerNow = resolve;
    });
    return { done: true };
  },
});

const takesBody = route({
  ...testRoute,
  method: 'POST',
  path: '/body',
  operation: 'takeBody',
  body: Type.Object({}),
  handle: async () => ({}),
});
const large = route({
  ...testRoute,
  path: '/large',
  operation: 'large',
  handle: async () => 'x'.repeat(1_000_000),
});

describe('the server', () => {
  const db = useDatabase();
  let log: Record<string, unknown>[] = [];

  function start(limits: Partial<Limits> = {}) {
    const made = testDeps(db);
    log = made.log;
    return serve(createWebApp(made.deps, [slow, takesBody, large]), { port: 0, limits });
  }

  async function open(port: number): Promise<Socket> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  }

  /** Sends bytes as they are; answers the head and the error of what comes back before the connection is closed. */
  async function refusalTo(port: number, ...parts: string[]) {
    const socket = await open(port);
    let answer = '';
    socket.setEncoding('utf8').on('data', (text) => {
      answer += text;
    });
    socket.on('error', () => {}); // what is sent after the answer comes back as one
    const closed = once(socket, 'close');
    for (const part of parts) {
      if (answer === '') socket.write(part);
      await pause(20);
    }
    await closed;
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    assert.match(head, new RegExp(`\r\nContent-Length: ${body.length}\r\n`));
    const { error } = JSON.parse(body);
    assert.match(head, new RegExp(`\r\nRequest-Id: ${error.request_id}\r\n`));
    assert.equal(error.type, 'invalid_request_error');
    const status = Number(/^HTTP\/1\.1 (\d+) /.exec(head)?.[1]);
    return { head, told: `${status} ${error.code}`, message: String(error.message) };
  }

  it('answers what is no valid HTTP with the error envelope, and closes the connection', async () => {
    const running = await start();
    const cases = [
      'GET /slow HTTP/1.1\r\nHost: x\r\nPrefer: a\0b\r\n\r\n',
      'POST /slow HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
      'nothing of the sort\r\n\r\n',
    ];
    for (const request of cases) assert.equal((await refusalTo(running.port, request)).told, '400 bad_request');
    await running.close();
  });

  it('refuses a URL and headers of more than 16 KiB together with 431, whichever of them is too long', async () => {
    const running = await start();
    const long = 'x'.repeat(17_000);
    const many = Array.from({ length: 90 }, (_, n) => `X-${n}: ${'x'.repeat(200)}\r\n`).join('');
    for (const request of [
      `GET /none HTTP/1.1\r\nHost: x\r\nPrefer: ${long}\r\n\r\n`,
      `GET /${long} HTTP/1.1\r\nHost: x\r\n\r\n`,
      `GET /none HTTP/1.1\r\nHost: x\r\n${many}\r\n`,
    ]) {
      const { told, message } = await refusalTo(running.port, request);
      assert.equal(told, '431 headers_too_large');
      assert.match(message, /16384 bytes/);
    }
    const short = await fetch(`http://127.0.0.1:${running.port}/${'x'.repeat(15_000)}`);
    assert.equal(short.status, 404);
    await running.close();
  });

  it('refuses more than 100 headers with 431, instead of dropping those beyond', async () => {
    const running = await start();
    const request = (count: number) => {
      const others = Array.from({ length: count - 2 }, (_, n) => `X-${n}: 1\r\n`).join('');
      return `GET /none HTTP/1.1\r\nHost: x\r\n${others}Connection: close\r\n\r\n`;
    };
    assert.equal((await refusalTo(running.port, request(101))).told, '431 headers_too_large');
    assert.equal((await refusalTo(running.port, request(3_000))).told, '431 headers_too_large');
    const socket = await open(running.port);
    socket.write(request(100));
    assert.match((await socket.setEncoding('utf8').toArray()).join(''), /^HTTP\/1\.1 404 /);
    await running.close();
  });

  it('cuts off with 408 who sends nothing, headers without end, or a body that does not come', async () => {
    const running = await start({ headersTimeoutMs: 150, requestTimeoutMs: 400, checkMs: 25 });
    const head = 'POST /body HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n';
    const trickle = Array.from({ length: 10 }, (_, n) => `X-${n}: 1\r\n`);
    for (const parts of [[], ['GET /none HTTP/1.1\r\n'], ['GET /none HTTP/1.1\r\n', ...trickle], [head, '{']]) {
      const begun = performance.now();
      assert.equal((await refusalTo(running.port, ...parts)).told, '408 request_timeout');
      assert.ok(performance.now() - begun < 1_500, parts.join(''));
    }
    await running.close();
  });

  it('tells who was too slow with a body the id under which the request is in the log', async () => {
    const running = await start({ headersTimeoutMs: 100, requestTimeoutMs: 200, checkMs: 25 });
    const head = 'POST /body HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n';
    const refused = await refusalTo(running.port, head);
    const [, id] = /\r\nRequest-Id: (\S+)/.exec(refused.head) ?? [];
    const line = await eventually('it is in the log', () => log.find(({ route: path }) => path === '/body'));
    assert.equal(line.request_id, id);
    await running.close();
  });

  it('closes the connection of who does not read its answer', async () => {
    const running = await start({ silenceMs: 200 });
    const socket = await open(running.port);
    socket.pause();
    socket.on('error', () => {});
    for (let n = 0; n < 40; n++) socket.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n');
    const connections = () =>
      new Promise<number>((resolve) => running.server.getConnections((_, count) => resolve(count)));
    assert.equal(await connections(), 1);
    await eventually('it is closed', async () => (await connections()) === 0, { timeoutMs: 5_000 });
    socket.destroy();
    await running.close();
  });

  it('closes an idle connection after its time, and not while a request is at work', async () => {
    const running = await start({ keepAliveMs: 100 });
    arrived = 0;
    const answered = fetch(`http://127.0.0.1:${running.port}/slow`);
    while (arrived === 0) await pause(2);
    await pause(1_500);
    answerNow();
    assert.equal((await answered).status, 200);
    const idle = await open(running.port);
    idle.write('GET /none HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(idle, 'data');
    const begun = performance.now();
    idle.resume();
    await once(idle, 'close');
    assert.ok(performance.now() - begun < 3_000); // Node adds a second of its own
    await running.close();
  });

  it('takes as many connections as it may hold, and the next one when one of them is gone', async () => {
    const running = await start({ connections: 2 });
    const held = [await open(running.port), await open(running.port)];
    const refused = await open(running.port);
    refused.on('error', () => {}).resume();
    await once(refused, 'close');
    held[0]?.destroy();
    await eventually('there is room again', () =>
      fetch(`http://127.0.0.1:${running.port}/none`).then(
        ({ status }) => status === 404,
        () => false,
      ),
    );
    held[1]?.destroy();
    await running.close();
  });

  it('has these limits unless a test says otherwise', async () => {
    const { server, close } = await start();
    assert.deepEqual(
      [server.headersTimeout, server.requestTimeout, server.timeout, server.keepAliveTimeout, server.maxConnections],
      [15_000, 30_000, 120_000, 65_000, 2_000],
    );
    await close();
  });

  it('keeps connections open between requests', async () => {
    const running = await start();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ports = new Set<number | undefined>();
    for (let i = 0; i < 3; i++) {
      const [response] = await once(get(`http://127.0.0.1:${running.port}/none`, { agent }), 'response');
      ports.add(response.socket.localPort);
      response.resume();
      await once(response, 'end');
    }
    assert.equal(ports.size, 1);
    agent.destroy();
    await running.close();
  });

  it('answers what is at work when it closes, says Connection: close, and takes nothing new', async () => {
    const running = await start();
    arrived = 0;
    const answered = fetch(`http://127.0.0.1:${running.port}/slow`);
    while (arrived === 0) await pause(2);
    const closed = running.close();
    await assert.rejects(open(running.port), /ECONNREFUSED/);
    answerNow();
    const response = await answered;
    assert.deepEqual([response.status, response.headers.get('connection')], [200, 'close']);
    assert.deepEqual(await response.json(), { done: true });
    await closed;
  });

  it('closes at once the connections that wait: idle ones, and ones that never sent anything', async () => {
    const running = await start();
    const silent = await open(running.port);
    const idle = await open(running.port);
    idle.write('GET /none HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(idle, 'data');
    const begun = performance.now();
    const gone = Promise.all([once(silent, 'close'), once(idle, 'close')]);
    for (const socket of [silent, idle]) socket.on('error', () => {}).resume();
    await running.close();
    await gone;
    assert.ok(performance.now() - begun < 500);
  });

  it('rejects when its port is taken', async () => {
    const running = await start();
    await assert.rejects(serve(createWebApp(testDeps(db).deps, []), { port: running.port }), /EADDRINUSE/);
    await running.close();
  });
});

describe('health', () => {
  const db = useDatabase();
  let temporal: () => Promise<unknown> = async () => {};
  const checks = { postgresql: () => db.sql`select 1`.then(() => {}), temporal: () => temporal() };
  const api = useApi(db, undefined, () => ({ checks }));

  it('is shown for the process and for what it needs without a key', async () => {
    for (const path of ['/healthz', '/readyz']) {
      const { status, body } = await api.send('GET', path);
      assert.deepEqual([status, body], [200, { status: 'ok' }], path);
    }
  });

  it('is 503 and names what is missing, while the process itself is well', async () => {
    temporal = async () => {
      throw new Error('connection refused');
    };
    const { status, headers, body } = await api.send('GET', '/readyz');
    assert.deepEqual([status, headers.get('retry-after'), body.error.missing], [503, '1', ['temporal']]);
    assert.equal((await api.send('GET', '/healthz')).status, 200);
  });

  it('takes a part that does not answer within 2 s for missing', async () => {
    temporal = () => new Promise(() => {});
    const begun = performance.now();
    const { body } = await send(`${api.url}/readyz`, 'GET');
    assert.deepEqual(body.error.missing, ['temporal']);
    assert.ok(performance.now() - begun < 3_000);
  });
});
