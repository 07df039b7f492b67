import assert from 'node:assert/strict';
import { PaymentsClient } from '@payments-service/client';
import { checkedClient } from '../support/client.ts';
import { usePayer } from '../support/payer.ts';
import { errorBody, useFront } from './front.ts';

describe('the client’s lists', () => {
  const payer = usePayer();
  const { stage } = payer;
  const front = useFront(stage.api);
  const client = () => checkedClient(front.url, stage.keys.sandboxSecret);
  const paths = () => front.seen.map(({ path }) => path.replace('/api/v1', ''));

  /** Customers, newest first. */
  async function made(count: number): Promise<string[]> {
    const ids: string[] = [];
    for (let number = 0; number < count; number += 1) ids.unshift((await stage.merchant.customer()).id);
    return ids;
  }

  it('return the first page when awaited', async () => {
    const ids = await made(3);
    const { data, has_more: more } = await client().customers.list({ limit: 2 });
    assert.deepEqual(
      data.map(({ id }) => id),
      ids.slice(0, 2),
    );
    assert.equal(more, true);
    assert.deepEqual(paths(), ['/customers?limit=2']);
  });

  it('return all items when iterated, each once, page after page', async () => {
    const ids = await made(5);
    const found: string[] = [];
    for await (const { id } of client().customers.list({ limit: 2 })) found.push(id);
    assert.deepEqual(found, ids);
    assert.deepEqual(paths(), [
      '/customers?limit=2',
      `/customers?limit=2&starting_after=${ids[1]}`,
      `/customers?limit=2&starting_after=${ids[3]}`,
    ]);
  });

  it('fetch a page when its first item is needed, and no page after a break', async () => {
    const ids = await made(5);
    const found: string[] = [];
    for await (const { id } of client().customers.list({ limit: 2 })) {
      found.push(id);
      assert.equal(front.seen.length, found.length > 2 ? 2 : 1);
      if (found.length === 3) break;
    }
    assert.deepEqual(found, ids.slice(0, 3));
    assert.equal(front.seen.length, 2);
  });

  it('keep their filters on every page, and begin at starting_after', async () => {
    const ids: string[] = [];
    for (const name of ['Ann', 'Bob', 'Ann', 'Ann', 'Bob']) {
      const { id } = await stage.merchant.customer({ name });
      if (name === 'Ann') ids.unshift(id);
    }
    const query = { name: 'ann', limit: 1, starting_after: ids[0] ?? '' };
    const found = await client().customers.list(query).toArray();
    assert.deepEqual(
      found.map(({ id }) => id),
      ids.slice(1),
    );
    assert.ok(front.seen.every(({ path }) => path.includes('name=ann')));
  });

  it('can be read as an array, whole or up to a limit', async () => {
    const ids = await made(4);
    const list = (limit?: number) =>
      client()
        .customers.list({ limit: 3 })
        .toArray(limit === undefined ? {} : { limit });
    assert.equal((await list()).length, ids.length);
    assert.equal(front.seen.length, 2);
    assert.deepEqual(
      (await list(3)).map(({ id }) => id),
      ids.slice(0, 3),
    );
    assert.equal(front.seen.length, 3);
    assert.deepEqual(await list(0), []);
  });

  it('can be iterated again, from the same first page', async () => {
    const ids = await made(3);
    const list = client().customers.list({ limit: 2 });
    assert.equal((await list.toArray()).length, ids.length);
    assert.equal((await list.toArray()).length, ids.length);
    assert.equal(front.seen.length, 3);
  });

  it('make a single request if they are empty', async () => {
    assert.deepEqual(
      await client()
        .refunds.list((await intent()).id)
        .toArray(),
      [],
    );
    assert.equal(front.seen.length, 1);
  });

  it('page through the payments of a plan by slot number', async () => {
    const plan = await payer.active();
    await payer.advance('2027-01-24T00:00:00Z');
    const slots = await client().paymentPlans.listPayments(plan, { limit: 1 }).toArray();
    assert.deepEqual(
      slots.map(({ slot }) => slot),
      [2, 1, 0],
    );
    assert.match(paths()[2] ?? '', /starting_after=1$/);
  });

  it('find the items in a list of payment methods', async () => {
    const second = await stage.merchant.card(payer.customer);
    const methods = await client().paymentMethods.list({ limit: 1 }).toArray();
    assert.deepEqual(
      methods.map(({ id }) => id),
      [second, payer.card],
    );
  });

  it('page through the effects of a clock by event', async () => {
    await payer.active();
    await payer.advance('2027-01-24T00:00:00Z');
    const { testClocks } = client();
    const whole = await testClocks.listEffects(payer.clock);
    assert.ok(whole.data.length > 2, 'payments, and payouts of them');
    assert.deepEqual(await testClocks.listEffects(payer.clock, { limit: 1 }).toArray(), whole.data);
  });

  it('fail when a page fails, after the items of the previous pages', async () => {
    const ids = await made(3);
    front.fates.push('pass', {
      status: 500,
      headers: { 'Content-Type': 'application/json' },
      body: errorBody('internal_error'),
    });
    const found: string[] = [];
    const impatient = new PaymentsClient({ baseUrl: front.url, apiKey: stage.keys.sandboxSecret, maxRetries: 0 });
    await assert.rejects(
      async () => {
        for await (const { id } of impatient.customers.list({ limit: 2 })) found.push(id);
      },
      { name: 'ApiError', status: 500 },
    );
    assert.deepEqual(found, ids.slice(0, 2));
  });

  const intent = () => stage.merchant.intent({ amount: 5000 });
});
