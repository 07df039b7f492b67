import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { type RunningServer, serve } from '../../src/api/http/server.ts';
import { addMs } from '../../src/domain/instants.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { createKey, revokeKey } from '../../src/services/accounts/api-keys.ts';
import { listAudit } from '../../src/services/accounts/audit.ts';
import { createWebApp } from '../../src/sites/app.ts';
import { testDeps } from '../support/api.ts';
import { enterDashboard, entryOf, hiddenFields, makeSession, visitor } from '../support/dashboard.ts';
import { tester } from '../support/factories.ts';
import { ask } from '../support/listeners.ts';
import { contentsOf } from '../support/pages.ts';
import { useStage } from '../support/stage.ts';

describe('the way into the dashboard', () => {
  const stage = useStage();
  const servers: RunningServer[] = [];
  after(() => Promise.all(servers.map((server) => server.close())));

  const open = (url: string, init: RequestInit = {}) => fetch(url, { redirect: 'manual', ...init });
  const session = () => makeSession(stage.api.url, stage.keys.sandboxSecret);
  const enter = (url: string, headers: Record<string, string> = {}) => open(url, { method: 'POST', headers });
  const statusOf = async (cookie: string) => (await visitor(stage.api.url, cookie).get('')).status;

  it('is a URL whose page has one button and changes nothing, however often it is loaded', async () => {
    const url = entryOf(stage.api.url, await session());
    const before = await contentsOf(stage);
    for (let times = 0; times < 3; times++) {
      const page = await open(url);
      const html = await page.text();
      assert.deepEqual([page.status, page.headers.get('set-cookie')], [200, null]);
      assert.equal(html.match(/<button/g)?.length, 1);
    }
    assert.equal(await contentsOf(stage), before);
  });

  it('works once: the button sets a cookie that scripts and other sites do not get, and leads on', async () => {
    const url = entryOf(stage.api.url, await session());
    const first = await enter(url);
    assert.deepEqual([first.status, first.headers.get('location')], [303, '/dashboard']);
    const cookie = first.headers.get('set-cookie') ?? '';
    assert.match(cookie, /^dashboard=\w{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict$/);
    assert.equal(await statusOf(cookie.split(';')[0] ?? ''), 200);
    const second = await enter(url);
    assert.deepEqual([second.status, second.headers.get('set-cookie')], [401, null]);
    assert.equal(await statusOf(cookie.split(';')[0] ?? ''), 200);
  });

  it('lets one in of ten who press the button at the same time', async () => {
    const url = entryOf(stage.api.url, await session());
    const statuses = await Promise.all(Array.from({ length: 10 }, async () => (await enter(url)).status));
    assert.deepEqual(statuses.toSorted(), [303, ...Array(9).fill(401)]);
  });

  it('is closed five minutes later, once the session or its key has ended, and to a token that is none', async () => {
    const late = await session();
    await stage.db.sql`update dashboard_sessions set url_expires_at = now() where id = ${late.id}`;
    const ended = await session();
    await stage.request('POST', `/dashboard_sessions/${ended.id}/end`);
    const { id, key } = await createKey(stage.db.sql, {
      ...{ billerId: stage.keys.biller.id, livemode: false, kind: 'secret', by: tester, now: realNow() },
    });
    const orphan = await makeSession(stage.api.url, key);
    await revokeKey(stage.db.sql, id, { by: tester, now: realNow() });
    const before = await contentsOf(stage);
    for (const each of [late, ended, orphan]) {
      const { status, headers } = await enter(entryOf(stage.api.url, each));
      assert.deepEqual([status, headers.get('set-cookie')], [401, null]);
    }
    for (const token of ['x', 'x'.repeat(43), '0'.repeat(5000)]) {
      assert.equal((await enter(`${stage.api.url}/dashboard/enter/${token}`)).status, 401);
    }
    assert.equal(await contentsOf(stage), before);
  });

  it('cannot be pressed by another site', async () => {
    const url = entryOf(stage.api.url, await session());
    for (const site of ['cross-site', 'same-site']) {
      assert.equal((await enter(url, { 'Sec-Fetch-Site': site })).status, 400);
    }
    assert.equal((await enter(url, { 'Sec-Fetch-Site': 'same-origin' })).status, 303);
  });

  it('leads on to a page of the dashboard, and to no other address, whatever its URL says', async () => {
    const ways = [
      ['due', '/dashboard/due'],
      ['payments/pi_1/refund', '/dashboard/payments/pi_1/refund'],
      ...[
        'https://evil.example',
        '//evil.example',
        '/evil',
        '\\\\evil.example',
        '../api/v1/account',
        '.evil.example',
      ].map((to) => [to, '/dashboard']),
      ...['@evil.example', 'javascript:alert(1)', 'a\r\nSet-Cookie: x=y', 'a\n', `x${'y'.repeat(300)}`].map((to) => [
        to,
        '/dashboard',
      ]),
    ];
    for (const [to = '', path] of ways) {
      const query = `?to=${encodeURIComponent(to)}`;
      const entered = await enter(`${entryOf(stage.api.url, await session())}${query}`);
      assert.deepEqual([entered.status, entered.headers.get('location')], [303, path], to);
      const [cookie = ''] = (entered.headers.get('set-cookie') ?? '').split(';');
      const seen = await visitor(stage.api.url, cookie).get(query);
      const expected = path === '/dashboard' ? [200, null] : [303, path];
      assert.deepEqual([seen.status, seen.headers.get('location')], expected, to);
    }
  });

  it('costs those who guess URLs and cookies less than 20 ms of processor time, and leaves nothing', async () => {
    const { url } = stage.api;
    const guess = 'x'.repeat(43);
    const guesser = visitor(url, `dashboard=${guess}`);
    const big = { note: 'x'.repeat(15_000) };
    const attempts = [
      async () => (await enter(`${url}/dashboard/enter/${guess}`)).status,
      async () => (await guesser.get('')).status,
      async () => (await guesser.get(`?q=${'x'.repeat(4000)}`)).status,
      async () => (await guesser.send('leave', big)).status,
      async () => (await guesser.send('payments/pi_1/refund', { form: guess, ...big })).status,
    ];
    const before = await contentsOf(stage);
    const count = 50;
    for (const [nth, attempt] of attempts.entries()) {
      const start = process.cpuUsage();
      for (let each = 0; each < count; each += 1) assert.equal(await attempt(), 401);
      const { user, system } = process.cpuUsage(start);
      const ms = (user + system) / 1000 / count;
      assert.ok(ms < 20, `attempt ${nth}: ${ms} ms`);
    }
    assert.equal(await contentsOf(stage), before);
  });

  it('gives a new cookie each time: one that the browser had before, or was given, opens nothing', async () => {
    const url = entryOf(stage.api.url, await session());
    const planted = `dashboard=${'a'.repeat(43)}`;
    const entered = await enter(url, { Cookie: planted });
    assert.ok(!(entered.headers.get('set-cookie') ?? '').startsWith(planted));
    assert.equal(await statusOf(planted), 401);
  });

  it('is 401 at every address without a session, and when it has ended, with a page that says how to get one', async () => {
    const ended = await enterDashboard(stage.api.url, stage.keys.sandboxSecret);
    await stage.request('POST', `/dashboard_sessions/${ended.sessionId}/end`);
    const expired = await enterDashboard(stage.api.url, stage.keys.sandboxSecret);
    await stage.db.sql`update dashboard_sessions set expires_at = now() where id = ${expired.sessionId}`;
    for (const cookie of ['', ended.cookie, expired.cookie, 'dashboard=x', `dashboard=${'0'.repeat(43)}`]) {
      for (const path of ['', 'nothing', 'customers/cus_1', 'payments.csv', '?q=x', 'enter', 'enter/a/b']) {
        const page = await visitor(stage.api.url, cookie).get(path);
        assert.equal(page.status, 401, `${path} ${cookie}`);
        assert.match(page.text, /dashboard_sessions/);
      }
      assert.equal((await visitor(stage.api.url, cookie).send('leave', {})).status, 401);
    }
  });

  it('is closed at once when the key is revoked, and when its overlap is over', async () => {
    const make = () =>
      createKey(stage.db.sql, {
        ...{ billerId: stage.keys.biller.id, livemode: false, kind: 'secret', by: tester, now: realNow() },
      });
    const [one, other] = [await make(), await make()];
    const [ann, bob] = [await enterDashboard(stage.api.url, one.key), await enterDashboard(stage.api.url, other.key)];
    await revokeKey(stage.db.sql, one.id, { by: tester, now: realNow() });
    assert.deepEqual([(await ann.get('')).status, (await bob.get('')).status], [401, 200]);
    await stage.db.sql`update api_keys set revoked_at = ${addMs(realNow(), 300)} where id = ${other.id}`;
    assert.equal((await bob.get('')).status, 200);
    await new Promise((resolve) => setTimeout(resolve, 350));
    assert.equal((await bob.get('')).status, 401);
  });

  it('is closed when the key no longer has the scopes of the role', async () => {
    const ann = await enterDashboard(stage.api.url, stage.keys.sandboxSecret, 'finance');
    await stage.db.sql`
      update api_keys set scopes = array_remove(scopes, 'balance:read') where biller_id = ${stage.keys.biller.id}`;
    assert.equal((await ann.get('')).status, 401);
  });

  it('ends by the button, whose form counts in its own session alone', async () => {
    const [ann, bob] = [
      await enterDashboard(stage.api.url, stage.keys.sandboxSecret),
      await enterDashboard(stage.api.url, stage.keys.sandboxSecret),
    ];
    const form = hiddenFields((await ann.get('')).html, 'leave');
    assert.equal((await bob.send('leave', form)).status, 403);
    assert.equal((await bob.send('leave', {})).status, 403);
    assert.equal((await ann.send('leave', form, { 'Sec-Fetch-Site': 'cross-site' })).status, 400);
    const left = await ann.send('leave', form);
    assert.equal(left.status, 200);
    assert.match(left.headers.get('set-cookie') ?? '', /^dashboard=; .*Max-Age=0/);
    assert.deepEqual([(await ann.get('')).status, (await bob.get('')).status], [401, 200]);
  });

  it('is in the audit log by the name of the person, and its secrets are in no log', async () => {
    const made = await makeSession(stage.api.url, stage.keys.sandboxSecret, 'viewer', 'Ann');
    const entered = await enter(entryOf(stage.api.url, made));
    const [cookie = ''] = (entered.headers.get('set-cookie') ?? '').split(';');
    await visitor(stage.api.url, cookie).get('');
    const [entry] = await listAudit(stage.db.sql, { billerId: stage.keys.biller.id, limit: 1 });
    const person = { kind: 'person', id: 'Ann' };
    assert.deepEqual([entry?.action, entry?.actor, entry?.subject_id], ['dashboard_session.opened', person, made.id]);
    const logged = JSON.stringify(stage.api.log);
    assert.ok(stage.api.log.length > 0);
    assert.ok(!logged.includes(cookie.slice(10)) && !logged.includes(made.url.slice(-43)));
  });

  it('sends a policy that allows no script, style or frame but its own, no referrer and no cache', async () => {
    const ann = await enterDashboard(stage.api.url, stage.keys.sandboxSecret);
    const pages = [await ann.get(''), await ann.get('nothing'), await visitor(stage.api.url, '').get('')];
    for (const { headers } of pages) {
      const policy = headers.get('content-security-policy') ?? '';
      assert.match(policy, /^default-src 'none'; style-src 'self'; script-src 'self'/);
      assert.match(policy, /frame-ancestors 'none'/);
      assert.equal(headers.get('referrer-policy'), 'no-referrer');
      assert.equal(headers.get('cache-control'), 'no-store');
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
    }
  });

  it('writes the name of a person as text', async () => {
    const person = `"><script src=x></script><b>'`;
    const ann = await enterDashboard(stage.api.url, stage.keys.sandboxSecret, 'viewer', person);
    const { html } = await ann.get('');
    assert.ok(!html.includes('<script') && html.includes('&lt;script src=x&gt;'));
  });

  it('under https, or at another host, is a cookie that this host alone gets, and only under https', async () => {
    for (const { apiUrl, forwarded, host } of [
      { apiUrl: 'https://payments.example', forwarded: undefined, host: 'payments.example' },
      { apiUrl: 'http://127.0.0.1:8080', forwarded: 'https', host: '127.0.0.1' },
      { apiUrl: 'http://payments.internal', forwarded: undefined, host: 'payments.internal' },
    ]) {
      const { deps } = testDeps(stage.db, { vault: stage.vault, apiUrl });
      const server = await serve(createWebApp(deps), { port: 0 });
      servers.push(server);
      const { url } = await makeSession(`http://127.0.0.1:${server.port}`, stage.keys.sandboxSecret);
      assert.ok(url.startsWith(`${apiUrl}/dashboard/enter/`));
      const headers: Record<string, string> = forwarded === undefined ? {} : { 'X-Forwarded-Proto': forwarded };
      const entered = await ask({ port: server.port, path: new URL(url).pathname, method: 'POST', host, headers });
      const [cookie = ''] = [entered?.headers['set-cookie']].flat();
      assert.match(cookie, /^__Host-dashboard=\w{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict; Secure$/);
      const [pair = ''] = cookie.split(';');
      const seen = (value: string) =>
        ask({ port: server.port, path: '/dashboard', host, headers: { ...headers, Cookie: value } });
      assert.equal((await seen(pair))?.status, 200);
      assert.equal((await seen(pair.replace('__Host-', '')))?.status, 401);
    }
  });

  describe('on the machine of npm start', () => {
    async function start(forThisMachine: boolean): Promise<RunningServer> {
      const demo = { billerId: stage.keys.biller.id, sandboxKey: '', baseUrl: '' };
      const { deps } = testDeps(stage.db, { vault: stage.vault, forThisMachine, demo });
      const server = await serve(createWebApp(deps), { port: 0 });
      servers.push(server);
      return server;
    }

    it('/dashboard opens the account of the demo biller, and no other address does', async () => {
      const server = await start(true);
      const url = `http://127.0.0.1:${server.port}`;
      const entered = await open(`${url}/dashboard`);
      assert.deepEqual([entered.status, entered.headers.get('location')], [303, '/dashboard']);
      const [cookie = ''] = (entered.headers.get('set-cookie') ?? '').split(';');
      assert.equal((await visitor(url, cookie).get('')).status, 200);
      assert.equal((await open(`${url}/dashboard/customers/cus_1`)).status, 401);
    });

    it('makes no session for a page of another site, which brings no cookie along, and shows how to go on', async () => {
      const server = await start(true);
      const before = await contentsOf(stage);
      for (const site of ['cross-site', 'same-site']) {
        const page = await ask({ port: server.port, path: '/dashboard?to=due', headers: { 'Sec-Fetch-Site': site } });
        assert.deepEqual([page?.status, page?.headers['set-cookie']], [401, undefined]);
        assert.match(page?.text ?? '', /<a href="\/dashboard\?to=due">open this page again/);
      }
      assert.equal(await contentsOf(stage), before);
      const headers = { 'Sec-Fetch-Site': 'same-origin' };
      assert.equal((await ask({ port: server.port, path: '/dashboard?to=due', headers }))?.status, 303);
    });

    it('is closed to a proxy, to another host, and where the API is not for this machine', async () => {
      const local = await start(true);
      const path = '/dashboard';
      assert.equal((await ask({ port: local.port, path, headers: { 'X-Forwarded-For': '203.0.113.7' } }))?.status, 401);
      assert.equal((await ask({ port: local.port, path, host: 'rebound.example' }))?.status, 421);
      assert.equal((await ask({ port: (await start(false)).port, path }))?.status, 401);
    });
  });
});
