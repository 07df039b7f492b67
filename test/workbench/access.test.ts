import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { type RunningServer, serve } from '../../src/api/http/server.ts';
import { newId } from '../../src/domain/ids.ts';
import { addMs } from '../../src/domain/instants.ts';
import { realInstant, realNow } from '../../src/platform/real-time.ts';
import { createKey, revokeKey } from '../../src/services/accounts/api-keys.ts';
import { listAudit } from '../../src/services/accounts/audit.ts';
import { allScopes } from '../../src/services/accounts/scopes.ts';
import { linkLifetimeMs, signLink } from '../../src/services/workbench/links.ts';
import { createWebApp } from '../../src/sites/app.ts';
import { testDeps } from '../support/api.ts';
import { tester } from '../support/factories.ts';
import { type Attempt, ask } from '../support/listeners.ts';
import { contentsOf } from '../support/pages.ts';
import { useStage } from '../support/stage.ts';
import { workbenchLink } from '../support/workbench.ts';

const frozen = '2027-01-04T00:00:00Z';

describe('the way into the workbench', () => {
  const stage = useStage();
  const servers: RunningServer[] = [];
  after(() => Promise.all(servers.map((server) => server.close())));

  const open = (url: string, init: RequestInit = {}) => fetch(url, { redirect: 'manual', ...init });
  const post = (url: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
    open(url, { method: 'POST', headers, body: new URLSearchParams(fields) });
  const link = () => workbenchLink(stage.api.url, stage.keys.sandboxSecret);
  const linkOf = (keyId: string, at = realNow()) =>
    `${stage.api.url}/workbench/${signLink(stage.vault, keyId, at).token}/`;
  const makeKey = (traits: { livemode: boolean; kind: 'secret' | 'publishable'; scopes?: string[] }) =>
    createKey(stage.db.sql, { billerId: stage.keys.biller.id, ...traits, by: tester, now: realNow() });

  it('is a link that a sandbox key makes, for an hour', async () => {
    assert.equal((await open(await link())).status, 200);
    const { id } = await makeKey({ livemode: false, kind: 'secret' });
    const ago = (ms: number) => addMs(realNow(), -ms);
    assert.equal((await open(linkOf(id, ago(linkLifetimeMs - 60_000)))).status, 200);
    assert.equal((await open(linkOf(id, ago(linkLifetimeMs + 1_000)))).status, 403);
  });

  it('is closed to changed and made-up links, and says the same to each', async () => {
    const url = await link();
    const ended = linkOf(newId('api_key'), realInstant(0));
    const foreign = url.replace(/key_\w{32}/, newId('api_key'));
    const longer = url.replace(
      /_([0-9a-z]+)_(\w+)\/$/,
      (_, end, code) => `_${(Number.parseInt(end, 36) + 1).toString(36)}_${code}/`,
    );
    const changed = url.replace(/.\/$/, (end) => (end === '0/' ? '1/' : '0/'));
    const texts = new Set<string>();
    for (const each of [ended, foreign, longer, changed, `${stage.api.url}/workbench/x`, linkOf(newId('api_key'))]) {
      const response = await open(each);
      assert.equal(response.status, 403, each);
      texts.add(await response.text());
    }
    assert.equal(texts.size, 1);
  });

  it('is closed once the key of the link is revoked', async () => {
    const { id } = await makeKey({ livemode: false, kind: 'secret' });
    assert.equal((await open(linkOf(id))).status, 200);
    await revokeKey(stage.db.sql, id, { by: tester, now: realNow() });
    assert.equal((await open(linkOf(id))).status, 403);
  });

  it('is closed to live mode, to publishable keys and to keys that may not read everything', async () => {
    const links = `${stage.api.url}/api/v1/test_helpers/workbench_links`;
    const refused = [
      { traits: { livemode: true, kind: 'secret' as const }, code: 'sandbox_only' },
      { traits: { livemode: false, kind: 'publishable' as const }, code: 'secret_key_required' },
      ...['events:read', 'test_clocks:write', 'customers:read'].map((scope) => ({
        traits: { livemode: false, kind: 'secret' as const, scopes: allScopes.filter((one) => one !== scope) },
        code: 'insufficient_scope',
      })),
    ];
    for (const { traits, code } of refused) {
      const { id, key } = await makeKey(traits);
      const response = await open(links, { method: 'POST', headers: { Authorization: `Bearer ${key}` } });
      const { error } = (await response.json()) as { error: { code: string } };
      assert.deepEqual([response.status, error.code], [403, code]);
      assert.equal((await open(linkOf(id))).status, 403, code);
    }
  });

  it('leads to nothing of another biller and of live mode', async () => {
    const stranger = await stage.stranger();
    const clock = await stranger.merchant.clock(frozen);
    const payer = await stranger.merchant.payer({ name: 'Hidden Payer', test_clock: clock.id });
    const [event] = await stranger.merchant.events();
    const url = await link();
    const before = await contentsOf(stage);
    const paths = [`clocks/${clock.id}`, `clocks/${clock.id}/delete`, `customers/${payer.id}`, `events/${event?.id}`];
    for (const path of paths) assert.equal((await open(url + path)).status, 404, path);
    assert.equal((await post(`${url}clocks/${clock.id}/advance`, { to: '2027-01-05' })).status, 404);
    assert.equal((await post(`${url}clocks/${clock.id}/delete`, {})).status, 404);
    for (const path of ['', 'events', `events?clock=${clock.id}`]) {
      const text = await (await open(url + path)).text();
      assert.ok(!text.includes('Hidden Payer') && !text.includes(String(event?.id)), path);
    }
    assert.equal(await contentsOf(stage), before);
  });

  it('takes no form from another site, and nothing that is no form', async () => {
    const url = await link();
    const before = await contentsOf(stage);
    const fields = { frozen_time: '2027-01-04T00:00:00' };
    for (const site of ['cross-site', 'same-site']) {
      assert.equal((await post(`${url}clocks`, fields, { 'Sec-Fetch-Site': site })).status, 400);
    }
    const json = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' };
    assert.equal((await open(`${url}clocks`, json)).status, 400);
    assert.equal((await post(`${url}clocks`, { ...fields, name: 'x'.repeat(20_000) })).status, 400);
    assert.equal(await contentsOf(stage), before);
    assert.equal((await post(`${url}clocks`, fields, { 'Sec-Fetch-Site': 'same-origin' })).status, 303);
  });

  it('sends a policy that allows no script, style or frame but its own, and sets no cookie', async () => {
    for (const path of ['', 'events', 'clocks/clk_0']) {
      const { headers } = await open((await link()) + path);
      const policy = headers.get('content-security-policy') ?? '';
      assert.match(policy, /^default-src 'none'; style-src 'self'; script-src 'self'/);
      assert.match(policy, /frame-ancestors 'none'/);
      assert.equal(headers.get('referrer-policy'), 'no-referrer');
      assert.equal(headers.get('cache-control'), 'no-store');
      assert.equal(headers.get('set-cookie'), null);
    }
  });

  it('is not in the log', async () => {
    const url = await link();
    await open(`${url}clocks/${newId('test_clock')}`);
    const [, token = ''] = /workbench\/([^/]+)\//.exec(url) ?? [];
    assert.ok(token.length > 40);
    assert.ok(stage.api.log.length > 0);
    assert.ok(!JSON.stringify(stage.api.log).includes(token));
  });

  it('counts in the rate limit of the key', async () => {
    const settings = { webhookAllowLoopback: true, rateLimitPerSecond: 1, rateLimitBurst: 2 };
    const { deps } = testDeps(stage.db, { vault: stage.vault, settings });
    const server = await serve(createWebApp(deps), { port: 0 });
    servers.push(server);
    const { id } = await makeKey({ livemode: false, kind: 'secret' });
    const url = linkOf(id).replace(stage.api.url, `http://127.0.0.1:${server.port}`);
    const statuses = [];
    for (let times = 0; times < 3; times++) statuses.push((await open(url)).status);
    assert.deepEqual(statuses, [200, 200, 429]);
  });

  it('takes its turn among the requests of the key, so that dry runs do not use up the database', async () => {
    const waits = { queueMs: 200 };
    const { deps } = testDeps(stage.db, { vault: stage.vault, waits });
    const server = await serve(createWebApp(deps), { port: 0 });
    servers.push(server);
    const { id: keyId } = await makeKey({ livemode: false, kind: 'secret' });
    const clock = await stage.merchant.clock(frozen);
    const url = `${linkOf(keyId).replace(stage.api.url, `http://127.0.0.1:${server.port}`)}clocks/${clock.id}`;
    const statuses = await stage.db.sql.begin(async (tx) => {
      await tx`select 1 from test_clocks where id = ${clock.id} for update`;
      const dryRuns = Array.from({ length: 17 }, () => open(`${url}?to=2027-01-05`));
      const first = await Promise.race(dryRuns);
      return { first: first.status, dryRuns };
    });
    assert.equal(statuses.first, 429);
    const all = (await Promise.all(statuses.dryRuns)).map(({ status }) => status);
    assert.deepEqual(all.toSorted(), [...Array(16).fill(200), 429]);
  });

  describe('on the machine of npm start', () => {
    async function start(forThisMachine: boolean): Promise<RunningServer> {
      const demo = { billerId: stage.keys.biller.id, sandboxKey: '', baseUrl: '' };
      const { deps } = testDeps(stage.db, { vault: stage.vault, forThisMachine, demo });
      const server = await serve(createWebApp(deps), { port: 0 });
      servers.push(server);
      return server;
    }
    const enter = (server: RunningServer, attempt: Partial<Attempt> = {}) =>
      ask({ port: server.port, path: '/workbench', ...attempt });

    it('/workbench opens the account of the demo biller', async () => {
      const server = await start(true);
      const response = await open(`http://127.0.0.1:${server.port}/workbench`);
      assert.equal(response.status, 303);
      const page = await open(`http://127.0.0.1:${server.port}${response.headers.get('location')}`);
      assert.equal(page.status, 200);
      assert.ok((await page.text()).includes(stage.keys.biller.id));
      const [entry] = await listAudit(stage.db.sql, { billerId: stage.keys.biller.id, limit: 1 });
      const actor = { kind: 'service', id: 'start' };
      assert.deepEqual([entry?.action, entry?.actor, entry?.livemode], ['workbench.link_created', actor, false]);
    });

    it('a link that has ended goes on where it was, if it was of that account', async () => {
      const server = await start(true);
      const entered = await open(`http://127.0.0.1:${server.port}/workbench`);
      const [keyId = ''] = /key_\w{32}/.exec(entered.headers.get('location') ?? '') ?? [];
      const old = signLink(stage.vault, keyId, realInstant(0)).token;
      const again = await open(`http://127.0.0.1:${server.port}/workbench/${old}/events?clock=x`);
      assert.match(again.headers.get('location') ?? '', /^\/workbench\/key_\w+\/events\?clock=x$/);
      const other = await stage.stranger();
      const { id } = await createKey(stage.db.sql, {
        billerId: other.keys.biller.id,
        livemode: false,
        kind: 'secret',
        by: tester,
        now: realNow(),
      });
      const foreign = signLink(stage.vault, id, realInstant(0)).token;
      assert.equal((await open(`http://127.0.0.1:${server.port}/workbench/${foreign}/`)).status, 403);
    });

    it('is closed to a proxy, to another host, and where the API is not for this machine', async () => {
      const local = await start(true);
      assert.equal((await enter(local, { headers: { 'X-Forwarded-For': '203.0.113.7' } }))?.status, 403);
      assert.equal((await enter(local, { host: 'rebound.example' }))?.status, 421);
      assert.equal((await enter(await start(false)))?.status, 403);
    });
  });
});
