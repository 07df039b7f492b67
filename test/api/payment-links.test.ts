import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { newId } from '../../src/domain/ids.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { refusal, useStage } from '../support/stage.ts';

const invoice = { name: 'Invoice 1042', amount: 2500, currency: 'AUD' } as const;
const inDays = (days: number) => new Date(Date.parse('2027-01-04T09:00:00Z') + days * 86_400_000).toISOString();

describe('a payment link in the API', () => {
  const stage = useStage();

  it('has the URL of its page, and shows what was sent with the defaults', async () => {
    const { body, status } = await stage.request('POST', '/payment_links', invoice);
    assert.equal(status, 201);
    assert.match(body.id, /^lnk_[0-9A-Za-z]{32}$/);
    assert.match(body.url, /^http:\/\/pages\.test\/pay\/[0-9A-Za-z]{32}$/);
    const { mode, status: state, max_payments, save_payment_method, payment_method_types, collect } = body;
    assert.deepEqual(
      { mode, state, max_payments, save_payment_method, payment_method_types, collect },
      {
        mode: 'payment',
        state: 'open',
        max_payments: 1,
        save_payment_method: 'no',
        payment_method_types: ['card'],
        collect: { email: 'required', name: 'required', phone: 'no' },
      },
    );
    assert.deepEqual((await stage.request('GET', `/payment_links/${body.id}`)).body, body);
  });

  it('says that no payer can pay it if the pages take none of its methods: cards in live mode', async () => {
    const shown = async (key: string, more: object = {}) => {
      const body = { ...invoice, ...more };
      const made = await stage.api.send('POST', '/api/v1/payment_links', { key, body });
      assert.equal(made.status, 201, made.text);
      const session = await stage.api.send('POST', '/api/v1/checkout_sessions', { key, body });
      assert.deepEqual(
        [session.body.payable, session.body.not_payable_reason],
        [made.body.payable, made.body.not_payable_reason],
      );
      return [made.body.payable, made.body.not_payable_reason];
    };
    const { liveSecret, sandboxSecret } = stage.keys;
    assert.deepEqual(await shown(sandboxSecret), [true, null]);
    assert.deepEqual(await shown(liveSecret), [false, 'methods_not_offered']);
    assert.deepEqual(await shown(liveSecret, { payment_method_types: ['card', 'au_becs_debit'] }), [true, null]);
  });

  it('has a URL with a token that neither the database nor an event has in clear', async () => {
    const { body } = await stage.request('POST', '/payment_links', invoice);
    const token = body.url.split('/').at(-1);
    const [row] = await stage.db.sql`
      select to_jsonb(l)::text || coalesce((select string_agg(data::text, '') from events), '') as text
      from payment_links l where id = ${body.id}`;
    assert.ok(!row?.text.includes(token));
    assert.ok(!row?.text.includes(Buffer.from(token).toString('hex')));
    const [event] = await stage.merchant.events({ event_type: 'payment_link.created' });
    assert.equal(event?.data.id, body.id);
    assert.equal(event?.data.url, undefined);
  });

  for (const [fault, change, expected] of [
    ['neither amount nor range', { amount: undefined }, '/amount amount_or_range'],
    ['amount and range', { amount_range: { min: 500, max: 900 } }, '/amount amount_or_range'],
    ['no currency', { currency: undefined }, '/currency parameter_missing'],
    ['an amount below 200', { amount: 199 }, '/amount out_of_range'],
    ['a setup link with an amount', { mode: 'setup' }, '/amount invalid_value'],
    [
      'a least amount above the most',
      { amount: undefined, amount_range: { min: 900, max: 500 } },
      '/amount_range/min out_of_range',
    ],
    [
      'a suggestion outside the range',
      { amount: undefined, amount_range: { min: 500, max: 900, suggested: [600, 901] } },
      '/amount_range/suggested/1 out_of_range',
    ],
    [
      'bank debits in another currency',
      { currency: 'EUR', payment_method_types: ['au_becs_debit'] },
      '/payment_method_types method_currency_mismatch',
    ],
    ['a script as success_url', { success_url: 'javascript:alert(1)' }, '/success_url url_invalid'],
    ['credentials in cancel_url', { cancel_url: 'https://a:b@shop.example.com' }, '/cancel_url url_invalid'],
    ['an expiry in the past', { expires_at: '2020-01-01T00:00:00Z' }, '/expires_at out_of_range'],
    ['an expiry in ten years', { expires_at: '2100-01-01T00:00:00Z' }, '/expires_at out_of_range'],
    ['no payments', { max_payments: 0 }, '/max_payments out_of_range'],
    ['an unknown customer', { customer_id: newId('customer') }, '/customer_id resource_missing'],
    [
      'a plan without its customer',
      { apply_to: { payment_plan_id: newId('payment_plan') } },
      '/customer_id parameter_missing',
    ],
    [
      'nothing to apply to',
      { customer_id: newId('customer'), apply_to: {} },
      '/apply_to too_few, /customer_id resource_missing',
    ],
    ['a misspelt field', { ammount: 1 }, '/ammount unknown_parameter'],
    ['an unknown outcome', { metadata: { _sandbox_outcome: 'win' } }, '/metadata/_sandbox_outcome invalid_value'],
  ] as const) {
    it(`is refused with the field that is wrong: ${fault}`, async () => {
      const reply = await stage.request('POST', '/payment_links', { ...invoice, ...change });
      assert.deepEqual(refusal(reply, 422), expected.split(', '));
    });
  }

  it('must lead to https in live mode', async () => {
    const reply = await stage.api.send('POST', '/api/v1/payment_links', {
      key: stage.keys.liveSecret,
      body: { ...invoice, success_url: 'http://shop.example.com' },
    });
    assert.deepEqual(refusal(reply, 422), ['/success_url url_invalid']);
  });

  it('resumes only a plan of its customer that has not ended', async () => {
    const { merchant } = stage;
    const plan = await merchant.activePlan({ start_date: '2199-01-01' });
    const other = await merchant.customer();
    const body = { ...invoice, customer_id: other.id, apply_to: { payment_plan_id: plan.id } };
    assert.deepEqual(refusal(await stage.request('POST', '/payment_links', body), 422), [
      '/apply_to/payment_plan_id invalid_value',
    ]);
    await merchant.move(plan.id, 'close');
    const own = { ...body, customer_id: plan.customer_id };
    assert.deepEqual(refusal(await stage.request('POST', '/payment_links', own), 422), [
      '/apply_to/payment_plan_id invalid_value',
    ]);
  });

  it('resumes only a subscription of its customer that has not ended, and not a plan too', async () => {
    const { merchant } = stage;
    const { client } = merchant;
    const [owner, other] = [await merchant.customer(), await merchant.customer()];
    const items = [{ name: 'Membership', unit_amount_cents: 2500 }];
    const terms = { customer_id: owner.id, name: 'Gym', frequency_type: 'monthly', currency: 'AUD', items } as const;
    const { id } = await client.subscriptions.create(terms);
    const plan = await merchant.activePlan({ start_date: '2199-01-01' });
    const refused = async (customerId: string, apply_to: object) =>
      refusal(await stage.request('POST', '/payment_links', { ...invoice, customer_id: customerId, apply_to }), 422);
    const path = '/apply_to/subscription_id';
    assert.deepEqual(await refused(other.id, { subscription_id: id }), [`${path} invalid_value`]);
    assert.deepEqual(await refused(owner.id, { subscription_id: newId('subscription') }), [`${path} resource_missing`]);
    assert.equal((await refused(owner.id, { subscription_id: id, payment_plan_id: plan.id })).length, 1);
    const link = await client.paymentLinks.create({
      ...invoice,
      customer_id: owner.id,
      apply_to: { subscription_id: id },
    });
    assert.deepEqual(link.apply_to, { subscription_id: id, unpaid: 'collect' });
    await client.subscriptions.cancel(id, { at: 'now' });
    assert.deepEqual(await refused(owner.id, { subscription_id: id }), [`${path} invalid_value`]);
  });

  it('can be changed while it is open, and not afterwards', async () => {
    const { client } = stage.merchant;
    const link = await client.paymentLinks.create({ ...invoice, success_url: 'https://shop.example.com' });
    const changed = await client.paymentLinks.update(link.id, {
      name: 'Invoice 1043',
      success_url: null,
      reference: 'r',
    });
    assert.deepEqual([changed.name, changed.success_url, changed.reference], ['Invoice 1043', null, 'r']);
    assert.equal((await client.paymentLinks.deactivate(link.id)).status, 'deactivated');
    assert.equal((await stage.merchant.events({ event_type: 'payment_link.deactivated' })).length, 1);
    for (const [method, path, body] of [
      ['PUT', `/payment_links/${link.id}`, { name: 'x' }],
      ['POST', `/payment_links/${link.id}/deactivate`, undefined],
    ] as const) {
      refusal(await stage.request(method, path, body), 422, 'invalid_state');
    }
  });

  it('is renewed under the same URL, and needs a date if the old one has passed', async () => {
    const { merchant } = stage;
    const { clock, payer } = await merchant.customerOnClock('2027-01-04T09:00:00Z');
    const link = await merchant.client.paymentLinks.create({
      ...invoice,
      customer_id: payer.id,
      expires_at: inDays(2),
    });
    refusal(await stage.request('POST', `/payment_links/${link.id}/renew`, {}), 422, 'invalid_state');
    await stage.advance(clock.id, inDays(3));
    assert.deepEqual(refusal(await stage.request('POST', `/payment_links/${link.id}/renew`, {}), 422), [
      '/expires_at parameter_missing',
    ]);
    const renewed = await merchant.client.paymentLinks.renew(link.id, { expires_at: inDays(9) });
    assert.deepEqual([renewed.status, renewed.url, renewed.expired_at], ['open', link.url, null]);
    assert.equal((await merchant.events({ event_type: 'payment_link.renewed' })).length, 1);
    const without = await merchant.client.paymentLinks.update(link.id, { expires_at: null });
    assert.equal(without.expires_at, null);
  });

  it('gets another URL in any state', async () => {
    const { paymentLinks } = stage.merchant.client;
    const link = await paymentLinks.create(invoice);
    await paymentLinks.deactivate(link.id);
    const rotated = await paymentLinks.rotateUrl(link.id);
    assert.notEqual(rotated.url, link.url);
    assert.equal((await paymentLinks.get(link.id)).url, rotated.url);
  });

  it('is listed newest first, by status, customer and reference; a clock’s links only with the clock', async () => {
    const { merchant } = stage;
    const { paymentLinks } = merchant.client;
    const customer = await merchant.customer();
    const { clock, payer } = await merchant.customerOnClock('2027-01-04T09:00:00Z');
    const first = await paymentLinks.create({ ...invoice, reference: 'r-1' });
    const second = await paymentLinks.create({ ...invoice, customer_id: customer.id });
    const bound = await paymentLinks.create({ ...invoice, customer_id: payer.id });
    await paymentLinks.deactivate(first.id);
    const ids = async (query: object) => (await paymentLinks.list(query)).data.map(({ id }) => id);
    assert.deepEqual(await ids({}), [second.id, first.id]);
    assert.deepEqual(await ids({ limit: 1, starting_after: second.id }), [first.id]);
    assert.deepEqual(await ids({ status: 'deactivated' }), [first.id]);
    assert.deepEqual(await ids({ customer_id: customer.id }), [second.id]);
    assert.deepEqual(await ids({ reference: 'r-1' }), [first.id]);
    assert.deepEqual(await ids({ test_clock: clock.id }), [bound.id]);
  });

  it('has a QR code of its URL, as an image', async () => {
    const link = await stage.merchant.client.paymentLinks.create(invoice);
    const reply = await stage.request('GET', `/payment_links/${link.id}/qr.svg`);
    assert.equal(reply.status, 200);
    assert.equal(reply.headers.get('content-type'), 'image/svg+xml');
    assert.ok(reply.text.startsWith('<svg ') && reply.text.trimEnd().endsWith('</svg>'), reply.text.slice(0, 80));
  });

  it('ends with its customer, and its open sessions too', async () => {
    const { merchant } = stage;
    const customer = await merchant.customer();
    const link = await merchant.client.paymentLinks.create({ ...invoice, customer_id: customer.id });
    const session = await merchant.client.checkoutSessions.create({ ...invoice, customer_id: customer.id });
    await merchant.client.customers.delete(customer.id);
    const ended = await merchant.client.paymentLinks.get(link.id);
    assert.deepEqual([ended.status, ended.status_reason], ['deactivated', 'customer_deleted']);
    const { body } = await stage.request('GET', `/checkout_sessions/${session.id}`);
    assert.deepEqual([body.status, body.status_reason], ['expired', 'customer_deleted']);
    refusal(await stage.request('POST', `/payment_links/${link.id}/renew`, {}), 422, 'invalid_state');
  });

  it('stays as it is while the clock of its customer is advancing', async () => {
    const { merchant } = stage;
    const { clock, payer } = await merchant.customerOnClock('2027-01-04T09:00:00Z');
    const link = await merchant.client.paymentLinks.create({ ...invoice, customer_id: payer.id });
    await merchant.beginAdvance(clock.id, inDays(1));
    for (const action of ['deactivate', 'rotate_url']) {
      refusal(await stage.request('POST', `/payment_links/${link.id}/${action}`), 422, 'test_clock_advancing');
    }
    const another = { ...invoice, customer_id: payer.id };
    refusal(await stage.request('POST', '/payment_links', another), 422, 'test_clock_advancing');
    await stage.carryOut(clock.id);
  });
});

