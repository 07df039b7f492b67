import assert from 'node:assert/strict';
import { join } from 'node:path';
import { findFreePorts } from '../../dev/ports.ts';
import type { Tab, View } from '../../lab/browser.ts';
import { eventually } from '../../lab/eventually.ts';
import type { LoopbackServer } from '../../lab/loopback-server.ts';
import { openBrowserDoor } from '../../lab/stripe-rig/browser-door.ts';
import { type StripeRig, startStripeRig } from '../../lab/stripe-rig/rig.ts';
import type { SupervisedProcess } from '../../lab/supervised-process.ts';
import type { Id } from '../../src/domain/ids.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { createHttpProcessor } from '../../src/processors/http-processor.ts';
import { sandboxProcessor } from '../../src/processors/sandbox.ts';
import { changeCheckoutOrigins } from '../../src/services/accounts/biller-profile.ts';
import { createPageUrls } from '../../src/services/pages/page-urls.ts';
import { useFolder } from '../runtime/support.ts';
import { needsPrograms } from '../stripe-rig/support.ts';
import { desktop, obstacles, useBrowser } from '../support/browser.ts';
import { makeBiller, makeKey, tester } from '../support/factories.ts';
import { createMerchant, type Merchant } from '../support/merchant.ts';
import { usePages } from '../support/pages.ts';
import { useService } from '../support/service.ts';
import { serverStartTimeoutMs } from '../support/temporal.ts';
import { startAdapter } from './support.ts';

const secret = 'secret-of-the-live-page-of-stripe';
const liveKey = 'sk_live_rig1234567890';
const publishableKey = 'pk_live_12345678abcd';
const publicUrl = 'http://pages.test';
const [adapterPort = 0] = await findFreePorts(1);

const good = '4242424242424242';
const declinedLater = '4000000000000341';
const declinedAtOnce = '4000000000000002';
const challenged = '4000002500003155';

/** Presses the button or follows the link with these words. */
const press = (words: string) =>
  `[...document.querySelectorAll('button, a')].find((e) => e.textContent.trim().startsWith(${JSON.stringify(words)})).click()`;
const title = (tab: Tab) => tab.evaluate<string>('document.querySelector("h1").textContent');
const text = (tab: Tab) => tab.evaluate<string>('document.body.innerText');

