import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { serve } from '../../src/api/http/server.ts';
import type { Overview as AnyOverview } from '../../src/operations/overview.ts';
import type { StuckReport } from '../../src/operations/stuck/reading/find-stuck.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { createWebApp } from '../../src/sites/app.ts';
import { accessOf, OperatorKeyNeeded } from '../../src/sites/ops/access.ts';
import { linksTo } from '../../src/sites/ops/links.ts';
import { send, testDeps, useApi } from '../support/api.ts';
import { useBrowser } from '../support/browser.ts';
import { useStage } from '../support/stage.ts';

/** With all parts: no table is locked here. */
type Overview = { [Part in keyof AnyOverview]: NonNullable<AnyOverview[Part]> };

const operatorKey = 'a-key-of-operators-that-is-long';
const day = 86_400_000;
const inDays = (days: number) => new Date(realNow().getTime() + days * day).toISOString().slice(0, 10);

const fromTemporal: StuckReport = {
  kind: 'workflow_task_failing',
  meaning: 'A workflow’s own code fails.',
  after_seconds: 0,
  count: 12,
  found: Array.from({ length: 12 }, (_, index) => ({
    kind: 'workflow_task_failing',
    subject_id: `pp_${index}`,
    biller_id: null,
    livemode: null,
    since: null,
    why: `<img src=x onerror=alert(1)> & "quoted" sk_live_${'a'.repeat(24)}`,
    remedy: `npm run --silent ops -- start-over pp_${index}`,
    workflow_id: `payment-plan/pp_${index}`,
  })),
};

describe('who may see /ops', () => {
  const here = { key: null, forThisMachine: true };
  const withKey = { key: operatorKey, forThisMachine: true };
  const at = (remoteAddress: string, headers: Record<string, string>) => ({ socket: { remoteAddress }, headers });

  it('is a person at this machine, where there is no key and the API is for this machine', () => {
    for (const remote of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1']) {
      for (const host of ['localhost', 'LOCALHOST:8080', '127.0.0.1:8080', '[::1]:8080']) {
        assert.equal(accessOf(at(remote, { host }), here), 'granted', `${remote} ${host}`);
      }
    }
  });

  it('is refused to every request without a key where the API is not for this machine alone, as in production', () => {
    const production = { key: null, forThisMachine: false };
    assert.equal(accessOf(at('127.0.0.1', { host: 'localhost' }), production), 'stranger');
  });

  it('is no other host, whatever its headers say', () => {
    for (const remote of ['10.0.0.5', '::ffff:10.0.0.5', '203.0.113.9', '2001:db8::1', '']) {
      assert.equal(accessOf(at(remote, { host: 'localhost' }), here), 'stranger', remote);
    }
  });

  it('is no page of a stranger whose name points here, nor of a client behind a proxy', () => {
    for (const host of ['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', 'evil.example:8080', '']) {
      assert.equal(accessOf(at('127.0.0.1', { host }), here), 'stranger', host);
    }
    for (const name of ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'via']) {
      assert.equal(accessOf(at('127.0.0.1', { host: 'localhost', [name]: '' }), here), 'stranger', name);
    }
  });

  it('is who presents the key where there is one, from anywhere and in either way, and no client without it', () => {
    const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
    const far = (authorization?: string) =>
      at('203.0.113.9', {
        host: 'ops.example',
        'x-forwarded-for': '1.2.3.4',
        ...(authorization ? { authorization } : {}),
      });
    for (const right of [
      `Bearer ${operatorKey}`,
      `bearer  ${operatorKey}`,
      basic(`me:${operatorKey}`),
      basic(`:${operatorKey}`),
    ]) {
      assert.equal(accessOf(far(right), withKey), 'granted', right);
    }
    const wrong = [
      undefined,
      operatorKey,
      `Bearer ${operatorKey}x`,
      `Bearer ${operatorKey.slice(1)}`,
      basic(operatorKey),
      basic(`${operatorKey}:me`),
      'Bearer',
      'Basic ???',
    ];
    for (const each of wrong) {
      assert.throws(() => accessOf(far(each), withKey), OperatorKeyNeeded, each);
      assert.throws(
        () => accessOf(at('127.0.0.1', { host: 'localhost', ...(each ? { authorization: each } : {}) }), withKey),
        OperatorKeyNeeded,
      );
    }
  });
});

