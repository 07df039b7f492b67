import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, it } from 'mocha';
import { Type } from 'typebox';
import { createApp } from '../../src/api/app.ts';
import { route } from '../../src/api/route.ts';
import { serve } from '../../src/api/server.ts';
import { send, testDeps, useApi } from '../support/api.ts';
import { useDatabase } from '../support/database.ts';

let answerNow = () => {};
let arrived = 0;
const slow = route({
  method: 'GET',
  path: '/slow',
  operation: 'slow',
  tag: 'Test',
  summary: 'For tests',
  access: 'public',
  invalid: 400,
  response: { status: 200, schema: Type.Unknown() },
  async handle() {
    arrived += 1;
    await new Promise<void>((resolve) => {
      answerNow = resolve;
    });
    return { done: true };
  },
});

describe('the server', () => {
  const db = useDatabase();
  const start = () => serve(createApp(testDeps(db).deps, [slow]), { port: 0 });

  async function open(port: number): Promise<Socket> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  }

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
    await assert.rejects(serve(createApp(testDeps(db).deps, []), { port: running.port }), /EADDRINUSE/);
    await running.close();
  });

  it('answers 400 to what is no HTTP', async () => {
    const running = await start();
    const socket = await open(running.port);
    socket.write('nonsense\r\n\r\n');
    const [answer] = await once(socket, 'data');
    assert.match(String(answer), /^HTTP\/1\.1 400 /);
    await running.close();
  });
});

describe('health', () => {
  const db = useDatabase();
  let temporal: () => Promise<unknown> = async () => {};
  const checks = { postgresql: () => db.sql`select 1`.then(() => {}), temporal: () => temporal() };
  const api = useApi(db, undefined, () => ({ checks }));

  it('of the process and of what it needs is answered without a key', async () => {
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
