import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { Reply } from '../support/api.ts';
import { refusal, rowCounts, type Stage, useStage } from '../support/stage.ts';

const debit = {
  type: 'au_becs_debit',
  payment_method_data: { bsb_number: '000-000', account_name: 'Jo', account_number: '123456' },
};
const ids = (reply: Reply): string[] => reply.body.payment_methods.map(({ id }: { id: string }) => id);

/** Saves a method without a customer, and returns its id. */
async function loose(stage: Stage): Promise<string> {
  const { body } = await stage.request('POST', '/payment_methods', debit);
  return body.payment_method.id;
}

describe('the list of payment methods', () => {
  const stage = useStage();
  const list = (query = '') => stage.request('GET', `/payment_methods?${query}`);

  it('has success, and each method as a fetch shows it, newest first, attached or not, without the detached', async () => {
    const { id } = await stage.merchant.customer();
    const made = [await stage.merchant.card(id), await loose(stage), await stage.merchant.card(id)];
    const detached = await stage.merchant.card(id);
    await stage.merchant.detach(detached);
    const { status, body } = await list();
    assert.deepEqual([status, Object.keys(body).sort()], [200, ['has_more', 'payment_methods', 'success']]);
    assert.deepEqual([body.success, body.has_more], [true, false]);
    const fetched = [];
    for (const method of made.toReversed()) {
      fetched.push((await stage.request('GET', `/payment_methods/${method}`)).body.payment_method);
    }
    assert.deepEqual(body.payment_methods, fetched);
  });

  it('is the newest 100 unless limit says otherwise, and pages by starting_after', async () => {
    const made: string[] = [];
    for (let n = 0; n < 101; n++) made.unshift(await loose(stage));
    const all = await list();
    assert.deepEqual([ids(all), all.body.has_more], [made.slice(0, 100), true]);
    const page = await list(`limit=2&starting_after=${made[97]}`);
    assert.deepEqual([ids(page), page.body.has_more], [made.slice(98, 100), true]);
    const last = await list(`starting_after=${made[99]}`);
    assert.deepEqual([ids(last), last.body.has_more], [made.slice(100), false]);
  });

  it('goes on after a method that was detached meanwhile', async () => {
    const { id } = await stage.merchant.customer();
    const [old, gone] = [await stage.merchant.card(id), await stage.merchant.card(id)];
    await stage.merchant.detach(gone);
    assert.deepEqual(ids(await list(`starting_after=${gone}`)), [old]);
  });
});

describe('the payment methods of a customer', () => {
  const stage = useStage();
  const list = (customer: string) => stage.request('GET', `/customers/${customer}/payment_methods`);
  const fetch = (customer: string, id: string) => stage.request('GET', `/customers/${customer}/payment_methods/${id}`);

  it('are its own that are not detached, newest first, and nothing else', async () => {
    const [one, other] = [await stage.merchant.customer(), await stage.merchant.customer()];
    assert.deepEqual((await list(one.id)).body, { success: true, payment_methods: [], has_more: false });
    const made = [await stage.merchant.card(one.id), await stage.merchant.card(one.id)];
    await stage.merchant.card(other.id);
    await loose(stage);
    await stage.merchant.detach(await stage.merchant.card(one.id));
    const { status, body } = await list(one.id);
    const fetched = [];
    for (const id of made.toReversed()) fetched.push((await fetch(one.id, id)).body.payment_method);
    assert.deepEqual([status, body], [200, { success: true, payment_methods: fetched, has_more: false }]);
  });

  it('are fetched one by one, a detached one too', async () => {
    const { id } = await stage.merchant.customer();
    const method = await stage.merchant.card(id);
    const { status, body } = await fetch(id, method);
    assert.deepEqual([status, body], [200, (await stage.request('GET', `/payment_methods/${method}`)).body]);
    await stage.merchant.detach(method);
    assert.deepEqual((await fetch(id, method)).body, body);
  });

  it('are 404 for an unknown or foreign customer, and for a method that is not this customer’s', async () => {
    const [one, other] = [await stage.merchant.customer(), await stage.merchant.customer()];
    const mine = await stage.merchant.card(one.id);
    const { merchant } = await stage.stranger();
    const foreign = await merchant.customer();
    for (const id of ['cus_none', foreign.id]) refusal(await fetch(id, mine), 404, 'resource_missing');
    for (const id of [
      'pm_none',
      await stage.merchant.card(other.id),
      await loose(stage),
      await merchant.card(foreign.id),
    ]) {
      refusal(await fetch(one.id, id), 404, 'resource_missing');
    }
  });
});

