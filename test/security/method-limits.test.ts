import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { Reply } from '../support/api.ts';
import { refusal, useStage } from '../support/stage.ts';
import { useCheckout } from './checkout.ts';

const limit = 50;

describe('the payment methods of a customer', () => {
  const stage = useStage();
  const page = useCheckout(stage);
  const debit = {
    type: 'au_becs_debit',
    payment_method_data: { bsb_number: '000-000', account_name: 'Jo', account_number: '123456' },
  };
  const save = (customer_reference?: string): Promise<Reply> =>
    stage.request('POST', '/payment_methods', { ...debit, customer_reference });
  const loose = async (): Promise<string> => (await save()).body.payment_method.id;
  const list = (customer: string, query = ''): Promise<Reply> =>
    stage.request('GET', `/customers/${customer}/payment_methods?${query}`);
  const ids = ({ body }: Reply): string[] => body.payment_methods.map(({ id }: { id: string }) => id);

  /** Creates a customer with this number of methods, and returns them, newest first. */
  async function customerWith(count: number) {
    const { id } = await stage.merchant.customer();
    const methods: string[] = [];
    for (let n = 0; n < count; n++) methods.unshift((await save(id)).body.payment_method.id);
    return { id, methods };
  }

  it('are at most 50 that are not detached, by every way to add one', async () => {
    const { id, methods } = await customerWith(limit);
    const { id: intent, client_secret } = await page.intent({ customer_id: id });
    const plan = {
      customer_id: id,
      name: 'Weekly',
      frequency_type: 'weekly',
      recurring_amount_cents: 1000,
      currency: 'AUD',
      start_date: '2199-01-01',
      until_further_notice: true,
    };
    const made = (await stage.request('POST', '/payment_plans', { ...plan, payment_instrument_id: methods[0] })).body;
    const payment_method = await loose();
    const paypal = { type: 'paypal', instrument_data: { paypal_email: 'jo@example.com', account_name: 'Jo' } };
    const ways: Record<string, [status: number, attempt: () => Promise<Reply>]> = {
      'saved by a secret key': [400, () => save(id)],
      'saved by a publishable key': [400, () => page.save({ customer_reference: id, client_secret })],
      'saved in the sandbox': [
        400,
        () => stage.request('POST', '/test_helpers/payment_methods', { ...paypal, customer_reference: id }),
      ],
      attached: [400, () => stage.request('POST', `/payment_methods/${payment_method}/attach`, { customer_id: id })],
      'named for an intent': [
        400,
        () =>
          stage.request('POST', '/payment_intents', { amount: 500, currency: 'AUD', customer_id: id, payment_method }),
      ],
      'confirmed by a secret key': [
        400,
        () => stage.request('POST', `/payment_intents/${intent}/confirm`, { payment_method }),
      ],
      'confirmed by a publishable key': [400, () => page.confirm({ id: intent, client_secret }, payment_method)],
      'named for a plan': [
        422,
        () => stage.request('POST', '/payment_plans', { ...plan, payment_instrument_id: payment_method }),
      ],
      'put into a plan': [
        422,
        () => stage.request('PUT', `/payment_plans/${made.id}`, { payment_instrument_id: payment_method }),
      ],
    };
    for (const [way, [status, attempt]] of Object.entries(ways)) {
      const reply = await attempt();
      assert.deepEqual(refusal(reply, status, 'payment_method_limit'), ['undefined payment_method_limit'], way);
      assert.ok(!reply.text.includes(id), way);
    }
    assert.deepEqual(ids(await list(id)), methods);
    assert.equal(stage.ledger.requests.length, 0);
    await stage.merchant.detach(String(methods[3]));
    assert.equal((await stage.request('POST', `/payment_intents/${intent}/confirm`, { payment_method })).status, 200);
    refusal(await save(id), 400, 'payment_method_limit');
    // A method that it already has does not count again.
    assert.equal(
      (await stage.request('POST', `/payment_methods/${payment_method}/attach`, { customer_id: id })).status,
      200,
    );
  });

  it('are no more than 50 after a race for the last place, by every way at once', async () => {
    const { id } = await customerWith(limit - 1);
    const intents = [await page.intent({ customer_id: id }), await page.intent({ customer_id: id })];
    const cards = [await loose(), await loose(), await loose(), await loose()];
    const replies = await Promise.all([
      save(id),
      save(id),
      page.save({ customer_reference: id, client_secret: intents[0]?.client_secret }),
      ...cards.slice(0, 2).map((card) => stage.request('POST', `/payment_methods/${card}/attach`, { customer_id: id })),
      ...intents.map((intent, index) => page.confirm(intent, cards[index + 2])),
    ]);
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 400, 400, 400, 400, 400, 400]);
    for (const reply of replies) if (reply.status !== 200) refusal(reply, 400, 'payment_method_limit');
    assert.equal(ids(await list(id)).length, limit);
  });

  it('count per customer: unattached methods, and those of another customer, do not count', async () => {
    const { id } = await customerWith(limit);
    assert.equal((await page.save()).status, 200);
    assert.equal((await save((await stage.merchant.customer()).id)).status, 200);
    refusal(await save(id), 400, 'payment_method_limit');
  });

  it('are listed in pages, by default of 100', async () => {
    const { id, methods } = await customerWith(5);
    await customerWith(2);
    const all = await list(id);
    assert.deepEqual([ids(all), all.body.has_more, all.body.success], [methods, false, true]);
    const first = await list(id, 'limit=2');
    assert.deepEqual([ids(first), first.body.has_more], [methods.slice(0, 2), true]);
    const next = await list(id, `limit=2&starting_after=${methods[1]}`);
    assert.deepEqual([ids(next), next.body.has_more], [methods.slice(2, 4), true]);
    await stage.merchant.detach(String(methods[3]));
    const last = await list(id, `limit=1&starting_after=${methods[3]}`);
    assert.deepEqual([ids(last), last.body.has_more], [methods.slice(4), false]);
    const stranger = await stage.stranger();
    const foreign = await stranger.merchant.card((await stranger.merchant.customer()).id);
    for (const query of [
      'limit=0',
      'limit=101',
      'limit=x',
      'page=2',
      'starting_after=pm_none',
      `starting_after=${foreign}`,
    ]) {
      assert.equal((await list(id, query)).status, 400, query);
    }
  });

  it('are all listed for a customer that had more before the limit existed', async () => {
    const { id } = await customerWith(1);
    await stage.db.sql`
      insert into payment_methods (id, biller_id, livemode, customer_id, type, instrument_data, created_at, updated_at)
      select 'pm_' || lpad(n::text, 32, '0'), m.biller_id, m.livemode, m.customer_id, m.type, m.instrument_data, now(), now()
      from payment_methods m, generate_series(1, 120) n where m.customer_id = ${id}`;
    const first = await list(id);
    assert.deepEqual([ids(first).length, first.body.has_more], [100, true]);
    const rest = await list(id, `starting_after=${ids(first).at(-1)}`);
    assert.deepEqual([ids(rest).length, rest.body.has_more], [21, false]);
    refusal(await save(id), 400, 'payment_method_limit');
  });
});
