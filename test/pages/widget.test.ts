import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'mocha';
import type { Tab } from '../../lab/browser.ts';
import { eventually } from '../../lab/eventually.ts';
import { serveOnLoopback } from '../../lab/loopback-server.ts';
import { endApiKey } from '../../src/db/api-keys.ts';
import { addMs } from '../../src/domain/instants.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { changeCheckoutOrigins } from '../../src/services/accounts/biller-profile.ts';
import { obstacles, useBrowser } from '../support/browser.ts';
import { makeKeys, tester } from '../support/factories.ts';
import { contentsOf, usePages } from '../support/pages.ts';
import { blocksIn } from '../support/samples.ts';
import { useStage } from '../support/stage.ts';

const shop = 'https://shop.example.com';
const localShop = 'http://127.0.0.1:4321';
const phone = { width: 360, height: 780, scheme: 'light' } as const;

/** The page of the guide, in which the pages and the key are those of the test. */
function examplePage(pagesUrl: string, key: string): string {
  const guide = readFileSync(new URL('../../docs/api/12-pages-for-payers.md', import.meta.url), 'utf8');
  const block = blocksIn(guide).find(({ language }) => language === 'html');
  assert.ok(block, 'the guide has no page with the widget');
  return block.code.replace('https://pay.example.com', pagesUrl).replace('pk_sandbox_…', key);
}

