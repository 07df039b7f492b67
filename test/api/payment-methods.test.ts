import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { refusal, rowCounts, useStage } from '../support/stage.ts';

const path = '/payment_methods';
const fixture = (token: string) => ({ type: 'fixture', token, data: '' });
const card = (data: object = {}, more: object = {}) => ({
  type: 'card',
  payment_method_data: {
    expiry_month: 12,
    expiry_year: 2030,
    token_metadata: fixture('tok_sandbox_visa_succeed'),
    ...data,
  },
  ...more,
});
const debit = (data: object = {}, more: object = {}) => ({
  type: 'au_becs_debit',
  payment_method_data: { bsb_number: '000-000', account_name: 'Jo Doe', account_number: '12345678', ...data },
  ...more,
});
const vaulted = { type: 'vault', token: 't', data: '' };

describe('saving a card', () => {
  const stage = useStage();
  const post = (body: unknown) => stage.request('POST', path, body);
  const fetched = async (id: string) => (await stage.request('GET', `${path}/${id}`)).body;

  it('keeps the brand and the ending of a fixture token, and nothing else', async () => {
    const { status, body } = await post(card({ token_metadata: fixture('tok_sandbox_amex_succeed') }));
    assert.equal(status, 200);
    const { id } = body.payment_method;
    assert.match(id, /^pm_[0-9A-Za-z]{32}$/);
    const shown = { last4: '8431', exp_month: 12, exp_year: 2030, brand: 'Amex', wallet: null };
    assert.deepEqual(body, { success: true, payment_method: { id, type: 'card', card: shown } });
    const instrument_data = { card_name: '', expiry_month: 12, expiry_year: 2030, card_number_end: '8431' };
    assert.deepEqual(await fetched(id), { success: true, payment_method: { id, type: 'card', instrument_data } });
  });

  it('keeps what was given and never shows its token', async () => {
    const data = {
      card_name: 'Jo Doe',
      card_number_token: 'cnt',
      card_number_end: '1881',
      card_bin: '51551234',
      fingerprint: 'fp',
      wallet: 'apple_pay',
    };
    const secret = 'very-secret-token';
    const { status, body, text } = await post(
      card({ ...data, token_metadata: { ...vaulted, token: secret, data: secret } }),
    );
    assert.equal(status, 200);
    const shown = { last4: '1881', exp_month: 12, exp_year: 2030, brand: 'Mastercard', wallet: 'apple_pay' };
    assert.deepEqual(body.payment_method.card, shown);
    const { payment_method } = await fetched(body.payment_method.id);
    assert.deepEqual(payment_method.instrument_data, { ...data, expiry_month: 12, expiry_year: 2030 });
    assert.equal(text.includes(secret), false);
    const [row] = await stage.db.sql<{ text: string }[]>`
      select to_jsonb(m)::text as text from payment_methods m where id = ${body.payment_method.id}`;
    assert.equal(row?.text.includes(secret), false);
  });

  it('takes a brand that is named', async () => {
    const named = await post(card({ token_metadata: vaulted, card_brand: 'UnionPay' }));
    assert.deepEqual(named.body.payment_method.card.brand, 'UnionPay');
    assert.deepEqual(named.body.payment_method.card.last4, null);
  });

  it('names an unknown fixture token, together with an unknown customer', async () => {
    const wrong = card({ token_metadata: fixture('tok_nope') }, { customer_reference: 'nobody' });
    assert.deepEqual(refusal(await post(wrong), 400), [
      '/customer_reference resource_missing',
      '/payment_method_data/token_metadata/token unknown_fixture_token',
    ]);
    assert.deepEqual(refusal(await post(card({ token_metadata: fixture('tok_nope') })), 400).length, 1);
  });
});

