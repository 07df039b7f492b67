import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { type RunningServer, serve } from '../../src/api/http/server.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { createKey } from '../../src/services/accounts/api-keys.ts';
import { allScopes } from '../../src/services/accounts/scopes.ts';
import { createWebApp } from '../../src/sites/app.ts';
import { testDeps } from '../support/api.ts';
import { enterDashboard, hiddenFields } from '../support/dashboard.ts';
import { tester } from '../support/factories.ts';
import { contentsOf } from '../support/pages.ts';
import { useStage } from '../support/stage.ts';
import { enterWorkbench } from '../support/workbench.ts';

const frozen = '2027-01-04T00:00:00Z';

describe('the way into the pages of test clocks', () => {
  const stage = useStage();
  const servers: RunningServer[] = [];
  after(() => Promise.all(servers.map((server) => server.close())));

  const open = (url: string, init: RequestInit = {}) => fetch(url, { redirect: 'manual', ...init });
  const makeKey = (scopes: readonly string[]) =>
    createKey(stage.db.sql, {
      ...{ billerId: stage.keys.biller.id, livemode: false, kind: 'secret', by: tester, now: realNow(), scopes },
    });
  async function start(overrides: Parameters<typeof testDeps>[1] = {}): Promise<string> {
    const { deps } = testDeps(stage.db, { vault: stage.vault, ...overrides });
    const server = await serve(createWebApp(deps), { port: 0 });
    servers.push(server);
    return `http://127.0.0.1:${server.port}`;
  }

  it('is the dashboard of the sandbox: live mode has no such pages, and no link to them', async () => {
    const sandbox = await enterDashboard(stage.api.url, stage.keys.sandboxSecret, 'viewer');
    assert.equal((await sandbox.get('sandbox/')).status, 200);
    assert.ok((await sandbox.get('')).html.includes('/dashboard/sandbox/'));
    const live = await enterDashboard(stage.api.url, stage.keys.liveSecret, 'admin');
    for (const path of ['sandbox/', 'sandbox/events', 'sandbox/books'])
      assert.equal((await live.get(path)).status, 404);
    assert.ok(!(await live.get('')).html.includes('/dashboard/sandbox/'));
  });

  it('needs the scopes of the key for clocks and books, and the role of support to move a clock', async () => {
    const clock = await stage.merchant.clock(frozen);
    const blind = await makeKey(allScopes.filter((scope) => !scope.startsWith('test_clocks:')));
    const visitor = await enterDashboard(stage.api.url, blind.key, 'admin');
    assert.equal((await visitor.get(`sandbox/clocks/${clock.id}`)).status, 403);
    const reading = await makeKey(
      allScopes.filter((scope) => scope !== 'test_clocks:write' && scope !== 'balance:read'),
    );
    const reader = await enterWorkbenchAs(reading.key, 'support');
    assert.equal((await reader.get(`sandbox/clocks/${clock.id}`)).status, 200);
    assert.equal((await reader.get('sandbox/books')).status, 403);
    const viewer = await enterDashboard(stage.api.url, stage.keys.sandboxSecret, 'viewer');
    const form = hiddenFields(
      (await viewer.get(`sandbox/clocks/${clock.id}?to=2027-01-05`)).html,
      `${clock.id}/advance`,
    );
    for (const each of [viewer, reader]) {
      const own = hiddenFields(
        (await each.get(`sandbox/clocks/${clock.id}?to=2027-01-05`)).html,
        `${clock.id}/advance`,
      );
      assert.equal((await each.send(`sandbox/clocks/${clock.id}/advance`, own)).status, 403);
    }
    assert.ok(form.to);
    assert.equal((await stage.merchant.getClock(clock.id)).status, 'created');
  });

  it('shows the books, and links to them, to finance and admin alone', async () => {
    const clock = await stage.merchant.clock(frozen);
    for (const role of ['viewer', 'support', 'finance', 'admin'] as const) {
      const person = await enterDashboard(stage.api.url, stage.keys.sandboxSecret, role);
      const sees = role === 'finance' || role === 'admin';
      for (const path of ['books', 'rows']) {
        assert.equal((await person.get(`sandbox/${path}`)).status, sees ? 200 : 403, `${role} ${path}`);
      }
      assert.equal((await person.get(`sandbox/clocks/${clock.id}`)).html.includes('books'), sees, role);
    }
  });
  const enterWorkbenchAs = (key: string, role: 'support') => enterDashboard(stage.api.url, key, role);

  it('leads to nothing of another biller', async () => {
    const stranger = await stage.stranger();
    const clock = await stranger.merchant.clock(frozen);
    const payer = await stranger.merchant.payer({ name: 'Hidden Payer', test_clock: clock.id });
    const [event] = await stranger.merchant.events();
    const ann = await enterWorkbench(stage.api.url, stage.keys.sandboxSecret, stage.vault);
    const before = await contentsOf(stage);
    const paths = [`clocks/${clock.id}`, `clocks/${clock.id}/delete`, `customers/${payer.id}`, `events/${event?.id}`];
    for (const path of paths) assert.equal((await ann.get(path)).status, 404, path);
    assert.equal((await ann.post(`clocks/${clock.id}/advance`, { to: '2027-01-05' })).status, 404);
    assert.equal((await ann.post(`clocks/${clock.id}/delete`)).status, 404);
    for (const path of ['', 'events', `events?clock=${clock.id}`]) {
      const { html } = await ann.get(path);
      assert.ok(!html.includes('Hidden Payer') && !html.includes(String(event?.id)), path);
    }
    assert.equal(await contentsOf(stage), before);
  });

  it('makes one clock of a form that is sent twice, and takes none from another site or without its field', async () => {
    const ann = await enterDashboard(stage.api.url, stage.keys.sandboxSecret);
    const form = { ...hiddenFields((await ann.get('sandbox/')).html, 'clocks'), frozen_time: '2027-01-04T00:00:00' };
    const before = await contentsOf(stage);
    const cross = await ann.send('sandbox/clocks', form, { 'Sec-Fetch-Site': 'cross-site' });
    assert.equal(cross.status, 400);
    assert.equal((await ann.send('sandbox/clocks', { ...form, form: '' })).status, 403);
    assert.equal(await contentsOf(stage), before);
    const [first, second] = [await ann.send('sandbox/clocks', form), await ann.send('sandbox/clocks', form)];
    assert.equal(first.status, 303);
    assert.equal(second.headers.get('location'), first.headers.get('location'));
  });

  it('leads on from the addresses of before', async () => {
    const ann = await enterDashboard(stage.api.url, stage.keys.sandboxSecret);
    const clock = await stage.merchant.clock(frozen);
    for (const [old, now] of [
      ['/workbench', '/dashboard/sandbox/'],
      ['/workbench/key_x_y_z/', '/dashboard/sandbox/'],
      [`/workbench/key_x_y_z/clocks/${clock.id}`, `/dashboard/sandbox/clocks/${clock.id}`],
    ] as const) {
      const first = await open(stage.api.url + old);
      assert.equal(first.status, 303, old);
      const second = await open(stage.api.url + first.headers.get('location'), { headers: { Cookie: ann.cookie } });
      assert.deepEqual([second.status, second.headers.get('location')], [303, now], old);
    }
    for (const hostile of ['//evil.example', 'https:%2F%2Fevil.example', '..%2F..%2Fops', '%0d%0aX: y']) {
      const { headers } = await open(`${stage.api.url}/dashboard?to=${hostile}`, { headers: { Cookie: ann.cookie } });
      assert.equal(headers.get('location'), null, hostile);
    }
  });

  it('opens /workbench on the machine of npm start as the demo biller', async () => {
    const demo = { billerId: stage.keys.biller.id, sandboxKey: '', baseUrl: '' };
    const url = await start({ forThisMachine: true, demo });
    const entered = await open(`${url}/dashboard?to=sandbox/`);
    const [cookie = ''] = (entered.headers.get('set-cookie') ?? '').split(';');
    const page = await open(`${url}${entered.headers.get('location')}`, { headers: { Cookie: cookie } });
    assert.equal(page.headers.get('location'), '/dashboard/sandbox/');
  });

  it('counts in the rate limit of the key', async () => {
    const { cookie } = await enterDashboard(stage.api.url, stage.keys.sandboxSecret);
    const url = await start({ settings: { webhookAllowLoopback: true, rateLimitPerSecond: 1, rateLimitBurst: 2 } });
    const statuses = [];
    for (let times = 0; times < 3; times++) {
      statuses.push((await open(`${url}/dashboard/sandbox/`, { headers: { Cookie: cookie } })).status);
    }
    assert.deepEqual(statuses, [200, 200, 429]);
  });

  it('takes its turn among the requests of the key, so that dry runs do not use up the database', async () => {
    const { cookie } = await enterDashboard(stage.api.url, stage.keys.sandboxSecret);
    const clock = await stage.merchant.clock(frozen);
    const url = `${await start({ waits: { queueMs: 200 } })}/dashboard/sandbox/clocks/${clock.id}`;
    const statuses = await stage.db.sql.begin(async (tx) => {
      await tx`select 1 from test_clocks where id = ${clock.id} for update`;
      const dryRuns = Array.from({ length: 17 }, () => open(`${url}?to=2027-01-05`, { headers: { Cookie: cookie } }));
      const first = await Promise.race(dryRuns);
      return { first: first.status, dryRuns };
    });
    assert.equal(statuses.first, 429);
    const all = (await Promise.all(statuses.dryRuns)).map(({ status }) => status);
    assert.deepEqual(all.toSorted(), [...Array(16).fill(200), 429]);
  });
});
