import type { Tab, View } from '../../lab/browser.ts';
import { until } from './page.ts';

const wide: View = { width: 1280, height: 900, scale: 0.75, scheme: 'light', isMobile: false };
const phone: View = { width: 390, height: 844, scheme: 'light' };

/** Takes the pictures of the reference: an operation; in the dark a request that was sent; on a phone. */
export async function takeReference(
  { baseUrl, key }: { baseUrl: string; key: string },
  open: (view: View) => Promise<Tab>,
  take: (page: Tab, name: string) => Promise<void>,
): Promise<void> {
  const light = await open(wide);
  await light.goto(`${baseUrl}/docs/payment-plans#createPaymentPlan`);
  await take(light, 'reference');

  const dark = await open({ ...wide, scheme: 'dark' });
  await dark.goto(`${baseUrl}/docs/customers#createCustomer`);
  await dark.evaluate(`(() => { const dialog = document.querySelector('dialog.key');
    dialog.querySelector('input').value = ${JSON.stringify(key)};
    dialog.querySelector('[value=use]').click();
    const form = document.querySelector('#createCustomer details.try');
    form.querySelector('summary').click();
    form.querySelector('button').click(); })()`);
  await until(dark, 'the response is shown', `document.querySelector('#createCustomer .try .good')`);
  await take(dark, 'reference-dark');

  const small = await open(phone);
  await small.goto(`${baseUrl}/docs/subscriptions#createSubscription`);
  await take(small, 'reference-phone');
}
