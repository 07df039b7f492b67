import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { after, before, describe, it } from 'mocha';
import { closedToBrowsers, findFreePorts, probePort } from '../../dev/ports.ts';
import { findHiddenAddress } from '../../dev/web-ui.ts';
import { eventually } from '../../lab/eventually.ts';
import { type LoopbackServer, serveOnLoopback } from '../../lab/loopback-server.ts';
import { freePorts, Start } from '../runtime/start-process.ts';
import { useFolder } from '../runtime/support.ts';
import { desktop, useBrowser } from '../support/browser.ts';
import { type Attempt, ask, type Listener, listenersOf } from '../support/listeners.ts';
import { serverStartTimeoutMs } from '../support/temporal.ts';

const uiAddress = 'temporal.example:8443';
/**
 * What a page of a stranger sends: it needs no preflight. With the headers that browsers add, and as before they did.
 */
const plainText = { 'Content-Type': 'text/plain' };
const asPages = [
  { ...plainText, Origin: 'http://evil.test', 'Sec-Fetch-Site': 'cross-site' },
  { ...plainText, Origin: 'http://localhost:3000', 'Sec-Fetch-Site': 'same-site' },
  { ...plainText, Origin: 'null' },
  plainText,
];
const startsWorkflow = JSON.stringify({ workflowType: { name: 'planted' }, taskQueue: { name: 'nobody' } });

