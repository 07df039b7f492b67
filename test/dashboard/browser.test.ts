import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { Tab } from '../../lab/browser.ts';
import { desktop, obstacles, useBrowser } from '../support/browser.ts';
import { entryOf, makeSession } from '../support/dashboard.ts';
import { useStage } from '../support/stage.ts';

/** What one page may weigh, with its style (capabilities: dashboard). */
const mostBytes = 60 * 1024;
const press = (words: string) =>
  `[...document.querySelectorAll('button, a')].find((e) => e.textContent.trim().startsWith(${JSON.stringify(words)})).click()`;
const text = (tab: Tab, selector = 'main') =>
  tab.evaluate<string>(`document.querySelector(${JSON.stringify(selector)})?.innerText ?? ''`);

describe('the dashboard in a real browser', function () {
  this.timeout(120_000);
  const stage = useStage();
  const browser = useBrowser();

  async function enter(view = desktop): Promise<Tab> {
    const session = await makeSession(stage.api.url, stage.keys.sandboxSecret, 'admin', 'ann@school.example');
    const tab = await browser.open(entryOf(stage.api.url, session), view);
    await tab.follow(press('Open the dashboard'));
    return tab;
  }

  /** A customer with a plan, a payment, a failed one and two that look alike; and the pages about them. */
  async function pages() {
    const { merchant } = stage;
    const payer = await merchant.payer({ name: 'Ada Lovelace '.repeat(15).trim(), email: 'ada@school.example' });
    const payment_method = await merchant.card(payer.id);
    const plan = await merchant.activePlan({ customer_id: payer.id, name: 'Gym', start_date: '2199-01-01' });
    const { body: subscription } = await merchant.request('POST', '/subscriptions', {
      ...{ customer_id: payer.id, name: 'Piano', currency: 'AUD', frequency_type: 'weekly' },
      items: [{ name: 'Lesson', unit_amount_cents: 4800 }],
    });
    await merchant.request('POST', `/subscriptions/${subscription.id}/start`);
    const clock = await merchant.clock('2027-01-04T00:00:00Z');
    const charge = (more: object) =>
      merchant.intent({ amount: 4900, customer_id: payer.id, payment_method, confirm: true, ...more });
    const paid = await charge({ description: 'Camp' });
    await charge({ description: 'Excursion' });
    const failed = await charge({ metadata: { _sandbox_outcome: 'decline' } });
    return [
      '',
      '?q=ada',
      '?q=nobody',
      `/customers/${payer.id}`,
      `/payments/${paid.id}`,
      `/payments/${failed.id}`,
      `/payments/${paid.id}/refund`,
      `/payments/${paid.id}/refund?amount=x`,
      `/payments/${paid.id}/refund?amount=1.00`,
      `/payments/${failed.id}/retry`,
      `/plans/${plan.id}`,
      `/plans/${plan.id}/suspend`,
      `/plans/${plan.id}/link`,
      `/subscriptions/${subscription.id}`,
      `/subscriptions/${subscription.id}/cancel`,
      '/sandbox/',
      `/sandbox/clocks/${clock.id}`,
      '/nothing',
    ];
  }

  it('opens by the button of its URL, stays open for links within it, and closes by Leave; all without scripts', async () => {
    await pages();
    const tab = await enter({ ...desktop, isWithoutScripts: true });
    assert.equal(await tab.evaluate('location.pathname'), '/dashboard');
    assert.match(await text(tab, 'header'), /Sandbox.*ann@school\.example, admin/s);
    await tab.evaluate(`document.getElementById('q').value = 'ada'`);
    await tab.follow(`document.querySelector('.find button').click()`);
    await tab.follow(`document.querySelector('.hits a').click()`);
    assert.match(await text(tab, '#now'), /Next: /);
    await tab.follow(press('Leave'));
    assert.match(await text(tab), /You have left the dashboard/);
    await tab.goto(`${stage.api.url}/dashboard`);
    assert.match(await text(tab), /You are not in the dashboard/);
  });

  it('refunds by three clicks', async () => {
    const paths = await pages();
    const tab = await enter();
    await tab.goto(`${stage.api.url}/dashboard${paths[4]}`);
    await tab.follow(press('Refund'));
    await tab.evaluate(`document.getElementById('amount').value = '10.00'`);
    await tab.follow(press('Go on'));
    assert.match(await text(tab), /A\$10\.00 of A\$49\.00 go back/);
    await tab.follow(press('Refund A$10.00'));
    assert.match(await text(tab, '#done'), /Refund A\$10\.00 by ann@school\.example/);
  });

  for (const scheme of ['light', 'dark'] as const) {
    it(`fits phones, tablets and desks, hinders nobody and weighs little: in ${scheme}`, async () => {
      const paths = await pages();
      const tab = await enter({ ...desktop, scheme });
      const cookies = await tab.evaluate<string>('document.cookie');
      assert.equal(cookies, '', 'a script sees the cookie');
      const style = (await (await fetch(`${stage.api.url}/dashboard/assets/style.css`)).text()).length;
      for (const width of [320, 768, 1280]) {
        const narrow = await enter({ width, height: 900, scheme });
        for (const path of paths) {
          await narrow.goto(`${stage.api.url}/dashboard${path}`);
          assert.equal(await narrow.evaluate('document.documentElement.scrollWidth'), width, `${path} at ${width}`);
          assert.deepEqual(await obstacles(narrow), [], `${path} at ${width}`);
          const bytes = await narrow.evaluate<number>('document.documentElement.outerHTML.length');
          assert.ok(bytes + style < mostBytes, `${path}: ${bytes + style} bytes`);
        }
        assert.deepEqual(
          narrow.complaints.filter((line) => !/40[14]|422/.test(line)),
          [],
        );
      }
      const { url } = await makeSession(stage.api.url, stage.keys.sandboxSecret);
      await tab.goto(entryOf(stage.api.url, { url }));
      assert.deepEqual(await obstacles(tab), []);
    });
  }
});
