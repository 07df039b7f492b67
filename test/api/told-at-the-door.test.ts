import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { useDebtor } from '../support/debtor.ts';
import { useSubscriber } from '../support/subscriber.ts';

describe('a charge that its mandate does not allow', () => {
  const subscriber = useSubscriber();
  const { stage, here } = subscriber;
  const debtor = useDebtor(stage);

  const account = async (most: number | null = 3500) => {
    const id = await debtor.account(here.customer);
    await debtor.active({ payment_method_id: id, ...(most === null ? {} : { max_amount_cents: most }) });
    return id;
  };
  const items = (cents: number) => [{ name: 'Membership', unit_amount_cents: cents }];
  const subscribed = async (terms = {}) =>
    subscriber.started({ items: items(3000), effective_on: 'submitted', ...terms });
  const codeOf = async (method: string, path: string, body: object) => {
    const { status, body: answer } = await stage.request(method, path, body);
    return status < 300
      ? status
      : answer.error.code === 'validation_failed'
        ? answer.error.details[0].code
        : answer.error.code;
  };
  const debited = async () => {
    const id = await subscribed({ payment_instrument_id: await account() });
    await here.advance('2027-01-20T00:00:00Z');
    return id;
  };

  it('is refused by each door of a subscription, and nothing has changed', async () => {
    const id = await debited();
    const before = await subscriber.get(id);
    const refused = 'mandate_limit_exceeded';
    const change = `/subscriptions/${id}/change`;
    assert.equal(await codeOf('POST', change, { items: items(5000) }), refused);
    assert.equal(await codeOf('POST', change, { items: items(5000), dry_run: true }), refused);
    assert.equal(await codeOf('POST', change, { items: items(5000), when: 'now' }), refused);
    const fee = { one_off_items: [{ name: 'Fee', unit_amount_cents: 501 }] };
    assert.equal(await codeOf('PUT', `/subscriptions/${id}`, fee), refused);
    const lower = await account(2000);
    assert.equal(await codeOf('PUT', `/subscriptions/${id}`, { payment_instrument_id: lower }), refused);
    assert.deepEqual(await subscriber.get(id), before);
  });

  it('is not refused for what a discount without an end takes off, nor if another method is sent with it', async () => {
    const id = await debited();
    const half = { discounts: [{ name: 'Half', percent_off: 50 }] };
    assert.equal(await codeOf('PUT', `/subscriptions/${id}`, half), 200);
    assert.equal(await codeOf('POST', `/subscriptions/${id}/change`, { items: items(6000) }), 200);
    assert.equal(await codeOf('PUT', `/subscriptions/${id}`, { discounts: [] }), 'mandate_limit_exceeded');
    const higher = await account(9000);
    assert.equal(await codeOf('PUT', `/subscriptions/${id}`, { discounts: [], payment_instrument_id: higher }), 200);
  });

  it('is refused by an update of a plan, which judges amount and method together', async () => {
    const { body: plan } = await stage.request('POST', '/payment_plans', {
      customer_id: here.customer,
      name: 'Fees',
      frequency_type: 'monthly',
      recurring_amount_cents: 3000,
      until_further_notice: true,
      currency: 'AUD',
      start_date: '2027-03-10',
      payment_instrument_id: await account(),
    });
    const path = `/payment_plans/${plan.id}`;
    await stage.request('POST', `${path}/activate`);
    assert.equal(await codeOf('PUT', path, { recurring_amount_cents: 4000 }), 'mandate_limit_exceeded');
    assert.equal(await codeOf('PUT', path, { payment_instrument_id: await account(2000) }), 'mandate_limit_exceeded');
    const both = { recurring_amount_cents: 4000, payment_instrument_id: await account(4500) };
    assert.equal(await codeOf('PUT', path, both), 200);
  });

  it('is refused if the bank reports it after the period that it is for, and the quote says so', async () => {
    const id = await subscribed({ frequency_type: 'weekly', payment_instrument_id: await account(null) });
    // The period ends on Sunday, 24 January; it is Saturday.
    await here.advance('2027-01-22T23:00:00Z');
    const change = { items: items(8000), when: 'now', collect: 'now' };
    const path = `/subscriptions/${id}/change`;
    assert.equal(await codeOf('POST', path, { ...change, dry_run: true }), 'result_after_period');
    assert.equal(await codeOf('POST', path, change), 'result_after_period');
    assert.equal(await codeOf('POST', path, { ...change, collect: 'next_period' }), 200);
  });

  it('is refused as a fee of a subscription that ends with its period', async () => {
    const id = await subscriber.started();
    await subscriber.ask(id, 'cancel');
    const fee = { one_off_items: [{ name: 'Fee', unit_amount_cents: 500 }] };
    assert.equal(await codeOf('PUT', `/subscriptions/${id}`, fee), 'no_period_left');
    await subscriber.ask(id, 'uncancel');
    assert.equal(await codeOf('PUT', `/subscriptions/${id}`, fee), 200);
  });
});
