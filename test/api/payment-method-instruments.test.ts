import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { Reply } from '../support/api.ts';
import { usePayer } from '../support/payer.ts';
import { refusal, rowCounts, useStage } from '../support/stage.ts';

const path = '/test_helpers/payment_methods';
const klarna = { dob: { day: 1, month: 2, year: 1990 } };
const payId = { payid: 'jo@example.com', account_name: 'Jo', payid_type: 'email' };
const payPal = { paypal_email: 'jo@example.com', account_name: 'Jo', paypal_token: 'tok_1' };

/** One of each type, with all that it can have and with as little as it may have. */
const instruments: [type: string, data: object][] = [
  ['klarna', klarna],
  ['klarna', { dob: { day: null, month: null, year: null } }],
  ['klarna', { dob: null }],
  ['pay_id', payId],
  ['pay_id', { payid: '+61400000000', account_name: 'Jo' }],
  ['paypal', payPal],
  ['paypal', { paypal_email: 'jo@example.com', account_name: 'Jo' }],
];

describe('a Klarna, PayID or PayPal method', () => {
  const stage = useStage();
  const post = (type: unknown, instrument_data: unknown, more: object = {}): Promise<Reply> =>
    stage.request('POST', path, { type, instrument_data, ...more });
  async function made(type: string, data: object, customer_reference?: string): Promise<string> {
    const { status, body } = await post(type, data, { customer_reference });
    assert.equal(status, 200);
    return body.payment_method.id;
  }

  it('is answered with 200 and the instrument_data that was given', async () => {
    for (const [type, instrument_data] of instruments) {
      const { status, body } = await post(type, instrument_data);
      const { id } = body.payment_method;
      assert.match(id, /^pm_[0-9A-Za-z]{32}$/);
      assert.deepEqual([status, body], [200, { success: true, payment_method: { id, type, instrument_data } }]);
    }
  });

  it('is shown alike by its fetch, its customer’s, both lists and its detachment', async () => {
    const { id: customer } = await stage.merchant.customer();
    for (const [type, instrument_data] of instruments) {
      const id = await made(type, instrument_data, customer);
      const payment_method = { id, type, instrument_data };
      const shown = { success: true, payment_method };
      assert.deepEqual((await stage.request('GET', `/payment_methods/${id}`)).body, shown);
      assert.deepEqual((await stage.request('GET', `/customers/${customer}/payment_methods/${id}`)).body, shown);
      assert.deepEqual((await stage.request('GET', '/payment_methods')).body.payment_methods[0], payment_method);
      const own = await stage.request('GET', `/customers/${customer}/payment_methods`);
      assert.deepEqual(own.body, { success: true, payment_methods: [payment_method], has_more: false });
      assert.deepEqual((await stage.request('POST', `/payment_methods/${id}/detach`)).body, shown);
      assert.deepEqual((await stage.request('GET', '/payment_methods')).body.payment_methods, []);
      assert.deepEqual((await stage.request('GET', `/payment_methods/${id}`)).body, shown);
    }
  });

  it('has every part of a Klarna date of birth as null that was not given', async () => {
    const none = { dob: { day: null, month: null, year: null } };
    const table: [given: object, shown: object][] = [
      [{}, { dob: null }],
      [{ dob: {} }, none],
      [{ dob: { year: 1990 } }, { dob: { ...none.dob, year: 1990 } }],
    ];
    for (const [given, shown] of table) {
      const { body } = await post('klarna', given);
      assert.deepEqual(body.payment_method.instrument_data, shown);
      const { id } = body.payment_method;
      const fetched = await stage.request('GET', `/payment_methods/${id}`);
      assert.deepEqual(fetched.body.payment_method.instrument_data, shown);
    }
  });

  it('belongs to the customer whose id or reference is named, becomes the default of one without, and of no other', async () => {
    const { id: customer } = await stage.merchant.customer({ reference: 'R-1' });
    const first = await made('klarna', klarna, 'R-1');
    const second = await made('pay_id', payId, customer);
    await made('paypal', payPal);
    const { body } = await stage.request('GET', `/customers/${customer}/payment_methods`);
    assert.deepEqual(
      body.payment_methods.map(({ id }: { id: string }) => id),
      [second, first],
    );
    assert.equal((await stage.request('GET', `/customers/${customer}`)).body.default_payment_method, first);
  });

  it('can be attached to a customer later', async () => {
    const { id: customer_id } = await stage.merchant.customer();
    const id = await made('paypal', payPal);
    assert.equal((await stage.request('POST', `/payment_methods/${id}/attach`, { customer_id })).status, 200);
    assert.equal((await stage.request('GET', `/customers/${customer_id}`)).body.default_payment_method, id);
  });

  it('is 400 for an unknown, foreign or deleted customer, and is not saved', async () => {
    const { merchant } = await stage.stranger();
    const theirs = await merchant.customer({ reference: 'R-2' });
    const deleted = await stage.merchant.customer();
    await stage.request('DELETE', `/customers/${deleted.id}`);
    const before = await rowCounts(stage);
    for (const customer_reference of ['cus_none', 'R-2', theirs.id]) {
      const reply = await post('klarna', klarna, { customer_reference });
      assert.deepEqual(refusal(reply, 400), ['/customer_reference resource_missing']);
    }
    const reply = await post('klarna', klarna, { customer_reference: deleted.id });
    assert.deepEqual(refusal(reply, 400), ['/customer_reference customer_deleted']);
    assert.deepEqual(await rowCounts(stage), before);
  });

  it('is charged by the outcome rules, like a card', async () => {
    const { id: customer_id } = await stage.merchant.customer();
    for (const [type, data] of instruments) {
      const payment_method = await made(type, data, customer_id);
      const table: [amount: number, word: string | undefined, status: string][] = [
        [300, undefined, 'succeeded'],
        [301, undefined, 'failed'],
        [302, undefined, 'requires_action'],
        [399, undefined, 'failed'],
        [301, 'succeed', 'succeeded'],
        [300, 'decline', 'failed'],
      ];
      for (const [amount, word, status] of table) {
        const metadata: Record<string, string> = word === undefined ? {} : { _sandbox_outcome: word };
        const intent = await stage.merchant.intent({ amount, customer_id, metadata });
        const { body } = await stage.request('POST', `/payment_intents/${intent.id}/confirm`, { payment_method });
        assert.deepEqual([body.status, body.payment_method_id], [status, payment_method], `${type} ${amount} ${word}`);
      }
    }
  });

  it('that is detached is not charged', async () => {
    const id = await made('pay_id', payId);
    await stage.merchant.detach(id);
    const intent = await stage.merchant.intent({ amount: 300 });
    const reply = await stage.request('POST', `/payment_intents/${intent.id}/confirm`, { payment_method: id });
    assert.deepEqual(refusal(reply, 400), ['/payment_method payment_method_detached']);
  });

  it('is made in the sandbox alone, and by a secret key alone', async () => {
    const body = { type: 'klarna', instrument_data: klarna };
    const codeFor = async (key: string) => {
      const reply = await stage.api.send('POST', `/api/v1${path}`, { key, body });
      return `${reply.status} ${reply.body.error.code}`;
    };
    assert.equal(await codeFor(stage.keys.liveSecret), '403 sandbox_only');
    assert.equal(await codeFor(stage.keys.sandboxPublishable), '403 secret_key_required');
    assert.deepEqual((await stage.request('GET', '/payment_methods')).body.payment_methods, []);
  });
});

