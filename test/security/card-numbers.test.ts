import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { sendChecked, useApi } from '../support/api.ts';
import { useDatabase } from '../support/database.ts';
import { useDebtor } from '../support/debtor.ts';
import { makeKey } from '../support/factories.ts';
import { useLinks } from '../support/links.ts';
import { contentsOf, usePages } from '../support/pages.ts';
import { useStage } from '../support/stage.ts';

const number = '4242 4242.4242/4242';
const fields = ['card_name', 'card_number_token', 'fingerprint'] as const;
const rates = { webhookAllowLoopback: true, rateLimitPerSecond: 100_000, rateLimitBurst: 100_000 };

describe('the numbers of cards at the API', () => {
  const db = useDatabase();
  const api = useApi(db);
  const vaults = useApi(db, undefined, () => ({ settings: { ...rates, tokensMayPassLuhn: true } }));

  const save = async (to: typeof api, livemode: boolean, more: object) => {
    const { key } = await makeKey(db.sql, { livemode });
    const token_metadata = { type: 'vault', token: 'tok_1', data: '' };
    const payment_method_data = { expiry_month: 12, expiry_year: 2030, token_metadata, ...more };
    return to.send('POST', '/api/v1/payment_methods', { key, body: { type: 'card', payment_method_data } });
  };
  const stored = async () =>
    (await db.sql`select 1 from payment_methods method where to_jsonb(method)::text like '%4242%4242%'`).length;

  for (const livemode of [false, true]) {
    it(`are refused and not stored in each field of a card that is stored as sent, livemode ${livemode}`, async () => {
      for (const field of fields) {
        const reply = await save(api, livemode, { [field]: number });
        assert.equal(reply.status, 400, field);
        const paths = reply.body.error.details.map(({ path }: { path: string }) => path);
        assert.deepEqual(paths, [`/payment_method_data/${field}`]);
        assert.doesNotMatch(reply.text, /4242/);
      }
      const all = await save(api, livemode, Object.fromEntries(fields.map((field) => [field, number])));
      assert.equal(all.body.error.details.length, fields.length);
      assert.equal(await stored(), 0);
    });
  }

  it('are tokens where CARD_TOKENS_MAY_PASS_LUHN says so, and never the name of a card', async () => {
    for (const field of fields) {
      const { status } = await save(vaults, false, { [field]: '4242424242424242' });
      assert.equal(status, field === 'card_name' ? 400 : 200, field);
    }
  });
});

