import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import { setTimeout as pause } from 'node:timers/promises';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { describe, it } from 'mocha';
import { eventually } from '../../lab/eventually.ts';
import { selfSigned } from '../support/certificate.ts';
import { ask } from '../support/listeners.ts';
import { apiAddresses, askTls, type Echoed, operatorKey, publicUrl, useStage } from './haproxy-stage.ts';

/** The file's limits per address. */
const connectionsAtATime = 200;
const requestsInTenSeconds = 10_000;
const headersTimeoutMs = 15_000;
const floodingConnections = 4;
const requestsAtATime = 25;

const withOperatorKey = { Authorization: `Bearer ${operatorKey}` };

describe('the unchanged balancer of compose.yaml, in front of two API processes', function () {
  this.timeout(60_000);
  const stage = useStage();
  const bearer = () => ({ Authorization: `Bearer ${stage.key}` });
  /** The servers that HAProxy has reported up or down since this point of its output. */
  const said = (since: number) => stage.balancer.running.output.slice(since);

  it('serves the API only over TLS 1.2 and newer, by HTTP/1.1 and HTTP/2', async () => {
    const { payments } = stage.balancer;
    assert.equal((await askTls(payments, '/api/v1/customers', { headers: bearer() }))?.status, 200);
    const session = connectHttp2(`https://127.0.0.1:${payments}`, { ca: selfSigned.cert });
    const [headers] = await once(session.request({ ':path': '/healthz' }), 'response');
    session.close();
    assert.equal(headers[':status'], 200);
    assert.notEqual((await ask({ port: payments, path: '/healthz' }))?.status, 200);
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
    await assert.rejects(tls(payments, old), /alert protocol version|unsupported protocol/);
  });

  it('never shows the operators’ page outside, whatever the key and the spelling of the path', async () => {
    const { payments } = stage.balancer;
    const paths = [
      '/ops',
      '/ops.json',
      '/ops?mode=live',
      '/ops/',
      '/OPS',
      '/%6fps',
      '/%6Fps.json',
      '/ops;x',
      '/ops%2e',
      '//ops',
    ];
    const others = ['/x/../ops', '/./ops', `https://127.0.0.1:${payments}/ops`, '/metrics', '/Metrics/', '/%6detrics'];
    for (const path of [...paths, ...others]) {
      for (const method of ['GET', 'HEAD', 'POST']) {
        const answer = await askTls(payments, path, { method, headers: withOperatorKey });
        assert.equal(answer?.status, 404, `${method} ${path}`);
        assert.doesNotMatch(answer.text, /overview|Stuck/);
      }
    }
    const session = connectHttp2(`https://127.0.0.1:${payments}`, { ca: selfSigned.cert });
    const [headers] = await once(session.request({ ':path': '/ops', ...withOperatorKey }), 'response');
    session.close();
    assert.equal(headers[':status'], 404);
  });

  it('shows it to operators on their own address, with the key, but not to a page by DNS rebinding', async () => {
    const { operators, webUi } = stage.balancer;
    for (const name of ['localhost', '127.0.0.1']) {
      const host = `${name}:${operators}`;
      assert.equal((await ask({ port: operators, path: '/ops', host }))?.status, 401);
      assert.equal((await ask({ port: operators, path: '/ops', host, headers: withOperatorKey }))?.status, 200);
      assert.equal((await ask({ port: webUi, path: '/', host }))?.status, 200);
    }
    for (const host of ['evil.test', `evil.test:${operators}`, 'localhost.evil.test', 'evil.test,localhost', '']) {
      for (const port of [operators, webUi]) {
        const answer = await ask({ port, path: '/ops', host, headers: withOperatorKey });
        assert.ok([400, 421].includes(answer?.status ?? 0), `${host}: ${answer?.status}`);
      }
    }
  });

  it('identifies the client to the API by its connection, not by its headers', async () => {
    const headers = {
      'X-Forwarded-For': ['127.0.0.1', '10.0.0.1'],
      'X-Forwarded-Host': 'evil.test',
      'X-Forwarded-Proto': 'http',
      'X-Forwarded-Port': '1',
      'X-Forwarded-Prefix': '/ops',
      'X-Real-IP': '127.0.0.1',
      Forwarded: 'for=127.0.0.1',
      Via: '1.1 evil',
    };
    const answer = await askTls(stage.mirror.payments, '/', { headers, from: '127.0.0.7' });
    const echoed: Echoed = JSON.parse(answer?.text ?? '{}');
    const told = Object.entries(echoed.headers).filter(([name]) => /forwarded|via|real-ip/.test(name));
    assert.deepEqual(told, [
      ['x-forwarded-for', '127.0.0.7'],
      ['x-forwarded-proto', 'https'],
    ]);
  });

  it('passes path and query unchanged', async () => {
    for (const path of ['/api//v1/%2e%2E/x%20y;a=b/?q=%zz&r=a%2Fb+c&&', '/a/../b/./c?x=/ops', '/%C3%A9?=']) {
      const answer = await askTls(stage.mirror.payments, path);
      assert.equal((JSON.parse(answer?.text ?? '{}') as Echoed).url, path);
    }
  });

  it('logs neither paths, queries, headers nor bodies, and names each request by the id of the API', async () => {
    const since = stage.balancer.running.output.length;
    const secret = 'pi_secret_planted';
    const path = `/api/v1/payment_intents/${secret}?client_secret=${secret}`;
    const headers = { ...bearer(), 'User-Agent': secret, Referer: secret, Cookie: secret };
    const answer = await askTls(stage.balancer.payments, path, { headers });
    const id = String(answer?.headers['request-id']);
    assert.match(id, /^req_/);
    await eventually('the request is logged', () => said(since).includes(id));
    for (const word of [secret, stage.key, 'payment_intents', 'Bearer'])
      assert.equal(said(since).includes(word), false);
  });

  describe('in front of the pages for payers', () => {
    /** Makes a link: returns the path of its page. */
    async function makeLink(): Promise<string> {
      const answer = await askTls(stage.balancer.payments, '/api/v1/payment_links', {
        method: 'POST',
        headers: { ...bearer(), 'Content-Type': 'application/json' },
        body: '{"name": "Invoice 1042", "amount": 2500, "currency": "AUD", "max_payments": null}',
      });
      const { origin, pathname } = new URL(JSON.parse(answer?.text ?? '{}').url);
      assert.equal(origin, publicUrl);
      return pathname;
    }
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const signatureIn = (page: string) => /name="form" value="([^"]+)"/.exec(page)?.[1] ?? '';

    it('shows them over TLS alone at an origin of their own, with no operators’ page, and never at that of the API', async () => {
      const path = await makeLink();
      const { pages, payments } = stage.balancer;
      const page = await askTls(pages, path);
      assert.equal(page?.status, 200);
      assert.match(page.text, /Invoice 1042/);
      assert.notEqual((await ask({ port: pages, path }))?.status, 200);
      assert.equal((await askTls(payments, path))?.status, 404);
      for (const other of ['/ops', '/metrics', '/api/v1/customers']) {
        const answer = await askTls(pages, other, { headers: { ...withOperatorKey } });
        assert.equal(answer?.status, 404, other);
      }
    });

    it('counts what an address begins by its connection, whatever it claims in headers', async () => {
      const path = await makeLink();
      const begin = async (from: string, claimed: string) => {
        const headers = { ...form, 'X-Forwarded-For': claimed, Forwarded: `for=${claimed}` };
        const { text = '' } = (await askTls(stage.balancer.pages, path, { headers, from })) ?? {};
        const body = String(new URLSearchParams({ form: signatureIn(text) }));
        return (await askTls(stage.balancer.pages, path, { method: 'POST', headers, body, from }))?.status;
      };
      // The span of the limit must not end in the middle.
      const left = 60_000 - (Date.now() % 60_000);
      if (left < 20_000) await pause(left);
      const statuses: unknown[] = [];
      for (let n = 0; n < 21; n += 1) statuses.push(await begin('127.0.0.7', `198.51.100.${n}`));
      assert.deepEqual(statuses, [...Array(20).fill(303), 429]);
      assert.equal(await begin('127.0.0.9', '127.0.0.7'), 303);
    });

    it('logs no path of a page, neither in the proxy nor in the pages: each is known by the id of its request', async () => {
      const path = await makeLink();
      const token = path.split('/').at(-1) ?? '';
      assert.equal(token.length, 32);
      const since = stage.balancer.running.output.length;
      const asked = [path, `${path}?${token}`, `${path}/none`, `/receipt/${token}`, `/checkout/${token}%zz`];
      const answers = await Promise.all(asked.map((each) => askTls(stage.balancer.pages, each)));
      for (const answer of answers) {
        const id = String(answer?.headers['request-id']);
        assert.match(id, /^req_/);
        await eventually('the proxy has logged it', () => said(since).includes(id));
        await eventually('the pages have logged it', () => stage.pagesLog.some(({ text }) => text.includes(id)));
      }
      assert.equal(said(since).includes(token), false);
      assert.equal(
        stage.pagesLog.some(({ text }) => text.includes(token)),
        false,
      );
    });
  });

  it('passes on the limits of the API itself: a body that is too large is 413', async () => {
    const sent = { method: 'POST', body: `{"name":"${'x'.repeat(300_000)}"}` };
    const headers = { ...bearer(), 'Content-Type': 'application/json' };
    assert.equal((await askTls(stage.balancer.payments, '/api/v1/customers', { ...sent, headers }))?.status, 413);
  });

  it(`gives an address ${connectionsAtATime} connections, and keeps the others for other addresses`, async () => {
    const { payments } = stage.balancer;
    const from = '127.0.0.8';
    const held = await Promise.all(Array.from({ length: connectionsAtATime }, () => tls(payments, {}, from)));
    try {
      await assert.rejects(tls(payments, {}, from), 'one more');
      assert.equal((await askTls(payments, '/healthz', { from: '127.0.0.9' }))?.status, 200);
    } finally {
      for (const socket of held) socket.destroy();
    }
    await eventually('it may come again', async () => (await askTls(payments, '/healthz', { from }))?.status === 200);
  });

  it(`accepts ${requestsInTenSeconds} requests in ten seconds from an address, then returns Retry-After`, async () => {
    const { payments } = stage.balancer;
    const from = '127.0.0.10';
    const counts = await flood(payments, from, requestsInTenSeconds + 2_000);
    assert.ok((counts.get(404) ?? 0) <= requestsInTenSeconds, 'those that were taken');
    const refused = await askTls(payments, '/healthz', { from });
    assert.deepEqual([refused?.status, refused?.headers['retry-after']], [429, '10']);
    assert.equal((await askTls(payments, '/healthz', { from: '127.0.0.9' }))?.status, 200);
  });

  it('cuts off a client that does not finish its headers', async () => {
    const socket = await tls(stage.balancer.payments);
    const begun = performance.now();
    socket.write('GET /healthz HTTP/1.1\r\nHost: api.example\r\nX-Slow: ');
    const [chunk] = await once(socket, 'data');
    assert.match(String(chunk), /^HTTP\/1\.1 408 /);
    const took = performance.now() - begun;
    assert.ok(took > headersTimeoutMs - 1_000 && took < headersTimeoutMs + 10_000, `${Math.round(took)} ms`);
    socket.destroy();
  });

  describe('when a process dies', () => {
    const [addressOfA, addressOfB] = apiAddresses;
    const newCustomer = () =>
      askTls(stage.balancer.payments, '/api/v1/customers', {
        method: 'POST',
        headers: { ...bearer(), 'Content-Type': 'application/json' },
        body: '{"name":"Ada"}',
      });
    /** What HAProxy calls the process that the name server has last given this address of. */
    function serverAt(address: string): string {
      const names = [...stage.balancer.running.output.matchAll(/api\/(api-\d) changed its IP from \S+ to (\S+) by/g)];
      return names.findLast(([, , given]) => given === address)?.[1] ?? 'none';
    }

    it('sends undelivered requests to the other one: no request fails', async () => {
      const since = stage.balancer.running.output.length;
      const before = await customers();
      await stage.end(addressOfB);
      const answers = await Promise.all(Array.from({ length: 20 }, newCustomer));
      assert.deepEqual([...new Set(answers.map((answer) => answer?.status))], [201]);
      assert.equal((await customers()) - before, 20);
      assert.match(said(since), /retries=\+1/, 'a connection was refused');
      await stage.start(addressOfB);
      const back = `server=${serverAt(addressOfB)} `;
      await eventually('it takes part again', async () => (await newCustomer()) && said(since).includes(back));
    });

    it('does not repeat what the process may have carried out: the client repeats it with its key', async () => {
      const down = stage.balancer.running.output.length;
      stage.addresses.api = [addressOfA];
      await eventually('only one is left', () => said(down).includes(`${serverAt(addressOfB)} is going DOWN`));
      let unlock = (): void => {};
      const held = new Promise<void>((resolve) => {
        unlock = resolve;
      });
      const locked = stage.db.sql.begin(async (tx) => {
        await tx`lock table customers in access exclusive mode`;
        await held;
      });
      try {
        await eventually('the table is locked', async () => (await locks(true)) === 1);
        const answer = newCustomer();
        await eventually('the request is at work', async () => (await locks(false)) === 1);
        const up = stage.balancer.running.output.length;
        stage.addresses.api = apiAddresses;
        await eventually('the other one takes requests', async () => {
          await askTls(stage.balancer.payments, '/healthz');
          return said(up).includes(`server=${serverAt(addressOfB)} `);
        });
        await stage.end(addressOfA);
        assert.equal((await answer)?.status, 502);
        await pause(500);
        assert.equal(await locks(false), 1, 'the statement of the dead process, and no second one');
      } finally {
        unlock();
        await locked;
      }
    });

    async function customers(): Promise<number> {
      const [row] = await stage.db.sql<{ count: number }[]>`select count(*)::integer from customers`;
      return row?.count ?? 0;
    }

    async function locks(granted: boolean): Promise<number> {
      const [row] = await stage.db.sql<{ count: number }[]>`
        select count(*)::integer from pg_locks
        where relation = 'customers'::regclass and granted = ${granted}
          and mode in ('AccessExclusiveLock', 'RowExclusiveLock')`;
      return row?.count ?? 0;
    }
  });
});

