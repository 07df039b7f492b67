import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { allScopes } from '../../src/services/accounts/scopes.ts';
import { enterDashboard } from '../support/dashboard.ts';
import { makeKey } from '../support/factories.ts';
import { useStage } from '../support/stage.ts';

const markup = `"><script src=x></script><img src=x onerror=alert(1)>'`;

describe('the list of what failed and is due', () => {
  const stage = useStage();
  const section = (html: string, id: string) =>
    (new RegExp(`id="${id}">([\\s\\S]*?)</section>`).exec(html)?.[1] ?? '')
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' ')
      .replaceAll('&#39;', "'");

  async function school() {
    const { merchant, keys } = await stage.stranger();
    const { timezone } = (await merchant.request('GET', '/account')).body;
    const start_date = new Intl.DateTimeFormat('en-CA', { timeZone: timezone ?? 'UTC' }).format(new Date());
    /** A plan whose first payment has failed, in real time. */
    const failedPlan = async (name: string, customer: string) => {
      const payer = await merchant.payer({ name: customer });
      const terms = { start_date, recurring_amount_cents: 3900, metadata: { _sandbox_outcome: 'decline' } };
      const plan = await merchant.activePlan({ customer_id: payer.id, name, ...terms });
      await stage.collect(plan.id, new Date());
      return { plan, payer };
    };
    const enter = (role: 'viewer' | 'support' = 'support') => enterDashboard(stage.api.url, keys.sandboxSecret, role);
    return { merchant, keys, failedPlan, enter, start_date };
  }

  it('says who owes what and why, when it is tried again, and what is suspended; with the figures of the API', async () => {
    const { merchant, failedPlan, enter } = await school();
    const gym = await failedPlan('Gym', 'Ada Lovelace');
    const choir = await failedPlan('Choir', 'Grace Hopper');
    await merchant.move(choir.plan.id, 'suspend');
    const { html, status } = await (await enter('viewer')).get('due');
    assert.equal(status, 200);
    assert.match(
      section(html, 'retried'),
      /Ada Lovelace owes A\$39\.00 for Gym active , since .*; the last payment failed \(insufficient funds: .*\) ?\. Tried again on /,
    );
    assert.ok(!section(html, 'retried').includes('Choir'));
    assert.match(section(html, 'halted'), /Grace Hopper owes A\$39\.00 for Choir suspended , since /);
    assert.match(section(html, 'waiting'), /Nothing\./);
    const report = (await merchant.request('GET', '/reports/aging')).body.data as { id: string; owed: number }[];
    assert.deepEqual(
      new Map(report.map(({ id, owed }) => [id, owed])),
      new Map([
        [gym.plan.id, 3900],
        [choir.plan.id, 3900],
      ]),
    );
    for (const { plan, payer } of [gym, choir]) {
      const [intent] = (await merchant.request('GET', `/payment_intents?payment_plan_id=${plan.id}`)).body.data;
      for (const path of [`plans/${plan.id}`, `customers/${payer.id}`, `payments/${intent.id}`]) {
        assert.ok(html.includes(`"/dashboard/${path}"`), path);
      }
    }
  });

  it('shows a payment by itself until it is paid, and nothing of what is on test clocks', async () => {
    const { merchant, enter } = await school();
    const payer = await merchant.payer({ name: 'Ada Lovelace' });
    const payment_method = await merchant.card(payer.id);
    const intent = { customer_id: payer.id, payment_method, confirm: true, description: 'Camp' };
    const { id } = await merchant.intent({ ...intent, metadata: { _sandbox_outcome: 'decline,succeed' } });
    const { payer: bound } = await merchant.customerOnClock('2027-01-01T00:00:00.000Z');
    const card = await merchant.card(bound.id);
    const onClock = await merchant.intent({
      ...{ customer_id: bound.id, payment_method: card, confirm: true },
      metadata: { _sandbox_outcome: 'decline' },
    });
    const ann = await enter();
    const { html } = await ann.get('due');
    assert.match(section(html, 'waiting'), /Ada Lovelace : A\$10\.00 for Camp failed on .* \(insufficient funds: /);
    assert.ok(html.includes(id) && !html.includes(onClock.id));
    await merchant.request('POST', `/payment_intents/${id}/confirm`, { payment_method });
    assert.match(section((await ann.get('due')).html, 'waiting'), /Nothing\./);
  });

  it('is closed to each role by a key that may read no reports, and the bar does not show it', async () => {
    const scopes = allScopes.filter((scope) => scope !== 'reports:read');
    const { key } = await makeKey(stage.db.sql, { billerId: stage.keys.biller.id, scopes });
    for (const role of ['viewer', 'support'] as const) {
      const visitor = await enterDashboard(stage.api.url, key, role);
      assert.equal((await visitor.get('due')).status, 403);
      assert.ok(!(await visitor.get('')).html.includes('/dashboard/due'));
      const other = await enterDashboard(stage.api.url, stage.keys.sandboxSecret, role);
      assert.equal((await other.get('due')).status, 200);
      assert.ok((await other.get('')).html.includes('/dashboard/due'));
    }
  });

  it('shows another biller, and the other mode, nothing; and writes names as text', async () => {
    const { failedPlan, keys, enter } = await school();
    const { plan } = await failedPlan(markup.slice(0, 60), markup);
    const { html } = await (await enter()).get('due');
    assert.ok(html.includes(plan.id) && !html.includes('<script') && !html.includes('<img'));
    const stranger = await school();
    for (const visitor of [await stranger.enter(), await enterDashboard(stage.api.url, keys.liveSecret, 'support')]) {
      const page = await visitor.get('due');
      assert.equal(page.status, 200);
      assert.ok(!page.html.includes(plan.id) && !page.html.includes('</a> owes'));
    }
  });
});