describe('the numbers of cards in accounts and acceptances', () => {
  const stage = useStage();
  const here = useDebtor(stage);
  const links = useLinks(stage);
  const pages = usePages(stage);
  const spelled = '4242, 4242, 4242, 4242';
  const details = (reply: { body: { error?: { details?: { path: string; code: string }[] } } }) =>
    reply.body.error?.details?.map(({ path, code }) => `${code} ${path}`);

  it('are refused in each string of a card, an account and a sandbox instrument, and nothing is stored', async () => {
    const metadata = { type: 'vault', token: 'tok_1', data: '' };
    const card = { expiry_month: 12, expiry_year: 2030, token_metadata: metadata };
    const account = { bsb_number: '062-000', account_name: 'Jo Nguyen', account_number: '98765432' };
    const payPal = { paypal_email: 'jo@example.com', account_name: 'Jo' };
    const kinds: [path: string, type: string, data: object, names: string[]][] = [
      ['/payment_methods', 'card', card, ['card_name', 'card_number_token', 'fingerprint', 'wallet', 'card_brand']],
      ['/payment_methods', 'au_becs_debit', account, ['account_name', 'account_number_token', 'fingerprint']],
      ['/test_helpers/payment_methods', 'pay_id', { payid: 'jo', account_name: 'Jo' }, ['payid', 'account_name']],
      ['/test_helpers/payment_methods', 'paypal', payPal, ['account_name', 'paypal_token']],
    ];
    const before = await contentsOf(stage);
    for (const [path, type, data, names] of kinds) {
      const field = path === '/payment_methods' ? 'payment_method_data' : 'instrument_data';
      for (const name of names) {
        const reply = await stage.request('POST', path, { type, [field]: { ...data, [name]: spelled } });
        assert.equal(reply.status, 400, `${type} ${name}`);
        assert.deepEqual(details(reply), [`invalid_value /${field}/${name}`]);
        assert.doesNotMatch(reply.text, /4242/);
      }
    }
    for (const name of ['type', 'token', 'data']) {
      const payment_method_data = { ...card, token_metadata: { ...metadata, [name]: spelled } };
      const reply = await stage.request('POST', '/payment_methods', { type: 'card', payment_method_data });
      assert.deepEqual(details(reply), [`invalid_value /payment_method_data/token_metadata/${name}`]);
    }
    assert.equal(await contentsOf(stage), before);
  });

  it('are refused in each string of an acceptance, also of an import, and in the browser that sends it', async () => {
    const { id: customer } = await stage.merchant.customer();
    const account = await here.account(customer);
    const pending = await here.pending();
    const imported = { type: 'imported', accepted_at: '2020-01-01T00:00:00Z', signatory_name: 'Jo' };
    const intent = await stage.merchant.intent({ customer_id: customer });
    const online = await here.online();
    const before = await contentsOf(stage);
    for (const name of ['user_agent', 'signatory_name']) {
      const acceptance = { ...online, [name]: `Jo ${spelled}` };
      const created = await here.create({ payment_method_id: account, acceptance });
      assert.deepEqual(details(created), [`invalid_value /acceptance/${name}`]);
      assert.doesNotMatch(created.text, /4242/);
      assert.deepEqual(details(await here.accept(pending.id, acceptance)), [`invalid_value /${name}`]);
    }
    const acceptance = { ...imported, signatory_name: spelled };
    const ofImport = await here.create({ payment_method_id: account, acceptance });
    assert.deepEqual(details(ofImport), ['invalid_value /acceptance/signatory_name']);
    const sent = await sendChecked(`${stage.api.url}/api/v1/mandates`, 'POST', {
      key: stage.keys.sandboxPublishable,
      headers: { 'User-Agent': spelled },
      body: { payment_method_id: account, acceptance: online, client_secret: intent.client_secret },
    });
    assert.deepEqual(details(sent), ['invalid_value header/User-Agent']);
    assert.equal(await contentsOf(stage), before);
  });

  it('are not looked for in references, metadata and telephone numbers', async () => {
    const number = '4242424242424242';
    const made = await stage.request('POST', '/customers', {
      ...{ name: 'Jo Nguyen', reference: number, phones: [{ kind: 'mobile', raw: number }] },
    });
    assert.equal(made.status, 201, made.text);
    const intent = { amount: 2500, currency: 'AUD', metadata: { order: number } };
    assert.equal((await stage.request('POST', '/payment_intents', intent)).status, 201);
    const payment_method_data = { bsb_number: '062-000', account_name: 'Jo Nguyen', account_number: '98765432' };
    const body = { type: 'au_becs_debit', customer_reference: number, payment_method_data };
    assert.equal((await stage.request('POST', '/payment_methods', body)).status, 200);
  });

  it('are refused on a page for payers in the account name, and in the name of the browser, which is stored', async () => {
    const link = await links.link({ payment_method_types: ['au_becs_debit'] });
    const path = `/checkout/${await links.open(link)}`;
    const { hidden } = await pages.open(path);
    const before = await contentsOf(stage);
    const account = { method: 'au_becs_debit', bsb: '000-000', account_number: '12345678', agreed: 'yes' };
    const fields = { ...hidden, ...account, name: 'Jo', email: 'jo@example.com', account_name: 'Jo' };
    for (const [more, headers] of [
      [{ account_name: spelled }, {}],
      [{}, { 'User-Agent': spelled }],
    ] as const) {
      const refused = await pages.post(path, { ...fields, ...more }, headers);
      assert.deepEqual([refused.status, refused.text.includes('Do not enter a card number')], [400, true]);
    }
    assert.equal(await contentsOf(stage), before);
    assert.equal((await pages.post(path, fields)).status, 303);
  });
});