function tls(port: number, options: ConnectionOptions = {}, from = '127.0.0.1'): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const local: ConnectionOptions & { localAddress: string } = { localAddress: from };
    const socket = connect({ ...local, host: '127.0.0.1', port, ca: selfSigned.cert, ...options });
    socket.once('secureConnect', () => resolve(socket));
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('closed before it was secure')));
  });
}

/** As many requests as fast as they go, for a path that HAProxy refuses on its own; how many had each status. */
async function flood(port: number, from: string, count: number): Promise<Map<number, number>> {
  const sessions = await Promise.all(
    Array.from({ length: floodingConnections }, async () => {
      const socket = await tls(port, { ALPNProtocols: ['h2'] }, from);
      return connectHttp2(`https://127.0.0.1:${port}`, { createConnection: () => socket });
    }),
  );
  const statuses = new Map<number, number>();
  let left = count;
  const sendOn = async (session: ClientHttp2Session) => {
    while (left-- > 0) {
      const stream = session.request({ ':path': '/ops' });
      const [headers] = await once(stream, 'response');
      stream.close();
      statuses.set(headers[':status'], (statuses.get(headers[':status']) ?? 0) + 1);
    }
  };
  await Promise.all(sessions.flatMap((session) => Array.from({ length: requestsAtATime }, () => sendOn(session))));
  for (const session of sessions) session.close();
  return statuses;
}