const webUi = { url: 'http://127.0.0.1:8233', namespace: 'payments' };

describe('/ops', () => {
  const stage = useStage({ isAlone: true });
  const operations = {
    key: null,
    webUis: { live: webUi, sandbox: webUi },
    findLatestRun: async (id: string) => (id.endsWith('pp_gone') ? null : 'a-run'),
    findStuckWorkflows: async () => [fromTemporal],
  };
  const api = useApi(stage.db, undefined, () => ({ operations, forThisMachine: true }));
  const locked = useApi(stage.db, undefined, () => ({ operations: { ...operations, key: operatorKey } }));
  const get = (path: string, headers: Record<string, string> = {}) => send(`${api.url}${path}`, 'GET', { headers });

  /** What an app responds that keeps no figures from before. */
  async function freshly(path: string) {
    const { deps } = testDeps(stage.db, { forThisMachine: true });
    const app = await serve(createWebApp(deps), { port: 0 });
    try {
      return await send(`http://127.0.0.1:${app.port}${path}`, 'GET');
    } finally {
      await app.close();
    }
  }

  async function figures(mode?: 'live' | 'sandbox'): Promise<Overview> {
    return (await freshly(`/ops.json${mode ? `?mode=${mode}` : ''}`)).body.overview;
  }

  it('leads to the page that a workflow writes about itself: the tab of its latest run with the current details', async () => {
    const follow = async (path: string) => {
      const response = await fetch(`${api.url}${path}`, { redirect: 'manual' });
      return [response.status, response.headers.get('location')];
    };
    const { href, hash } = new URL(
      linksTo({ live: webUi, sandbox: webUi }, null).workflow('payment-plan/pp_1', false) ?? '',
      api.url,
    );
    assert.equal(hash, '');
    const list = `${webUi.url}/namespaces/payments/workflows`;
    assert.deepEqual(await follow(href.slice(api.url.length)), [
      302,
      `${list}/payment-plan%2Fpp_1/a-run/user-metadata`,
    ]);
    assert.deepEqual(await follow('/ops/workflow?id=payment-plan%2Fpp_gone'), [
      302,
      `${list}?query=${encodeURIComponent('WorkflowId="payment-plan/pp_gone"')}`,
    ]);
    for (const id of ['', 'pp_1', '//evil.example/x', 'payment-plan/../x', 'a&id=b']) {
      assert.equal((await follow(`/ops/workflow?id=${encodeURIComponent(id)}`))[0], 400, id);
    }
  });

  it('shows what could be read, and who holds the lock, while a session holds the table of plans', async () => {
    const { sql } = stage.db;
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let holding: Promise<unknown> = Promise.resolve();
    await new Promise<void>((resolve, reject) => {
      holding = sql.begin(async (tx) => {
        await tx`set local application_name = 'forgotten'`;
        await tx`lock table payment_plans in access exclusive mode`;
        resolve();
        await held;
      });
      holding.catch(reject);
    });
    try {
      await new Promise((resolve) => setTimeout(resolve, 5_500)); // a lock is named after five seconds
      const begun = performance.now();
      const [json, shown] = [await freshly('/ops.json'), await freshly('/ops')];
      assert.ok(performance.now() - begun < 20_000);
      assert.deepEqual([json.status, shown.status], [200, 200]);
      const { overview, stuck }: { overview: AnyOverview; stuck: StuckReport[] } = json.body;
      const parts = { ...overview, failures: overview.failures?.length ?? -1, deliveries: overview.deliveries?.count };
      assert.deepEqual([parts.days, parts.dunning, parts.failures >= 0], [null, null, true]);
      const whyOf = (kind: string) => stuck.find((report) => report.kind === kind)?.found[0]?.why ?? '';
      assert.match(
        whyOf('database_locked'),
        /^session \d+ \(forgotten, idle in transaction\) holds a lock on payment_plans;/,
      );
      assert.match(whyOf('not_readable'), /^plan_overdue could not be read/);
      assert.match(shown.text, /Due and collected<\/h2>\s*<p>This could not be read/);
    } finally {
      release();
      await holding;
    }
  }).timeout(60_000);

  it('links lists of one mode alone where each mode has its own Temporal', () => {
    const sandbox = { url: 'http://127.0.0.1:8234', namespace: 'trial' };
    const links = (mode: boolean | null) => linksTo({ live: webUi, sandbox }, mode);
    assert.equal(links(null).retrying(), null);
    assert.match(links(true).retrying() ?? '', /^http:\/\/127\.0\.0\.1:8233\/namespaces\/payments\/workflows/);
    assert.match(links(false).retrying() ?? '', /^http:\/\/127\.0\.0\.1:8234\/namespaces\/trial\/workflows/);
    assert.match(links(null).advancing() ?? '', /8234/);
    assert.match(links(null).deliveriesTo('we_1', true) ?? '', /8233/);
    assert.equal(links(null).workflow('payment-plan/pp_1', true), '/ops/workflow?id=payment-plan%2Fpp_1&mode=live');
    assert.equal(linksTo({ live: webUi, sandbox: null }, null).workflow('payment-plan/pp_1', false), null);
  });

  it('leads to the lists that an operator comes back to, each under the name that the Web UI saves it by', async () => {
    const { text } = await get('/ops');
    const nav = /<nav aria-label="Lists of workflows">(.*?)<\/nav>/s.exec(text)?.[1] ?? '';
    const saved = [...nav.matchAll(/href="([^"]+)"/g)].map(([, href = '']) => {
      const { searchParams } = new URL(href.replaceAll('&amp;', '&'));
      return [searchParams.get('savedQuery'), searchParams.get('query')];
    });
    assert.deepEqual(
      saved.map(([name]) => name),
      [
        'Stalled',
        'Plans between retries',
        'Suspended plans',
        'Subscriptions past due',
        'Clocks that advance',
        'Failing deliveries',
      ],
    );
    assert.equal(saved[0]?.[1], 'Stalled=true AND ExecutionStatus="Running"');
    assert.deepEqual(linksTo({ live: null, sandbox: null }, null).views(), [], 'without a Web UI there are none');
  });

  it('is unknown to strangers, like any path, and to other methods', async () => {
    const unknown = await get('/opsy', { 'X-Forwarded-For': '1.2.3.4' });
    for (const path of ['/ops', '/ops.json', '/ops/workflow?id=payment-plan%2Fpp_1', '/ops/books', '/ops/books/rows']) {
      const refused = await get(path, { 'X-Forwarded-For': '1.2.3.4' });
      assert.deepEqual([refused.status, refused.body.error.code], [404, unknown.body.error.code]);
      assert.equal((await send(`${api.url}${path}`, 'POST')).status, 404);
      assert.equal((await get(`${path.replace(/\?.*/, '')}/`)).status, 404);
    }
  });

  it('is unknown to the pages of other sites, with the key too: each path returns what an unknown one does', async () => {
    const books = `?biller=${stage.keys.biller.id}&mode=live`;
    const paths = [
      ...['/ops', '/ops.json', '/ops/find?q=cus_1', '/ops/workflow?id=payment-plan%2Fpp_1'],
      ...[`/ops/books${books}`, `/ops/books/rows${books}`],
    ];
    const bodyOf = (text: string) => JSON.stringify({ ...JSON.parse(text).error, request_id: '' });
    const ask = async (url: string, site: string) => {
      const headers = { 'Sec-Fetch-Site': site, Authorization: `Bearer ${operatorKey}` };
      const response = await fetch(url, { headers, redirect: 'manual' });
      return { status: response.status, text: await response.text() };
    };
    for (const { url } of [api, locked]) {
      for (const path of paths) {
        for (const site of ['cross-site', 'same-site']) {
          const { status, text } = await ask(url + path, site);
          assert.equal(status, 404, `${path} ${site}`);
          const unknown = await ask(`${url}/opsy`, site);
          assert.equal(bodyOf(text).replace(path.replace(/\?.*/, ''), ''), bodyOf(unknown.text).replace('/opsy', ''));
        }
      }
      for (const site of ['same-origin', 'none'])
        assert.equal((await ask(`${url}/ops/find?q=cus_1`, site)).status, 200);
    }
  });

  it('asks for the key where there is one, so that a browser asks its user', async () => {
    const refused = await send(`${locked.url}/ops`, 'GET', { key: stage.keys.liveSecret });
    assert.deepEqual(
      [refused.status, refused.headers.get('www-authenticate')],
      [401, 'Basic realm="operators", charset="UTF-8"'],
    );
    assert.equal((await send(`${locked.url}/ops`, 'GET', { key: operatorKey })).status, 200);
  });

  it('is in no document of the API, and takes no mode that there is not', async () => {
    const { body } = await get('/openapi.json');
    assert.deepEqual(
      Object.keys(body.paths).filter((path) => path.startsWith('/ops')),
      [],
    );
    for (const query of ['?mode=dead', '?mode=live&mode=sandbox', '?mode='])
      assert.equal((await get(`/ops${query}`)).status, 400);
  });

  it('counts per day what was due, what all payments collected and failed, what is to come, and the failures by code', async () => {
    const { merchant } = stage;
    const before = await figures();
    const payer = await merchant.payer();
    const start = async (start_date: string, outcome = 'succeed') => {
      const plan = { customer_id: payer.id, start_date, metadata: { _sandbox_outcome: outcome } };
      const { id } = await merchant.activePlan(plan);
      if (start_date === inDays(0)) await stage.collect(id, realNow());
      return id;
    };
    await start(inDays(0));
    await start(inDays(0), 'decline');
    await start(inDays(0), 'card_lost').catch(() => start(inDays(0), 'decline'));
    await start(inDays(3));
    const paid = await start(inDays(0));
    await stage.db.sql`
      update payment_attempts a set opened_at = opened_at - interval '2 days', at = at - interval '2 days'
      from payment_intents i where i.id = a.payment_intent_id and i.payment_plan_id = ${paid}`;
    const clock = await merchant.clock('2027-01-10T00:00:00Z');
    const simulated = await merchant.payer({ test_clock: clock.id });
    const onClock = await merchant.activePlan({ customer_id: simulated.id, start_date: '2027-01-10' });
    await stage.collect(onClock.id, '2027-01-10T00:00:00Z');
    const single = { amount: 4900, currency: 'AUD' as const, customer_id: payer.id };
    await merchant.client.paymentIntents.create({
      ...single,
      payment_method: await merchant.card(payer.id),
      confirm: true,
    });

    const now = await figures();
    const added = (days: number, figure: 'due' | 'retries' | 'collected' | 'failed') => {
      const of = (overview: Overview) =>
        overview.days.find(({ date }) => date === inDays(days))?.[figure] ?? Number.NaN;
      return of(now) - of(before);
    };
    assert.deepEqual(
      [added(0, 'due'), added(0, 'collected'), added(0, 'failed')],
      [3, 2, 2],
      'a single payment is due on no day',
    );
    assert.deepEqual([added(-2, 'due'), added(-2, 'collected')], [1, 1]);
    assert.deepEqual([added(3, 'due'), added(3, 'collected'), added(1, 'retries')], [1, 0, 2]);
    assert.deepEqual(now.failures[0], { code: 'insufficient_funds', count: 2 });
    assert.equal(now.dunning.retrying - before.dunning.retrying, 2);
    assert.equal(String(now.dunning.next_retry_at).slice(0, 10), inDays(1));
    assert.deepEqual(
      now.days.map(({ is }) => is),
      [...Array(7).fill('past'), 'today', ...Array(6).fill('coming')],
    );
    const live = await figures('live');
    assert.deepEqual([live.days.filter(({ due }) => due > 0), live.failures, live.dunning.retrying], [[], [], 0]);
    assert.deepEqual((await figures('sandbox')).days, now.days);
  });

  it('counts plans that were suspended for their payment, deliveries by endpoint, and clocks on their way', async () => {
    const { merchant } = stage;
    const before = await figures();
    const endpoint = await merchant.endpoint('http://127.0.0.1:9/hook/key?token=hidden');
    const payer = await merchant.payer();
    const plan = { customer_id: payer.id, start_date: inDays(0), failure_behaviour: 'stop' as const };
    const { id } = await merchant.activePlan({ ...plan, metadata: { _sandbox_outcome: 'decline' } });
    await stage.collect(id, realNow());
    const clock = await merchant.clock('2027-01-10T00:00:00Z');
    await merchant.beginAdvance(clock.id, '2027-01-12T00:00:00Z');
    const now = await figures();
    assert.equal(now.dunning.suspended - before.dunning.suspended, 1);
    const row = now.deliveries.endpoints.find((each) => each.id === endpoint.id);
    const pending = (await merchant.deliveries(endpoint.id)).length;
    assert.ok(pending >= 3);
    assert.deepEqual(
      [row?.pending, row?.due, row?.delivered, row?.failed, row?.status],
      [pending, pending, 0, 0, 'enabled'],
    );
    assert.deepEqual([row?.origin, row?.last_error], ['http://127.0.0.1:9', null]);
    assert.ok(row !== undefined && row.next_at !== null && new Date(row.next_at) <= realNow());
    const [{ text: page }, { text: json }] = [await freshly('/ops'), await freshly('/ops.json')];
    assert.ok(page.includes('<td data-label="Goes to">http://127.0.0.1:9</td>'), 'scheme, host and port');
    for (const text of [page, json]) assert.doesNotMatch(text, /hook\/key|token=/, 'a path may hold secrets');
    assert.deepEqual(
      [now.advances.count - before.advances.count, now.advances.clocks.at(-1)?.test_clock_id],
      [1, clock.id],
    );
    assert.equal((await figures('live')).deliveries.count, 0);
  });

  it('counts subscriptions that wait for a retry, and those that are paused because a payment failed', async () => {
    const { merchant } = stage;
    const before = await figures();
    const payer = await merchant.payer();
    const { subscriptions } = merchant.client;
    const start = async () => {
      const { id } = await subscriptions.create({
        ...{ customer_id: payer.id, name: 'Membership', currency: 'AUD', frequency_type: 'weekly' },
        items: [{ name: 'Membership', unit_amount_cents: 4900 }],
      });
      await subscriptions.start(id);
      return id;
    };
    const [retried, given] = [await start(), await start()];
    const next = new Date(realNow().getTime() + day);
    const { sql } = stage.db;
    await sql`
      update subscription_periods set status = 'retrying', next_attempt_at = ${next} where subscription_id = ${retried}`;
    await sql`update subscriptions set state = 'past_due', next_attempt_at = ${next} where id = ${retried}`;
    await sql`
      update subscriptions set state = 'paused', state_reason = 'payment_failed', in_effect = false, in_effect_until = null
      where id = ${given}`;
    const { subscriptions: now } = await figures();
    assert.equal(now.retrying - before.subscriptions.retrying, 1);
    assert.equal(now.paused - before.subscriptions.paused, 1);
    assert.equal(String(now.next_retry_at), next.toISOString());
    const { text: page } = await freshly('/ops');
    assert.match(page, /Subscriptions past due, waiting for a retry: .*, the next at /);
    await sql`
      delete from payment_attempts a using payment_intents i
      where i.id = a.payment_intent_id and i.subscription_id in (${retried}, ${given})`;
    await sql`delete from subscriptions where id in (${retried}, ${given})`;
  });

  it('shows no personal data, and nothing that a stranger has written as anything but text', async () => {
    const personal = { name: 'Ada <script>Lovelace', email: 'ada@example.com', business_name: 'Engines Ltd' };
    await stage.merchant.payer(personal);
    const { text, headers } = await get('/ops');
    const json = (await get('/ops.json')).text;
    for (const secret of ['Ada', 'Lovelace', 'ada@', 'Engines', `sk_live_${'a'.repeat(24)}`]) {
      assert.equal(text.includes(secret), false, secret);
      if (!secret.startsWith('sk_')) assert.equal(json.includes(secret), false, secret);
    }
    assert.equal(text.includes('<img'), false);
    assert.ok(text.includes('&lt;img src=x onerror=alert(1)&gt; &amp; &quot;quoted&quot; sk_live_[redacted]'));
    assert.equal(headers.get('cache-control'), 'no-store');
  });

  it('loads nothing and runs nothing: it is one file, with its style known by its hash', async () => {
    const { text, headers } = await get('/ops');
    const style = /<style>([\s\S]*?)<\/style>/.exec(text)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    const policy = headers.get('content-security-policy') ?? '';
    assert.ok(policy.startsWith("default-src 'none'; ") && policy.includes(`style-src 'sha256-${hash}';`), policy);
    const tags = (text.match(/<[^>]*>/g) ?? []).join('');
    assert.doesNotMatch(tags, /<script|\son\w+=|\ssrc=|\sstyle=/);
    assert.doesNotMatch(style, /@import|url\(/);
    const outside = [...text.matchAll(/(?:href|src|action)="(?!\/|data:,)([^"]*)"/g)].map(([, to]) => to);
    assert.ok(outside.length > 5);
    for (const to of outside)
      assert.ok(to?.startsWith('http://127.0.0.1:8233/namespaces/payments/workflows?query='), to);
  });

  it('shows what is stuck first, ten of each kind with the command that frees it, and says how many more there are', async () => {
    const { text } = await get('/ops');
    assert.ok(text.indexOf('id="stuck"') < text.indexOf('id="days"'));
    assert.match(text, /<strong>workflow_task_failing: 12<\/strong>/);
    assert.equal(text.split('npm run --silent ops -- start-over').length - 1, 10);
    assert.match(text, /2 more: npm run --silent ops -- stuck --kind workflow_task_failing/);
    assert.match(text, /<title>\d+ stuck/);
  });

  it('asks the database once in ten seconds, however many look', async () => {
    const [first, second] = [await get('/ops.json?mode=live'), await get('/ops.json?mode=live')];
    assert.equal(first.body.overview.at, second.body.overview.at);
  });

  describe('in a browser', function () {
    this.timeout(60_000);
    const browser = useBrowser();
    const phone = { width: 360, height: 780 };

    for (const scheme of ['light', 'dark'] as const) {
      it(`fits a phone without scrolling sideways, and reads well, ${scheme}`, async () => {
        await stage.merchant.endpoint('http://127.0.0.1:9/');
        const tab = await browser.open(`${api.url}/ops?mode=sandbox`, { ...phone, scheme });
        await tab.evaluate('for (const each of document.querySelectorAll("details")) each.open = true');
        assert.deepEqual(tab.complaints, []);
        assert.equal(await tab.evaluate('document.documentElement.scrollWidth'), phone.width);
        const narrow =
          '[...document.querySelectorAll("caption, p, li, th, td")].filter((e) => e.textContent && e.clientWidth < 20)';
        assert.equal(await tab.evaluate(`${narrow}.length`), 0, 'nothing is squeezed');
        const contrasts = await tab.evaluate<[string, number][]>(contrastsOfTexts);
        assert.ok(contrasts.length > 30);
        assert.deepEqual(
          contrasts.filter(([, contrast]) => contrast < 4.5),
          [],
        );
      });
    }

    it('tells everything in words: what is drawn is hidden from who listens, and each figure has a name', async () => {
      const tab = await browser.open(`${api.url}/ops`, { width: 1200, height: 900, scheme: 'light' });
      const drawn = 'document.querySelectorAll("svg, img, canvas, meter, progress")';
      assert.equal(
        await tab.evaluate(`[...${drawn}].every((each) => each.getAttribute("aria-hidden") === "true")`),
        true,
      );
      const nameless =
        '[...document.querySelectorAll("table")].filter((t) => !t.caption || [...t.rows].some((r) => !r.querySelector("th")))';
      assert.equal(await tab.evaluate(`${nameless}.length`), 0);
      assert.equal(await tab.evaluate('document.querySelectorAll("h1").length'), 1);
    });
  });
});

/** Each text of the page with the contrast of its colour to what is behind it, as WCAG reckons. */
const contrastsOfTexts = `(() => {
  const parse = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
    .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (element) => {
    for (let each = element; each; each = each.parentElement) {
      const colour = parse(getComputedStyle(each).backgroundColor);
      if (colour.length < 4 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode.textContent.trim();
    if (text === '') continue;
    const element = walker.currentNode.parentElement;
    const [a, b] = [light(parse(getComputedStyle(element).color)), light(behind(element))];
    found.push([text.slice(0, 40), (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)]);
  }
  return found;
})()`;