describe('npm start serves only its own machine', function () {
  this.timeout(120_000);
  const folder = useFolder();
  let started: Start | undefined;
  let listeners: Listener[] = [];
  const port = {
    ...{ api: 0, ui: 0, pages: 0, accounts: 0, temporal: 0 },
    ...{ apiMetrics: 0, workerMetrics: 0, sdkMetrics: 0, pagesMetrics: 0 },
  };

  before('start it, with metrics, and its Web UI behind a name of its own too', async function () {
    this.timeout(serverStartTimeoutMs);
    if (process.platform !== 'linux') {
      console.log('      no Linux: which ports processes listen on is not looked at');
      return this.skip();
    }
    const [ports, metrics] = [await freePorts(), await findFourInARow()];
    const env = { ...ports, METRICS_PORT: String(metrics), TEMPORAL_UI_URL: `https://${uiAddress}/` };
    started = new Start(join(folder.path, 'data'), env);
    await started.ready();
    Object.assign(port, { api: Number(ports.PORT), ui: Number(ports.TEMPORAL_UI_PORT) });
    Object.assign(port, { apiMetrics: metrics, workerMetrics: metrics + 1, sdkMetrics: metrics + 2 });
    port.pagesMetrics = metrics + 3;
    Object.assign(port, { temporal: Number(ports.TEMPORAL_PORT), pages: Number(ports.PAGES_PORT) });
    const { accounts_url } = JSON.parse(await readFile(join(folder.path, 'data', 'development.json'), 'utf8'));
    port.accounts = Number(new URL(accounts_url).port);
    listeners = await listenersOf(started.child.pid ?? 0);
  });
  after('end it', async () => {
    started?.child.kill('SIGTERM');
    await started?.ended;
  });

  /** Those of ours that check the Host, each with a path that shows something. */
  const guarded = () => [
    { port: port.api, path: '/ops' },
    { port: port.api, path: '/ops.json' },
    { port: port.api, path: '/docs' },
    { port: port.api, path: '/healthz' },
    { port: port.ui, path: '/' },
    { port: port.ui, path: '/api/v1/namespaces' },
    { port: port.ui, path: '/healthz' },
    { port: port.apiMetrics, path: '/metrics' },
    { port: port.workerMetrics, path: '/metrics' },
    { port: port.pagesMetrics, path: '/metrics' },
  ];

  /** The listeners of the Temporal CLI that speak HTTP, by what they are. */
  async function ofTemporal() {
    const found: Record<'ui' | 'http' | 'metrics', Listener[]> = { ui: [], http: [], metrics: [] };
    const known = Object.values(port);
    for (const each of listeners.filter(({ port: at }) => !known.includes(at))) {
      if ((await ask(each)) === null) continue; // gRPC, or PostgreSQL
      const isMetrics = (await ask({ ...each, path: '/metrics' }))?.status === 200;
      found[each.address === '127.0.0.1' ? (isMetrics ? 'metrics' : 'http') : 'ui'].push(each);
    }
    const [[ui], [http], [metrics]] = [found.ui, found.http, found.metrics];
    assert.ok(ui && http && metrics, JSON.stringify(found));
    assert.deepEqual(found, { ui: [ui], http: [http], metrics: [metrics] }, 'there is one of each, and nothing else');
    return { ui, http, metrics };
  }

  it('listens only on loopback, and speaks HTTP only on the ports of API, pages, accounts, Web UI, metrics and Temporal', async () => {
    const [first] = listeners;
    assert.ok(first && listeners.length > 10, `${listeners.length} listeners were found`);
    const answers = await Promise.all(listeners.map(async (each) => ((await ask(each)) === null ? null : each.port)));
    const { ui, http, metrics } = await ofTemporal();
    const { temporal: _, ...own } = port;
    assert.deepEqual(
      answers.filter((each) => each !== null),
      [...Object.values(own), ...[ui, http, metrics].map((each) => each.port)].sort((a, b) => a - b),
    );
    const addresses = new Set(listeners.map(({ address }) => address));
    assert.deepEqual([...addresses].sort(), ['127.0.0.1', ui.address].sort());
  });

  it('hides the Web UI of Temporal at a secret address, another one at each start', async () => {
    const { ui } = await ofTemporal();
    assert.match(ui.address, /^127\.(?!0\.0\.)\d+\.\d+\.\d+$/);
    for (const path of ['/', '/api/v1/namespaces', '/api/v1/settings', '/api/v1/cluster-info']) {
      const { text, headers } = (await ask({ port: port.ui, path })) ?? assert.fail(path);
      assert.ok(!`${text}${JSON.stringify(headers)}`.includes(ui.address), `${path} does not show it`);
    }
    const hidden = await Promise.all(Array.from({ length: 20 }, findHiddenAddress));
    assert.equal(new Set(hidden.map(({ host }) => host)).size, 20);
  });

  it('has an HTTP API of Temporal that refuses every Host, and metrics of counts alone, on ports that browsers refuse', async () => {
    const { http, metrics } = await ofTemporal();
    for (const host of [`127.0.0.1:${http.port}`, 'localhost', 'evil.test', `evil.test:${http.port}`]) {
      for (const path of ['/api/v1/namespaces', '/api/v1/namespaces/payments/workflows', '/cluster/namespaces']) {
        assert.equal((await ask({ ...http, path, host }))?.status, 403, `${host} ${path}`);
      }
    }
    const samples = (await ask({ ...metrics, path: '/metrics' }))?.text.split('\n') ?? [];
    assert.ok(samples.length > 100);
    for (const sample of samples.filter((line) => !/^(#|build_\w+\{|$)/.test(line))) {
      assert.match(sample, /^\w+(\{.*\})? [\d.e+-]+$/);
      assert.doesNotMatch(sample, /\b[a-z]{2,5}_(?=[a-z]*\d)[0-9A-Za-z]{20}|\b[0-9a-f]{32}\b|\b[sp]k_|postgres:/);
    }
  });

  it('starts no workflow and accepts no operator command from a web page, on any port', async () => {
    const attempts: Attempt[] = listeners.flatMap((listener) =>
      asPages.flatMap((headers, index) =>
        ['/api/v1/namespaces', '/namespaces'].map((path) => ({
          address: listener.address,
          port: listener.port,
          method: 'POST',
          path: `${path}/payments/workflows/planted-${listener.port}-${index}`,
          headers,
          body: startsWorkflow,
        })),
      ),
    );
    const answers = await Promise.all(attempts.map(ask));
    const { ui } = await ofTemporal();
    for (const [index, answer] of answers.entries()) {
      if (attempts[index]?.port === ui.port) continue; // takes what reaches it
      assert.ok(answer === null || answer.status >= 400, `${JSON.stringify(attempts[index])}: ${answer?.status}`);
    }
    const connection = await Connection.connect({ address: `127.0.0.1:${port.temporal}` });
    try {
      const client = new Client({ connection, namespace: 'payments' });
      for (const { path = '' } of attempts.filter((attempt) => attempt.port !== ui.port)) {
        const handle = client.workflow.getHandle(path.split('/').at(-1) ?? '');
        await assert.rejects(handle.describe(), { name: 'WorkflowNotFoundError' });
      }
    } finally {
      await connection.close();
    }
  });

  it('refuses requests for a host that is not this machine, on every port that shows something', async () => {
    const foreign = [
      'evil.test',
      'evil.test:80',
      'localhost.evil.test',
      '127.0.0.1.evil.test',
      '127.0.0.1@evil.test',
      'evil.test:127.0.0.1',
      '0.0.0.0',
      '10.0.0.1',
      'localhost.',
      '',
    ];
    for (const { port: at, path } of guarded()) {
      for (const host of [...foreign, `evil.test:${at}`]) {
        for (const method of ['GET', 'POST']) {
          const answer = await ask({ port: at, path, host, method });
          assert.ok(
            answer === null || [400, 421].includes(answer.status),
            `${method} ${host} ${path}: ${answer?.status}`,
          );
          assert.doesNotMatch(answer?.text ?? '', /payments_|"namespaces"|<html|"overview"/, `${host} ${path}`);
        }
      }
    }
  });

  it('refuses them in the API with the error envelope, whatever the key', async () => {
    const headers = { Authorization: 'Bearer sk_sandbox_anything' };
    const answer = await ask({ port: port.api, path: '/api/v1/customers', host: 'evil.test', headers });
    assert.equal(JSON.parse(answer?.text ?? '{}').error.code, 'misdirected_request');
    assert.equal(answer?.headers['access-control-allow-origin'], undefined);
  });

  it('serves users of this machine by its own names, also through a forwarded port', async () => {
    for (const { port: at, path } of guarded()) {
      for (const host of [`127.0.0.1:${at}`, `localhost:${at}`, 'LocalHost', 'localhost:9000', '[::1]:9000']) {
        assert.equal((await ask({ port: at, path, host }))?.status, 200, `${host} ${path}`);
      }
    }
  });

  it('opens only the Web UI under the address of TEMPORAL_UI_URL', async () => {
    assert.equal((await ask({ port: port.ui, host: uiAddress }))?.status, 200);
    for (const { port: at, path } of guarded().filter((each) => each.port !== port.ui)) {
      assert.equal((await ask({ port: at, path, host: uiAddress }))?.status, 421);
    }
  });

  it('has one listener that accepts any Host, the exporter of the Temporal SDK, which shows only counts', async () => {
    const answer = await ask({ port: port.sdkMetrics, path: '/metrics', host: 'evil.test' });
    assert.equal(answer?.status, 200);
    const samples = answer.text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    assert.ok(samples.length > 0);
    for (const sample of samples) {
      assert.match(sample, /^temporal_\w+(\{.*\})? [\d.e+-]+$/);
      assert.doesNotMatch(sample, /[0-9A-Za-z]{32}|\b[sp]k_|postgres:/);
    }
  });

  describe('in a browser', () => {
    const browser = useBrowser(['--host-resolver-rules=MAP *.test 127.0.0.1']);
    let evil: LoopbackServer | undefined;
    before('serve the page of a stranger', async () => {
      evil = await serveOnLoopback((_, response) => response.end('<!doctype html><title>evil</title>'));
    });
    after('end it', () => evil?.close());

    it('returns nothing to a page by DNS rebinding', async () => {
      for (const { port: at, path } of guarded()) {
        // The page that refuses is still of the origin evil.test, so its requests are those of a page that
        // rebinds.
        const tab = await browser.open(`http://evil.test:${at}${path}`, { ...desktop, isPolicyIgnored: true });
        assert.equal(await tab.evaluate('location.hostname'), 'evil.test');
        for (const method of ['GET', 'POST']) {
          const status = await tab.evaluate<number>(
            `fetch(${JSON.stringify(path)}, { method: '${method}' }).then((answer) => answer.status)`,
          );
          assert.equal(status, 421, `${method} ${path}`);
        }
      }
    });

    it('does not open the ports of Temporal’s HTTP API and metrics, whatever a page asks for', async () => {
      assert.ok(evil);
      const tab = await browser.open(`${evil.url.replace('127.0.0.1', 'evil.test')}/`);
      const { http, metrics } = await ofTemporal();
      const serve = (at: number) =>
        serveOnLoopback((_, response) => response.end('something'), { port: at }).catch(() => null);
      const outcome = (at: number) =>
        tab.evaluate<string>(
          `fetch('http://evil.test:${at}/', { mode: 'no-cors' }).then(() => 'reached', (error) => error.message)`,
        );
      for (const at of [http.port, metrics.port]) {
        assert.ok(closedToBrowsers.some((closed) => closed === at));
        assert.equal(await outcome(at), 'Failed to fetch', `port ${at}`);
      }
      for (const at of closedToBrowsers) {
        const server = await serve(at);
        assert.equal(await outcome(at), 'Failed to fetch', `port ${at}`);
        assert.equal(server?.connections ?? 0, 0, `port ${at}: not even a connection is made`);
        await server?.close();
      }
      const ordinary = await serve(0);
      assert.ok(ordinary);
      assert.equal(await outcome(Number(new URL(ordinary.url).port)), 'reached');
      await ordinary.close();
    });

    it('lets no foreign page start a workflow, on any port', async () => {
      assert.ok(evil);
      const tab = await browser.open(`${evil.url.replace('127.0.0.1', 'evil.test')}/`);
      const options = JSON.stringify({ method: 'POST', mode: 'no-cors', headers: plainText, body: startsWorkflow });
      const paths = listeners.map(
        (each) => `${each.port}/api/v1/namespaces/payments/workflows/planted-by-page-${each.port}`,
      );
      await tab.evaluate(`Promise.allSettled(${JSON.stringify(paths)}.map((path) =>
        fetch('http://127.0.0.1:' + path, { ...${options}, signal: AbortSignal.timeout(5000) })))`);
      for (const path of paths) {
        const found = await ask({ port: port.ui, path: path.slice(path.indexOf('/')) });
        assert.equal(found?.status, 404, path);
      }
    });

    for (const name of ['127.0.0.1', 'localhost']) {
      it(`sends operator commands from the Web UI at ${name}`, async () => {
        const tab = await browser.open(`http://${name}:${port.ui}/namespaces/payments/workflows`);
        await eventually('the page has its title', async () => /Workflows/.test(await tab.evaluate('document.title')));
        const path = `/api/v1/namespaces/payments/workflows/started-at-${name}`;
        const body = JSON.stringify({ ...JSON.parse(startsWorkflow), identity: 'a person', requestId: name });
        const status = await tab.evaluate<number>(
          `fetch('${path}', { method: 'POST', body: ${JSON.stringify(body)}, headers: {
            'Content-Type': 'application/json', 'X-CSRF-Token': /_csrf=(\\w+)/.exec(document.cookie)?.[1] ?? '' } })
            .then((answer) => answer.status)`,
        );
        assert.equal(status, 200);
        assert.equal((await ask({ port: port.ui, path }))?.status, 200);
      });
    }
  });
});

/** A free port whose three successors are free too: the metrics of the API, the worker, its SDK, and the pages. */
async function findFourInARow(): Promise<number> {
  for (;;) {
    const [port = 0] = await findFreePorts(1);
    const states = await Promise.all([1, 2, 3].map((above) => probePort(port + above)));
    if (states.every((state) => state === 'free')) return port;
  }
}
