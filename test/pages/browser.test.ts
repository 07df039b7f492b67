import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { Tab } from '../../lab/browser.ts';
import { eventually } from '../../lab/eventually.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { sandboxProcessor } from '../../src/processors/sandbox.ts';
import { changeBillerProfile } from '../../src/services/accounts/biller-profile.ts';
import { createVault } from '../../src/services/accounts/vault.ts';
import { desktop, obstacles, useBrowser } from '../support/browser.ts';
import { tester } from '../support/factories.ts';
import { useLinks } from '../support/links.ts';
import { usePages } from '../support/pages.ts';
import { useService } from '../support/service.ts';
import { useStage } from '../support/stage.ts';
import { useReceiver } from '../support/webhooks.ts';

const markup = `<img src=x onerror="document.title='taken'"><script>document.title='taken'</script>"'&amp;`;
const payer = [
  ['email', 'jo@example.com'],
  ['name', 'Jo'],
] as const;
const phone = { width: 360, height: 780 };

/** Presses the button or follows the link with these words. */
const press = (words: string) =>
  `[...document.querySelectorAll('button, a')].find((e) => e.textContent.trim().startsWith(${JSON.stringify(words)})).click()`;
const fill = (name: string, value: string) =>
  `document.getElementById(${JSON.stringify(name)})?.setAttribute('value', ${JSON.stringify(value)})`;
const choose = (token: string) => `document.querySelector('[value="${token}"]').checked = true`;
const title = (tab: Tab) => tab.evaluate<string>('document.querySelector("h1").textContent');

describe('a payer in a real browser with scripts off', () => {
  const service = useService();
  const receiver = useReceiver();
  const pages = usePages({
    db: service.db,
    processors: { sandbox: sandboxProcessor, live: null },
    get vault() {
      const [id = '', key = ''] = service.encryptionKeys.split(':');
      return createVault([{ id, key: Buffer.from(key, 'base64') }]);
    },
  });
  const browser = useBrowser();

  it('goes from a new payment link through the challenge of the bank to the receipt, and the webhooks arrive', async function () {
    this.timeout(120_000);
    const merchant = await service.merchant();
    await merchant.endpoint(receiver.url);
    const made = await merchant.request('POST', '/payment_links', { name: 'Invoice 7', amount: 4200, currency: 'AUD' });
    assert.equal(made.status, 201, made.text);
    const here = (url: string) => url.replace('http://pages.test', pages.url);
    const tab = await browser.open(here(made.body.url), { ...desktop, isWithoutScripts: true });
    assert.equal(await title(tab), 'Invoice 7');
    await tab.follow(press('Continue to payment'));
    for (const [name, value] of payer) await tab.evaluate(fill(name, value));
    await tab.evaluate(choose('tok_sandbox_visa_3ds_required'));
    await tab.follow(press('Pay'));
    assert.equal(await title(tab), 'Your bank needs a confirmation');
    await tab.follow(press('Go to your bank'));
    assert.equal(await title(tab), 'Confirm this payment');
    await tab.follow(press('Approve'));
    assert.equal(await title(tab), 'Thank you for your payment');
    await tab.follow(press('Show the receipt'));
    assert.equal(await title(tab), 'Receipt');
    assert.ok((await tab.evaluate<string>('document.body.innerText')).includes('Visa ending in 3155'));
    assert.deepEqual(tab.complaints, []);
    const types = () => receiver.received.map(({ body }) => JSON.parse(String(body)).event_type);
    await eventually('the webhooks of the payment arrive', () =>
      ['payment_intent.succeeded', 'payment_link.paid', 'payment_link.completed'].every((type) =>
        types().includes(type),
      ),
    );
    const { body: link } = await merchant.request('GET', `/payment_links/${made.body.id}`);
    assert.deepEqual([link.status, link.payments_count, link.collected_amount], ['completed', 1, 4200]);
  });
});

