import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { Reply } from '../support/api.ts';
import { useDebits } from '../support/debits.ts';
import { useLinks } from '../support/links.ts';
import { refusal, useStage } from '../support/stage.ts';

const items = [{ name: 'Membership', unit_amount_cents: 4900 }];

describe('a bank account that is debited in AUD only', () => {
  const stage = useStage();
  const debits = useDebits(stage);
  const links = useLinks(stage);
  const post = (path: string, body?: object) => stage.request('POST', path, body);

  /** A customer with a card that is the default, and a bank account with or without a mandate. */
  async function payer(hasMandate: boolean): Promise<{ customer: string; card: string; account: string }> {
    const { payer: customer } = await stage.merchant.customerOnClock('2027-03-01T00:00:00Z');
    const card = await stage.merchant.card(customer.id);
    const account = await debits.account(customer.id);
    if (hasMandate) await debits.active({ payment_method_id: account });
    return { customer: customer.id, card, account };
  }

  const planTerms = (customer: string, more: object = {}) => ({
    ...{ customer_id: customer, name: 'Plan', frequency_type: 'weekly', recurring_amount_cents: 1000 },
    ...{ until_further_notice: true, currency: 'EUR', start_date: '2027-03-01', ...more },
  });
  const subscriptionTerms = (customer: string, more: object = {}) => ({
    ...{ customer_id: customer, name: 'Membership', frequency_type: 'monthly', currency: 'JPY', items, ...more },
  });
  async function made(path: string, body: object): Promise<string> {
    const reply = await post(path, body);
    assert.equal(reply.status, 201, reply.text);
    return reply.body.id;
  }

  for (const hasMandate of [true, false]) {
    const which = hasMandate ? 'under a mandate' : 'without a mandate';
    it(`is named for no payment in another currency, at no door: ${which}`, async () => {
      const { customer, account, card } = await payer(hasMandate);
      const intent = { amount: 1000, currency: 'EUR', customer_id: customer };
      const plan = await made('/payment_plans', planTerms(customer, { payment_instrument_id: card }));
      const inAud = await made(
        '/payment_plans',
        planTerms(customer, { payment_instrument_id: account, currency: 'AUD' }),
      );
      const subscription = await made('/subscriptions', subscriptionTerms(customer));
      const inAudToo = await made(
        '/subscriptions',
        subscriptionTerms(customer, { payment_instrument_id: account, currency: 'AUD' }),
      );
      const instrument = { payment_instrument_id: account };
      const doors: [what: string, reply: Reply, status: number, fault: string][] = [
        [
          'a confirm',
          await post(`/payment_intents/${await made('/payment_intents', intent)}/confirm`, { payment_method: account }),
          400,
          '/payment_method currency_of_scheme',
        ],
        [
          'a payment',
          await post('/payment_intents', { ...intent, payment_method: account }),
          400,
          '/payment_method currency_of_scheme',
        ],
        [
          'a payment that is confirmed at once',
          await post('/payment_intents', { ...intent, payment_method: account, confirm: true }),
          400,
          '/payment_method currency_of_scheme',
        ],
        [
          'a scheduled payment',
          await post('/payment_intents', {
            ...intent,
            payment_method: account,
            scheduled_payment_date: '2027-03-05',
          }),
          400,
          '/payment_method currency_of_scheme',
        ],
        [
          'a plan',
          await post('/payment_plans', planTerms(customer, instrument)),
          422,
          '/payment_instrument_id currency_of_scheme',
        ],
        [
          'a change of a plan',
          await stage.request('PUT', `/payment_plans/${plan}`, instrument),
          422,
          '/payment_instrument_id currency_of_scheme',
        ],
        [
          'another currency of a plan',
          await stage.request('PUT', `/payment_plans/${inAud}`, { currency: 'EUR' }),
          422,
          '/currency currency_of_scheme',
        ],
        [
          'a subscription',
          await post('/subscriptions', subscriptionTerms(customer, instrument)),
          422,
          '/payment_instrument_id currency_of_scheme',
        ],
        [
          'a change of a subscription',
          await stage.request('PUT', `/subscriptions/${subscription}`, instrument),
          422,
          '/payment_instrument_id currency_of_scheme',
        ],
        [
          'another currency of a subscription',
          await stage.request('PUT', `/subscriptions/${inAudToo}`, { currency: 'JPY' }),
          422,
          '/currency currency_of_scheme',
        ],
        ...(await Promise.all(
          [{ payment_plan_id: plan }, { subscription_id: subscription }].flatMap((apply_to) =>
            ['/payment_links', '/checkout_sessions'].map(
              async (path): Promise<[string, Reply, number, string]> => [
                `${path} that ends at ${Object.keys(apply_to)[0]}`,
                await post(path, {
                  ...{ mode: 'setup', name: 'Pay by bank', customer_id: customer, apply_to },
                  payment_method_types: ['card', 'au_becs_debit'],
                }),
                422,
                '/payment_method_types method_currency_mismatch',
              ],
            ),
          ),
        )),
      ];
      for (const [what, reply, status, fault] of doors) assert.deepEqual(refusal(reply, status), [fault], what);
      assert.equal((await stage.db.sql`select from payment_attempts where payment_method_id = ${account}`).length, 0);
    });
  }

  it('is not taken as the default of a customer for a payment in another currency', async () => {
    const { payer: customer } = await stage.merchant.customerOnClock('2027-03-01T00:00:00Z');
    await debits.active({ payment_method_id: await debits.account(customer.id) });
    const missing = ['/payment_instrument_id parameter_missing'];
    assert.deepEqual(refusal(await post('/payment_plans', planTerms(customer.id)), 422), missing);
    const subscription = await made('/subscriptions', subscriptionTerms(customer.id));
    const start = await post(`/subscriptions/${subscription}/start`);
    assert.deepEqual(refusal(start, 422), ['/payment_instrument_id payment_method_missing']);
    const card = await stage.merchant.card(customer.id);
    const plan = await made('/payment_plans', planTerms(customer.id, { payment_instrument_id: card }));
    const update = await stage.request('PUT', `/payment_plans/${plan}`, { payment_instrument_id: null });
    assert.deepEqual(refusal(update, 422), missing);
    const account = (await stage.merchant.client.customers.get(customer.id)).default_payment_method;
    await stage.merchant.client.customers.update(customer.id, { default_payment_method: card });
    const byDefault = await made('/payment_plans', planTerms(customer.id));
    await stage.merchant.client.customers.update(customer.id, { default_payment_method: account ?? null });
    // What the new default cannot pay keeps the former one as its own.
    const activated = await post(`/payment_plans/${byDefault}/activate`);
    assert.deepEqual([activated.status, activated.body.payment_instrument_id], [200, card]);
    await stage.collectAll(byDefault, '2027-03-01T00:00:00Z');
    const [payment] = await stage.merchant.payments(byDefault);
    assert.deepEqual(
      payment?.attempts.map(({ outcome }) => outcome),
      ['succeeded'],
    );
  });

  it('is refused by the form of a setup link for a plan in another currency, also if it is named by its id', async () => {
    const { customer, card, account } = await payer(true);
    const plan = await made('/payment_plans', planTerms(customer, { payment_instrument_id: card }));
    const apply_to = { payment_plan_id: plan };
    const session = await links.open(await links.link({ mode: 'setup', customer_id: customer, apply_to }));
    const saved = await links.save(session, { method: { id: account } });
    assert.equal(saved.kind, 'invalid');
    assert.equal((await stage.merchant.getPlan(plan)).payment_instrument_id, card);
  });

  it('does not become that of a plan whose currency was changed after its link was made', async () => {
    const { customer, card, account } = await payer(true);
    const terms = planTerms(customer, { payment_instrument_id: card, currency: 'AUD' });
    const plan = await made('/payment_plans', terms);
    const link = await links.link({
      ...{ customer_id: customer, apply_to: { payment_plan_id: plan } },
      payment_method_types: ['au_becs_debit'],
    });
    const session = await links.open(link);
    assert.equal(links.outcome(await links.pay(session, { method: { id: account } })), 'processing');
    assert.equal((await stage.request('PUT', `/payment_plans/${plan}`, { currency: 'EUR' })).status, 200);
    const [intent] = await stage.db.sql<{ id: string }[]>`
      select id from payment_intents where payment_link_id = ${link.id}`;
    await post(`/test_helpers/payment_intents/${intent?.id}/bank_result`, { result: 'settled' });
    assert.equal((await stage.merchant.getPlan(plan)).payment_instrument_id, card);
  });
});