describe('a live page with Stripe’s fields for a card, in a real browser', function () {
  this.timeout(serverStartTimeoutMs);
  needsPrograms('localstripe', 'stripe-mock');
  const folder = useFolder();
  const live = createHttpProcessor({
    ...{ url: `http://127.0.0.1:${adapterPort}`, secret, timeoutMs: 5_000 },
    returnUrlOf: (id) => createPageUrls(publicUrl, service.vault).of('challenge', id),
  });
  const processors = { sandbox: sandboxProcessor, live };
  const cardFields = { scripts: [] as string[], frames: [] as string[], requests: [] as string[] };
  const service = useService({ processors, idle: true, publicUrl, liveCardFields: cardFields });
  const pages = usePages(
    {
      get db() {
        return service.db;
      },
      get vault() {
        return service.vault;
      },
      processors,
    },
    { cardFields },
  );
  // A page that was left would keep its connection, which waits for its state.
  const browser = useBrowser(['--disable-features=BackForwardCache']);
  let rig: StripeRig;
  let door: LoopbackServer;
  let adapter: SupervisedProcess;
  let merchant: Merchant;
  let merchantId: Id<'biller'>;
  const tabs: Tab[] = [];

  before('start Stripe and its processor service', async () => {
    rig = await startStripeRig(folder.path);
    door = await openBrowserDoor(rig);
    cardFields.scripts.push(door.url);
    cardFields.requests.push(door.url);
    const { id } = await makeBiller(service.db.sql);
    merchantId = id;
    const { key } = await makeKey(service.db.sql, { billerId: id, livemode: true });
    merchant = createMerchant(service.url, key, 'live');
    adapter = await startAdapter(service, {
      ...{ billerId: id, liveKey, publishableKey, logFile: join(folder.path, 'adapter.log') },
      env: { PROCESSOR_PORT: String(adapterPort), PROCESSOR_SECRET: secret, STRIPE_API_URL: door.url },
    });
    assert.ok(await adapter.untilUp(60_000));
  });
  beforeEach('forget the uses of pages, of which one address has so many', async () => {
    await service.db.sql`delete from page_uses`;
  });
  afterEach('leave the pages, which wait for their state', async () => {
    for (const tab of tabs.splice(0)) await tab.goto('about:blank');
  });
  after('end them', async () => {
    await live.close();
    await adapter?.stop();
    await door?.close();
    await rig?.stop();
  });

  const here = (url: unknown) => String(url).replace(publicUrl, pages.url);
  async function link(body: object = {}) {
    const made = await merchant.request('POST', '/payment_links', {
      ...{ name: 'Invoice 7', amount: 4200, currency: 'AUD', collect: { name: 'no', email: 'no' } },
      ...body,
    });
    assert.equal(made.status, 201, made.text);
    return made.body;
  }
  /** Opens a link up to the form, with the fields of Stripe in it. */
  async function open(url: unknown, view: View = desktop): Promise<Tab> {
    const tab = await browser.open(here(url), view);
    tabs.push(tab);
    return tab;
  }
  async function openForm(url: unknown, view: View = desktop): Promise<Tab> {
    const tab = await open(url, view);
    await tab.follow(press('Continue'));
    await untilFields(tab);
    return tab;
  }
  const untilFields = (tab: Tab) =>
    eventually('the fields are there', () => tab.evaluate('document.querySelectorAll("#card input").length === 5'));
  /** Types a card into the fields, which localstripe has in our page; Stripe has them in a frame of its own. */
  async function type(tab: Tab, number: string): Promise<void> {
    const values = { number, exp_month: '12', exp_year: '40', cvc: '123', postal_code: '2000' };
    for (const [name, value] of Object.entries(values)) {
      await tab.evaluate(`{
        const field = document.querySelector('#card input[placeholder=${name}]');
        field.value = ${JSON.stringify(value)};
        field.dispatchEvent(new Event('input'));
      }`);
    }
  }
  const status = (tab: Tab) => tab.evaluate<string>('document.querySelector("#card-status").textContent');
  const untilStatus = (tab: Tab, words: string) =>
    eventually(`the page says ${words}`, async () => (await status(tab)).includes(words));
  const taken = async () => [...(await rig.judge()).successes.values()].reduce((sum, each) => sum + each, 0);

  it('pays a link once, however often the button is pressed', async () => {
    const made = await link();
    assert.equal(made.payable, true);
    const before = await taken();
    const tab = await openForm(made.url);
    await type(tab, good);
    await tab.follow(`{ const button = [...document.querySelectorAll('button')].find((e) => e.textContent.startsWith('Pay'));
      button.click(); button.click(); button.click(); }`);
    assert.equal(await title(tab), 'Thank you for your payment');
    assert.match(await text(tab), /Visa ending in 4242/);
    assert.deepEqual(tab.complaints, []);
    assert.equal((await taken()) - before, 1);
    const { body } = await merchant.request('GET', `/payment_links/${made.id}`);
    assert.deepEqual([body.status, body.payments_count], ['completed', 1]);
  });

  it('saves a card by a setup link, after a challenge within the fields, and takes no money', async () => {
    const { id: customer_id } = await merchant.customer();
    const made = await link({ mode: 'setup', amount: undefined, currency: undefined, collect: undefined, customer_id });
    const before = await taken();
    const tab = await openForm(made.url);
    await type(tab, challenged);
    await tab.evaluate(press('Save'));
    await eventually('the bank asks', async () => (await text(tab)).includes('3D Secure'));
    await tab.follow(press('Complete authentication'));
    assert.equal(await title(tab), 'Your details were saved');
    assert.deepEqual([tab.complaints, (await taken()) - before], [[], 0]);
    const { body } = await merchant.request('GET', `/customers/${customer_id}/payment_methods`);
    const [saved] = body.payment_methods;
    assert.match(saved.instrument_data.card_number_token, /^pm_/);
    const { card_number_end, expiry_month, expiry_year, card_funding } = saved.instrument_data;
    assert.deepEqual([card_number_end, expiry_month, expiry_year, card_funding], ['3155', 12, 2040, 'credit']);
  });

  it('lets the payer enter another card after one whose challenge failed and one that Stripe did not save', async () => {
    const { url } = await link();
    const before = await taken();
    const tab = await openForm(url);
    await type(tab, challenged);
    await tab.evaluate(press('Pay'));
    await eventually('the bank asks', async () => (await text(tab)).includes('3D Secure'));
    await tab.evaluate(press('Fail authentication'));
    await untilStatus(tab, 'authentication failed');
    await type(tab, declinedAtOnce);
    await tab.evaluate(press('Pay'));
    await untilStatus(tab, 'declined');
    assert.equal((await taken()) - before, 0);
    await type(tab, good);
    await tab.follow(press('Pay'));
    assert.equal(await title(tab), 'Thank you for your payment');
    assert.equal((await taken()) - before, 1);
  });

  it('shows why a payment was declined, and is paid by the next card', async () => {
    const { url, id } = await link();
    const before = await taken();
    const tab = await openForm(url);
    await type(tab, declinedLater);
    await tab.follow(press('Pay'));
    assert.match(await text(tab), /The bank has declined this card/);
    await untilFields(tab);
    await type(tab, good);
    await tab.follow(press('Pay'));
    assert.equal(await title(tab), 'Thank you for your payment');
    assert.equal((await taken()) - before, 1);
    const { body } = await merchant.request('GET', `/payment_links/${id}`);
    assert.equal(body.payments_count, 1);
  });

  it('is paid once by two tabs with two cards', async () => {
    const { url } = await link();
    const before = await taken();
    const both = [await openForm(url), await openForm(url)];
    for (const tab of both) await type(tab, good);
    await Promise.all(both.map((tab) => tab.follow(press('Pay'))));
    await eventually('one of them is thanked', async () => {
      const titles = await Promise.all(both.map(title));
      return titles.filter((each) => each === 'Thank you for your payment').length === 1;
    });
    assert.equal((await taken()) - before, 1);
  });

  it('goes on with a card that was entered before the process of the pages was killed, and pays once', async () => {
    const { url } = await link();
    const before = await taken();
    const tab = await openForm(url);
    await type(tab, good);
    await tab.evaluate('HTMLFormElement.prototype.requestSubmit = () => {}');
    await tab.evaluate(press('Pay'));
    await eventually('Stripe has the card', () => tab.evaluate('document.querySelector("[name=setup]").value !== ""'));
    await pages.restart();
    await tab.follow('location.reload()');
    await untilStatus(tab, 'Visa ending in 4242, as you have entered it');
    await tab.follow(press('Pay'));
    assert.equal(await title(tab), 'Thank you for your payment');
    assert.equal((await taken()) - before, 1);
  });

  it('takes nothing if its session ends while the card is entered', async () => {
    const made = await merchant.request('POST', '/checkout_sessions', {
      name: 'Invoice',
      amount: 900,
      currency: 'AUD',
    });
    const before = await taken();
    const tab = await open(made.body.url);
    await untilFields(tab);
    await type(tab, good);
    await merchant.request('POST', `/checkout_sessions/${made.body.id}/expire`, {});
    await eventually('the page says so', async () => (await title(tab)) === 'This payment was canceled');
    assert.equal((await taken()) - before, 0);
  });

  it('asks Stripe for its fields only when the payer chooses a new card, and not a saved one', async () => {
    const { id: customer_id } = await merchant.customer();
    await merchant.card(customer_id, await rig.makeCard('good', liveKey));
    const { url } = await link({ customer_id, collect: undefined });
    const begun = () => rig.faults.calls.filter((each) => each === 'POST /v1/setup_intents').length;
    const before = begun();
    const tab = await open(url);
    await tab.follow(press('Continue'));
    const isHidden = () => tab.evaluate('document.querySelector("#card-fields").hidden');
    await eventually('the fields are hidden', isHidden);
    assert.equal(begun(), before);
    await tab.evaluate('document.querySelector("[value=card]").click()');
    await untilFields(tab);
    assert.deepEqual([await isHidden(), begun() - before], [false, 1]);
    await tab.evaluate('document.querySelector("[value^=pm_]").click()');
    await tab.follow(press('Pay'));
    assert.equal(await title(tab), 'Thank you for your payment');
  });

  it('saves a card in the widget of a page of the biller, which gets the id of the method', async () => {
    const shop = 'https://shop.example.com';
    const billerId = merchantId;
    await changeCheckoutOrigins(service.db.sql, billerId, { add: [shop] }, { by: tester, now: realNow() });
    const { key } = await makeKey(service.db.sql, { billerId, livemode: true, kind: 'publishable' });
    const tab = await open(`${pages.url}/widget/frame?${new URLSearchParams({ key, origin: shop, types: 'card' })}`);
    await untilFields(tab);
    await type(tab, declinedAtOnce);
    await tab.evaluate(press('Use this'));
    await untilStatus(tab, 'declined');
    await type(tab, good);
    await tab.follow(press('Use this'));
    assert.match(await text(tab), /Visa ending in 4242/);
    const told = JSON.parse(await tab.evaluate<string>('document.querySelector("main").dataset.method'));
    const { payment_method: saved } = (await merchant.request('GET', `/payment_methods/${told.id}`)).body;
    assert.deepEqual([saved.id, saved.type, told.last4], [told.id, 'card', '4242']);
    assert.equal(await tab.evaluate('sessionStorage.length'), 0, 'the next payer in this tab enters a card');
    const { body: paid } = await merchant.request('POST', '/payment_intents', {
      ...{ amount: 700, currency: 'AUD', payment_method: told.id, confirm: true },
    });
    assert.equal(paid.status, 'succeeded');
  });

  it('says without scripts that the fields need them', async () => {
    const { url } = await link();
    const tab = await open(url, { ...desktop, isWithoutScripts: true });
    await tab.follow(press('Continue'));
    assert.match(await text(tab), /The fields for a card need JavaScript/);
    await tab.follow(press('Pay'));
    assert.match(await text(tab), /Enter your card in the fields below/);
  });

  for (const [width, scheme] of [
    [320, 'light'],
    [320, 'dark'],
    [1280, 'light'],
    [1280, 'dark'],
  ] as const) {
    it(`is accessible and fits a window of ${width} pixels, ${scheme}`, async () => {
      const { url } = await link({ payment_method_types: ['card', 'au_becs_debit'] });
      const tab = await openForm(url, { width, height: 780, scheme, isMobile: width < 500 });
      await type(tab, declinedAtOnce);
      await tab.evaluate(press('Pay'));
      await untilStatus(tab, 'declined');
      // Stripe's fields are in a frame of its own, and localstripe's have no labels.
      await tab.evaluate('document.querySelector("#card").replaceChildren()');
      assert.deepEqual(await obstacles(tab), []);
      assert.equal(await tab.evaluate('document.documentElement.scrollWidth'), width);
    });
  }
});