describe('saving a bank account', () => {
  const stage = useStage();
  const post = (body: unknown) => stage.request('POST', path, body);

  it('shows number-free facts when it is made and when it is fetched', async () => {
    const { status, body } = await post(debit({ fingerprint: 'fp', account_number_token: 'ant' }));
    assert.equal(status, 200);
    const { id } = body.payment_method;
    const au_becs_debit = { bsb_number: '000-000', account_name: 'Jo Doe', last4: '5678' };
    assert.deepEqual(body, { success: true, payment_method: { id, type: 'au_becs_debit', au_becs_debit } });
    const instrument_data = {
      bsb_number: '000-000',
      account_name: 'Jo Doe',
      account_number_end: '5678',
      fingerprint: 'fp',
      account_number_token: 'ant',
    };
    const fetched = await stage.request('GET', `${path}/${id}`);
    assert.deepEqual(fetched.body, { success: true, payment_method: { id, type: 'au_becs_debit', instrument_data } });
  });

  it('writes its number nowhere in the clear: not into rows, answers or logs', async () => {
    const account_number = '918273645';
    const { body, text } = await post(debit({ account_number }));
    const fetched = await stage.request('GET', `${path}/${body.payment_method.id}`);
    assert.equal((text + fetched.text + JSON.stringify(stage.api.log)).includes(account_number), false);
    const [row] = await stage.db.sql<{ text: string; sealed: Buffer }[]>`
      select to_jsonb(m)::text as text, sealed_account_number as sealed from payment_methods m
      where id = ${body.payment_method.id}`;
    assert.equal(row?.text.includes(account_number), false);
    assert.equal(row?.sealed.toString('latin1').includes(account_number), false);
  });

  it('counts characters, not halves of them', async () => {
    for (const account_number of ['12345😀', '1234😀5😀', '😀😀😀😀😀😀']) {
      const { status, body } = await post(debit({ account_number }));
      assert.deepEqual([status, [...body.payment_method.au_becs_debit.last4].length], [200, 4]);
    }
  });
});

describe('saving a payment method', () => {
  const stage = useStage();
  const post = (body: unknown) => stage.request('POST', path, body);

  it('has a wrong BSB and account number refused in words', async () => {
    const { body } = await post(debit({ bsb_number: '06200', account_number: '123' }));
    const messages = body.error.details.map(({ message }: { message: string }) => message);
    assert.deepEqual(messages.sort(), [
      'payment_method_data.account_number must be 6 to 9 characters, such as 12345678.',
      'payment_method_data.bsb_number must be six digits, with or without a hyphen, such as 062-000.',
    ]);
  });

  it('is open to a publishable key', async () => {
    const key = stage.keys.sandboxPublishable;
    assert.equal((await stage.api.send('POST', `/api/v1${path}`, { key, body: card() })).status, 200);
  });

  it('makes the first one of a customer, by its id or the biller’s reference, the default', async () => {
    const customer = await stage.merchant.customer({ reference: 'R-7' });
    const first = await post(card({}, { customer_reference: 'R-7' }));
    const second = await post(debit({}, { customer_reference: customer.id }));
    assert.deepEqual([first.status, second.status], [200, 200]);
    const { body } = await stage.request('GET', `/customers/${customer.id}`);
    assert.equal(body.default_payment_method, first.body.payment_method.id);
    const owners = await stage.db.sql<{ customer_id: string }[]>`
      select customer_id from payment_methods
      where id in (${first.body.payment_method.id}, ${second.body.payment_method.id})`;
    assert.deepEqual(
      owners.map((row) => row.customer_id),
      [customer.id, customer.id],
    );
  });

  it('names customer_reference for a customer that is unknown, another biller’s or deleted', async () => {
    const { merchant } = await stage.stranger();
    const foreign = await merchant.customer({ reference: 'theirs' });
    const gone = await stage.merchant.customer({ reference: 'gone' });
    await stage.db.sql`update customers set deleted_at = now() where id = ${gone.id}`;
    const before = await rowCounts(stage);
    for (const [reference, code] of [
      ['cus_none', 'resource_missing'],
      [foreign.id, 'resource_missing'],
      ['theirs', 'resource_missing'],
      ['gone', 'resource_missing'],
      [gone.id, 'customer_deleted'],
    ]) {
      const reply = await post(card({}, { customer_reference: reference }));
      assert.deepEqual(refusal(reply, 400), [`/customer_reference ${code}`]);
    }
    assert.deepEqual(await rowCounts(stage), before);
  });

  it('is refused for a reference that two customers have, outside of clocks or on one clock', async () => {
    const named = async (reference: string, test_clock?: string) =>
      (await stage.merchant.customer({ reference, ...(test_clock === undefined ? {} : { test_clock }) })).id;
    const [one, other] = [
      await stage.merchant.clock('2031-02-03T00:00:00Z'),
      await stage.merchant.clock('2031-02-03T00:00:00Z'),
    ];
    const [first] = [await named('twice'), await named('twice')];
    await named('both on one', one.id);
    await named('both on one', one.id);
    for (const reference of ['twice', 'both on one']) {
      const reply = await post(card({}, { customer_reference: reference }));
      assert.deepEqual(refusal(reply, 400), ['/customer_reference customer_reference_ambiguous'], reference);
    }
    const ownerOf = async (reference: string) => {
      const { body } = await post(card({}, { customer_reference: reference }));
      const [row] = await stage.db.sql`select customer_id from payment_methods where id = ${body.payment_method.id}`;
      return row?.customer_id;
    };
    await named('one on each', one.id);
    const newest = await named('one on each', other.id);
    assert.equal(await ownerOf('one on each'), newest);
    assert.equal(await ownerOf(first), first, 'an id always names one');
    await stage.db.sql`update customers set deleted_at = now() where id = ${first}`;
    assert.match(await ownerOf('twice'), /^cus_/, 'a deleted one does not count');
  });

  it('gives it the clock’s time for a clock-bound customer', async () => {
    const clock = await stage.merchant.clock('2031-02-03T04:05:06.789Z');
    const { id } = await stage.merchant.customer({ test_clock: clock.id });
    const { body } = await post(card({}, { customer_reference: id }));
    const [row] = await stage.db
      .sql`select created_at, updated_at from payment_methods where id = ${body.payment_method.id}`;
    assert.deepEqual({ ...row }, { created_at: new Date(clock.frozen_time), updated_at: new Date(clock.frozen_time) });
  });
});

