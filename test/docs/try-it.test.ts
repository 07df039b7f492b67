import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it } from 'mocha';
import type { Tab } from '../../lab/browser.ts';
import { eventually } from '../../lab/eventually.ts';
import { root } from '../../lab/run-program.ts';
import { openApiDocument } from '../../src/api/openapi/document.ts';
import { asNode } from '../../src/api/validation/describe-schema.ts';
import { operationsOf } from '../../src/sites/reference/operation.ts';
import { allRoutes } from '../../src/sites/routes.ts';
import { desktop, obstacles, useBrowser } from '../support/browser.ts';
import { assertRan, runScript, type Script, whyNotRun } from '../support/samples.ts';
import { useStage } from '../support/stage.ts';

const document = openApiDocument(allRoutes);
const phone = { width: 360, height: 780 };

describe('sending requests from the reference', function () {
  this.timeout(60_000);
  const stage = useStage();
  const browser = useBrowser();
  const page = (name: string) => `${stage.api.url}/docs/${name}`;

  const form = (operation: string) => `document.querySelector('#${operation} .try form')`;
  const open = (tab: Tab, operation: string) =>
    tab.evaluate(`document.querySelector('#${operation} details.try summary').click()`);
  const send = (tab: Tab, operation: string) => tab.evaluate(`${form(operation)}.querySelector('button').click()`);
  const statusOf = (tab: Tab, operation: string) =>
    eventually('a response is shown', () =>
      tab.evaluate<string | null>(
        `/^\\d+|not/.exec(${form(operation)}.querySelector('[role=status]').textContent)?.[0] ?? null`,
      ),
    );
  const isAsking = (tab: Tab) => tab.evaluate<boolean>(`document.querySelector('dialog.key').open`);
  const give = (tab: Tab, key: string) =>
    tab.evaluate(`(() => { const input = document.querySelector('dialog.key input'); input.value = ${JSON.stringify(key)};
      document.querySelector('dialog.key [value=use]').click(); })()`);
  const kept = (tab: Tab) => tab.evaluate<string>(`JSON.stringify([{ ...sessionStorage }, { ...localStorage }])`);
  const curl = (tab: Tab, operation: string) =>
    tab.evaluate<string>(`document.querySelector('#${operation} [data-language=curl] code').textContent`);
  const samples = (tab: Tab) =>
    tab.evaluate<string>(`[...document.querySelectorAll('.samples')].map((one) => one.textContent).join()`);

  it('asks for a key, sends the sample, and shows what came back', async () => {
    const tab = await browser.open(page('customers'));
    await open(tab, 'createCustomer');
    await send(tab, 'createCustomer');
    assert.equal(await isAsking(tab), true);
    assert.equal(await tab.evaluate(`document.activeElement.name`), 'key');
    await give(tab, stage.keys.sandboxSecret);
    assert.equal(await statusOf(tab, 'createCustomer'), '201');
    const { data } = await stage.merchant.client.customers.list();
    const shown = await tab.evaluate<string>(`${form('createCustomer')}.querySelector('pre').textContent`);
    assert.equal(JSON.parse(shown).id, data[0]?.id);
    const coloured = `[...${form('createCustomer')}.querySelectorAll('pre span')].map((one) => one.className + one.textContent)`;
    assert.deepEqual((await tab.evaluate<string[]>(coloured)).slice(0, 3), [
      `s"${data[0]?.id}"`,
      's"Jo Nguyen"',
      'nnull',
    ]);

    // The new customer stands in the forms and samples of other operations, also on another page.
    await open(tab, 'getCustomer');
    await send(tab, 'getCustomer');
    assert.equal(await statusOf(tab, 'getCustomer'), '200');
    await tab.goto(page('payment-plans'));
    assert.ok((await curl(tab, 'createPaymentPlan')).includes(`"customer_id": "${data[0]?.id}"`));
    assert.deepEqual(tab.complaints, []);
  });

  it('shows the key in the samples of all languages, in this tab alone, until it is forgotten', async () => {
    const key = stage.keys.sandboxSecret;
    const tab = await browser.open(page('refunds'));
    const before = await samples(tab);
    assert.ok(before.includes('$API_KEY') && before.includes('$BASE_URL'));
    await give(tab, key);
    const after = await samples(tab);
    assert.deepEqual([after.includes('$API_KEY'), after.includes('$BASE_URL')], [false, false]);
    for (const opening of ['Bearer ', 'apiKey: ', 'api_key=', 'APIKey: '])
      assert.match(after, new RegExp(`${opening}["']?${key}`));
    assert.ok((await kept(tab)).includes(key));
    const other = await browser.open(page('refunds'));
    assert.equal((await kept(other)).includes(key), false);
    await tab.evaluate(`document.querySelector('dialog.key [value=forget]').click()`);
    assert.equal(await samples(tab), before);
    assert.equal((await kept(tab)).includes(key), false);
  });

  it('makes samples in TypeScript and Python that run as they are', async () => {
    const tab = await browser.open(page('customers'));
    await give(tab, stage.keys.sandboxSecret);
    const env = { PYTHONPATH: join(root, 'clients/python/src'), PYTHONDONTWRITEBYTECODE: '1' };
    const languages = [
      ['TypeScript', 'ts'],
      ['Python', 'py'],
    ] as const;
    let ran = 0;
    for (const [name, language] of languages) {
      if (whyNotRun(language) !== null) continue;
      const text = await tab.evaluate<string>(
        `document.querySelector('#createCustomer [data-language=${name}] code').textContent`,
      );
      const sample: Script = { title: name, language, isRun: true, isServer: false, text, outputs: [] };
      assertRan(sample, await runScript(sample, env));
      ran += 1;
    }
    assert.equal((await stage.merchant.client.customers.list()).data.length, ran);
  });

  it('takes no key but a secret one of the sandbox, says why, and keeps nothing of another', async () => {
    const tab = await browser.open(page('events'));
    const cases: [string, RegExp][] = [
      [stage.keys.liveSecret, /key of live mode/],
      [stage.keys.livePublishable, /key of live mode/],
      [stage.keys.sandboxPublishable, /publishable key/],
      [`${stage.keys.sandboxSecret}"; rm`, /not a sandbox key/],
    ];
    for (const [key, why] of cases) {
      await tab.evaluate(`[...document.querySelectorAll('header button')].at(-1).click()`);
      await give(tab, key);
      assert.equal(await isAsking(tab), true);
      assert.match(await tab.evaluate(`document.querySelector('.key [role=alert]').textContent`), why);
      assert.equal(await tab.evaluate(`document.querySelector('dialog.key input').value`), '');
      assert.equal((await kept(tab)).includes(key.slice(11)), false);
      await tab.evaluate(`document.querySelector('dialog.key [value=cancel]').click()`);
    }
  });

  it('leads by the samples alone from a customer to a refund and a subscription', async () => {
    const tab = await browser.open(page('customers'));
    await give(tab, stage.keys.sandboxSecret);
    const steps = [
      ['customers', 'createCustomer', '201'],
      ['payment-methods', 'createPaymentMethod', '200'],
      ['payment-intents', 'createPaymentIntent', '201'],
      ['payment-intents', 'confirmPaymentIntent', '200'],
      ['refunds', 'createRefund', '201'],
      ['subscriptions', 'createSubscription', '201'],
      ['subscriptions', 'startSubscription', '200'],
    ] as const;
    let current = 'customers';
    for (const [resource, operation, status] of steps) {
      if (resource !== current) await tab.goto(page(resource));
      current = resource;
      await open(tab, operation);
      await eventually('the form is filled in', () => tab.evaluate<boolean>(`${form(operation)}.checkValidity()`));
      await send(tab, operation);
      assert.equal(await statusOf(tab, operation), status, operation);
    }
    const { data: refunds } = await stage.merchant.client.events.list({ event_type: 'refund.succeeded' });
    assert.equal(refunds.length, 1);
  });

  it('keeps ids of objects beside the key, and not the secret of an endpoint', async () => {
    const tab = await browser.open(page('webhooks'));
    await give(tab, stage.keys.sandboxSecret);
    await open(tab, 'createWebhookEndpoint');
    const body = JSON.stringify({ url: 'http://127.0.0.1:9/' });
    await tab.evaluate(`${form('createWebhookEndpoint')}.elements.body.value = ${JSON.stringify(body)}`);
    await send(tab, 'createWebhookEndpoint');
    assert.equal(await statusOf(tab, 'createWebhookEndpoint'), '201');
    const shown = await tab.evaluate<string>(`${form('createWebhookEndpoint')}.querySelector('pre').textContent`);
    const { id, secret } = JSON.parse(shown);
    assert.match(secret, /^whsec_/);
    assert.deepEqual([(await kept(tab)).includes(id), (await kept(tab)).includes(secret)], [true, false]);
  });

  it('offers the bodies of all examples', async () => {
    const tab = await browser.open(page('customers'));
    const bodies = await tab.evaluate<string[]>(`(() => {
      const { elements: { body } } = ${form('createCustomer')};
      const select = body.form.querySelector('select');
      return [...select.options].map(({ value }) => {
        select.value = value;
        select.dispatchEvent(new Event('change'));
        return body.value;
      });
    })()`);
    const [operation] = operationsOf(document).filter(({ id }) => id === 'createCustomer');
    const content = asNode(asNode(asNode(operation?.node.requestBody)?.content)?.['application/json']);
    const examples = Object.values(asNode(content?.examples) ?? {}).map((one) => asNode(one)?.value);
    assert.ok(examples.length > 1);
    assert.deepEqual(
      bodies.map((body) => JSON.parse(body)),
      examples,
    );
  });

  it('shows a refusal of the API, and sends the parameters of path and query', async () => {
    const tab = await browser.open(page('payment-plans'));
    await give(tab, stage.keys.sandboxSecret);
    await open(tab, 'createPaymentPlan');
    await send(tab, 'createPaymentPlan');
    assert.equal(await statusOf(tab, 'createPaymentPlan'), '422');
    await open(tab, 'listPaymentPlans');
    await tab.evaluate(`${form('listPaymentPlans')}.elements.limit.value = '1000'`);
    await send(tab, 'listPaymentPlans');
    assert.equal(await statusOf(tab, 'listPaymentPlans'), '400');
    await open(tab, 'getPaymentPlan');
    await tab.evaluate(`${form('getPaymentPlan')}.elements.plan_id.value = '../customers'`);
    await send(tab, 'getPaymentPlan');
    assert.equal(await statusOf(tab, 'getPaymentPlan'), '404');
  });

  it('has its buttons among the contents on a telephone', async () => {
    const tab = await browser.open(page('refunds'), { ...phone, scheme: 'light' });
    const texts = `[...document.querySelectorAll('nav button')].map((one) => one.textContent)`;
    assert.deepEqual(await tab.evaluate(texts), ['Dark', 'Your key']);
  });

  it('is accessible, light and dark, and fits a phone', async () => {
    for (const view of [
      { ...desktop, scheme: 'light' },
      { ...phone, scheme: 'dark' },
    ] as const) {
      const tab = await browser.open(page('refunds'), view);
      await give(tab, stage.keys.sandboxSecret);
      await tab.evaluate(`document.querySelectorAll('details.try').forEach((one) => { one.open = true; })`);
      assert.deepEqual(await obstacles(tab), []);
      assert.equal(await tab.evaluate('document.documentElement.scrollWidth'), view.width);
      await tab.evaluate(`document.querySelector('dialog.key').showModal()`);
      assert.deepEqual(await obstacles(tab), []);
      assert.deepEqual(tab.complaints, []);
    }
  });

  it('is not there without scripts: no form asks for a key', async () => {
    const tab = await browser.open(page('customers'), { ...desktop, isWithoutScripts: true });
    const shown = `[...document.querySelectorAll('main form, main input, main button')].filter((one) => one.checkVisibility())`;
    assert.equal(await tab.evaluate(`${shown}.length`), 0);
  });

  it('is there for every operation but those of the reference itself', async () => {
    for (const { id, tag, httpMethod, path } of operationsOf(document)) {
      const { text } = await stage.api.send('GET', `/docs/${tag.toLowerCase().replaceAll(' ', '-')}`);
      const [section = ''] = (text.split(`id="${id}"`)[1] ?? '').split('</section>');
      assert.equal(section.includes(`<form data-method="${httpMethod}" data-path="${path}"`), tag !== 'Reference', id);
    }
  });
});
