import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { findFreePorts } from '../../dev/ports.ts';
import { freePorts, Start } from '../runtime/start-process.ts';
import { useFolder } from '../runtime/support.ts';
import { startApiProcess } from '../support/api-process.ts';
import { useDatabase } from '../support/database.ts';
import { type Attempt, ask as askAny } from '../support/listeners.ts';
import type { ServiceProcess } from '../support/process.ts';
import { serverStartTimeoutMs, temporalServer, testNamespace } from '../support/temporal.ts';

const operatorKey = 'a-key-of-operators-that-is-long';
/** The page asks Temporal, which other tests may keep busy. */
const ask = (attempt: Attempt) => askAny({ ...attempt, patienceMs: 30_000 });
const paths = ['/ops', '/ops.json', '/ops?mode=live', '/ops/find?q=cus_1'];

describe('the operators’ page', function () {
  this.timeout(60_000);
  const db = useDatabase();
  const folder = useFolder();
  const processes: ServiceProcess[] = [];
  const proxies: { close(): void }[] = [];
  after('end what was started', async () => {
    for (const proxy of proxies) proxy.close();
    await Promise.all(processes.map((each) => each.end()));
  });

  before('have a Temporal, which the page asks too', async function () {
    this.timeout(serverStartTimeoutMs);
    await temporalServer();
  });

  async function startApi(env: Record<string, string>, options: string[] = []): Promise<ServiceProcess> {
    const [port = 0] = await findFreePorts(1);
    const temporal = { TEMPORAL_ADDRESS: await temporalServer(), TEMPORAL_NAMESPACE: testNamespace };
    const api = await startApiProcess({ DATABASE_URL: db.url, PORT: String(port), ...temporal, ...env }, options);
    processes.push(api);
    return api;
  }

  /** A proxy on this machine that adds no header and sends its target as the Host, as many do by default. */
  async function plainProxyTo(api: ServiceProcess): Promise<number> {
    const proxy = createServer((incoming, response) => {
      const { method, url: path, headers } = incoming;
      const options = { port: api.port, method, path, headers: { ...headers, host: `127.0.0.1:${api.port}` } };
      const outgoing = request({ host: '127.0.0.1', ...options }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      incoming.pipe(outgoing);
    }).listen(0, '127.0.0.1');
    proxies.push(proxy);
    await once(proxy, 'listening');
    const address = proxy.address();
    return typeof address === 'object' ? (address?.port ?? 0) : 0;
  }

  describe('of npm run api without OPERATOR_KEY', () => {
    let api: ServiceProcess;
    before('start it', async () => {
      // `npm start` passes this to its API not as a variable, so production cannot inherit it.
      api = await startApi({ npm_lifecycle_event: 'start', NODE_ENV: 'development' });
    });

    it('is not shown to strangers behind a proxy on the same machine that adds no header', async () => {
      const port = await plainProxyTo(api);
      for (const path of paths) assert.equal((await ask({ port, path, host: 'api.example' }))?.status, 404);
    });

    it('is not shown to this machine either, and looks like any unknown path', async () => {
      const codeOf = (text = '{}') => JSON.parse(text).error?.code;
      for (const path of paths) {
        const answer = await ask({ port: api.port, path });
        assert.deepEqual([answer?.status, codeOf(answer?.text)], [404, 'route_not_found']);
      }
    });

    it('does not restrict the API’s host, which a proxy passes on', async () => {
      assert.equal((await ask({ port: api.port, path: '/healthz', host: 'api.example' }))?.status, 200);
    });
  });

  it('is shown by npm run api with OPERATOR_KEY only for the key, here and behind a proxy', async () => {
    const api = await startApi({ OPERATOR_KEY: operatorKey });
    for (const port of [api.port, await plainProxyTo(api)]) {
      for (const path of paths) {
        assert.equal((await ask({ port, path }))?.status, 401);
        assert.equal((await ask({ port, path, headers: { Authorization: 'Bearer another' } }))?.status, 401);
        const headers = { Authorization: `Bearer ${operatorKey}` };
        assert.equal((await ask({ port, path, headers }))?.status, 200);
      }
    }
  });

  it('needs the key with npm start too, if it is set', async () => {
    const { port } = await startApi({ OPERATOR_KEY: operatorKey }, ['--for-this-machine']);
    assert.equal((await ask({ port, path: '/ops' }))?.status, 401);
    assert.equal((await ask({ port, path: '/ops', headers: { Authorization: `Bearer ${operatorKey}` } }))?.status, 200);
  });

  it('is shown by npm start to this machine, if it listens only on this machine', async function () {
    this.timeout(serverStartTimeoutMs);
    for (const [HOST, status] of [
      ['127.0.0.1', 200],
      ['0.0.0.0', 404],
    ] as const) {
      const ports = await freePorts();
      const start = new Start(join(folder.path, HOST), { ...ports, HOST, OPERATOR_KEY: '' });
      try {
        await start.ready();
        assert.equal((await ask({ port: Number(ports.PORT), path: '/ops' }))?.status, status, HOST);
      } finally {
        start.child.kill('SIGTERM');
        await start.ended;
      }
    }
  });
});
