import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { realNow } from '../../src/platform/real-time.ts';
import { refusal, useStage } from '../support/stage.ts';

describe('a secret key that charges a method which a browser may have named', () => {
  const stage = useStage();

  async function owned() {
    const { id } = await stage.merchant.customer();
    return { customer: id, card: await stage.merchant.card(id) };
  }
  async function unowned(): Promise<string> {
    const { payment_method: method } = await stage.merchant.client.paymentMethods.create({
      type: 'card',
      payment_method_data: {
        ...{ expiry_month: 12, expiry_year: 2099 },
        token_metadata: { type: 'fixture', token: 'tok_sandbox_visa_succeed', data: '' },
      },
    });
    return method.id;
  }
  const confirm = (id: string, body: object) => stage.request('POST', `/payment_intents/${id}/confirm`, body);
  const paid = { amount: 1000, currency: 'AUD', confirm: true } as const;
  const notAllowed = ['/payment_method payment_method_not_allowed'];

  it('takes money from a customer only if the intent or the request names this customer', async () => {
    const { customer, card } = await owned();
    const { id } = await stage.merchant.intent();
    assert.deepEqual(refusal(await confirm(id, { payment_method: card }), 400), notAllowed);
    const created = await stage.request('POST', '/payment_intents', { ...paid, payment_method: card });
    assert.deepEqual(refusal(created, 400), notAllowed);
    assert.equal(stage.ledger.requests.length, 0);
    const named = await confirm(id, { payment_method: card, customer_id: customer });
    assert.deepEqual([named.body.status, named.body.customer_id], ['succeeded', customer], named.text);
    const both = await stage.request('POST', '/payment_intents', {
      ...paid,
      payment_method: card,
      customer_id: customer,
    });
    assert.deepEqual([both.status, both.body.status], [201, 'succeeded'], both.text);
    const own = await stage.merchant.intent({ customer_id: customer });
    assert.equal((await confirm(own.id, { payment_method: card })).body.status, 'succeeded');
  });

  it('does not take over the customer of a method that a payment is created with', async () => {
    const { customer, card } = await owned();
    const { confirm: _, ...terms } = paid;
    const made = await stage.request('POST', '/payment_intents', { ...terms, payment_method: card });
    assert.deepEqual(
      [made.status, made.body.customer_id ?? null, made.body.payment_method_id],
      [201, null, card],
      made.text,
    );
    const { id, client_secret } = made.body;
    assert.deepEqual(refusal(await confirm(id, {}), 400), notAllowed);
    assert.deepEqual(refusal(await confirm(id, { payment_method: card }), 400), notAllowed);
    for (const body of [{ client_secret }, { client_secret, payment_method: card }]) {
      const byBrowser = await stage.api.send('POST', `/api/v1/payment_intents/${id}/confirm`, {
        key: stage.keys.sandboxPublishable,
        body,
      });
      assert.deepEqual([byBrowser.status, byBrowser.body.error.code], [403, 'payment_method_not_allowed']);
    }
    assert.equal(stage.ledger.requests.length, 0);
    const named = await confirm(id, { customer_id: customer });
    assert.deepEqual([named.body.status, named.body.customer_id], ['succeeded', customer], named.text);
  });

  it('takes no money on a date from a customer whom the payment does not name', async () => {
    const { customer, card } = await owned();
    const { confirm: _, ...terms } = paid;
    const scheduled = { ...terms, payment_method: card, scheduled_payment_date: '2100-01-01' };
    const today = { ...scheduled, scheduled_payment_date: realNow().toISOString().slice(0, 10) };
    const refused = await stage.request('POST', '/payment_intents', scheduled);
    assert.deepEqual(refusal(refused, 400).sort(), [...notAllowed, '/scheduled_payment_date out_of_range']);
    assert.deepEqual(refusal(await stage.request('POST', '/payment_intents', today), 400), notAllowed);
    const named = await stage.request('POST', '/payment_intents', { ...today, customer_id: customer });
    assert.deepEqual([named.status, named.body.customer_id], [201, customer], named.text);
    const ofNobody = { ...today, payment_method: await unowned() };
    const free = await stage.request('POST', '/payment_intents', ofNobody);
    assert.deepEqual([free.status, free.body.customer_id ?? null], [201, null], free.text);
  });

  it('takes no money from a customer if the request names another one', async () => {
    const [{ card, customer }, other] = [await owned(), await owned()];
    const { id } = await stage.merchant.intent();
    const foreign = await confirm(id, { payment_method: card, customer_id: other.customer });
    assert.deepEqual(refusal(foreign, 400), ['/payment_method payment_method_of_other_customer']);
    const own = await stage.merchant.intent({ customer_id: customer });
    const changed = await confirm(own.id, { payment_method: card, customer_id: other.customer });
    assert.deepEqual(refusal(changed, 400), ['/customer_id invalid_value']);
    const unknown = await confirm(id, { payment_method: card, customer_id: `cus_${'a'.repeat(32)}` });
    assert.deepEqual(refusal(unknown, 400), ['/customer_id resource_missing']);
    assert.equal(stage.ledger.requests.length, 0);
  });

  it('charges a method that belongs to no customer alone, or for the customer that the confirm names', async () => {
    const { id } = await stage.merchant.intent();
    const charged = await confirm(id, { payment_method: await unowned() });
    assert.deepEqual([charged.body.status, charged.body.customer_id ?? null], ['succeeded', null], charged.text);
    const { customer } = await owned();
    const second = await stage.merchant.intent();
    const method = await unowned();
    const named = await confirm(second.id, { payment_method: method, customer_id: customer });
    assert.deepEqual([named.body.status, named.body.customer_id], ['succeeded', customer], named.text);
  });
});