describe('a plan on a Klarna, PayID or PayPal method', () => {
  const payer = usePayer();

  it('collects from it, and is retried by the outcome rules', async () => {
    for (const [type, instrument_data] of [
      ['klarna', klarna],
      ['pay_id', payId],
      ['paypal', payPal],
    ] as const) {
      const { stage, customer: customer_reference } = payer;
      const { body } = await stage.request('POST', path, { type, instrument_data, customer_reference });
      const payment_instrument_id = body.payment_method.id;
      const good = await payer.active({ payment_instrument_id });
      const bad = await payer.active({ payment_instrument_id, recurring_amount_cents: 1001 });
      assert.deepEqual(await payer.paymentLines(good), ['0 paid 2027-01-10T00:00:00.000Z'], type);
      assert.deepEqual(await payer.paymentLines(bad), ['0 retrying 2027-01-10T00:00:00.000Z'], type);
      const [payment] = await stage.merchant.payments(good);
      const intent = await stage.merchant.getIntent(String(payment?.payment_intent_id));
      assert.equal(intent.payment_method_id, payment_instrument_id);
    }
  });

  it('is made on the clock’s time, and not while the clock is advancing', async () => {
    const { stage, clock, customer: customer_reference } = payer;
    const body = { type: 'paypal', instrument_data: payPal, customer_reference };
    await stage.merchant.beginAdvance(clock, '2027-01-11T00:00:00Z');
    refusal(await stage.request('POST', path, body), 422, 'test_clock_advancing');
    await stage.carryOut(clock);
    assert.equal((await stage.request('POST', path, body)).status, 200);
  });
});
