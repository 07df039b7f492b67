import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, it } from 'mocha';
import { addMs } from '../../src/domain/instants.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { recoverCharges } from '../../src/services/payments/payment-confirmation.ts';
import type { Reply } from '../support/api.ts';
import { untilBothHaveWon } from '../support/race.ts';
import { refusal, rowCounts, useStage } from '../support/stage.ts';

const declines = {
  insufficient_funds: 'The account does not have enough funds for this payment.',
  gateway_timeout: 'The payment processor did not respond in time, and the payment was not taken.',
  card_declined: 'The card was declined by its issuer.',
  expired_card: 'The card has expired.',
};

describe('confirming a payment intent', () => {
  const stage = useStage({ isAlone: true });
  /** Confirms with a method, and names the customer to whom it belongs. */
  async function confirm(id: string, payment_method?: string, more: object = {}): Promise<Reply> {
    const [owner] = await stage.db.sql`
      select m.customer_id from payment_methods m join payment_intents i on i.biller_id = m.biller_id
      where m.id = ${payment_method ?? ''} and i.id = ${id} and m.customer_id is not null and i.customer_id is null`;
    return stage.request('POST', `/payment_intents/${id}/confirm`, { payment_method, ...owner, ...more });
  }
  const intent = (body: object = {}) => stage.merchant.intent({ ...body });
  const cardOf = async (token?: string) => stage.merchant.card((await stage.merchant.customer()).id, token);

  /** Confirms a new intent; returns status and decline code, such as `failed card_declined`. */
  async function outcome(amount: number, token: string): Promise<string> {
    const { id } = await intent({ amount });
    const { status, body } = await confirm(id, await cardOf(token));
    assert.equal(status, 200);
    if (body.last_payment_error === null) return body.status;
    const { code, message, ...rest } = body.last_payment_error;
    assert.deepEqual([message, rest], [declines[code as keyof typeof declines], {}]);
    return `${body.status} ${code}`;
  }

  it('answers the intent with its client secret, and emits one event with the intent as its data', async () => {
    const { id, client_secret, next_action, ...before } = await intent();
    const method = await cardOf();
    const { status, body } = await confirm(id, method);
    assert.equal(status, 200);
    const { customer_id, updated_at, receipt_url } = body;
    const changed = { status: 'succeeded', net_collected_amount: before.total_amount, payment_method_id: method };
    const expected = { id, ...before, ...changed, customer_id, updated_at, collected_at: updated_at };
    assert.deepEqual(body, { ...expected, client_secret, next_action, receipt_url });
    assert.deepEqual((await stage.request('GET', `/payment_intents/${id}`)).body, body);
    const [event, ...others] = await stage.merchant.events();
    assert.deepEqual([event?.event_type, event?.data, others], ['payment_intent.succeeded', expected, []]);
    assert.equal(event?.request_id?.startsWith('req_'), true);
  });

  it('ends as the fixture says, whatever the amount', async () => {
    const visa = 'tok_sandbox_visa';
    for (const amount of [1000, 1001, 1002, 1099]) {
      assert.equal(await outcome(amount, `${visa}_succeed`), 'succeeded');
      assert.equal(await outcome(amount, `${visa}_decline_insufficient_funds`), 'failed insufficient_funds');
      assert.equal(await outcome(amount, `${visa}_decline_card_lost`), 'failed card_declined');
      assert.equal(await outcome(amount, `${visa}_decline_expired_card`), 'failed expired_card');
      assert.equal(await outcome(amount, `${visa}_3ds_required`), 'requires_action');
      assert.equal(await outcome(amount, `${visa}_timeout`), 'failed gateway_timeout');
    }
  });

  it('may follow a failure, by another method too; each failure has its event, and success clears the error', async () => {
    const { id } = await intent({ metadata: { _sandbox_outcome: 'decline,timeout,succeed' } });
    const { id: customer } = await stage.merchant.customer();
    const [first, second] = [await stage.merchant.card(customer), await stage.merchant.card(customer)];
    assert.equal((await confirm(id, first)).body.last_payment_error.code, 'insufficient_funds');
    assert.equal((await confirm(id)).body.last_payment_error.code, 'gateway_timeout');
    const { body } = await confirm(id, second);
    assert.deepEqual([body.status, body.last_payment_error, body.payment_method_id], ['succeeded', null, second]);
    const events = await stage.merchant.events();
    const told = events.map(({ event_type, data }) => [
      event_type,
      data.attempt,
      data.will_retry,
      data.next_attempt_at,
    ]);
    assert.deepEqual(told, [
      ['payment_intent.failed', 1, false, null],
      ['payment_intent.failed', 2, false, null],
      ['payment_intent.succeeded', undefined, undefined, undefined],
    ]);
  });

  it('is 422 invalid_state in any other status, names the status, and changes nothing', async () => {
    const method = await cardOf();
    for (const word of ['succeed', 'requires_action']) {
      const { id } = await intent({ metadata: { _sandbox_outcome: word } });
      const { body } = await confirm(id, method);
      const before = await rowCounts(stage);
      const again = await confirm(id, method);
      assert.deepEqual(refusal(again, 422, 'invalid_state'), []);
      assert.ok(
        again.body.error.message.includes(body.status) && /requires_payment_method/.test(again.body.error.message),
      );
      assert.deepEqual(await rowCounts(stage), before);
    }
    for (const status of ['processing', 'canceled']) {
      const { id } = await intent();
      await stage.db.sql`update payment_intents set status = ${status} where id = ${id}`;
      refusal(await confirm(id, method), 422, 'invalid_state');
      await stage.db.sql`delete from payment_intents where id = ${id}`;
    }
  });

  it('uses the method that the intent carries if none is given, and is 400 when it carries none', async () => {
    const { id: customer_id } = await stage.merchant.customer();
    const method = await stage.merchant.card(customer_id);
    const carrying = await intent({ customer_id, payment_method: method });
    assert.equal((await confirm(carrying.id)).body.payment_method_id, method);
    const { id } = await intent();
    assert.deepEqual(refusal(await confirm(id), 400), ['/payment_method parameter_missing']);
    assert.deepEqual(refusal(await confirm(id, undefined, { payment_method: null }), 400), [
      '/payment_method invalid_type',
    ]);
    assert.deepEqual(refusal(await confirm(id, undefined, { method: 1 }), 400), ['/method unknown_parameter']);
  });

  it('is 400 with a method that is unknown, another biller’s or another customer’s', async () => {
    const { merchant } = await stage.stranger();
    const theirs = await merchant.card((await merchant.customer()).id);
    const { id: customer_id } = await stage.merchant.customer();
    const { id } = await intent({ customer_id });
    for (const method of ['pm_none', theirs]) {
      assert.deepEqual(refusal(await confirm(id, method), 400), ['/payment_method resource_missing']);
    }
    assert.deepEqual(refusal(await confirm(id, await cardOf()), 400), [
      '/payment_method payment_method_of_other_customer',
    ]);
    assert.equal((await stage.merchant.getIntent(id)).status, 'requires_payment_method');
  });

  it('attaches an unattached method to the intent’s customer', async () => {
    const { id: customer_id } = await stage.merchant.customer();
    const token_metadata = { type: 'fixture', token: 'tok_sandbox_visa_succeed', data: '' };
    const card = { type: 'card', payment_method_data: { expiry_month: 1, expiry_year: 2040, token_metadata } };
    const method = (await stage.request('POST', '/payment_methods', card)).body.payment_method.id;
    const { id } = await intent({ customer_id });
    await confirm(id, method);
    assert.equal((await stage.request('GET', `/customers/${customer_id}`)).body.default_payment_method, method);
  });

  it('needs the intent’s own client_secret in the body with a publishable key', async () => {
    const { id: customer_id } = await stage.merchant.customer();
    const mine = await intent({ customer_id });
    const other = await intent({ customer_id });
    const method = await stage.merchant.card(customer_id);
    const key = stage.keys.sandboxPublishable;
    const ask = (client_secret: unknown) =>
      stage.api.send('POST', `/api/v1/payment_intents/${mine.id}/confirm`, {
        key,
        body: { payment_method: method, client_secret },
      });
    assert.equal((await ask(undefined)).body.error.code, 'secret_key_required');
    const wrong = await ask(other.client_secret);
    assert.deepEqual([wrong.status, wrong.body.error.code], [403, 'client_secret_invalid']);
    assert.deepEqual([(await ask(mine.client_secret)).body.status, stage.ledger.taken.size], ['succeeded', 1]);
    assert.equal(JSON.stringify(stage.api.log).includes(String(mine.client_secret)), false);
  });

  it('ends the schedule of a scheduled payment', async () => {
    const { id: customer } = await stage.merchant.customer();
    const payment_method = await stage.merchant.card(customer);
    const date = new Date(realNow().getTime() + 20 * 86_400_000).toISOString().slice(0, 10);
    const { id } = await intent({ customer_id: customer, payment_method, scheduled_payment_date: date });
    assert.equal((await confirm(id)).body.status, 'succeeded');
    await stage.collectScheduled(id, `${date}T23:00:00Z`);
    assert.equal(stage.ledger.requests.length, 1);
  });

  it('happens at the clock’s time on a clock, and not while it advances', async () => {
    const clock = await stage.merchant.clock('2031-02-03T04:05:06.789Z');
    const customer = await stage.merchant.customer({ test_clock: clock.id });
    const method = await stage.merchant.card(customer.id);
    const { id } = await intent({ customer_id: customer.id });
    const anonymous = await intent();
    await stage.merchant.beginAdvance(clock.id, '2031-03-01T00:00:00Z');
    refusal(await confirm(id, method), 422, 'test_clock_advancing');
    refusal(await confirm(anonymous.id, method), 422, 'test_clock_advancing');
    await stage.carryOut(clock.id);
    for (const name of [id, anonymous.id]) {
      const { body } = await confirm(name, method);
      assert.deepEqual([body.updated_at, body.customer_id], ['2031-03-01T00:00:00.000Z', customer.id]);
    }
    const [event] = await stage.merchant.events({ event_type: 'payment_intent.succeeded' });
    assert.deepEqual([event?.created_at, event?.test_clock], ['2031-03-01T00:00:00.000Z', clock.id]);
  });

  it('is 503 processor_not_configured in live mode and leaves the intent as it was', async () => {
    const key = stage.keys.liveSecret;
    const live = (method: string, path: string, body?: unknown) =>
      stage.api.send(method, `/api/v1${path}`, { key, body });
    const token_metadata = { type: 'vault', token: 't', data: '' };
    const card = { type: 'card', payment_method_data: { expiry_month: 1, expiry_year: 2040, token_metadata } };
    const method = (await live('POST', '/payment_methods', card)).body.payment_method.id;
    const { body: made } = await live('POST', '/payment_intents', { amount: 500, currency: 'AUD' });
    const before = await rowCounts(stage);
    const reply = await live('POST', `/payment_intents/${made.id}/confirm`, { payment_method: method });
    assert.deepEqual(
      [reply.status, reply.body.error.type, reply.body.error.code],
      [503, 'api_error', 'processor_not_configured'],
    );
    assert.deepEqual((await live('GET', `/payment_intents/${made.id}`)).body, made);
    assert.deepEqual(await rowCounts(stage), before);
  });

  it('twenty times at once charges once, in each of thirty rounds', async () => {
    const method = await cardOf();
    for (let round = 0; round < 30; round++) {
      stage.ledger.reset();
      const { id } = await intent();
      const replies = await Promise.all(Array.from({ length: 20 }, () => confirm(id, method)));
      assert.equal(replies.filter(({ status }) => status === 200).length, 1);
      for (const reply of replies) if (reply.status !== 200) refusal(reply, 422, 'invalid_state');
      assert.equal(stage.ledger.taken.size, 1);
    }
  });

  it('racing a detachment of its method is charged before it or refused, never charged after it', async () => {
    await untilBothHaveWon(60, async ({ first, second }) => {
      stage.ledger.reset();
      const { id: customer } = await stage.merchant.customer();
      const method = await stage.merchant.card(customer);
      const { id } = await intent({ customer_id: customer });
      const [confirmed] = await Promise.all([
        first(() => confirm(id, method)),
        second(() => stage.merchant.detach(method)),
      ]);
      if (confirmed.status !== 200)
        assert.deepEqual(refusal(confirmed, 400), ['/payment_method payment_method_detached']);
      assert.equal(stage.ledger.taken.size, confirmed.status === 200 ? 1 : 0);
      return confirmed.status === 200 ? 'first' : 'second';
    });
  });

  it('is a new charge once the time of its Idempotency-Key is over', async () => {
    const { id: customer_id } = await stage.merchant.customer();
    const { id } = await intent({ customer_id, metadata: { _sandbox_outcome: 'decline,succeed' } });
    const method = await stage.merchant.card(customer_id);
    const headers = { 'Idempotency-Key': `k-${id}`, 'Idempotency-TTL': '1' };
    const ask = () =>
      stage.api.send('POST', `/api/v1/payment_intents/${id}/confirm`, {
        key: stage.merchant.key,
        body: { payment_method: method },
        headers,
      });
    const first = await ask();
    assert.equal(first.body.status, 'failed');
    const replayed = await ask();
    assert.deepEqual([replayed.text, replayed.headers.get('idempotent-replayed')], [first.text, 'true']);
    await pause(1100);
    assert.equal((await ask()).body.status, 'succeeded');
  });

  it('goes on with the attempt of a try that died under its key, and charges anew only when the key is over', async () => {
    const { id: customer_id } = await stage.merchant.customer();
    const { id } = await intent({ customer_id, metadata: { _sandbox_outcome: 'decline,succeed' } });
    const method = await stage.merchant.card(customer_id);
    const ask = (ttl: string) =>
      stage.api.send('POST', `/api/v1/payment_intents/${id}/confirm`, {
        key: stage.merchant.key,
        body: { payment_method: method },
        headers: { 'Idempotency-Key': 'died', 'Idempotency-TTL': ttl },
      });
    stage.ledger.beforeAnswer = async () => {
      throw new Error('the process is gone');
    };
    assert.equal((await ask('900')).status, 500);
    stage.ledger.beforeAnswer = async () => {};
    assert.equal((await ask('1')).body.status, 'failed');
    assert.equal((await ask('1')).headers.get('idempotent-replayed'), 'true');
    assert.equal(new Set(stage.ledger.requests.map(({ idempotencyKey }) => idempotencyKey)).size, 1);
    await pause(1100);
    assert.equal((await ask('1')).body.status, 'succeeded');
  });

  it('whose process died between the processor’s answer and ours is finished by housekeeping, once', async () => {
    const { id } = await intent();
    const method = await cardOf();
    stage.ledger.beforeAnswer = async () => {
      throw new Error('the process is gone');
    };
    assert.equal((await confirm(id, method)).status, 500);
    stage.ledger.beforeAnswer = async () => {};
    assert.equal((await stage.merchant.getIntent(id)).status, 'processing');
    refusal(await confirm(id, method), 422, 'invalid_state');
    await recoverCharges(stage.db.sql, stage.charging, addMs(realNow(), 30_000));
    assert.equal((await stage.merchant.getIntent(id)).status, 'processing');
    const later = addMs(realNow(), 90_000);
    await Promise.all([1, 2, 3].map(() => recoverCharges(stage.db.sql, stage.charging, later)));
    assert.equal((await stage.merchant.getIntent(id)).status, 'succeeded');
    assert.equal(stage.ledger.taken.size, 1);
    assert.equal((await stage.merchant.events()).length, 1);
  });

  it('is finished by housekeeping although the clock of its dead process was an hour ahead', async () => {
    const { id } = await intent();
    stage.ledger.beforeAnswer = async () => {
      throw new Error('the process is gone');
    };
    await confirm(id, await cardOf());
    stage.ledger.beforeAnswer = async () => {};
    await stage.db.sql`update payment_attempts set opened_at = opened_at + interval '1 hour'`;
    await recoverCharges(stage.db.sql, stage.charging, realNow());
    assert.equal((await stage.merchant.getIntent(id)).status, 'succeeded');
    assert.equal(stage.ledger.taken.size, 1);
  });

  it('that cannot be finished does not keep housekeeping from the others', async () => {
    const method = await cardOf();
    const [bad, good] = [await intent(), await intent()];
    stage.ledger.beforeAnswer = async () => {
      throw new Error('the process is gone');
    };
    for (const { id } of [bad, good]) await confirm(id, method);
    stage.ledger.beforeAnswer = async ({ paymentIntentId }) => {
      if (paymentIntentId === bad.id) throw new Error('poison');
    };
    const later = addMs(realNow(), 90_000);
    await assert.rejects(recoverCharges(stage.db.sql, stage.charging, later), /1 abandoned/);
    assert.equal((await stage.merchant.getIntent(good.id)).status, 'succeeded');
    assert.equal((await stage.merchant.getIntent(bad.id)).status, 'processing');
  });

  it('is finished by housekeeping for a plan that its worker has left, and the plan’s workflow looks again', async () => {
    const { merchant, db } = stage;
    const payer = await merchant.payer();
    const { id } = await merchant.activePlan({
      customer_id: payer.id,
      start_date: realNow().toISOString().slice(0, 10),
    });
    await db.sql`delete from workflow_intents`;
    stage.ledger.beforeAnswer = async () => {
      throw new Error('the process is gone');
    };
    await assert.rejects(stage.collect(id, realNow()), /the process is gone/);
    stage.ledger.beforeAnswer = async () => {};
    await recoverCharges(db.sql, stage.charging, addMs(realNow(), 90_000));
    assert.equal((await merchant.payments(id))[0]?.status, 'paid');
    const entries = await db.sql`select subject_id, signal from workflow_intents`;
    assert.deepEqual([...entries], [{ subject_id: id, signal: 'poke' }]);
  });
});
