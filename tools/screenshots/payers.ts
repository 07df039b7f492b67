// The pages for payers, as the payers of one biller see them: on a phone and on a wide screen.
import type { PaymentsClient } from '@payments-service/client';
import type { Browser, Tab, View } from '../../lab/browser.ts';
import { serveOnLoopback } from '../../lab/loopback-server.ts';
import { saveCard } from '../../lab/payer.ts';
import type { Id } from '../../src/domain/ids.ts';
import { openPool } from '../../src/platform/postgres/connection.ts';
import { realNow } from '../../src/platform/real-time.ts';
import {
  changeBillerProfile,
  changeCheckoutOrigins,
  getBillerProfile,
  profileTexts,
} from '../../src/services/accounts/biller-profile.ts';
import { until } from './page.ts';

/** The service, and the demo biller with its keys. */
interface Development {
  pagesUrl: string;
  publishableKey: string;
  billerId: Id<'biller'>;
  databaseUrl: string;
}

const timeZone = 'Australia/Sydney';
const phone = { width: 400, height: 620, scale: 1.5, scheme: 'light', timeZone } as const;
const wide = { width: 1280, height: 800, scale: 0.75, scheme: 'light', isMobile: false, timeZone } as const;
/** Pixels of a page that are shown at most. */
const tallest = 1_200;

const profile = {
  display_name: 'Harbour Gym',
  support_email: 'help@harbourgym.example',
  support_phone: '+61 2 5550 1234',
  address: '1 Harbour Street, Sydney NSW 2000',
  tax_id: 'ABN 51 824 753 556',
  brand_color: '#0b7285',
};
const by = { kind: 'service', id: 'screenshots' } as const;

/** Takes the pictures: `take` gets each, with its name. What they show is made for them, and taken away again. */
export async function takePayersPages(
  browser: Browser,
  api: PaymentsClient,
  development: Development,
  take: (tab: Tab, name: string) => Promise<void>,
): Promise<void> {
  const sql = openPool(development.databaseUrl, { max: 1, name: 'screenshots' });
  const before = await getBillerProfile(sql, development.billerId);
  const shop = await serveOnLoopback((request, response) => {
    const isPage = request.path === '/';
    response.writeHead(isPage ? 200 : 404, { 'content-type': 'text/html; charset=utf-8' });
    response.end(isPage ? shopPage(development) : '');
  });
  const origin = () => ({ by, now: realNow() });
  const clock = await api.testClocks.create({ frozen_time: '2026-12-10T00:00:00Z', name: 'Pictures of the pages' });
  try {
    await changeBillerProfile(sql, development.billerId, profile, origin());
    await changeCheckoutOrigins(sql, development.billerId, { add: [shop.url] }, origin());
    await takeStates(browser, api, clock.id, take);
    await takeBoth(browser, shop.url, 'widget', take, `document.querySelector('iframe')?.clientHeight > 100`);
  } finally {
    await api.testClocks.delete(clock.id);
    const texts = Object.fromEntries(profileTexts.map((name) => [name, before[name]]));
    await changeBillerProfile(sql, development.billerId, texts, origin());
    await changeCheckoutOrigins(sql, development.billerId, { remove: [shop.url] }, origin());
    await shop.close();
    await sql.end();
  }
}

/** A link, its form, a challenge, a receipt, and a link that has expired. */
async function takeStates(
  browser: Browser,
  api: PaymentsClient,
  clockId: string,
  take: (tab: Tab, name: string) => Promise<void>,
): Promise<void> {
  const { id: customer_id } = await api.customers.create({ name: 'Ada Lovelace', test_clock: clockId });
  const membership = { amount: 2500, currency: 'AUD', surcharge_applied: true, customer_id } as const;
  const link = await api.paymentLinks.create({
    ...{ ...membership, name: 'Membership, December', description: 'Swimming pool and sauna included.' },
    expires_at: '2026-12-24T00:00:00Z',
  });
  const ended = await api.paymentLinks.create({
    ...{ ...membership, name: 'Membership, November' },
    expires_at: '2026-12-11T00:00:00Z',
  });
  await api.testClocks.advanceAndWait(clockId, { frozen_time: '2026-12-12T00:00:00Z' });
  await takeBoth(browser, urlOf(ended), 'pay-link-ended', take);
  await takeBoth(browser, urlOf(link), 'pay-link', take);
  const tab = await browser.open(wide);
  await tab.goto(urlOf(link));
  await tab.follow(press('Continue to payment'));
  await takeBoth(browser, await tab.evaluate<string>('location.href'), 'pay-checkout', take);
  await tab.evaluate(`document.querySelector('[value="tok_sandbox_visa_succeed"]').checked = true`);
  await tab.follow(press('Pay'));
  const { data: paid } = await api.paymentLinks.listPayments(link.id);
  const { receipt_url: receipt } = await api.paymentIntents.get(paid[0]?.id ?? '');
  await takeBoth(browser, receipt ?? '', 'receipt', take);
  const { id } = await api.paymentIntents.create({ amount: 2500, currency: 'AUD', customer_id });
  const payment_method = await saveCard(api, customer_id, 'tok_sandbox_visa_3ds_required');
  const { next_action: challenge } = await api.paymentIntents.confirm(id, { payment_method });
  await takeBoth(browser, challenge?.url ?? '', 'challenge', take);
}

/** Takes a page twice: on a phone, and as `…-wide`. A page that is longer than the screen is shown as a whole. */
async function takeBoth(
  browser: Browser,
  url: string,
  name: string,
  take: (tab: Tab, name: string) => Promise<void>,
  isThere = 'document.readyState === "complete"',
): Promise<void> {
  for (const [view, suffix] of [
    [phone, ''],
    [wide, '-wide'],
  ] as const) {
    const height = await heightOf(await openPage(browser, url, view, isThere));
    const whole = { ...view, height: Math.min(tallest, Math.max(view.height, height)) };
    await take(await openPage(browser, url, whole, isThere), `${name}${suffix}`);
  }
}

async function openPage(browser: Browser, url: string, view: View, isThere: string): Promise<Tab> {
  const tab = await browser.open(view);
  await tab.goto(url);
  await until(tab, `${url} is there`, isThere);
  return tab;
}

function heightOf(tab: Tab): Promise<number> {
  return tab.evaluate<number>('document.documentElement.scrollHeight');
}

function urlOf({ url }: { url?: string }): string {
  if (url === undefined) throw new Error('The service has no pages: set PUBLIC_URL.');
  return url;
}

function press(words: string): string {
  const name = JSON.stringify(words);
  return `[...document.querySelectorAll('button, a')].find((e) => e.textContent.trim().startsWith(${name})).click()`;
}

/** A page of the biller's own shop, with the widget. */
function shopPage({ pagesUrl, publishableKey }: Development): string {
  const options = JSON.stringify({ publishableKey, container: '#payment' });
  return `<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>Pay for the boat</title>
<style>
body { font: 16px/1.5 serif; margin: 0; background: #fffaf0 } header { background: #1b4332; color: #fff; padding: 1rem }
main { max-width: 40rem; margin: 1rem auto; padding: 0 1rem } iframe { width: 100% }
</style>
<header>Rowing boats of Lake Eucumbene</header>
<main><h1>Pay for the boat</h1><p>Two hours, $25.00.</p><div id="payment"></div></main>
<script src="${pagesUrl}/widget/v1.js"></script>
<script>Payments.widget({ ...${options}, onPaymentMethod() {}, onError() {} });</script></html>`;
}
