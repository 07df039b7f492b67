import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { makeDebtor } from '../../lab/payer.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { postEvents } from '../../src/services/ledger/follower.ts';
import { send } from '../support/api.ts';
import { contentsOf } from '../support/pages.ts';
import { useStage } from '../support/stage.ts';
import { enterWorkbench, type WorkbenchVisitor } from '../support/workbench.ts';

const frozen = '2027-01-04T00:00:00Z';
const markup = `"><script src=x></script><img src=x onerror=alert(1)>'`;
/** What the issue allows one page to weigh, with its style and script. */
const mostBytes = 60 * 1024;

describe('the pages of the workbench', () => {
  const stage = useStage();

  let ann: WorkbenchVisitor;
  beforeEach(async () => {
    ann = await enterWorkbench(stage.api.url, stage.keys.sandboxSecret, stage.vault);
  });

  async function page(path: string) {
    const { status, headers, html } = path.startsWith('http') ? await opened(path) : await ann.get(path);
    return { status, headers, html, text: textOf(html) };
  }
  const opened = async (url: string) => {
    const { status, headers, text } = await send(url, 'GET');
    return { status, headers, html: text };
  };
  async function post(path: string, fields: Record<string, string> = {}) {
    const { status, headers, html } = await ann.post(path, fields);
    return { status, headers, html, text: textOf(html) };
  }
  const textOf = (html: string) =>
    html
      .replace(/^[\s\S]*<main[^>]*>/, '')
      .replace(/<title>[^<]*<\/title>/g, '')
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' ');
  const section = (html: string, id: string) =>
    textOf(new RegExp(`<section class="card" id="${id}"[\\s\\S]*?</section>`).exec(html)?.[0] ?? '');

  it('create, advance and delete a clock by their forms', async () => {
    const made = await post('clocks', { name: 'Renewals', frozen_time: '2027-01-04T09:00:00' });
    assert.equal(made.status, 303);
    const [, id = ''] = /clocks\/(clk_\w+)$/.exec(made.headers.get('location') ?? '') ?? [];
    const clock = await stage.merchant.getClock(id);
    assert.deepEqual([clock.name, clock.frozen_time], ['Renewals', '2027-01-04T09:00:00.000Z']);
    assert.match((await page(`clocks/${id}`)).text, /Renewals created 4 Jan 2027 09:00 UTC/);
    assert.equal((await post(`clocks/${id}/advance`, { to: '2027-01-05T10:00' })).status, 303);
    assert.match((await page(`clocks/${id}`)).html, /<noscript><meta http-equiv="refresh"/);
    await stage.carryOut(id);
    assert.match((await page(`clocks/${id}`)).text, /ready 5 Jan 2027 10:00 UTC/);
    assert.match((await page(`clocks/${id}/delete`)).text, /This cannot be undone/);
    assert.equal((await post(`clocks/${id}/delete`)).status, 303);
    assert.equal((await page(`clocks/${id}`)).status, 404);
  });

  it('count no failed webhook of an endpoint that was deleted: nothing can be done about it', async () => {
    const { merchant, db } = stage;
    const { id } = await merchant.clock(frozen);
    const endpoint = await merchant.endpoint('http://127.0.0.1:9/hook');
    await merchant.payer({ test_clock: id });
    await merchant.beginAdvance(id, '2027-01-05T00:00:00Z');
    await stage.carryOut(id);
    const failed = await db.sql`
      update webhook_deliveries set status = 'failed', failure_reason = 'given up', next_attempt_at = null, finished_at = now()
      where endpoint_id = ${endpoint.id} and status = 'pending'`;
    assert.ok(failed.count > 0);
    const card = async () =>
      new RegExp(`<li class="card"><a href="clocks/${id}">.*?</li>`, 's').exec((await page('')).html)?.[0];
    assert.match((await card()) ?? '', /class="hooks failed"/);
    assert.match((await page(`clocks/${id}`)).html, /class="hooks failed"/);
    await merchant.request('DELETE', `/webhook_endpoints/${endpoint.id}`);
    assert.doesNotMatch((await card()) ?? 'hooks failed', /hooks failed/);
    assert.doesNotMatch((await page(`clocks/${id}`)).html, /class="hooks failed"/);
  });

  it('lead from a clock without customers to the operations that it needs, and to the guide', async () => {
    const clock = await stage.merchant.clock(frozen);
    const { html } = await page(`clocks/${clock.id}`);
    const links = [...html.matchAll(/href="(\/docs[^"]*)"/g)].map(([, target = '']) => target);
    assert.equal(links.length, 4);
    for (const target of links) {
      const [, anchor = 'contents'] = target.split('#');
      const { status, html: found } = await page(stage.api.url + target);
      assert.deepEqual([status, found.includes(`id="${anchor}"`)], [200, true], target);
    }
    await stage.merchant.payer({ test_clock: clock.id });
    assert.doesNotMatch((await page(`clocks/${clock.id}`)).text, /no customers yet/);
  });

  const written = () => contentsOf(stage);

  it('say why a clock is not created or moved, and change nothing', async () => {
    const clock = await stage.merchant.clock(frozen);
    await stage.merchant.clock(frozen);
    await stage.merchant.clock(frozen);
    const before = await written();
    const fourth = await post('clocks', { frozen_time: '2027-01-04' });
    assert.match(`${fourth.status} ${fourth.text}`, /^422 .*has 3 active test clocks/);
    assert.match((await post('clocks', { frozen_time: 'soon' })).text, /Choose a time for the clock/);
    assert.match((await post(`clocks/${clock.id}/advance`, { to: '2027-01-01' })).text, /must be after/);
    assert.match((await post(`clocks/${clock.id}/advance`, { to: '2028-01-01' })).text, /2027-03-07/);
    const shown = await page(`clocks/${clock.id}?to=2028-01-01`);
    assert.match(section(shown.html, 'dry-run'), /2027-03-07/);
    assert.equal(await written(), before);
  });

  it('show a dry run of an advance with an outcome of the reader’s choosing, of one card or of all, and write nothing', async () => {
    const { clock, payer } = await stage.merchant.planOnClock(frozen, { name: 'Gym', start_date: '2027-01-06' });
    const other = await stage.merchant.payer({ name: 'Grace', test_clock: clock.id });
    await stage.merchant.activePlan({ customer_id: other.id, name: 'Pool', start_date: '2027-01-06' });
    const [card] = (await stage.request('GET', `/customers/${payer.id}/payment_methods`)).body.payment_methods;
    const before = await written();
    const shown = async (query: string) =>
      section((await page(`clocks/${clock.id}?to=2027-01-08&${query}`)).html, 'dry-run').match(
        /AUD 10\.00 (collected|failed: \w+)/g,
      );
    assert.deepEqual(await shown(''), ['AUD 10.00 collected', 'AUD 10.00 collected']);
    const failed = 'AUD 10.00 failed: insufficient_funds';
    assert.deepEqual(await shown('outcome=decline'), [failed, failed, failed, failed]);
    const ofOne = (await shown(`outcome=decline&method=${card.id}`)) ?? [];
    assert.deepEqual(ofOne.toSorted(), ['AUD 10.00 collected', failed, failed]);
    assert.deepEqual((await shown('outcome=decline_once'))?.toSorted(), [
      'AUD 10.00 collected',
      'AUD 10.00 collected',
      failed,
      failed,
    ]);
    assert.deepEqual((await shown('outcome=timeout'))?.[0], 'AUD 10.00 failed: gateway_timeout');
    assert.deepEqual((await shown('outcome=3ds'))?.[0], 'AUD 10.00 failed: authentication_required');
    assert.deepEqual(await shown('outcome=unknown'), ['AUD 10.00 collected', 'AUD 10.00 collected']);
    assert.equal(await written(), before);
  });

  it('name the customer of all that happened, and of all that would happen', async () => {
    const { clock } = await stage.merchant.planOnClock(frozen, { name: 'Gym', start_date: '2027-01-06' });
    const grace = await stage.merchant.payer({ name: 'Grace <b>', test_clock: clock.id });
    await stage.merchant.activePlan({ customer_id: grace.id, name: 'Pool', start_date: '2027-01-06' });
    const dryRun = section((await page(`clocks/${clock.id}?to=2027-01-08`)).html, 'dry-run');
    assert.match(dryRun, /AUD 10\.00 collected Grace &lt;b&gt; payment_intent\.succeeded/);
    await stage.advance(clock.id, '2027-01-08T00:00:00Z');
    for (const [path, id] of [
      [`clocks/${clock.id}`, 'happened'],
      [`events?clock=${clock.id}`, null],
      ['', null],
    ] as const) {
      const { html, text } = await page(path);
      const said = id === null ? text : section(html, id);
      assert.match(said, /AUD 10\.00 collected, for “Pool”, payment 1 Grace &lt;b&gt; payment_intent\.succeeded/, path);
      assert.match(html, new RegExp(`class="who" href="(\\.\\./)?customers/${grace.id}"`), path);
    }
  });

  it('draw what happened and what would happen in the lane that it belongs to', async () => {
    const { clock, plan } = await stage.merchant.planOnClock(frozen, { name: 'Gym', start_date: '2027-01-06' });
    const link = await stage.request('POST', '/payment_links', {
      name: 'Invoice 7',
      amount: 4200,
      currency: 'AUD',
      customer_id: plan.customer_id,
      expires_at: '2027-01-12T00:00:00Z',
    });
    assert.equal(link.status, 201, link.text);
    await stage.advance(clock.id, '2027-01-07T00:00:00Z');
    const { html } = await page(`clocks/${clock.id}?to=2027-01-14`);
    const lanes = [...html.matchAll(/<div class="lane (plan|link|customer|clock)">[\s\S]*?<\/svg>/g)];
    const marks = new Map(
      lanes.map(([lane = '', kind]) => [
        kind,
        [...lane.matchAll(/<a href="[^"]*" class="([a-z ]+)">/g)].map(([, look]) => look),
      ]),
    );
    assert.deepEqual(Object.fromEntries(marks), {
      clock: ['clock', 'begun would', 'paid would'],
      customer: ['begun'],
      plan: ['begun', 'begun', 'paid', 'paid would'],
      link: ['begun', 'ended would'],
    });
  });

  it('draw a subscription’s periods, and a bank debit as a bar until the bank has reported', async () => {
    const { clock, payer } = await stage.merchant.payerOnClock(frozen);
    const { body: subscription } = await stage.request('POST', '/subscriptions', {
      customer_id: payer.id,
      name: 'Membership',
      currency: 'AUD',
      frequency_type: 'weekly',
      items: [{ name: 'Membership', unit_amount_cents: 4900 }],
    });
    await stage.request('POST', `/subscriptions/${subscription.id}/start`);
    const debtor = await makeDebtor(stage.merchant.client, { name: 'Jo', test_clock: clock.id });
    await stage.merchant.activePlan({ customer_id: debtor.customerId, name: 'Swimming', start_date: '2027-01-06' });
    await stage.advance(clock.id, '2027-01-13T12:00:00Z');
    const { html } = await page(`clocks/${clock.id}?to=2027-01-18T12:00&outcome=disputed`);
    const [, bars = ''] = /<div class="lane debits">([\s\S]*?)<\/svg>/.exec(html) ?? [];
    assert.deepEqual(
      [...bars.matchAll(/<rect class="bar (\w+)"/g)].map(([, look]) => look),
      ['settled', 'debit'],
    );
    const [, periods = ''] = /<div class="lane subscription">([\s\S]*?)<\/svg>/.exec(html) ?? [];
    assert.equal(periods.match(/class="paid"/g)?.length, 2);
    assert.equal(periods.match(/class="paid would"/g)?.length, 1);
  });

  it('offer the next instants at which something is due, and lead to each', async () => {
    const { clock } = await stage.merchant.planOnClock(frozen, { name: 'Gym', start_date: '2027-01-06' });
    const { html } = await page(`clocks/${clock.id}`);
    const offered = [...html.matchAll(/name="next" value="([^"]+)">([^<]+)</g)].map(
      ([, at, label]) => `${at} ${label}`,
    );
    assert.equal(offered[0], '2027-01-06T00:00:00.000Z 6 Jan 2027: Gym');
    assert.match(offered.at(-1) ?? '', /as far as possible/);
    const { html: dryRun } = await page(`clocks/${clock.id}?to=2027-01-05T00:00:00&next=2027-01-06T00:00:00.000Z`);
    assert.match(section(dryRun, 'dry-run'), /Advance to 6 Jan 2027/);
  });

  it('tell a customer’s whole story in order, in real time too, and what each payment was for', async () => {
    const payer = await stage.merchant.payer({ name: 'Ada Lovelace' });
    const { id } = await stage.merchant.intent({ customer_id: payer.id });
    const [card] = (await stage.request('GET', `/customers/${payer.id}/payment_methods`)).body.payment_methods;
    await stage.request('POST', `/payment_intents/${id}/confirm`, { payment_method: card.id });
    await stage.request('POST', `/payment_intents/${id}/refunds`, { amount: 400 });
    const single = { amount: 4900, currency: 'AUD' as const, customer_id: payer.id, payment_method: card.id };
    await stage.merchant.client.paymentIntents.create({ ...single, description: 'Swimming course', confirm: true });
    const plan = await stage.merchant.activePlan({
      customer_id: payer.id,
      name: 'Gym',
      start_date: realNow().toISOString().slice(0, 10),
    });
    await stage.collect(plan.id, realNow());
    const { text } = await page(`customers/${payer.id}`);
    const story = text.slice(text.indexOf('History'));
    assert.match(
      story,
      /Customer created .*Visa 4242 saved .*AUD 10\.00 collected, for a single payment .*AUD 4\.00 refund succeeded, for a single payment/,
    );
    assert.match(story, /AUD 49\.00 collected, for “Swimming course” /);
    assert.match(story, /AUD 10\.00 collected, for “Gym”, payment 1 /);
  });

  it('escape what billers and receivers have written', async () => {
    const clock = await stage.merchant.clock(frozen);
    const payer = await stage.merchant.payer({ name: markup, test_clock: clock.id });
    await stage.merchant.activePlan({ customer_id: payer.id, name: markup, start_date: '2027-01-04' });
    await post('clocks', { name: markup, frozen_time: '2027-01-04' });
    const payment_method = await stage.merchant.card(payer.id);
    const terms = { customer_id: payer.id, payment_method, description: markup, confirm: true };
    await stage.merchant.intent(terms);
    await postEvents(stage.db.sql, { billerId: stage.keys.biller.id, livemode: false });
    const [event] = await stage.merchant.events({ event_type: 'payment_plan.activated' });
    for (const path of [
      '',
      `clocks/${clock.id}?to=2027-01-05`,
      `customers/${payer.id}`,
      `events/${event?.id}`,
      'events',
      `books?clock=${clock.id}&month=2027-01`,
      `rows?clock=${clock.id}&month=2027-01&type=${encodeURIComponent(markup)}`,
    ]) {
      const { status, html } = await page(path);
      assert.equal(status, 200, path);
      assert.ok(!html.includes('<script src=x>') && !html.includes('<img src=x'), path);
    }
  });

  it('weigh at most 60 KiB with style and script, with a year of three customers on the clock', async function () {
    this.timeout(60_000);
    const clock = await stage.merchant.clock(frozen);
    for (const name of ['Ada Lovelace', 'Grace Hopper', 'Barbara Liskov']) {
      const payer = await stage.merchant.payer({ name, test_clock: clock.id });
      for (const plan of ['Gym', 'Pool']) {
        await stage.merchant.activePlan({ customer_id: payer.id, name: plan, start_date: '2027-01-04' });
      }
    }
    for (let week = 2; week <= 52; week += 2) {
      const to = new Date(Date.parse(frozen) + week * 7 * 86_400_000);
      await stage.advance(clock.id, to.toISOString());
    }
    const { max_frozen_time: max } = await stage.merchant.getClock(clock.id);
    const assets = ['clocks.css', 'clocks.js'].map((name) => `${stage.api.url}/dashboard/assets/${name}`);
    const parts = [`clocks/${clock.id}?to=${max}&show=all`, ...assets];
    const sizes = await Promise.all(parts.map(async (path) => Buffer.byteLength((await page(path)).html)));
    const total = sizes.reduce((sum, size) => sum + size, 0);
    assert.ok(total <= mostBytes, `${sizes.join(' + ')} = ${total} bytes`);
  });
});