describe('a plan or a subscription above the limit of its mandate', () => {
  const stage = useStage();
  const debits = useDebits(stage);

  it('is refused when it is activated or started, with the code that its charge would have', async () => {
    const { payer } = await stage.merchant.customerOnClock('2027-03-01T00:00:00Z');
    const account = await debits.account(payer.id);
    await debits.active({ payment_method_id: account, max_amount_cents: 4000 });
    const terms = { customer_id: payer.id, start_date: '2027-03-08' };
    for (const [more, status] of [
      [{ recurring_amount_cents: 4001 }, 422],
      [{ recurring_amount_cents: 1000, first_amount_cents: 4001 }, 422],
      [{ recurring_amount_cents: 4000 }, 200],
      [{ recurring_amount_cents: 5000, total_amount_cents: 4000, until_further_notice: false }, 200],
    ] as const) {
      const { id } = await stage.merchant.plan({ ...terms, ...more });
      const reply = await stage.request('POST', `/payment_plans/${id}/activate`);
      if (status === 200) assert.equal(reply.status, 200, reply.text);
      else refusal(reply, 422, 'mandate_limit_exceeded');
    }
    for (const trial of [{}, { trial_days: 7 }, { start_date: '2027-04-01' }]) {
      const { body } = await stage.request('POST', '/subscriptions', {
        ...{ customer_id: payer.id, name: 'Membership', frequency_type: 'monthly', currency: 'AUD', items, ...trial },
      });
      refusal(await stage.request('POST', `/subscriptions/${body.id}/start`), 422, 'mandate_limit_exceeded');
    }
  });

  it('is refused when a plan is resumed, and stays suspended, until what it charges next is within the limit', async () => {
    const { clock, payer } = await stage.merchant.customerOnClock('2027-03-01T00:00:00Z');
    const account = await debits.account(payer.id);
    const mandate = await debits.active({ payment_method_id: account, max_amount_cents: 4000 });
    const terms = { customer_id: payer.id, start_date: '2027-03-08', recurring_amount_cents: 4000 };
    const { id } = await stage.merchant.activePlan(terms);
    const other = await stage.merchant.activePlan(terms);
    await debits.cancel(mandate.id);
    await debits.active({ payment_method_id: account, max_amount_cents: 3999 });
    await stage.merchant.move(other.id, 'suspend');
    await stage.advance(clock.id, '2027-03-09T00:00:00Z');
    for (const plan of [id, other.id]) {
      const before = await stage.merchant.getPlan(plan);
      assert.equal(before.state, 'suspended');
      refusal(await stage.request('POST', `/payment_plans/${plan}/resume`), 422, 'mandate_limit_exceeded');
      assert.deepEqual(await stage.merchant.getPlan(plan), before);
    }
    await stage.merchant.updatePlan(other.id, { recurring_amount_cents: 3999 });
    await stage.merchant.move(other.id, 'resume');
    const card = await stage.merchant.card(payer.id);
    await stage.merchant.updatePlan(id, { payment_instrument_id: card });
    await stage.merchant.move(id, 'resume');
    assert.equal((await stage.merchant.getPlan(id)).state, 'active');
  });
});