describe('attaching a payment method', () => {
  const stage = useStage();
  const attach = (id: string, customer_id: unknown) =>
    stage.request('POST', `/payment_methods/${id}/attach`, { customer_id });
  const defaultOf = async (id: string) => (await stage.request('GET', `/customers/${id}`)).body.default_payment_method;
  const ownerOf = async (id: string) => {
    const [row] = await stage.db.sql<{ customer_id: string | null }[]>`
      select customer_id from payment_methods where id = ${id}`;
    return row?.customer_id;
  };

  it('answers it as a fetch does, and makes a customer’s first method its default, a later one not', async () => {
    const { id } = await stage.merchant.customer();
    const [first, second] = [await loose(stage), await loose(stage)];
    const { status, body } = await attach(first, id);
    assert.deepEqual([status, body], [200, (await stage.request('GET', `/payment_methods/${first}`)).body]);
    assert.equal(await defaultOf(id), first);
    assert.equal((await attach(second, id)).status, 200);
    assert.equal(await defaultOf(id), first);
    assert.deepEqual(ids(await stage.request('GET', `/customers/${id}/payment_methods`)), [second, first]);
  });

  it('again to the same customer changes nothing, not even a default that was taken away', async () => {
    const customer = await stage.merchant.customer();
    const method = await loose(stage);
    const first = await attach(method, customer.id);
    await stage.request('PUT', `/customers/${customer.id}`, { default_payment_method: null });
    const { body: before } = await stage.request('GET', `/customers/${customer.id}`);
    const again = await attach(method, customer.id);
    assert.deepEqual([again.status, again.body], [200, first.body]);
    assert.deepEqual((await stage.request('GET', `/customers/${customer.id}`)).body, before);
  });

  it('is 400 for another customer’s or a detached method, and leaves it where it was', async () => {
    const [one, other] = [await stage.merchant.customer(), await stage.merchant.customer()];
    const taken = await stage.merchant.card(other.id);
    const detached = await loose(stage);
    await stage.merchant.detach(detached);
    const lost = await stage.merchant.card(one.id);
    await stage.merchant.detach(lost);
    const codes = async (id: string) => refusal(await attach(id, one.id), 400).map((fault) => fault.split(' ')[1]);
    assert.deepEqual(await codes(taken), ['payment_method_of_other_customer']);
    assert.deepEqual(await codes(detached), ['payment_method_detached']);
    assert.deepEqual(await codes(lost), ['payment_method_detached']);
    assert.deepEqual([await ownerOf(taken), await ownerOf(detached), await defaultOf(one.id)], [other.id, null, null]);
  });

  it('names customer_id when the customer is unknown, foreign or missing', async () => {
    const { merchant } = await stage.stranger();
    const foreign = await merchant.customer();
    const method = await loose(stage);
    for (const id of ['cus_none', foreign.id]) {
      assert.deepEqual(refusal(await attach(method, id), 400), ['/customer_id resource_missing']);
    }
    assert.deepEqual(refusal(await attach(method, undefined), 400), ['/customer_id parameter_missing']);
    assert.equal(await ownerOf(method), null);
  });

  it('tells of nothing, and makes no row', async () => {
    const { id } = await stage.merchant.customer();
    const method = await loose(stage);
    const before = await rowCounts(stage);
    await attach(method, id);
    assert.deepEqual(await rowCounts(stage), before);
  });

  it('happens at the clock’s time for a clock-bound customer, and not while it advances', async () => {
    const clock = await stage.merchant.clock('2031-02-03T04:05:06.789Z');
    const { id } = await stage.merchant.customer({ test_clock: clock.id });
    const method = await loose(stage);
    await stage.merchant.beginAdvance(clock.id, '2031-03-01T00:00:00Z');
    refusal(await attach(method, id), 422, 'test_clock_advancing');
    assert.equal(await ownerOf(method), null);
    await stage.carryOut(clock.id);
    assert.equal((await attach(method, id)).status, 200);
    const { updated_at, default_payment_method } = (await stage.request('GET', `/customers/${id}`)).body;
    assert.deepEqual([updated_at, default_payment_method], ['2031-03-01T00:00:00.000Z', method]);
  });

  it('gives a method that two customers want at once to one of them', async () => {
    for (let round = 0; round < 12; round++) {
      const customers = [await stage.merchant.customer(), await stage.merchant.customer()];
      const method = await loose(stage);
      const replies = await Promise.all(customers.map(({ id }) => attach(method, id)));
      assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 400]);
      const winner = customers[replies.findIndex(({ status }) => status === 200)];
      assert.equal(await ownerOf(method), winner?.id);
      assert.deepEqual(await Promise.all(customers.map(({ id }) => defaultOf(id))), [
        winner === customers[0] ? method : null,
        winner === customers[1] ? method : null,
      ]);
    }
  });

  it('racing its detachment never leaves a detached method as the default', async () => {
    for (let round = 0; round < 24; round++) {
      const { id } = await stage.merchant.customer();
      const method = await loose(stage);
      const [attached, detached] = await Promise.all([
        attach(method, id),
        stage.request('POST', `/payment_methods/${method}/detach`),
      ]);
      assert.equal(detached.status, 200);
      if (attached.status !== 200) refusal(attached, 400);
      assert.equal(await defaultOf(id), null);
    }
  });
});
