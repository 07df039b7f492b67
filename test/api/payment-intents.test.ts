import assert from 'node:assert/strict';
import { after, describe, it } from 'mocha';
import postgres from 'postgres';
import { addDays, dateIn } from '../../src/domain/calendar.ts';
import { withoutClock } from '../../src/domain/instants.ts';
import type { Pool } from '../../src/platform/postgres/connection.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { useApi } from '../support/api.ts';
import { useDatabase } from '../support/database.ts';
import { makeKey } from '../support/factories.ts';
import { createMerchant } from '../support/merchant.ts';
import { instantPattern, refusal, rowCounts, useStage } from '../support/stage.ts';

const path = '/payment_intents';
const valid = { amount: 1234, currency: 'AUD' };

describe('creating a payment intent', () => {
  const stage = useStage({ biller: { statementDescriptor: 'ACME' } });
  const post = (body: unknown) => stage.request('POST', path, body);
  const created = async (body: object) => {
    const reply = await post({ ...valid, ...body });
    assert.equal(reply.status, 201, reply.text);
    return reply.body;
  };

  it('needs amount and currency, and answers 201 with the fields of the contract', async () => {
    const body = await created({});
    const { id, client_secret, created_at, ...rest } = body;
    assert.match(id, /^pi_sandbox_[0-9A-Za-z]{32}$/);
    assert.ok(client_secret.length > 32);
    assert.match(created_at, instantPattern);
    assert.deepEqual(rest, {
      amount: 1234,
      total_amount: 1234,
      fee_amount: 52,
      surcharge_amount: 0,
      surcharge_applied: false,
      surcharge_reason: null,
      tax: null,
      tax_amount: 0,
      currency: 'AUD',
      status: 'requires_payment_method',
      biller_id: stage.keys.biller.id,
      payment_plan_id: null,
      metadata: {},
      statement_descriptor: 'ACME',
      total_refunded_amount: 0,
      net_collected_amount: 0,
      collected_at: null,
      last_payment_error: null,
      next_action: null,
      updated_at: created_at,
      livemode: false,
    });
    assert.deepEqual((await stage.request('GET', `${path}/${id}`)).body, body);
  });

  it('gives it an id without the word sandbox in live mode', async () => {
    const { status, body } = await stage.api.send('POST', `/api/v1${path}`, {
      key: stage.keys.liveSecret,
      body: valid,
    });
    assert.equal(status, 201);
    assert.match(body.id, /^pi_[0-9A-Za-z]{32}$/);
    assert.equal(body.livemode, true);
  });

  it('is one row, and neither an event nor a workflow', async () => {
    const before = await rowCounts(stage);
    await created({});
    assert.deepEqual(await rowCounts(stage), { ...before, payment_intents: (before.payment_intents ?? 0) + 1 });
  });

  it('has unknown ids told beside what breaks the schema, to secret keys alone', async () => {
    const { merchant } = stage;
    const ids = { customer_id: 'cus_none', payment_method: await merchant.card((await merchant.customer()).id) };
    assert.deepEqual(refusal(await post({ ...valid, ...ids, currency: 'CAD', foo: 1, test_clock: 'clk_none' }), 400), [
      '/currency invalid_value',
      '/customer_id resource_missing',
      '/foo unknown_parameter',
      '/test_clock unknown_parameter',
    ]);
    // An object of another biller is an unknown one.
    const stranger = await stage.stranger();
    const asked = { key: stranger.keys.sandboxSecret, body: { ...valid, ...ids, currency: 'CAD' } };
    assert.deepEqual(refusal(await stage.api.send('POST', `/api/v1${path}`, asked), 400), [
      '/currency invalid_value',
      '/customer_id resource_missing',
      '/payment_method resource_missing',
    ]);
    for (const customer_id of ['', 7, null, 'x'.repeat(101), 'cus_\u0000', ['cus_none'], { id: 1 }]) {
      const errors = refusal(await post({ ...valid, customer_id, currency: 'CAD' }), 400);
      assert.deepEqual([errors.length, errors.some((error) => error.includes('resource_missing'))], [2, false]);
    }
    const publishable = { key: stage.keys.sandboxPublishable, body: { customer_reference: 1, type: 'card' } };
    const { body } = await stage.api.send('POST', '/api/v1/payment_methods', publishable);
    assert.ok(!JSON.stringify(body).includes('resource_missing'));
  });

  it('has an amount above the maximum refused in words that say what takes more', async () => {
    const { body } = await post({ ...valid, amount: 118_800 });
    const what = 'amount must be an integer from 200 to 100000, in minor units';
    assert.equal(body.error.message, `${what}; for more, make a payment plan of one payment, or a payment link.`);
  });

  it('has the fee of 1.75 % + 30, rounded half up, on top when surcharge_applied says so', async () => {
    for (const [amount, fee] of [
      [200, 34],
      [1000, 48],
      [2000, 65],
      [5800, 132],
      [5829, 132],
      [100_000, 1780],
    ]) {
      const plain = await created({ amount, surcharge_applied: false });
      const charged = await created({ amount, surcharge_applied: true });
      const money = (body: typeof plain) => [
        body.fee_amount,
        body.surcharge_amount,
        body.surcharge_applied,
        body.total_amount,
      ];
      assert.deepEqual(money(plain), [fee, 0, false, amount]);
      assert.deepEqual(money(charged), [fee, fee, true, Number(amount) + Number(fee)]);
    }
  });

  it('has the surcharge too when its customer pays the fees', async () => {
    const fees = { fee_preferences: { customer_pays_transaction_fees: true } };
    const { id } = await stage.merchant.customer(fees);
    const body = await created({ customer_id: id, surcharge_applied: false });
    assert.deepEqual([body.surcharge_applied, body.surcharge_amount, body.total_amount], [true, 52, 1286]);
  });

  it('gives it the customer that is named, attaches an unattached method to this one, and takes over no other', async () => {
    const owner = await stage.merchant.customer();
    const other = await stage.merchant.customer();
    const saved = await stage.merchant.card(owner.id);
    const carrying = await created({ payment_method: saved });
    assert.deepEqual(['customer_id' in carrying, carrying.payment_method_id], [false, saved]);
    const named = await created({ payment_method: saved, customer_id: owner.id });
    assert.deepEqual([named.customer_id, named.payment_method_id], [owner.id, saved]);
    assert.deepEqual(refusal(await post({ ...valid, payment_method: saved, customer_id: other.id }), 400), [
      '/payment_method payment_method_of_other_customer',
    ]);
    const token_metadata = { type: 'vault', token: 't', data: '' };
    const data = { type: 'card', payment_method_data: { expiry_month: 1, expiry_year: 2040, token_metadata } };
    const { id } = (await stage.request('POST', '/payment_methods', data)).body.payment_method;
    const anonymous = await created({ payment_method: id });
    assert.deepEqual(['customer_id' in anonymous, anonymous.payment_method_id], [false, id]);
    await created({ payment_method: id, customer_id: other.id });
    assert.equal((await stage.request('GET', `/customers/${other.id}`)).body.default_payment_method, id);
    assert.equal('customer_id' in (await created({ payment_method: id })), false);
  });

  it('gives it the clock’s time for a clock-bound customer, and is refused while the clock advances', async () => {
    const clock = await stage.merchant.clock('2031-02-03T04:05:06.789Z');
    const { id } = await stage.merchant.payer({ test_clock: clock.id });
    const body = await created({ customer_id: id });
    assert.deepEqual([body.created_at, body.updated_at], [clock.frozen_time, clock.frozen_time]);
    await stage.merchant.beginAdvance(clock.id, '2031-02-04T00:00:00Z');
    refusal(await post({ ...valid, customer_id: id }), 422, 'test_clock_advancing');
    await stage.carryOut(clock.id);
    assert.equal((await created({ customer_id: id })).created_at, '2031-02-04T00:00:00.000Z');
  });
});

