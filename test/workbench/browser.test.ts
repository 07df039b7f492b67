import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { Tab, View } from '../../lab/browser.ts';
import { eventually } from '../../lab/eventually.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { revokeKey } from '../../src/services/accounts/api-keys.ts';
import { desktop, obstacles, useBrowser } from '../support/browser.ts';
import { entryOf, makeSession } from '../support/dashboard.ts';
import { tester } from '../support/factories.ts';
import { useService } from '../support/service.ts';
import { useReceiver } from '../support/webhooks.ts';
import { workbenchOf } from '../support/workbench.ts';

const phone = { width: 360, height: 780 };
const noon = '2027-01-04T00:00:00Z';

/** Presses the button or follows the link with these words. */
const press = (words: string) =>
  `[...document.querySelectorAll('button, main a, nav a')].find((e) => e.textContent.trim().startsWith(${JSON.stringify(words)})).click()`;
const fill = (name: string, value: string) =>
  `document.getElementById(${JSON.stringify(name)}).value = ${JSON.stringify(value)}`;
const text = (tab: Tab, selector = 'main') =>
  tab.evaluate<string>(`document.querySelector(${JSON.stringify(selector)})?.innerText ?? ''`);
const count = (tab: Tab, selector: string) =>
  tab.evaluate<number>(`document.querySelectorAll(${JSON.stringify(selector)}).length`);

