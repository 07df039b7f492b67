import assert from 'node:assert/strict';
import { root, runProgram } from '../../lab/run-program.ts';
import type { Demo } from '../../src/api/http/deps.ts';
import { type RunningServer, serve } from '../../src/api/http/server.ts';
import { createWebApp } from '../../src/sites/app.ts';
import { testDeps } from '../support/api.ts';
import { obstacles, useBrowser } from '../support/browser.ts';
import { useDatabase } from '../support/database.ts';
import { makeKey } from '../support/factories.ts';

const webUi = { url: 'http://127.0.0.1:8233', namespace: 'payments' };
const documentation = ['/', '/docs/guides', '/docs'];

describe('the page at /', () => {
  const db = useDatabase();
  const servers: RunningServer[] = [];
  let key = '';
  before('make a key', async () => {
    ({ key } = await makeKey(db.sql));
  });
  after(() => Promise.all(servers.map((server) => server.close())));

  /** Returns the origin of an API. */
  async function api(forThisMachine: boolean): Promise<string> {
    const demo: Demo = { billerId: 'acct_demo', sandboxKey: key, baseUrl: '' };
    const { deps } = testDeps(db, { forThisMachine, demo });
    const app = createWebApp({ ...deps, operations: { ...deps.operations, webUis: { live: webUi, sandbox: webUi } } });
    const server = await serve(app, { port: 0 });
    servers.push(server);
    demo.baseUrl = `http://127.0.0.1:${server.port}`;
    return demo.baseUrl;
  }

  const linksOf = (text: string) => [...text.matchAll(/<a [^>]*?href="([^"]+)"/g)].map(([, link]) => link);

  it('leads to everything where the API serves its own machine, and stays in no cache', async () => {
    const response = await fetch(`${await api(true)}/`);
    assert.equal(response.status, 200);
    assert.match(response.headers.get('content-type') ?? '', /^text\/html/);
    assert.match(response.headers.get('content-security-policy') ?? '', /^default-src 'none'/);
    assert.equal(response.headers.get('cache-control'), 'no-store');
    assert.deepEqual(linksOf(await response.text()), [
      ...documentation,
      '/dashboard',
      '/workbench',
      '/ops',
      '/workbench',
      '/docs/guides/01-first-charge',
      '/docs/guides/02-first-plan',
      '/docs/guides',
      '/docs',
      '/openapi.json',
      '/dashboard',
      '/workbench',
      '/ops',
      webUi.url,
    ]);
  });

  it('has commands that make the first charge as they are pasted, with the sandbox key of this machine', async () => {
    const text = await (await fetch(`${await api(true)}/`)).text();
    const [, pre = ''] = /<pre[^>]*>([\s\S]*?)<\/pre>/.exec(text) ?? [];
    const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
    const commands = pre.replace(/&(#?\w+);/g, (_, name: string) => entities[name] ?? '');
    for (const shell of ['sh', 'bash']) {
      const { stdout, stderr } = await runProgram(shell, ['-c', commands], { cwd: root });
      const intent = JSON.parse(stdout);
      assert.deepEqual([intent.status, intent.amount, stderr], ['succeeded', 2500, '']);
    }
  });

  it('shows a stranger the documentation alone: no key, and not where operators look', async () => {
    const here = await api(true);
    const proxied = await fetch(`${here}/`, { headers: { 'X-Forwarded-For': '203.0.113.7' } });
    for (const response of [await fetch(`${await api(false)}/`), proxied]) {
      assert.equal(response.status, 200);
      const text = await response.text();
      assert.deepEqual(linksOf(text), [...documentation, '/docs/guides', '/docs', '/openapi.json']);
      assert.ok(!text.includes(key) && !text.includes('sk_'));
    }
  });

  it('has one look with the operators’ page, the workbench and the reference: the same colours, light and dark', async () => {
    const here = await api(true);
    const load = async (path: string) => (await fetch(`${here}${path}`)).text();
    const [, reference = ''] = /<link rel="stylesheet" href="([^"]+)">/.exec(await load('/docs')) ?? [];
    const sheets = await Promise.all(
      ['/', '/ops', '/dashboard/assets/style.css', '/dashboard/assets/clocks.css', reference].map(load),
    );
    const coloursIn = (sheet: string) =>
      new Map([...sheet.matchAll(/(--[\w-]+):\s*([^;}]+)[;}]/g)].map(([, name = '', value = '']) => [name, value]));
    const [first, ...others] = sheets.map(coloursIn);
    assert.ok(first && first.size > 10);
    for (const colours of others) for (const [name, value] of first) assert.equal(colours.get(name), value, name);
  });

  describe('in a browser', function () {
    this.timeout(60_000);
    const browser = useBrowser();

    for (const scheme of ['light', 'dark'] as const) {
      it(`is accessible, as is the operators’ page, on a desktop and on a phone, ${scheme}`, async () => {
        const here = await api(true);
        for (const width of [1280, 360]) {
          const tab = await browser.open(here, { width, height: 800, scheme });
          for (const path of ['/', '/ops']) {
            await tab.goto(`${here}${path}`);
            // That the operators' page is read again every minute is what it is for.
            const found = (await obstacles(tab)).filter((each) => !each.startsWith('meta-refresh '));
            assert.deepEqual(found, [], path);
            assert.equal(await tab.evaluate('document.documentElement.scrollWidth'), width, path);
          }
          assert.deepEqual(tab.complaints, []);
        }
      });
    }
  });
});