describe('the pages for payers in a real browser', () => {
  const stage = useStage();
  const links = useLinks(stage);
  const pages = usePages(stage);
  const browser = useBrowser();
  for (const scheme of ['light', 'dark'] as const) {
    it(`are accessible and fit a phone, with every page of a payment, ${scheme}`, async function () {
      this.timeout(180_000);
      const profile = { brand_color: '#e8590c', support_email: 'help@gym.example', address: '1 Harbour Street' };
      await changeBillerProfile(stage.db.sql, stage.keys.biller.id, profile, { by: tester, now: realNow() });
      const link = await links.link({
        description: 'For the boat',
        payment_method_types: ['card', 'au_becs_debit'],
        save_payment_method: 'offer',
        amount_range: { min: 500, max: 10_000, suggested: [1000, 2500] },
      });
      const tab = await browser.open(`${pages.url}/pay/${links.tokenOf(link)}`, { ...phone, scheme });
      const seen: string[] = [];
      const check = async () => {
        const name = await title(tab);
        seen.push(name);
        assert.deepEqual(await obstacles(tab), [], name);
        assert.equal(await tab.evaluate('document.documentElement.scrollWidth'), phone.width, name);
      };
      await check();
      await tab.follow(press('Continue to payment'));
      await check();
      await tab.evaluate(fill('amount', '1'));
      await tab.evaluate('for (const e of document.querySelectorAll("[required]")) e.required = false');
      await tab.follow(press('Pay'));
      await check();
      await tab.evaluate(fill('amount', '20'));
      for (const [name, value] of payer) await tab.evaluate(fill(name, value));
      await tab.evaluate(choose('tok_sandbox_visa_3ds_required'));
      await tab.follow(press('Pay'));
      await check();
      await tab.follow(press('Go to your bank'));
      await check();
      await tab.follow(press('Approve'));
      await check();
      await tab.follow(press('Show the receipt'));
      await check();
      await tab.goto(`${pages.url}/pay/${links.tokenOf(link)}`);
      await check();
      await tab.goto(`${pages.url}/pay/unknown`);
      await check();
      assert.deepEqual(seen.slice(3), [
        'Your bank needs a confirmation',
        'Confirm this payment',
        'Thank you for your payment',
        'Receipt',
        'This has already been paid',
        'This page does not exist',
      ]);
    });
  }

  it('does not reload a page whose form was sent, which would cancel the way to the next page', async () => {
    const link = await links.link();
    const tab = await browser.open(`${pages.url}/pay/${links.tokenOf(link)}`, desktop);
    await tab.follow(press('Continue to payment'));
    await tab.evaluate(`
      globalThis.isFirst = true;
      addEventListener('submit', (event) => event.preventDefault());
      document.forms[0].noValidate = true;
      document.forms[0].requestSubmit();`);
    assert.equal((await stage.request('POST', `/payment_links/${link.id}/deactivate`)).status, 200);
    const asked = `performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/state')).length`;
    await eventually('the script knows that the link has ended', () => tab.evaluate<number>(asked));
    await tab.evaluate('new Promise((resume) => setTimeout(resume, 300))');
    assert.equal(await tab.evaluate('globalThis.isFirst'), true);
  });

  it('show markup in any field as text, and the policy has nothing to block', async function () {
    this.timeout(60_000);
    const profile = { display_name: markup.slice(0, 100), address: markup, tax_id: markup.slice(0, 40) };
    await changeBillerProfile(stage.db.sql, stage.keys.biller.id, profile, { by: tester, now: realNow() });
    const link = await links.link({
      name: markup,
      description: markup,
      amount_range: { min: 500, max: 900 },
      statement_descriptor: '<script src=x></script>'.slice(0, 22),
      cancel_url: `https://shop.example.com/?${encodeURI('"><script>document.title="taken"</script>')}`,
      success_url: 'https://shop.example.com/"><script>document.title="taken"</script>',
    });
    const tab = await browser.open(`${pages.url}/pay/${links.tokenOf(link)}`);
    assert.equal(await title(tab), markup);
    await tab.follow(press('Continue to payment'));
    await tab.evaluate(
      `for (const e of document.querySelectorAll('input[type=text], input[type=email]')) { e.type = 'text'; e.required = false; e.value = ${JSON.stringify(markup)} }`,
    );
    await tab.follow(press('Pay'));
    assert.equal(await tab.evaluate(`document.getElementById('amount').value`), markup);
    const isClean = async () => {
      assert.equal(await tab.evaluate<number>('document.querySelectorAll("main script, main img").length'), 0);
      assert.notEqual(await tab.evaluate('document.title'), 'taken');
    };
    await isClean();
    const valid = { amount: '5.00', email: 'jo@example.com', name: markup };
    for (const [name, value] of Object.entries(valid)) {
      await tab.evaluate(`document.getElementById('${name}').value = ${JSON.stringify(value)}`);
    }
    await tab.evaluate(choose('tok_sandbox_visa_succeed'));
    await tab.follow(press('Pay'));
    assert.equal(await title(tab), 'Thank you for your payment');
    await isClean();
    await tab.follow(press('Show the receipt'));
    await isClean();
    assert.deepEqual(
      tab.complaints.filter((words) => !/400/.test(words)),
      [],
    );
  });

  it('keep the order of each sum and sentence, whatever marks of direction and letters a name has', async function () {
    this.timeout(60_000);
    const { id: customer } = await stage.merchant.customer();
    await stage.merchant.card(customer);
    const plan = await stage.merchant.plan({
      customer_id: customer,
      name: '\u2069\u202eBoat אבג 9',
      start_date: realNow().toISOString().slice(0, 10),
      recurring_amount_cents: 12_345,
    });
    const link = await links.link({
      customer_id: customer,
      name: '\u202eInvoice',
      description: '\u2067\u202eאבג',
      apply_to: { payment_plan_id: plan.id },
      save_payment_method: 'always',
    });
    // The letters of a line that do not stand where their order in the text says.
    const misplaced = `(() => {
      const found = [];
      const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
        if (text.parentElement.closest('bdi') !== null) continue;
        let last = null;
        for (let at = 0; at < text.length; at++) {
          const range = document.createRange();
          range.setStart(text, at);
          range.setEnd(text, at + 1);
          const [box] = range.getClientRects();
          if (box === undefined || box.width === 0) continue;
          if (last !== null && last.top === box.top && box.left < last.left) found.push(text.data);
          last = box;
        }
      }
      return [...new Set(found)];
    })()`;
    const tab = await browser.open(`${pages.url}/pay/${links.tokenOf(link)}`, desktop);
    for (const next of ['Continue to payment', 'Pay', 'Show the receipt', null]) {
      assert.deepEqual(await tab.evaluate(misplaced), [], String(next));
      if (next === null) break;
      const words = await tab.evaluate<string>('document.body.innerText');
      if (next !== 'Show the receipt') assert.match(words, /takes .*123\.45/, next);
      if (next === 'Pay') await tab.evaluate(choose('tok_sandbox_visa_succeed'));
      await tab.follow(press(next));
    }
    assert.equal(await title(tab), 'Receipt');
  });

  it('are at most 30 kB, in at most three requests, all of them of our own origin', async function () {
    this.timeout(60_000);
    const link = await links.link({
      description: 'x'.repeat(500),
      payment_method_types: ['card', 'au_becs_debit'],
      save_payment_method: 'offer',
      amount_range: { min: 500, max: 10_000, suggested: [1000, 2500] },
    });
    const tab = await browser.open(`${pages.url}/pay/${links.tokenOf(link)}`);
    const check = async () => {
      const loaded = await tab.evaluate<{ name: string; size: number }[]>(
        `performance.getEntries()
          .filter(({ entryType, initiatorType }) => entryType === 'navigation' || (entryType === 'resource' && initiatorType !== 'fetch'))
          .map(({ name, decodedBodySize: size }) => ({ name, size }))`,
      );
      const story = JSON.stringify(loaded);
      assert.ok(loaded.length >= 2 && loaded.length <= 3, story);
      assert.ok(
        loaded.every(({ name }) => name.startsWith(pages.url)),
        story,
      );
      const total = loaded.reduce((sum, { size }) => sum + size, 0);
      assert.ok(total > 1000 && total <= 30_000, story);
    };
    await check();
    await tab.follow(press('Continue to payment'));
    await check();
    for (const [name, value] of payer) await tab.evaluate(fill(name, value));
    await tab.evaluate(choose('tok_sandbox_visa_succeed'));
    await tab.follow(press('Pay'));
    await check();
    await tab.follow(press('Show the receipt'));
    await check();
  });

  it('swap themselves when the link is paid on another page', async function () {
    this.timeout(60_000);
    const link = await links.link({ collect: { email: 'no', name: 'no', phone: 'no' } });
    const waiting = await browser.open(`${pages.url}/pay/${links.tokenOf(link)}`);
    const paying = await browser.open(`${pages.url}/pay/${links.tokenOf(link)}`);
    await paying.follow(press('Continue to payment'));
    await paying.evaluate(choose('tok_sandbox_visa_succeed'));
    await paying.follow(press('Pay'));
    await eventually(
      'the other page says that it was paid',
      async () => (await title(waiting)) === 'This has already been paid',
      {
        timeoutMs: 40_000,
      },
    );
  });
});
