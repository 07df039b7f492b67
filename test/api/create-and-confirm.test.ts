import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, it } from 'mocha';
import { realNow } from '../../src/platform/real-time.ts';
import type { Reply } from '../support/api.ts';
import { refusal, rowCounts, useStage } from '../support/stage.ts';

describe('a payment in one request, created with confirm', () => {
  const stage = useStage();
  const price = { amount: 1000, currency: 'AUD' };
  const pay = (body: object): Promise<Reply> => stage.request('POST', '/payment_intents', { ...price, ...body });
  const paid = (body: object) => pay({ confirm: true, ...body });
  const payer = async (more: object = {}, token?: string) => {
    const { id: customer_id } = await stage.merchant.customer(more);
    return { customer_id, payment_method: await stage.merchant.card(customer_id, token) };
  };
  const unattached = async () => {
    const token_metadata = { type: 'fixture', token: 'tok_sandbox_visa_succeed', data: '' };
    const card = { type: 'card', payment_method_data: { expiry_month: 1, expiry_year: 2040, token_metadata } };
    return (await stage.request('POST', '/payment_methods', card)).body.payment_method.id;
  };

  it('is 201 with the intent after its outcome and its client_secret, charges once, and has one event', async () => {
    const { customer_id, payment_method } = await payer();
    const { status, body } = await paid({ customer_id, payment_method, metadata: { order: '1' } });
    assert.equal(status, 201);
    const { client_secret, next_action: _, receipt_url, ...shown } = body;
    assert.deepEqual(
      [body.status, body.customer_id, body.payment_method_id, body.metadata, body.last_payment_error],
      ['succeeded', customer_id, payment_method, { order: '1' }, null],
    );
    assert.deepEqual((await stage.request('GET', `/payment_intents/${body.id}`)).body, body);
    const [event, ...others] = await stage.merchant.events();
    assert.deepEqual([event?.event_type, event?.data, others], ['payment_intent.succeeded', shown, []]);
    assert.ok(client_secret.startsWith(body.id));
    assert.ok(receipt_url.includes(body.id));
    assert.deepEqual([...stage.ledger.taken.values()], [1000]);
  });

  it('is the same as a create and a confirm, in all that the API shows', async () => {
    const { customer_id, payment_method } = await payer({
      fee_preferences: { customer_pays_transaction_fees: true },
    });
    const { body: one } = await paid({ customer_id, payment_method });
    const { body: made } = await pay({ customer_id, payment_method });
    const { body: two } = await stage.request('POST', `/payment_intents/${made.id}/confirm`, {});
    assert.deepEqual([one.collected_at, two.collected_at], [one.updated_at, two.updated_at]);
    const same = ({ id, client_secret, receipt_url, created_at, updated_at, collected_at, ...rest }: typeof one) =>
      rest;
    assert.deepEqual(same(one), same(two));
    assert.equal(one.surcharge_applied, true);
  });

  it('is 201 when it is declined or needs the payer, and can be confirmed again when it has failed', async () => {
    const parties = await payer();
    const declined = await paid({ ...parties, metadata: { _sandbox_outcome: 'decline,succeed' } });
    assert.deepEqual(
      [declined.status, declined.body.status, declined.body.last_payment_error.code],
      [201, 'failed', 'insufficient_funds'],
    );
    const again = await stage.request('POST', `/payment_intents/${declined.body.id}/confirm`, {});
    assert.deepEqual([again.status, again.body.status], [200, 'succeeded']);
    const challenged = await paid({ ...parties, metadata: { _sandbox_outcome: 'requires_action' } });
    assert.deepEqual([challenged.status, challenged.body.status], [201, 'requires_action']);
    const path = `/test_helpers/payment_intents/${challenged.body.id}/complete_action`;
    assert.equal((await stage.request('POST', path, { result: 'succeed' })).body.status, 'succeeded');
    const types = (await stage.merchant.events()).map(({ event_type }) => event_type);
    assert.deepEqual(types, [
      'payment_intent.failed',
      'payment_intent.succeeded',
      'payment_intent.requires_action',
      'payment_intent.succeeded',
    ]);
  });

  it('attaches a method without a customer to the payment’s customer, and charges one without a customer', async () => {
    const { id: customer_id } = await stage.merchant.customer();
    const method = await unattached();
    assert.equal((await paid({ customer_id, payment_method: method })).body.status, 'succeeded');
    assert.equal((await stage.request('GET', `/customers/${customer_id}`)).body.default_payment_method, method);
    const { body } = await paid({ payment_method: await unattached() });
    assert.deepEqual([body.status, body.customer_id], ['succeeded', undefined]);
  });

  it('happens at the clock’s time on a clock, and not while it advances', async () => {
    const clock = await stage.merchant.clock('2031-02-03T04:05:06.789Z');
    const parties = await payer({ test_clock: clock.id });
    const { body } = await paid(parties);
    assert.deepEqual(
      [body.status, body.created_at, body.updated_at],
      ['succeeded', '2031-02-03T04:05:06.789Z', '2031-02-03T04:05:06.789Z'],
    );
    await stage.merchant.beginAdvance(clock.id, '2031-02-04T00:00:00Z');
    const before = await rowCounts(stage);
    refusal(await paid(parties), 422, 'test_clock_advancing');
    assert.deepEqual(await rowCounts(stage), before);
  });

  it('is 422 when its customer’s clock is deleted while the processor is asked', async () => {
    const clock = await stage.merchant.clock('2031-02-03T00:00:00Z');
    const parties = await payer({ test_clock: clock.id });
    stage.ledger.beforeAnswer = async () => {
      await stage.merchant.deleteClock(clock.id);
    };
    refusal(await paid(parties), 422, 'invalid_state');
  });

  it('is 400 without a method, and with a scheduled_payment_date, and creates nothing', async () => {
    const parties = await payer();
    const before = await rowCounts(stage);
    const day = realNow().toISOString().slice(0, 10);
    assert.deepEqual(refusal(await paid({}), 400), ['/payment_method parameter_missing']);
    assert.deepEqual(refusal(await paid({ ...parties, scheduled_payment_date: day }), 400), [
      '/scheduled_payment_date invalid_value',
    ]);
    assert.deepEqual(refusal(await pay({ ...parties, confirm: 'yes' }), 400), ['/confirm invalid_type']);
    assert.deepEqual(await rowCounts(stage), before);
  });

  it('is refused as a create is, with every field error, and creates nothing', async () => {
    const { customer_id, payment_method } = await payer();
    const other = await payer();
    const gone = await payer();
    await stage.merchant.detach(gone.payment_method);
    const left = await payer();
    await stage.request('DELETE', `/customers/${left.customer_id}`);
    const before = await rowCounts(stage);
    const refused: [object, string[]][] = [
      [{ customer_id, payment_method: 'pm_none' }, ['/payment_method resource_missing']],
      [
        { customer_id: 'cus_none', payment_method: 'pm_none' },
        ['/customer_id resource_missing', '/payment_method resource_missing'],
      ],
      [{ customer_id, payment_method: other.payment_method }, ['/payment_method payment_method_of_other_customer']],
      [gone, ['/payment_method payment_method_detached']],
      [left, ['/customer_id customer_deleted']],
      [{ customer_id, payment_method, biller_id: 'acct_none' }, ['/biller_id resource_missing']],
      [
        { customer_id, payment_method, metadata: { _sandbox_outcome: 'x' } },
        ['/metadata/_sandbox_outcome invalid_value'],
      ],
    ];
    for (const [body, errors] of refused) assert.deepEqual(refusal(await paid(body), 400), errors);
    assert.deepEqual([await rowCounts(stage), stage.ledger.requests], [before, []]);
  });

  it('charges nothing without confirm, or with false', async () => {
    const parties = await payer();
    for (const body of [parties, { ...parties, confirm: false }]) {
      const made = await pay(body);
      assert.deepEqual([made.status, made.body.status], [201, 'requires_payment_method']);
    }
    assert.deepEqual(stage.ledger.requests, []);
  });

  it('is 503 processor_not_configured in live mode, and creates nothing', async () => {
    const live = (path: string, body: unknown) =>
      stage.api.send('POST', `/api/v1${path}`, { key: stage.keys.liveSecret, body });
    const { body: customer } = await live('/customers', { name: 'Jo' });
    const token_metadata = { type: 'vault', token: 't', data: '' };
    const card = { type: 'card', payment_method_data: { expiry_month: 1, expiry_year: 2040, token_metadata } };
    const methods = [
      (await live('/payment_methods', { ...card, customer_reference: customer.id })).body.payment_method.id,
      (await live('/payment_methods', card)).body.payment_method.id,
    ];
    const before = await rowCounts(stage);
    for (const payment_method of methods) {
      const who = { customer_id: customer.id, payment_method };
      const reply = await live('/payment_intents', { ...price, ...who, confirm: true });
      assert.deepEqual([reply.status, reply.body.error.code], [503, 'processor_not_configured']);
    }
    assert.deepEqual(await rowCounts(stage), before);
  });

  it('is refused with a publishable key', async () => {
    const parties = await payer();
    const body = { ...price, ...parties, confirm: true };
    const reply = await stage.api.send('POST', '/api/v1/payment_intents', { key: stage.keys.sandboxPublishable, body });
    assert.deepEqual([reply.status, stage.ledger.requests], [403, []]);
  });

  it('is a new payment once the time of its key is over', async () => {
    const body = { ...price, ...(await payer()), confirm: true };
    const ask = () =>
      stage.api.send('POST', '/api/v1/payment_intents', {
        key: stage.merchant.key,
        body,
        headers: { 'Idempotency-Key': 'order', 'Idempotency-TTL': '1' },
      });
    const first = await ask();
    const replayed = await ask();
    assert.deepEqual([replayed.text, replayed.headers.get('idempotent-replayed')], [first.text, 'true']);
    await pause(1_100);
    const later = await ask();
    assert.deepEqual([later.status, later.body.id === first.body.id, stage.ledger.taken.size], [201, false, 2]);
  });
});