describe('scheduling a payment', () => {
  const stage = useStage({ biller: { timeZone: 'Australia/Sydney' } });
  const post = (body: object) => stage.request('POST', path, { ...valid, ...body });
  const rowOf = async (id: string) =>
    (await stage.db.sql`select scheduled_at, scheduled_payment_date from payment_intents where id = ${id}`)[0];

  async function payer(frozenTime: string) {
    const clock = await stage.merchant.clock(frozenTime);
    const customer = await stage.merchant.payer({ test_clock: clock.id });
    return {
      clock,
      customer_id: customer.id,
      payment_method: customer.default_payment_method ?? (await defaultOf(customer.id)),
    };
  }
  const defaultOf = async (id: string): Promise<string> =>
    (await stage.request('GET', `/customers/${id}`)).body.default_payment_method;

  it('is from today to 366 days ahead, by the biller’s calendar on the customer’s time', async () => {
    // 13:30 UTC on the 9th is past midnight in Sydney.
    const { customer_id, payment_method } = await payer('2027-01-09T13:30:00Z');
    for (const [scheduled_payment_date, status] of [
      ['2027-01-09', 400],
      ['2027-01-10', 201],
      ['2028-01-11', 201],
      ['2028-01-12', 400],
    ] as const) {
      const reply = await post({ customer_id, payment_method, scheduled_payment_date });
      assert.equal(reply.status, status, scheduled_payment_date);
      if (status === 400) assert.deepEqual(refusal(reply, 400), ['/scheduled_payment_date out_of_range']);
    }
  });

  it('ahead is shown with its date, waits as requires_payment_method, and is due at the biller’s midnight', async () => {
    const { customer_id, payment_method } = await payer('2027-01-09T00:00:00Z');
    const { body } = await post({ customer_id, payment_method, scheduled_payment_date: '2027-04-20' });
    assert.deepEqual([body.status, body.scheduled_payment_date], ['requires_payment_method', '2027-04-20']);
    assert.deepEqual((await rowOf(body.id))?.scheduled_at, new Date('2027-04-19T14:00:00Z'));
    const staged = await stage.db.sql`select workflow_id, start from workflow_intents where subject_id = ${body.id}`;
    assert.deepEqual(
      staged.map((row) => ({ ...row })),
      [{ workflow_id: `scheduled-payment/${body.id}`, start: true }],
    );
  });

  it('shows no date for today, and is due at once, on a frozen clock too', async () => {
    const { customer_id, payment_method } = await payer('2027-01-09T20:00:00Z');
    const { body } = await post({ customer_id, payment_method, scheduled_payment_date: '2027-01-10' });
    assert.equal('scheduled_payment_date' in body, false);
    assert.deepEqual((await rowOf(body.id))?.scheduled_at, new Date('2027-01-09T20:00:00Z'));
    await stage.collectScheduled(body.id, '2027-01-09T20:00:00Z');
    assert.equal((await stage.merchant.getIntent(body.id)).status, 'succeeded');
  });

  it('judges the date by the present day in real time', async () => {
    const { id: customer_id } = await stage.merchant.customer();
    const payment_method = await stage.merchant.card(customer_id);
    const today = dateIn(withoutClock(realNow()), 'Australia/Sydney');
    for (const [days, status] of [
      [-1, 400],
      [1, 201],
      [366, 201],
      [368, 400],
    ] as const) {
      const scheduled_payment_date = addDays(today, days);
      assert.equal((await post({ customer_id, payment_method, scheduled_payment_date })).status, status, String(days));
    }
  });

  it('charges on its date, once, without a payer to authenticate', async () => {
    const { clock, customer_id, payment_method } = await payer('2027-01-09T00:00:00Z');
    const more = { customer_id, payment_method, scheduled_payment_date: '2027-01-20' };
    const good = (await post(more)).body;
    const challenged = (await post({ ...more, metadata: { _sandbox_outcome: 'requires_action' } })).body;
    await stage.collectScheduled(good.id, '2027-01-19T12:59:59Z');
    assert.equal((await stage.merchant.getIntent(good.id)).status, 'requires_payment_method');
    await stage.advance(clock.id, '2027-01-25T00:00:00Z');
    await stage.collectScheduled(good.id, '2027-01-26T00:00:00Z');
    const paid = await stage.merchant.getIntent(good.id);
    assert.deepEqual([paid.status, paid.updated_at], ['succeeded', '2027-01-19T13:00:00.000Z']);
    const failed = await stage.merchant.getIntent(challenged.id);
    assert.deepEqual([failed.status, failed.last_payment_error?.code], ['failed', 'authentication_required']);
    assert.equal(stage.ledger.requests.length, 2);
  });

  it('fails with a method that was detached meanwhile, still naming the method', async () => {
    const { clock, customer_id, payment_method } = await payer('2027-01-09T00:00:00Z');
    const { body } = await post({ customer_id, payment_method, scheduled_payment_date: '2027-01-20' });
    await stage.merchant.detach(payment_method);
    await stage.advance(clock.id, '2027-01-25T00:00:00Z');
    const failed = await stage.merchant.getIntent(body.id);
    assert.deepEqual([failed.status, failed.last_payment_error?.code], ['failed', 'payment_method_unavailable']);
    assert.equal(failed.payment_method_id, payment_method);
    assert.equal(stage.ledger.requests.length, 0);
  });
});