describe('the workbench in a real browser', function () {
  this.timeout(120_000);
  const service = useService();
  const receiver = useReceiver();
  const browser = useBrowser();
  async function account() {
    const merchant = await service.merchant();
    await merchant.endpoint(receiver.url);
    return { merchant, url: workbenchOf(service.url) };
  }
  /** Lets a person with this key into the dashboard, and goes on to a page. */
  async function open(key: string, url: string, view: View = desktop): Promise<Tab> {
    const tab = await browser.open(entryOf(service.url, await makeSession(service.url, key)), view);
    await tab.follow(press('Open the dashboard'));
    await tab.goto(url);
    return tab;
  }

  /** Puts a payer with a weekly plan, whose second payment fails at first, on the clock of the page. */
  async function subscribe(merchant: Awaited<ReturnType<typeof account>>['merchant'], clockId: string) {
    const payer = await merchant.payer({ name: 'Ada Lovelace', test_clock: clockId });
    return merchant.activePlan({
      customer_id: payer.id,
      name: 'Gym',
      start_date: '2027-01-06',
      recurring_amount_cents: 2500,
    });
  }

  const clockOf = (tab: Tab) => tab.evaluate<string>(`location.pathname.split('/').pop()`);

  it('goes with scripts off from a new clock by a dry run and an advance to a mark with its webhook', async () => {
    const { merchant, url } = await account();
    const tab = await open(merchant.key, url, { ...desktop, isWithoutScripts: true });
    await tab.evaluate(fill('name', 'Renewals'));
    await tab.evaluate(fill('frozen_time', '2027-01-04T00:00:00'));
    await tab.follow(press('Create'));
    assert.equal(await text(tab, 'h1'), 'Renewals');
    const clockId = await clockOf(tab);
    await subscribe(merchant, clockId);
    await tab.goto(await tab.evaluate('location.href'));

    await tab.follow(press('6 Jan 2027: Gym'));
    assert.equal(await count(tab, '.lane.plan a.would.paid'), 1);
    assert.match(await text(tab, '#dry-run'), /AUD 25\.00 collected/);
    assert.equal((await merchant.getClock(clockId)).frozen_time, '2027-01-04T00:00:00.000Z');

    await tab.follow(press('Advance to 6 Jan 2027'));
    await merchant.stopped(clockId);
    await eventually('the webhook is delivered', async () => {
      await tab.goto(`${url}clocks/${clockId}`);
      return /AUD 25\.00 collected, for “Gym”, payment 1 Ada Lovelace payment_intent\.succeeded 1 delivered/.test(
        await text(tab, '#happened'),
      );
    });
    assert.equal(await count(tab, '.lane.plan a.would'), 0);
    const mark = `document.querySelector('.lane.plan a.paid').dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }))`;
    await tab.follow(mark);
    assert.match(await text(tab, 'h1'), /^\s*AUD 25\.00 collected$/);
    assert.match(await text(tab, '#webhooks'), /delivered[\s\S]*1[\s\S]*200/);
    assert.deepEqual(tab.complaints, []);
  });

  it('keeps the handle and what it says clear of every label of the axis, wherever it is', async () => {
    const { merchant, url } = await account();
    const clock = await merchant.clock(noon);
    await subscribe(merchant, clock.id);
    await merchant.advance(clock.id, '2027-01-16T00:00:00Z');
    for (const view of [desktop, { ...phone, scheme: 'light' as const }]) {
      const tab = await open(merchant.key, `${url}clocks/${clock.id}`, view);
      const covered = await tab.evaluate<string[]>(`(() => {
        const range = document.querySelector('.handle input');
        const field = document.getElementById('to');
        const box = (element) => element.getBoundingClientRect();
        const covers = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
        const found = [];
        for (let share = 0; share <= 1; share += 0.02) {
          const at = Date.parse(field.min + 'Z') + share * (Date.parse(field.max + 'Z') - Date.parse(field.min + 'Z'));
          range.value = at;
          range.dispatchEvent(new Event('input'));
          const { left, width, top, bottom } = box(range);
          const middle = left + 8 + ((range.value - range.min) / (range.max - range.min)) * (width - 16);
          const thumb = { left: middle - 8, right: middle + 8, top, bottom };
          for (const text of document.querySelectorAll('.head text')) {
            const isCovered = [thumb, box(document.querySelector('.handle output'))].some((each) => covers(each, box(text)));
            if (isCovered) found.push(text.textContent);
          }
        }
        return [...new Set(found), box(range).bottom <= box(document.querySelector('.head svg')).bottom ? 'inside' : 'below'];
      })()`);
      assert.deepEqual(covered, ['inside']);
    }
  });

  it('moves the time of the dry run by a handle, shows an advance as it goes, and opens a mark in a dialog', async () => {
    const { merchant, url } = await account();
    const clock = await merchant.clock(noon);
    await subscribe(merchant, clock.id);
    const tab = await open(merchant.key, `${url}clocks/${clock.id}`);
    const handle = `document.querySelector('.handle input')`;
    const at = (time: string) =>
      `{ const handle = ${handle}; handle.value = ${Date.parse(time)}; for (const type of ['input', 'change']) handle.dispatchEvent(new Event(type)) }`;
    await tab.evaluate(at('2027-01-14T00:00:00Z'));
    await eventually('the dry run is shown', async () => (await count(tab, '.lane.plan a.would.paid')) === 2);
    assert.equal(await tab.evaluate(`document.getElementById('to').value`), '2027-01-14T00:00');
    const right = `${handle}.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowLeft', bubbles: true, cancelable: true }))`;
    await tab.evaluate(right);
    await tab.evaluate(right);
    await eventually('the keys move it too', async () => (await count(tab, '.lane.plan a.would.paid')) === 1);
    await tab.evaluate(`document.getElementById('outcome').value = 'decline_once'; ${press('See what')}`);
    await eventually(
      'the supposed outcome is shown',
      async () => (await count(tab, '.lane.plan a.would.failed')) === 1,
    );

    await tab.follow(press('Advance to'));
    await eventually(
      'the page shows the effects on its own',
      async () => (await count(tab, '.lane.plan a.paid:not(.would)')) === 1,
    );
    await eventually('the title shows the new time', async () => (await text(tab, '.title')).includes('ready'));
    await tab.evaluate(
      `document.querySelector('.lane.plan a.paid').dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }))`,
    );
    await eventually('the event is open', async () => /AUD 25\.00 collected/.test(await text(tab, 'dialog[open]')));
    assert.match(await tab.evaluate('location.pathname'), new RegExp(`${clock.id}$`));
    await tab.evaluate(press('Close'));
    await eventually('the dialog is gone', async () => (await count(tab, 'dialog')) === 0);
    assert.deepEqual(tab.complaints, []);
  });

  it('shows events and their deliveries as they come', async () => {
    const { merchant, url } = await account();
    const tab = await open(merchant.key, `${url}events`);
    await merchant.clock(noon);
    await eventually('the event is there, and delivered', async () =>
      /test clock created test_clock\.created 1 delivered/.test(await text(tab)),
    );
    assert.deepEqual(tab.complaints, []);
  });

  it('says on its own that the session has ended, once its key is revoked', async () => {
    const { merchant, url } = await account();
    const clock = await merchant.clock(noon);
    const tab = await open(merchant.key, `${url}clocks/${clock.id}`);
    const [last] = await service.db.sql<{ key: string }[]>`
      select api_key_id as key from dashboard_sessions order by created_at desc limit 1`;
    await revokeKey(service.db.sql, last?.key ?? '', { by: tester, now: realNow() });
    await eventually('the page says so', async () => (await text(tab, 'h1')) === 'You are not in the dashboard');
  });

  for (const scheme of ['light', 'dark'] as const) {
    it(`is accessible and fits a phone, with every page of a clock, ${scheme}`, async () => {
      const { merchant, url } = await account();
      const clock = await merchant.clock(noon);
      await subscribe(merchant, clock.id);
      await merchant.advance(clock.id, '2027-01-14T00:00:00Z');
      const [event] = await merchant.events({ event_type: 'payment_intent.succeeded' });
      const [customer] = await merchant.client.customers.list({ test_clock: clock.id }).toArray();
      const paths = [
        '',
        `clocks/${clock.id}`,
        `clocks/${clock.id}?to=2027-01-26&outcome=decline`,
        `clocks/${clock.id}?to=2029-01-26`,
        `clocks/${clock.id}/delete`,
        'events',
        `events/${event?.id}`,
        `books?clock=${clock.id}`,
        `rows?clock=${clock.id}&month=2027-01`,
        `customers/${customer?.id}`,
        'customers/cus_00000000000000000000000000000000',
      ];
      for (const isSmall of [true, false]) {
        const view = isSmall ? { ...phone, scheme } : { ...desktop, scheme };
        const tab = await open(merchant.key, url, view);
        for (const path of paths) {
          await tab.goto(`${url}${path}`);
          assert.deepEqual(await obstacles(tab), [], path);
          if (isSmall) assert.equal(await tab.evaluate('document.documentElement.scrollWidth'), phone.width, path);
        }
        assert.deepEqual(
          tab.complaints.filter((line) => !line.includes('404')),
          [],
        );
      }
    });
  }
});
