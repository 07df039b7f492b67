import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { DashboardRole } from '../../src/domain/dashboard-roles.ts';
import { enterDashboard, hiddenFields, type Visitor } from '../support/dashboard.ts';
import { contentsOf } from '../support/pages.ts';
import { useStage } from '../support/stage.ts';

const markup = `"><script src=x></script><img src=x onerror=alert(1)>'`;
const frozen = '2027-01-04T00:00:00Z';

describe('the pages of plans and subscriptions', () => {
  const stage = useStage();
  const enter = (role: DashboardRole, person?: string) =>
    enterDashboard(stage.api.url, stage.keys.sandboxSecret, role, person);

  async function plan(metadata: Record<string, string> = {}) {
    const clock = await stage.merchant.clock(frozen);
    const payer = await stage.merchant.payer({ name: 'Ada Lovelace', test_clock: clock.id });
    const made = await stage.merchant.activePlan({
      ...{ customer_id: payer.id, name: 'Gym', start_date: '2027-01-05', recurring_amount_cents: 3900 },
      metadata,
    });
    return { clock, payer, id: made.id };
  }
  async function subscription() {
    const clock = await stage.merchant.clock(frozen);
    const payer = await stage.merchant.payer({ name: 'Ada Lovelace', test_clock: clock.id });
    const { body } = await stage.request('POST', '/subscriptions', {
      ...{ customer_id: payer.id, name: 'Piano', currency: 'AUD', frequency_type: 'weekly' },
      items: [{ name: 'Lesson', unit_amount_cents: 4900 }],
    });
    await stage.request('POST', `/subscriptions/${body.id}/start`);
    return { clock, payer, id: String(body.id) };
  }
  const fetched = async (path: string) => (await stage.request('GET', path)).body;
  /** Opens the page of an action and sends its form twice at once. Returns what the page said. */
  async function twice(ann: Visitor, path: string): Promise<string> {
    const page = await ann.get(path);
    assert.equal(page.status, 200, page.text);
    const form = hiddenFields(page.html, path);
    const sent = await Promise.all([ann.send(path, form), ann.send(path, form)]);
    assert.deepEqual(
      sent.map(({ status }) => status),
      [303, 303],
      sent.map(({ text }) => text).join(),
    );
    return page.text;
  }

  it('show the calendar of a plan: what has come with its outcome, what is coming with its amount, and the terms', async () => {
    const { clock, id } = await plan({ _sandbox_outcome: 'decline,succeed' });
    await stage.advance(clock.id, '2027-01-05T12:00:00Z');
    const { status, text } = await (await enter('viewer')).get(`plans/${id}`);
    assert.equal(status, 200);
    assert.match(
      text,
      /What has come 5 January 2027: A\$39\.00 retrying, insufficient funds, tried again on 6 January 2027/,
    );
    const schedule = await fetched(`/payment_plans/${id}/schedule`);
    assert.equal(text.match(/\d+ \w+ 202\d: A\$39\.00(?! (retrying|paid))/g)?.length, schedule.data.length);
    assert.match(text, /Every week Amount A\$39\.00/);
  });

  it('suspend and resume a plan, each once, and name who has done it', async () => {
    const { id, payer } = await plan();
    const ann = await enter('support', 'Ann');
    const asked = await twice(ann, `plans/${id}/suspend`);
    assert.match(asked, /not the A\$39\.00 of 5 January 2027/);
    assert.equal((await fetched(`/payment_plans/${id}`)).state, 'suspended');
    assert.match((await ann.get(`plans/${id}`)).text, /If it were resumed now: .*Suspended by Ann/);
    assert.equal((await ann.get(`plans/${id}/suspend`)).status, 422);
    assert.match(await twice(ann, `plans/${id}/resume`), /Then A\$39\.00 on 5 January 2027/);
    assert.equal((await fetched(`/payment_plans/${id}`)).state, 'active');
    assert.match((await ann.get(`customers/${payer.id}`)).text, /plan suspended: requested by Ann/);
  });

  it('say of a resume what is then taken, to the cent', async () => {
    const { clock, id } = await plan({ _sandbox_outcome: 'decline,succeed' });
    await stage.advance(clock.id, '2027-01-05T12:00:00Z');
    const ann = await enter('admin');
    await twice(ann, `plans/${id}/suspend`);
    assert.match(await twice(ann, `plans/${id}/resume`), /A\$39\.00 are taken at once: A\$39\.00 for 5 January 2027/);
    await stage.collectAll(id, '2027-01-05T12:00:00Z');
    assert.equal((await fetched(`/payment_plans/${id}`)).collected_amount_cents, 3900);
  });

  it('do nothing by a form that was shown before a change', async () => {
    const { clock, id } = await plan();
    const ann = await enter('support');
    const form = hiddenFields((await ann.get(`plans/${id}/suspend`)).html, `plans/${id}/suspend`);
    await stage.advance(clock.id, '2027-01-05T12:00:00Z');
    const before = await contentsOf(stage);
    const refused = await ann.send(`plans/${id}/suspend`, form);
    assert.deepEqual([refused.status, /has changed since/.test(refused.text)], [422, true]);
    assert.equal(await contentsOf(stage), before);
  });

  it('show the periods of a subscription, what is coming as the API has it, and what it sells', async () => {
    const { id } = await subscription();
    const { text } = await (await enter('viewer')).get(`subscriptions/${id}`);
    assert.match(text, /Piano active In effect until 11 January 2027/);
    assert.match(text, /Periods 4 January 2027 to 11 January 2027: A\$49\.00 paid/);
    assert.match(text, /What is coming 11 January 2027 to 18 January 2027: A\$49\.00/);
    assert.match(text, /Lesson A\$49\.00/);
  });

  it('pause, resume and cancel a subscription, each once', async () => {
    const { clock, id } = await subscription();
    const ann = await enter('support');
    assert.match(await twice(ann, `subscriptions/${id}/pause`), /goes on until 11 January 2027/);
    assert.equal((await fetched(`/subscriptions/${id}`)).pauses_at, '2027-01-11');
    await stage.advance(clock.id, '2027-01-12T00:00:00Z');
    const said = await twice(ann, `subscriptions/${id}/resume`);
    assert.match(said, /A\$49\.00 are taken at once: A\$49\.00 for 12 January 2027 to 19 January 2027/);
    const resumed = await fetched(`/subscriptions/${id}`);
    assert.deepEqual([resumed.state, resumed.paid_periods], ['active', 2]);
    assert.match(await twice(ann, `subscriptions/${id}/cancel`), /It ends on 19 January 2027/);
    assert.equal((await fetched(`/subscriptions/${id}`)).ends_at, '2027-01-19');
  });

  it('say of a plan that is not activated what would come, and that a link takes nothing by itself', async () => {
    const payer = await stage.merchant.payer();
    const made = await stage.request('POST', '/payment_plans', {
      ...{ customer_id: payer.id, name: 'Gym', frequency_type: 'weekly', recurring_amount_cents: 3900 },
      ...{ total_amount_cents: 3900, currency: 'AUD', start_date: '2199-01-01' },
    });
    const ann = await enter('support');
    const page = await ann.get(`plans/${made.body.id}`);
    assert.match(page.text, /What is coming If it were activated now: 1 January 2199: A\$39\.00/);
    const { text } = await ann.get(`plans/${made.body.id}/link`);
    assert.match(text, /Nothing is taken by that\. If it is started or resumed today: Nothing is taken at once/);
    assert.match(text, /Then A\$39\.00 on 1 January 2199, and nothing after that/);
  });

  it('make a link that only the page of its form shows', async () => {
    const { id, payer } = await plan();
    const ann = await enter('support');
    const path = `plans/${id}/link`;
    const form = hiddenFields((await ann.get(path)).html, path);
    const [first, second] = [await ann.send(path, form), await ann.send(path, form)];
    assert.equal(first.status, 200, first.text);
    assert.equal(second.text, first.text);
    const { data } = await fetched(
      `/payment_links?payment_plan_id=${id}&test_clock=${(await fetched(`/customers/${payer.id}`)).test_clock}`,
    );
    assert.equal(data.length, 1);
    assert.ok(first.html.includes(data[0].url));
    for (const visitor of [ann, await enter('viewer'), await enter('admin')]) {
      for (const page of [`plans/${id}`, `customers/${payer.id}`]) {
        assert.ok(!(await visitor.get(page)).html.includes(data[0].url.split('/').at(-1)));
      }
    }
  });

  it('offer nothing to those who may not: no link, no page, and no form', async () => {
    const [{ id }, { id: sub }] = [await plan(), await subscription()];
    for (const role of ['viewer', 'finance'] as const) {
      const ann = await enter(role);
      for (const [path, names] of [
        [`plans/${id}`, ['suspend', 'resume', 'link']],
        [`subscriptions/${sub}`, ['pause', 'resume', 'cancel', 'link']],
      ] as const) {
        assert.ok(!(await ann.get(path)).html.includes(`${path}/`));
        for (const name of names) assert.equal((await ann.get(`${path}/${name}`)).status, 403, `${path}/${name}`);
      }
    }
    const admin = await enter('admin');
    const form = hiddenFields((await admin.get(`plans/${id}/suspend`)).html, `plans/${id}/suspend`);
    assert.equal((await (await enter('viewer')).send(`plans/${id}/suspend`, form)).status, 403);
    assert.equal((await fetched(`/payment_plans/${id}`)).state, 'active');
  });

  it('are 404 for another biller and the other mode, their actions too', async () => {
    const [{ id }, { id: sub }] = [await plan(), await subscription()];
    const stranger = await stage.stranger();
    for (const key of [stranger.keys.sandboxSecret, stage.keys.liveSecret]) {
      const visitor = await enterDashboard(stage.api.url, key);
      for (const path of [
        `plans/${id}`,
        `subscriptions/${sub}`,
        `plans/${id}/suspend`,
        `subscriptions/${sub}/cancel`,
        `plans/${id}/link`,
      ]) {
        assert.equal((await visitor.get(path)).status, 404, path);
      }
    }
  });

  it('write hostile names as text', async () => {
    const payer = await stage.merchant.payer({ name: markup });
    const made = await stage.merchant.activePlan({ customer_id: payer.id, name: markup, start_date: '2199-01-01' });
    const ann = await enter('admin');
    for (const path of ['', '/suspend', '/link']) {
      const { html, status } = await ann.get(`plans/${made.id}${path}`);
      assert.equal(status, 200);
      assert.ok(!html.includes('<script') && !html.includes('<img'));
    }
  });
});