describe('fetching a payment intent', () => {
  const stage = useStage();
  const get = (id: string, key: string, query = '') => stage.api.send('GET', `/api/v1${path}/${id}${query}`, { key });

  it('needs, with a publishable key, the client_secret of that very intent', async () => {
    const intent = await stage.merchant.intent({ amount: 500 });
    const other = await stage.merchant.intent({ amount: 500 });
    const key = stage.keys.sandboxPublishable;
    const good = await get(intent.id, key, `?client_secret=${intent.client_secret}`);
    assert.deepEqual([good.status, good.body.id], [200, intent.id]);
    for (const [query, code] of [
      ['', 'secret_key_required'],
      [`?client_secret=${other.client_secret}`, 'client_secret_invalid'],
      ['?client_secret=', 'client_secret_invalid'],
      [`?client_secret=${intent.client_secret}x`, 'client_secret_invalid'],
    ] as const) {
      const { status, body } = await get(intent.id, key, query);
      assert.deepEqual([status, body.error.type, body.error.code], [403, 'permission_error', code]);
    }
    refusal(await get('pi_sandbox_none', key, `?client_secret=${intent.client_secret}`), 404, 'resource_missing');
    assert.equal(JSON.stringify(stage.api.log).includes(String(intent.client_secret)), false);
  });
});