describe('a checkout session in the API', () => {
  const stage = useStage();

  it('is made alone with a name, lasts 24 hours, and has the URL of its page and a client_secret', async () => {
    const { body, status } = await stage.request('POST', '/checkout_sessions', invoice);
    assert.equal(status, 201);
    assert.match(body.id, /^ses_[0-9A-Za-z]{32}$/);
    assert.match(body.url, /^http:\/\/pages\.test\/checkout\/[0-9A-Za-z]{32}$/);
    assert.equal(Date.parse(body.expires_at) - Date.parse(body.created_at), 86_400_000);
    assert.deepEqual((await stage.request('GET', `/checkout_sessions/${body.id}`)).body, body);
    const nameless = { amount: 2500, currency: 'AUD' };
    assert.deepEqual(refusal(await stage.request('POST', '/checkout_sessions', nameless), 422), [
      '/name parameter_missing',
    ]);
  });

  it('lasts from 5 minutes to 31 days', async () => {
    for (const minutes of [4, 31 * 24 * 60 + 1]) {
      const expires_at = new Date(Number(realNow()) + minutes * 60_000).toISOString();
      assert.deepEqual(refusal(await stage.request('POST', '/checkout_sessions', { ...invoice, expires_at }), 422), [
        '/expires_at out_of_range',
      ]);
    }
  });

  it('is made for an intent that can be confirmed, one open session at a time', async () => {
    const { merchant } = stage;
    const intent = await merchant.intent();
    const session = await merchant.client.checkoutSessions.create({ payment_intent_id: intent.id });
    assert.deepEqual([session.amount, session.currency, session.payment_intent_id], [1000, 'AUD', intent.id]);
    assert.equal((await merchant.getIntent(intent.id)).checkout_session_id, session.id);
    const body = { payment_intent_id: intent.id };
    refusal(await stage.request('POST', '/checkout_sessions', body), 422, 'invalid_state');
    await merchant.client.checkoutSessions.expire(session.id);
    assert.equal((await stage.request('POST', '/checkout_sessions', body)).status, 201);
    assert.deepEqual(
      refusal(await stage.request('POST', '/checkout_sessions', { ...body, amount: 500, currency: 'AUD' }), 422),
      ['/amount invalid_value', '/currency invalid_value'],
    );
    assert.deepEqual(
      refusal(
        await stage.request('POST', '/checkout_sessions', {
          payment_intent_id: newId('payment_intent', { livemode: false }),
        }),
        422,
      ),
      ['/payment_intent_id resource_missing'],
    );
  });

  it('is not made for an intent that was paid, or that is paid on its date', async () => {
    const { merchant } = stage;
    const customer = await merchant.payer();
    const paid = await merchant.intent({
      customer_id: customer.id,
      payment_method: await merchant.card(customer.id),
      confirm: true,
    });
    refusal(await stage.request('POST', '/checkout_sessions', { payment_intent_id: paid.id }), 422, 'invalid_state');
    const scheduled = await merchant.intent({
      customer_id: customer.id,
      payment_method: await merchant.card(customer.id),
      scheduled_payment_date: new Date(Number(realNow()) + 3 * 86_400_000).toISOString().slice(0, 10),
    });
    refusal(
      await stage.request('POST', '/checkout_sessions', { payment_intent_id: scheduled.id }),
      422,
      'invalid_state',
    );
  });

  it('leaves the biller’s own intent to the biller once it has ended', async () => {
    const { merchant } = stage;
    const customer = await merchant.payer();
    const intent = await merchant.intent({ customer_id: customer.id });
    const session = await merchant.client.checkoutSessions.create({ payment_intent_id: intent.id });
    await merchant.client.checkoutSessions.expire(session.id);
    const card = await merchant.card(customer.id);
    const confirmed = await stage.request('POST', `/payment_intents/${intent.id}/confirm`, { payment_method: card });
    assert.equal(confirmed.body.status, 'succeeded');
    assert.equal((await stage.request('GET', `/checkout_sessions/${session.id}`)).body.status, 'expired');
  });

  it('is completed when the biller confirms its intent', async () => {
    const { merchant } = stage;
    const customer = await merchant.payer();
    const intent = await merchant.intent({ customer_id: customer.id });
    const session = await merchant.client.checkoutSessions.create({ payment_intent_id: intent.id });
    const card = await merchant.card(customer.id);
    await stage.request('POST', `/payment_intents/${intent.id}/confirm`, { payment_method: card });
    const { body } = await stage.request('GET', `/checkout_sessions/${session.id}`);
    assert.deepEqual([body.status, body.payment_method_id], ['completed', card]);
    assert.equal((await merchant.events({ event_type: 'checkout_session.completed' })).length, 1);
  });

  it('shows a publishable key with its client_secret what a payer needs, and nothing without', async () => {
    const { body } = await stage.request('POST', '/checkout_sessions', invoice);
    const path = `/api/v1/checkout_sessions/${body.id}`;
    const key = stage.keys.sandboxPublishable;
    const shown = await stage.api.send('GET', `${path}?client_secret=${body.client_secret}`, { key });
    assert.deepEqual(Object.keys(shown.body).sort(), [
      'expires_at',
      'id',
      'livemode',
      'mode',
      'payment_method_id',
      'status',
      'status_reason',
    ]);
    const codes = [];
    for (const query of ['', `?client_secret=${body.client_secret}x`]) {
      codes.push((await stage.api.send('GET', path + query, { key })).body.error.code);
    }
    assert.deepEqual(codes, ['secret_key_required', 'client_secret_invalid']);
  });

  it('is listed by status and customer', async () => {
    const { merchant } = stage;
    const { checkoutSessions } = merchant.client;
    const customer = await merchant.customer();
    const first = await checkoutSessions.create(invoice);
    const second = await checkoutSessions.create({ ...invoice, customer_id: customer.id });
    await checkoutSessions.expire(first.id);
    const ids = async (query: object) => (await checkoutSessions.list(query)).data.map(({ id }) => id);
    assert.deepEqual(await ids({}), [second.id, first.id]);
    assert.deepEqual(await ids({ status: 'expired' }), [first.id]);
    assert.deepEqual(await ids({ customer_id: customer.id }), [second.id]);
  });
});