describe('detaching a payment method', () => {
  const stage = useStage();
  const detach = (id: string) => stage.request('POST', `${path}/${id}/detach`);

  it('answers it as a fetch does, leaves it readable, and leaves its customer without a default', async () => {
    const customer = await stage.merchant.customer();
    const id = await stage.merchant.card(customer.id);
    await stage.merchant.card(customer.id);
    const shown = await stage.request('GET', `${path}/${id}`);
    const detached = await detach(id);
    assert.deepEqual([detached.status, detached.body], [200, shown.body]);
    assert.deepEqual((await stage.request('GET', `${path}/${id}`)).body, shown.body);
    assert.equal((await stage.request('GET', `/customers/${customer.id}`)).body.default_payment_method, null);
  });

  it('twice changes nothing the second time', async () => {
    const id = await stage.merchant.card((await stage.merchant.customer()).id);
    const row = async () => ({ ...(await stage.db.sql`select * from payment_methods where id = ${id}`)[0] });
    const first = await detach(id);
    const then = await row();
    const second = await detach(id);
    assert.deepEqual([second.status, second.text, await row()], [200, first.text, then]);
  });

  it('takes no body, and does not know another biller’s', async () => {
    const { merchant } = await stage.stranger();
    const foreign = await merchant.card((await merchant.customer()).id);
    for (const id of [foreign, 'pm_none', 'cus_x']) refusal(await detach(id), 404, 'resource_missing');
    const id = await stage.merchant.card((await stage.merchant.customer()).id);
    const reply = await stage.request('POST', `${path}/${id}/detach`, { reason: 'x' });
    assert.deepEqual(refusal(reply, 400), ['/reason unknown_parameter']);
  });

  it('makes naming it in an intent, a confirm or a plan a validation failure', async () => {
    const customer = await stage.merchant.customer();
    const id = await stage.merchant.card(customer.id);
    const intent = await stage.merchant.intent({ amount: 500, customer_id: customer.id });
    await detach(id);
    const create = await stage.request('POST', '/payment_intents', {
      amount: 500,
      currency: 'AUD',
      payment_method: id,
    });
    assert.deepEqual(refusal(create, 400), ['/payment_method payment_method_detached']);
    const confirm = await stage.request('POST', `/payment_intents/${intent.id}/confirm`, { payment_method: id });
    assert.deepEqual(refusal(confirm, 400), ['/payment_method payment_method_detached']);
    const plan = await stage.request('POST', '/payment_plans', {
      customer_id: customer.id,
      name: 'P',
      frequency_type: 'weekly',
      recurring_amount_cents: 100,
      until_further_notice: true,
      currency: 'AUD',
      start_date: '2199-01-01',
      payment_instrument_id: id,
    });
    assert.deepEqual(refusal(plan, 422), ['/payment_instrument_id payment_method_detached']);
  });
});