describe('the payment intents of a customer', () => {
  const stage = useStage();
  const list = (id: string, query = '') => stage.request('GET', `/customers/${id}/payment_intents?${query}`);

  it('are listed newest first, without client secrets, by status, in pages', async () => {
    const { id } = await stage.merchant.payer();
    await stage.merchant.payer();
    const made = [];
    for (let n = 0; n < 5; n++) made.push(await stage.merchant.intent({ amount: 300 + n, customer_id: id }));
    await stage.merchant.intent({ amount: 500 });
    const card = await stage.merchant.card(id);
    await stage.request('POST', `${path}/${made[2]?.id}/confirm`, { payment_method: card });
    const { body } = await list(id);
    assert.deepEqual(
      body.data.map((item: { amount: number }) => item.amount),
      [304, 303, 302, 301, 300],
    );
    assert.equal(body.has_more, false);
    const { client_secret: _, next_action: none, ...shown } = made[4] ?? {};
    assert.equal(none, null);
    assert.deepEqual(body.data[0], shown);
    assert.deepEqual(
      (await list(id, 'status=succeeded')).body.data.map((item: { amount: number }) => item.amount),
      [302],
    );
    assert.deepEqual((await list(id, 'status=nothing')).body, { data: [], has_more: false });
    const first = (await list(id, 'limit=2')).body;
    assert.deepEqual([first.data.length, first.has_more], [2, true]);
    const rest = (await list(id, `limit=100&starting_after=${first.data[1].id}`)).body;
    assert.deepEqual(
      rest.data.map((item: { amount: number }) => item.amount),
      [302, 301, 300],
    );
  });
});

describe('the hot paths', () => {
  const db = useDatabase();
  const sent: string[] = [];
  // On one connection, so that what a new one asks for itself comes before what is counted.
  const watched = () => {
    const options: object = { ...db.sql.options, max: 1, debug: (_: number, text: string) => sent.push(text) };
    return postgres(options) as Pool;
  };
  let sql: Pool;
  const api = useApi(db, undefined, () => {
    sql = watched();
    return { sql };
  });
  after('end the watched pool', () => sql.end());

  it('are one statement each for a customer, an intent or a method without a customer, two for the intent of a customer; with an Idempotency-Key also begin, claim, response and commit', async () => {
    const { key } = await makeKey(db.sql);
    const token_metadata = { type: 'fixture', token: 'tok_sandbox_visa_succeed', data: '' };
    const method = { type: 'card', payment_method_data: { expiry_month: 1, expiry_year: 2040, token_metadata } };
    const { id } = await createMerchant(api.url, key).customer();
    for (const [resource, body, count, isRepeatable] of [
      ['/customers', { name: 'Jo' }, 1, true],
      ['/payment_intents', valid, 1, true],
      ['/payment_intents', { ...valid, customer_id: id }, 2, true],
      ['/payment_methods', method, 1, false],
    ] as const) {
      const sends = async (headers: Record<string, string>) => {
        sent.length = 0;
        assert.ok((await api.send('POST', `/api/v1${resource}`, { key, body, headers })).status < 300);
        return sent.length;
      };
      assert.equal(await sends({}), count, sent.join('\n'));
      if (!isRepeatable) continue;
      assert.equal(await sends({ 'Idempotency-Key': resource + count }), count + 4, sent.join('\n'));
    }
  });
});
