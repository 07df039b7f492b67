import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { holdLocks } from '../races/barriers.ts';
import { rowCounts, useStage } from '../support/stage.ts';
import { bytesOf, outcomeOf, useCheckout } from './checkout.ts';

const refused = '403 secret_key_required';

describe('a publishable key that saves a payment method', () => {
  const stage = useStage();
  const page = useCheckout(stage);
  const methodsOf = async (customer: string): Promise<string[]> =>
    (await stage.request('GET', `/customers/${customer}/payment_methods`)).body.payment_methods.map(
      ({ id }: { id: string }) => id,
    );
  const defaultOf = async (customer: string) =>
    (await stage.request('GET', `/customers/${customer}`)).body.default_payment_method;

  it('may name the customer of the payment whose client_secret it presents, by id or reference', async () => {
    const { id } = await stage.merchant.customer({ reference: 'member-1042' });
    const { client_secret } = await page.intent({ customer_id: id });
    for (const customer_reference of [id, 'member-1042']) {
      const { status, body, text } = await page.save({ customer_reference, client_secret });
      assert.equal(status, 200, text);
      assert.equal((await methodsOf(id))[0], body.payment_method.id);
    }
  });

  it('never sets a default method, not by a confirm either; a secret key does', async () => {
    const { id } = await stage.merchant.customer();
    const intent = await page.intent({ customer_id: id });
    assert.equal((await page.save({ customer_reference: id, client_secret: intent.client_secret })).status, 200);
    assert.equal((await page.confirm(intent, await page.card())).status, 200);
    assert.deepEqual([(await methodsOf(id)).length, await defaultOf(id)], [2, null]);
    const card = await stage.merchant.card(id);
    assert.equal(await defaultOf(id), card);
    await page.save({ customer_reference: id, client_secret: intent.client_secret });
    assert.equal(await defaultOf(id), card);
  });

  it('is refused with the same bytes for every other customer, whether or not it exists, and creates nothing', async () => {
    const { merchant } = stage;
    const { id } = await merchant.customer({ reference: 'mine' });
    const other = await merchant.customer({ reference: 'other' });
    const gone = await merchant.customer({ reference: 'gone' });
    await stage.request('DELETE', `/customers/${gone.id}`);
    const clock = await merchant.clock('2031-02-03T04:05:06.789Z');
    const moving = await merchant.customer({ reference: 'moving', test_clock: clock.id });
    const movingIntent = await page.intent({ customer_id: moving.id });
    await merchant.beginAdvance(clock.id, '2031-03-01T00:00:00Z');
    const stranger = await stage.stranger();
    const theirs = await stranger.merchant.customer({ reference: 'theirs' });
    const foreign = await stranger.merchant.intent({ amount: 500, customer_id: theirs.id });
    const own = await page.intent({ customer_id: id });
    const anonymous = await page.intent();
    const secrets = [
      undefined,
      '',
      'x',
      '_secret_',
      own.id,
      `${own.client_secret}x`,
      own.client_secret.slice(0, -1),
      own.client_secret.replace(own.id, movingIntent.id),
      foreign.client_secret,
      anonymous.client_secret,
    ];
    const others = [other.id, 'other', gone.id, 'gone', moving.id, 'moving', theirs.id, 'theirs', 'cus_none', 'nobody'];
    const before = await rowCounts(stage);
    const replies = new Set<string>();
    for (const customer_reference of others) {
      replies.add(bytesOf(await page.save({ customer_reference, client_secret: own.client_secret })));
      replies.add(bytesOf(await page.save({ customer_reference, client_secret: own.client_secret }, 'tok_wrong')));
    }
    for (const client_secret of secrets) {
      for (const customer_reference of [id, 'mine', 'cus_none']) {
        replies.add(bytesOf(await page.save({ customer_reference, client_secret })));
      }
    }
    assert.deepEqual([...replies].length, 1, [...replies].join('\n'));
    assert.ok([...replies][0]?.includes('"code":"secret_key_required"'));
    assert.deepEqual(await rowCounts(stage), before);
  });

  it('finds no customer that was deleted, or whose reference now belongs to another one', async () => {
    const first = await stage.merchant.customer({ reference: 'shared' });
    const { client_secret } = await page.intent({ customer_id: first.id });
    const second = await stage.merchant.customer({ reference: 'shared' });
    assert.equal((await page.save({ customer_reference: 'shared', client_secret })).status, 200);
    assert.deepEqual([(await methodsOf(first.id)).length, (await methodsOf(second.id)).length], [1, 0]);
    await stage.request('DELETE', `/customers/${first.id}`);
    for (const customer_reference of [first.id, 'shared']) {
      assert.equal(outcomeOf(await page.save({ customer_reference, client_secret })), refused);
    }
  });

  it('looks up only the customer of the payment: a lock on others makes no refusal wait', async () => {
    const { id } = await stage.merchant.customer();
    const other = await stage.merchant.customer({ reference: 'other' });
    const { client_secret } = await page.intent({ customer_id: id });
    const whole = await holdLocks(stage.db.sql, (tx) => tx`lock table customers, payment_intents`);
    try {
      for (const secret of [undefined, 'wrong', `${client_secret}x`]) {
        assert.equal(outcomeOf(await page.save({ customer_reference: id, client_secret: secret })), refused);
      }
    } finally {
      await whole.release();
    }
    const row = await holdLocks(stage.db.sql, (tx) => tx`select from customers where id = ${other.id} for update`);
    try {
      for (const customer_reference of [other.id, 'other']) {
        assert.equal(outcomeOf(await page.save({ customer_reference, client_secret })), refused);
      }
    } finally {
      await row.release();
    }
  });

  it('needs no client_secret without a customer, and a secret key never does', async () => {
    assert.equal((await page.save()).status, 200);
    assert.equal((await page.save({ client_secret: 'wrong' })).status, 200);
    const { id } = await stage.merchant.customer();
    const token_metadata = { type: 'fixture', token: 'tok_sandbox_visa_succeed', data: '' };
    const payment_method_data = { expiry_month: 1, expiry_year: 2040, token_metadata };
    const body = { type: 'card', payment_method_data, customer_reference: id, client_secret: 'wrong' };
    assert.equal((await stage.request('POST', '/payment_methods', body)).status, 200);
  });

  it('is refused if client_secret is not a string, or too long', async () => {
    for (const client_secret of [1, null, {}, 'x'.repeat(201)])
      assert.equal((await page.save({ client_secret })).status, 400);
  });
});