describe('the widget in pages of billers', () => {
  const stage = useStage();
  const pages = usePages(stage);
  const register = (...add: string[]) =>
    changeCheckoutOrigins(stage.db.sql, stage.keys.biller.id, { add }, { by: tester, now: realNow() });
  const frameOf = (key: string, origin: string, types = 'card') =>
    `/widget/frame?${new URLSearchParams({ key, origin, types })}`;
  const choice = { method: 'tok_sandbox_visa_succeed' };

  it('is framed by the origins that the biller has registered and by no other, and no other page is framed', async () => {
    await register(shop, localShop);
    const policyOf = async (url: string) => (await pages.open(url)).headers.get('content-security-policy') ?? '';
    const frame = frameOf(stage.keys.sandboxPublishable, shop);
    assert.match(await policyOf(frame), /frame-ancestors http:\/\/127\.0\.0\.1:4321 https:\/\/shop\.example\.com$/);
    for (const url of ['/widget/v1.js', '/receipt/x', '/pay/x', '/assets/frame.js']) {
      assert.match(await policyOf(url), /frame-ancestors 'none'$/, url);
    }
    const script = await pages.open('/widget/v1.js');
    assert.equal(script.headers.get('cross-origin-resource-policy'), 'cross-origin');
  });

  it('is unknown for a key or an origin that is not the biller’s, with the bytes of any unknown page', async () => {
    await register(shop, localShop);
    const { keys } = stage;
    const stranger = await makeKeys(stage.db.sql);
    const seen = new Set<string>();
    for (const url of [
      '/nothing',
      '/widget/frame',
      frameOf('pk_sandbox_unknown', shop),
      frameOf(keys.sandboxSecret, shop),
      frameOf(stranger.sandboxPublishable, shop),
      frameOf(keys.sandboxPublishable, 'https://other.example.com'),
      frameOf(keys.sandboxPublishable, `${shop}.evil.example`),
      frameOf(keys.livePublishable, localShop),
    ]) {
      const { status, html, headers } = await pages.open(url);
      seen.add(JSON.stringify([status, html, headers.get('content-security-policy')]));
    }
    assert.equal(seen.size, 1);
    assert.match([...seen][0] ?? '', /^\[404/);
    assert.equal((await pages.open(frameOf(keys.livePublishable, shop, 'au_becs_debit'))).status, 200);
  });

  it('is unknown as soon as its key is revoked', async () => {
    const stranger = await makeKeys(stage.db.sql);
    const origin = { by: tester, now: realNow() };
    await changeCheckoutOrigins(stage.db.sql, stranger.biller.id, { add: [shop] }, origin);
    const url = frameOf(stranger.sandboxPublishable, shop);
    assert.equal((await pages.open(url)).status, 200);
    const [row] = await stage.db.sql<{ id: string }[]>`
      select id from api_keys where biller_id = ${stranger.biller.id} and kind = 'publishable' and not livemode`;
    await endApiKey(stage.db.sql, row?.id ?? '', addMs(realNow(), -1000));
    assert.equal((await pages.open(url)).status, 404);
  });

  it('writes nothing for a GET, and refuses what no form of its own has sent', async () => {
    await register(shop);
    const url = frameOf(stage.keys.sandboxPublishable, shop);
    const { hidden } = await pages.open(url);
    const before = await contentsOf(stage);
    await pages.open(url);
    const other = await pages.open(frameOf(stage.keys.sandboxPublishable, shop, 'card,au_becs_debit'));
    const refused = [
      await pages.post(url, choice),
      await pages.post(url, { ...choice, form: other.hidden.form ?? '' }),
      await pages.post(url, { ...hidden, ...choice }, { 'Sec-Fetch-Site': 'cross-site' }),
      await pages.post(url, { ...hidden, ...choice, note: '4000 0566 5566 5556' }),
      await pages.post(url, { ...hidden, method: 'au_becs_debit' }),
      await pages.post(url, { ...hidden, ...choice, client_secret: 'pi_x_secret_y' }),
    ];
    assert.deepEqual(
      refused.map(({ status }) => status),
      [400, 400, 403, 400, 400, 422],
    );
    assert.equal(/0566 5566/.test(refused.map(({ html }) => html).join()), false);
    await stage.db.sql`delete from page_uses`;
    assert.equal(await contentsOf(stage), before);
  });

  it('costs a visitor without its form less than 20 ms of processor time, and leaves nothing', async () => {
    await register(shop);
    const url = frameOf(stage.keys.sandboxPublishable, shop, 'card,au_becs_debit');
    const unknown = frameOf(`pk_sandbox_${'x'.repeat(32)}`, shop);
    const attempts = [
      () => pages.open(unknown),
      () => pages.post(unknown, choice),
      () => pages.post(url, choice),
      () => pages.post(url, { ...choice, form: 'x', client_secret: 'y'.repeat(300) }),
      () => pages.post(url.replace('/frame', '/setup'), { form: 'x', setup: 'y' }),
    ];
    const before = await contentsOf(stage);
    const count = 50;
    for (const [nth, attempt] of attempts.entries()) {
      const start = process.cpuUsage();
      for (let each = 0; each < count; each += 1) assert.ok((await attempt()).status >= 400);
      const { user, system } = process.cpuUsage(start);
      const ms = (user + system) / 1000 / count;
      assert.ok(ms < 20, `attempt ${nth}: ${ms} ms`);
    }
    assert.equal(await contentsOf(stage), before);
  });

  it('saves a card for no customer, or for that of the payment whose client secret it is given', async () => {
    await register(shop);
    const url = frameOf(stage.keys.sandboxPublishable, shop);
    const { hidden } = await pages.open(url);
    const methodIn = (html: string) => /pm_(?:sandbox_)?[0-9A-Za-z]{32}/.exec(html)?.[0] ?? '';
    const ownerOf = async (html: string) => {
      const [row] = await stage.db.sql`select customer_id from payment_methods where id = ${methodIn(html)}`;
      assert.ok(row, html);
      return row.customer_id;
    };
    const plain = await pages.post(url, { ...hidden, ...choice });
    assert.equal(plain.status, 200);
    assert.ok(plain.text.includes('Visa ending in 4242'));
    assert.equal(await ownerOf(plain.html), null);
    const payer = await stage.merchant.customer();
    const intent = await stage.merchant.intent({ customer_id: payer.id });
    const secret = { client_secret: String(intent.client_secret) };
    const saved = await pages.post(url, { ...hidden, ...choice, ...secret });
    const { body } = await stage.request('GET', `/customers/${payer.id}/payment_methods`);
    assert.deepEqual(
      body.payment_methods.map(({ id }: { id: string }) => id),
      [methodIn(saved.html)],
    );
    assert.equal(saved.html.includes(secret.client_secret), false);
  });

  it('saves a bank account, and shows no more of its number than the end', async () => {
    await register(shop);
    const url = frameOf(stage.keys.sandboxPublishable, shop, 'card,au_becs_debit');
    const { hidden } = await pages.open(url);
    const account = { method: 'au_becs_debit', account_name: 'Jo', bsb: '000-000' };
    const wrong = await pages.post(url, { ...hidden, ...account, account_number: '12' });
    assert.deepEqual([wrong.status, wrong.text.includes('An account number has 6 to 9 digits.')], [400, true]);
    const saved = await pages.post(url, { ...hidden, ...account, account_number: '123456789' });
    assert.ok(saved.text.includes('Bank account ending in 6789'));
    assert.equal(saved.html.includes('123456789'), false);
  });

  it('lets one address save 20 methods a minute', async () => {
    await register(shop);
    await stage.db.sql`delete from page_uses`;
    const url = frameOf(stage.keys.sandboxPublishable, shop);
    const { hidden } = await pages.open(url);
    const statuses: number[] = [];
    for (let n = 0; n < 21; n += 1) statuses.push((await pages.post(url, { ...hidden, ...choice })).status);
    // A minute may have begun in between.
    assert.ok(statuses.slice(0, 20).every((status) => status === 200));
    const again = await Promise.all(Array.from({ length: 41 }, () => pages.post(url, { ...hidden, ...choice })));
    assert.ok([...statuses, ...again.map(({ status }) => status)].includes(429));
    await stage.db.sql`delete from page_uses`;
  });

  describe('in a real browser', () => {
    const browser = useBrowser();

    /** A server of a biller, which confirms a payment with the method that its page has received. */
    async function startShop() {
      const seen = { method: '' };
      const server = await serveOnLoopback(async ({ method, body: sent }, response) => {
        if (method === 'GET') {
          response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' });
          return response.end(examplePage(pages.url, stage.keys.sandboxPublishable));
        }
        seen.method = sent;
        const { id } = await stage.merchant.intent();
        const { body } = await stage.request('POST', `/payment_intents/${id}/confirm`, { payment_method: seen.method });
        return response.end(String(body.status));
      });
      return { url: server.url, close: server.close, seen };
    }

    const pressInFrame = (tab: Tab) =>
      eventually('the button of the frame is there', () =>
        tab.inFrame<boolean>(
          '(() => { const b = document.querySelector("button"); b?.click(); return b !== null; })()',
        ),
      );
    const resultOf = (tab: Tab) => tab.evaluate<string>('document.querySelector("#result").textContent');

    it('gives the page of the guide, at another origin, a method with which its server confirms a payment', async function () {
      this.timeout(90_000);
      const server = await startShop();
      try {
        await register(server.url);
        const tab = await browser.open(`${server.url}/`, phone);
        await pressInFrame(tab);
        await eventually('the payment is confirmed', async () => (await resultOf(tab)) === 'The payment is succeeded.');
        assert.match(server.seen.method, /^pm_/);
        assert.equal(await tab.evaluate('document.documentElement.scrollWidth'), phone.width);
        const height = await tab.evaluate<number>('document.querySelector("iframe").clientHeight');
        const inside = await tab.inFrame<number>('document.documentElement.scrollHeight');
        assert.ok(inside !== null && Math.abs(height - inside) <= 1, `${height} ${inside}`);
        assert.deepEqual(tab.complaints, []);
      } finally {
        await server.close();
      }
    });

    it('gives nothing to a page whose origin is not registered, not even if it names another one', async function () {
      this.timeout(90_000);
      await register(shop, localShop);
      const server = await startShop();
      try {
        const tab = await browser.open(`${server.url}/`, phone);
        await eventually('the browser refuses the frame', () => tab.complaints.some((words) => /frame/i.test(words)));
        const named = frameOf(stage.keys.sandboxPublishable, localShop);
        await tab.evaluate(`
          window.got = [];
          addEventListener('message', ({ data }) => got.push(data));
          document.querySelector('iframe').src = ${JSON.stringify(pages.url + named)}; null`);
        await eventually('the second frame is refused too', () => tab.complaints.length > 1);
        assert.equal(await tab.inFrame('document.querySelector("button")?.textContent ?? null'), null);
        assert.deepEqual(await tab.evaluate('got'), []);
        await eventually('the page is told', async () => (await resultOf(tab)).startsWith('The widget did not load'), {
          timeoutMs: 20_000,
        });
        assert.equal(server.seen.method, '');
      } finally {
        await server.close();
      }
    });

    it('is accessible, empty, corrected and done', async function () {
      this.timeout(90_000);
      await register(shop);
      const frame = frameOf(stage.keys.sandboxPublishable, shop, 'card,au_becs_debit');
      const tab = await browser.open(`${pages.url}${frame}`, phone);
      const check = async () => {
        assert.deepEqual(await obstacles(tab), []);
        assert.equal(await tab.evaluate('document.documentElement.scrollWidth'), phone.width);
      };
      const press = `document.querySelector('button').click()`;
      await check();
      await tab.evaluate(`document.querySelector('[value=au_becs_debit]').checked = true`);
      await tab.follow(press);
      await check();
      await tab.evaluate(`document.querySelector('[value=tok_sandbox_visa_succeed]').checked = true`);
      await tab.follow(press);
      await check();
      assert.ok((await tab.evaluate<string>('document.body.innerText')).includes('Visa ending in 4242'));
    });
  });
});
