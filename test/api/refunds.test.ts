import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeEach, describe, it } from 'mocha';
import { newId } from '../../src/domain/ids.ts';
import { addMs } from '../../src/domain/instants.ts';
import { realNow } from '../../src/platform/real-time.ts';
import type { PendingRefund, RefundOutcome, RefundRequest } from '../../src/processors/processor.ts';
import { sandboxProcessor } from '../../src/processors/sandbox.ts';
import { recoverRefunds, refundPaymentIntent } from '../../src/services/payments/refunds.ts';
import { unrepeatable } from '../../src/services/payments/repeatable-request.ts';
import type { Reply } from '../support/api.ts';
import { instantPattern, refusal, rowCounts, type StageOptions, useStage } from '../support/stage.ts';
import { makeCall } from '../support/webhooks.ts';

const hour = 3_600_000;

/** A stage whose processor keeps a book of the refunds that it is asked for, and can lose its answer. */
function useRefunds(options: StageOptions = {}) {
  const stage = useStage(options);
  const book = { asked: [] as RefundRequest[], given: new Map<string, number>(), answer: async () => {} };
  const here = {
    stage,
    book,
    refund: (id: string, body: unknown = {}): Promise<Reply> =>
      stage.request('POST', `/payment_intents/${id}/refunds`, body),
    /** The same under an Idempotency-Key. */
    keyed: (id: string, key: string, body: unknown = {}, headers: Record<string, string> = {}): Promise<Reply> =>
      stage.api.send('POST', `/api/v1/payment_intents/${id}/refunds`, {
        key: stage.merchant.key,
        body,
        headers: { 'Idempotency-Key': key, ...headers },
      }),
    /** An intent that has succeeded; answers its id. */
    async paid(amount = 1000, more: object = {}): Promise<string> {
      const { id: customer } = await stage.merchant.customer();
      const payment_method = await stage.merchant.card(customer);
      return here.pay({ amount, currency: 'AUD', customer_id: customer, payment_method, ...more });
    },
    async pay(body: object): Promise<string> {
      const { body: intent } = await stage.request('POST', '/payment_intents', body);
      const { body: confirmed } = await stage.request('POST', `/payment_intents/${intent.id}/confirm`, {});
      assert.equal(confirmed.status, 'succeeded');
      return intent.id;
    },
    refundedOf: async (id: string) => (await stage.merchant.getIntent(id)).total_refunded_amount,
    list: async (id: string, query = ''): Promise<Reply> =>
      stage.request('GET', `/payment_intents/${id}/refunds?${query}`),
    /** The next refunds are opened and asked for, and their process dies before it has recorded the answer. */
    loseAnswers(): void {
      book.answer = async () => {
        throw new Error('the process is gone');
      };
    },
    keepAnswers(): void {
      book.answer = async () => {};
    },
    /** Housekeeping at an instant this much later. */
    recover: (milliseconds = hour) => recoverRefunds(stage.db.sql, stage.processors, addMs(realNow(), milliseconds)),
  };

  beforeEach('open a new book of refunds', () => {
    book.asked.length = 0;
    book.given.clear();
    here.keepAnswers();
    stage.ledger.refund = async (request: RefundRequest): Promise<RefundOutcome | PendingRefund> => {
      book.asked.push(request);
      const outcome = await sandboxProcessor.refund(request);
      if (outcome.kind === 'succeeded') book.given.set(request.idempotencyKey, request.amount);
      await book.answer();
      return outcome;
    };
  });
  return here;
}

describe('refunding a payment', () => {
  const here = useRefunds({ isAlone: true });
  const { stage, book, refund, paid } = here;

  it('gives back the whole total without an amount, surcharge included, and returns 201 with the refund', async () => {
    const { id: customer_id } = await stage.merchant.customer();
    const payment_method = await stage.merchant.card(customer_id);
    const id = await here.pay({
      ...{ amount: 1000, currency: 'NZD', customer_id, payment_method },
      surcharge_applied: true,
    });
    const { total_amount, updated_at: paidAt } = await stage.merchant.getIntent(id);
    assert.ok(total_amount > 1000);
    const { status, body } = await refund(id);
    assert.equal(status, 201);
    const { id: refundId, created_at, updated_at, ...rest } = body;
    assert.match(refundId, /^re_[0-9A-Za-z]{32}$/);
    assert.match(created_at, instantPattern);
    assert.equal(updated_at, created_at);
    assert.deepEqual(rest, {
      payment_intent_id: id,
      amount: total_amount,
      surcharge_amount: total_amount - 1000,
      tax_amount: 0,
      currency: 'NZD',
      reason: null,
      metadata: {},
      status: 'succeeded',
      biller_id: stage.keys.biller.id,
      livemode: false,
    });
    const after = await stage.merchant.getIntent(id);
    assert.deepEqual([after.status, after.total_refunded_amount], ['succeeded', total_amount]);
    assert.ok(after.updated_at > paidAt);
    assert.deepEqual(book.asked, [
      {
        idempotencyKey: refundId,
        billerId: (await stage.merchant.request('GET', '/account')).body.id,
        paymentIntentId: id,
        chargeReference: null,
        amount: total_amount,
        currency: 'NZD',
        metadata: {},
      },
    ]);
  });

  it('keeps reason and metadata, in the answer, in a fetch, in the list and in the event', async () => {
    const id = await paid();
    const given = { amount: 400, reason: 'Too large', metadata: { order: '7', 'line\nbreak': 'x' } };
    const { body } = await refund(id, given);
    assert.deepEqual({ amount: body.amount, reason: body.reason, metadata: body.metadata }, given);
    const fetched = await stage.request('GET', `/refunds/${body.id}`);
    assert.deepEqual([fetched.status, fetched.body], [200, body]);
    assert.deepEqual((await here.list(id)).body, { data: [body], has_more: false });
    const [event] = await stage.merchant.events({ event_type: 'refund.succeeded' });
    assert.deepEqual([event?.data, event?.test_clock, event?.livemode], [body, null, false]);
    assert.match(String(event?.request_id), /^req_/);
  });

  it('goes up to the total in parts and never beyond: more than remains is a fault of amount, then there is nothing left', async () => {
    const id = await paid(1000);
    assert.equal((await refund(id, { amount: 600 })).body.status, 'succeeded');
    assert.deepEqual(refusal(await refund(id, { amount: 401 }), 400), ['/amount out_of_range']);
    assert.match((await refund(id, { amount: 401 })).body.error.message, /\b400\b/);
    assert.equal(await here.refundedOf(id), 600);
    assert.equal((await refund(id, { amount: 399 })).body.amount, 399);
    assert.equal((await refund(id)).body.amount, 1);
    assert.equal(await here.refundedOf(id), 1000);
    for (const body of [{}, { amount: 1 }]) refusal(await refund(id, body), 422, 'invalid_state');
    assert.equal(book.asked.length, 3);
  });

  it('tells of each with one event, and neither adds nor repeats those of the payment', async () => {
    const id = await paid();
    await refund(id, { amount: 100 });
    await refund(id, { amount: 100, metadata: { _sandbox_refund_outcome: 'fail' } });
    const types = (await stage.merchant.events()).map(({ event_type }) => event_type);
    assert.deepEqual(types, ['payment_intent.succeeded', 'refund.succeeded', 'refund.failed']);
  });

  it('counts what succeeded only: what failed can be refunded again', async () => {
    const id = await paid();
    const failed = await refund(id, { metadata: { _sandbox_refund_outcome: 'fail' } });
    assert.deepEqual([failed.status, failed.body.status, failed.body.amount], [201, 'failed', 1000]);
    assert.equal(await here.refundedOf(id), 0);
    assert.equal((await refund(id)).body.status, 'succeeded');
    assert.equal(await here.refundedOf(id), 1000);
  });

  it('goes by the whole amount where none is given', async () => {
    assert.equal((await refund(await paid(503))).body.status, 'failed');
  });

  it('goes by the metadata of the refund, never by those of the payment', async () => {
    const id = await paid(1000, { metadata: { _sandbox_refund_outcome: 'fail' } });
    assert.equal((await refund(id)).body.status, 'succeeded');
  });

  it('that has not succeeded is 422 invalid_state, whatever else it is, and asks no processor', async () => {
    const { id: customer_id } = await stage.merchant.customer();
    const card = await stage.merchant.card(customer_id);
    const make = async (_sandbox_outcome?: string) => {
      const metadata: Record<string, string> = _sandbox_outcome === undefined ? {} : { _sandbox_outcome };
      const { id } = await stage.merchant.intent({ customer_id, metadata });
      if (_sandbox_outcome) await stage.request('POST', `/payment_intents/${id}/confirm`, { payment_method: card });
      return id;
    };
    const canceled = await make();
    await stage.request('POST', `/payment_intents/${canceled}/cancel`);
    const before = await rowCounts(stage);
    for (const id of [await make(), await make('decline'), await make('requires_action'), canceled]) {
      const { status } = await stage.merchant.getIntent(id);
      const reply = await refund(id);
      refusal(reply, 422, 'invalid_state');
      assert.ok(reply.body.error.message.includes(status), reply.text);
    }
    assert.deepEqual([book.asked, (await rowCounts(stage)).events], [[], Number(before.events) + 2]);
    const opened = await stage.db.sql`select 1 from refunds where biller_id = ${stage.keys.biller.id}`;
    assert.equal(opened.length, 0);
  });

  it('lists the refunds of one payment, newest first, in pages, and refuses a cursor that names nothing', async () => {
    const [id, other] = [await paid(), await paid()];
    await refund(other, { amount: 9 });
    for (const amount of [1, 2, 3, 4, 5]) await refund(id, { amount });
    const amounts = (reply: Reply) => reply.body.data.map(({ amount }: { amount: number }) => amount);
    const first = await here.list(id, 'limit=2');
    assert.deepEqual([amounts(first), first.body.has_more], [[5, 4], true]);
    const rest = await here.list(id, `limit=100&starting_after=${first.body.data[1].id}`);
    assert.deepEqual([amounts(rest), rest.body.has_more], [[3, 2, 1], false]);
    assert.deepEqual(refusal(await here.list(id, 'starting_after=re_none'), 400), [
      'query/starting_after resource_missing',
    ]);
    for (const limit of ['0', '101', 'x']) assert.equal((await here.list(id, `limit=${limit}`)).status, 400);
  });

  it('gives the money of a plan’s payment back and leaves the plan as it was', async () => {
    const customer = await stage.merchant.payer();
    const today = realNow().toISOString().slice(0, 10);
    const plan = await stage.merchant.activePlan({ customer_id: customer.id, start_date: today });
    await stage.collect(plan.id, realNow());
    const [slot] = await stage.merchant.payments(plan.id);
    const before = await stage.merchant.getPlan(plan.id);
    assert.equal((await refund(String(slot?.payment_intent_id))).body.status, 'succeeded');
    assert.deepEqual(await stage.merchant.getPlan(plan.id), before);
    assert.equal(before.collected_amount_cents, 1000);
  });

  it('happens at the clock’s time on a clock, and not while it advances', async () => {
    const clock = await stage.merchant.clock('2031-02-03T04:05:06.789Z');
    const customer = await stage.merchant.customer({ test_clock: clock.id });
    const payment_method = await stage.merchant.card(customer.id);
    const id = await here.pay({ amount: 1000, currency: 'AUD', customer_id: customer.id, payment_method });
    await stage.merchant.beginAdvance(clock.id, '2031-03-01T00:00:00Z');
    refusal(await refund(id), 422, 'test_clock_advancing');
    await stage.carryOut(clock.id);
    const at = '2031-03-01T00:00:00.000Z';
    const { body } = await refund(id);
    const intent = await stage.merchant.getIntent(id);
    assert.deepEqual([body.created_at, body.updated_at, intent.updated_at], [at, at, at]);
    const [event] = await stage.merchant.events({ event_type: 'refund.succeeded' });
    assert.deepEqual([event?.created_at, event?.test_clock], [at, clock.id]);
  });

  it('succeeds for a deleted customer too', async () => {
    const id = await paid();
    const { customer_id } = await stage.merchant.getIntent(id);
    assert.equal((await stage.request('DELETE', `/customers/${customer_id}`)).status, 200);
    assert.equal((await refund(id)).body.status, 'succeeded');
  });

  it('is 503 processor_not_configured in live mode without a processor, and nothing has changed', async () => {
    const live = (method: string, path: string, body?: unknown) =>
      stage.api.send(method, `/api/v1${path}`, { key: stage.keys.liveSecret, body });
    const { body: made } = await live('POST', '/payment_intents', { amount: 500, currency: 'AUD' });
    refusal(await live('POST', `/payment_intents/${made.id}/refunds`, {}), 422, 'invalid_state');
    // As if it had been charged while a processor was there.
    await stage.db.sql`
      update payment_intents set status = 'succeeded', attempt_count = 1, collected_at = now() where id = ${made.id}`;
    await stage.db.sql`
      insert into payment_attempts (id, payment_intent_id, number, source, outcome, at, opened_at, settled_at)
      values (${newId('payment_attempt')}, ${made.id}, 1, 'confirm', 'succeeded', now(), now(), now())`;
    const reply = await live('POST', `/payment_intents/${made.id}/refunds`, {});
    const { type, code } = reply.body.error;
    assert.deepEqual([reply.status, type, code], [503, 'api_error', 'processor_not_configured']);
    assert.deepEqual((await live('GET', `/payment_intents/${made.id}/refunds`)).body.data, []);
    await stage.db.sql`delete from payment_attempts where payment_intent_id = ${made.id}`;
    await stage.db.sql`delete from payment_intents where id = ${made.id}`;
  });
});

describe('a refund with an Idempotency-Key', () => {
  const here = useRefunds({ isAlone: true });
  const { stage, book, keyed, paid } = here;

  it('is answered again byte for byte, and refunds once', async () => {
    const id = await paid();
    const first = await keyed(id, 'k', { amount: 300 });
    const again = await keyed(id, 'k', { amount: 300 });
    assert.deepEqual([again.status, again.text, again.headers.get('idempotent-replayed')], [201, first.text, 'true']);
    assert.deepEqual([await here.refundedOf(id), book.asked.length], [300, 1]);
    assertReused(await keyed(id, 'k', { amount: 301 }));
  });

  it('twenty times at once is one refund and twenty equal answers', async () => {
    for (let round = 0; round < 5; round++) {
      const id = await paid();
      book.given.clear();
      const replies = await Promise.all(Array.from({ length: 20 }, () => keyed(id, `k-${id}`, { amount: 30 })));
      assert.deepEqual([...new Set(replies.map(({ status, text }) => `${status} ${text}`))].length, 1);
      assert.deepEqual([replies[0]?.status, book.given.size, await here.refundedOf(id)], [201, 1, 30]);
    }
  });

  it('is a new refund once the time of the key is over', async () => {
    const id = await paid();
    const ask = (amount: number) => keyed(id, 'short', { amount }, { 'Idempotency-TTL': '1' });
    const first = await ask(300);
    assert.equal((await ask(300)).text, first.text);
    await pause(1100);
    const second = await ask(200);
    assert.equal(second.status, 201);
    assert.deepEqual([second.body.amount, second.headers.get('idempotent-replayed')], [200, null]);
    assert.notEqual(second.body.id, first.body.id);
    assert.equal(await here.refundedOf(id), 500);
  });

  it('goes on, under the same key, with the same refund if its process died after the processor’s response', async () => {
    const id = await paid();
    here.loseAnswers();
    assert.equal((await keyed(id, 'k', { amount: 300 })).status, 500);
    assert.equal(await here.refundedOf(id), 0);
    const [opened] = (await here.list(id)).body.data;
    assert.equal(opened.status, 'processing');
    here.keepAnswers();
    const again = await keyed(id, 'k', { amount: 300 });
    assert.deepEqual([again.status, again.body.id, again.body.status], [201, opened.id, 'succeeded']);
    assert.deepEqual(
      book.asked.map(({ idempotencyKey }) => idempotencyKey),
      [opened.id, opened.id],
    );
    assert.deepEqual([book.given.size, await here.refundedOf(id)], [1, 300]);
    assert.equal((await keyed(id, 'k', { amount: 300 })).text, again.text);
    assert.equal((await stage.merchant.events({ event_type: 'refund.succeeded' })).length, 1);
  });

  it('whose process died is answered with what housekeeping has made of it, and keeps that answer', async () => {
    const id = await paid();
    here.loseAnswers();
    await keyed(id, 'k', { amount: 300 });
    here.keepAnswers();
    await here.recover();
    const [recovered] = (await here.list(id)).body.data;
    const again = await keyed(id, 'k', { amount: 300 }, { 'Idempotency-TTL': '1' });
    assert.deepEqual([again.status, again.body], [201, recovered]);
    assert.equal((await keyed(id, 'k', { amount: 300 })).headers.get('idempotent-replayed'), 'true');
    await pause(1100);
    const fresh = await keyed(id, 'k', { amount: 300 });
    assert.notEqual(fresh.body.id, recovered.id);
    assert.deepEqual([book.given.size, await here.refundedOf(id)], [2, 600]);
  });

  it('is one refund also of three processes that all take themselves for the one that has the key', async () => {
    for (let round = 0; round < 10; round++) {
      const id = await paid();
      book.asked.length = 0;
      book.answer = async () => {
        while (book.asked.length < 3) await pause(2);
      };
      const call = await makeCall(stage.db.sql, { billerId: stage.keys.biller.id });
      const requested = { ...unrepeatable, requestKey: 'k' };
      const ask = () => refundPaymentIntent(stage.db.sql, stage.processors, call, id, { amount: 30 }, requested);
      const refunds = await Promise.all([ask(), ask(), ask()]);
      assert.equal(
        new Set([...refunds, ...book.asked.map(({ idempotencyKey }) => ({ id: idempotencyKey }))].map((one) => one.id))
          .size,
        1,
      );
      assert.equal(await here.refundedOf(id), 30);
    }
  });
});

describe('two refunds of one payment at once', () => {
  const here = useRefunds({ isAlone: true });
  const { stage, book, refund, paid } = here;

  it('that together exceed what remains are one refund and one refusal', async () => {
    for (let round = 0; round < 20; round++) {
      const id = await paid();
      book.given.clear();
      const replies = await Promise.all([refund(id, { amount: 600 }), refund(id, { amount: 500 })]);
      const made = replies.filter(({ status }) => status === 201);
      assert.equal(made.length, 1);
      for (const reply of replies)
        if (reply.status !== 201) assert.deepEqual(refusal(reply, 400), ['/amount out_of_range']);
      assert.equal(await here.refundedOf(id), made[0]?.body.amount);
      assert.equal(book.given.size, 1);
    }
  });

  it('count each other while the processor has not answered', async () => {
    const id = await paid();
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    book.answer = () => opened;
    const first = refund(id, { amount: 700 });
    while (book.asked.length === 0) await pause(5);
    assert.equal(await here.refundedOf(id), 0);
    assert.deepEqual(refusal(await refund(id, { amount: 301 }), 400), ['/amount out_of_range']);
    const second = refund(id);
    while (book.asked.length === 1) await pause(5);
    refusal(await refund(id), 422, 'invalid_state');
    open();
    assert.deepEqual([(await first).body.amount, (await second).body.amount], [700, 300]);
    assert.equal(await here.refundedOf(id), 1000);
  });

  it('twenty in parts give back as many as fit', async () => {
    const id = await paid();
    const replies = await Promise.all(Array.from({ length: 20 }, () => refund(id, { amount: 90 })));
    assert.equal(replies.filter(({ status }) => status === 201).length, 11);
    assert.equal(await here.refundedOf(id), 990);
    assert.equal((await stage.merchant.events({ event_type: 'refund.succeeded' })).length, 11);
  });
});

describe('a refund whose process died', () => {
  const here = useRefunds({ isAlone: true });
  const { stage, book, refund, paid } = here;

  it('keeps its part of the money spoken for, and is finished by housekeeping after a minute, once', async () => {
    const id = await paid();
    here.loseAnswers();
    assert.equal((await refund(id, { amount: 600 })).status, 500);
    here.keepAnswers();
    assert.deepEqual(refusal(await refund(id, { amount: 500 }), 400), ['/amount out_of_range']);
    await here.recover(30_000);
    assert.equal((await here.list(id)).body.data[0].status, 'processing');
    await Promise.all([here.recover(), here.recover(), here.recover()]);
    const [{ status, id: refundId }] = (await here.list(id)).body.data;
    assert.deepEqual([status, book.given.size, await here.refundedOf(id)], ['succeeded', 1, 600]);
    assert.deepEqual(new Set(book.asked.map(({ idempotencyKey }) => idempotencyKey)), new Set([refundId]));
    const events = await stage.merchant.events({ event_type: 'refund.succeeded' });
    assert.deepEqual([events.length, events[0]?.data.id, events[0]?.request_id], [1, refundId, null]);
  });

  it('and that fails is told of as failed, and can be tried again', async () => {
    const id = await paid();
    here.loseAnswers();
    await refund(id, { metadata: { _sandbox_refund_outcome: 'fail' } });
    here.keepAnswers();
    await here.recover();
    assert.deepEqual([(await here.list(id)).body.data[0].status, await here.refundedOf(id)], ['failed', 0]);
    assert.equal((await stage.merchant.events({ event_type: 'refund.failed' })).length, 1);
    assert.equal((await refund(id)).body.amount, 1000);
  });

  it('and cannot be finished does not keep housekeeping from the others', async () => {
    const [bad, good] = [await paid(500), await paid(700)];
    here.loseAnswers();
    for (const id of [bad, good]) await refund(id);
    const { ledger } = stage;
    const usual = ledger.refund;
    ledger.refund = async (request) => {
      if (request.paymentIntentId === bad) throw new Error('poison');
      return sandboxProcessor.refund(request);
    };
    await assert.rejects(here.recover(), /1 abandoned/);
    assert.deepEqual([await here.refundedOf(good), await here.refundedOf(bad)], [700, 0]);
    ledger.refund = usual;
    here.keepAnswers();
    await here.recover();
    assert.equal(await here.refundedOf(bad), 500);
  });

  it('and whose clock was deleted meanwhile ends without a word', async () => {
    const clock = await stage.merchant.clock('2031-02-03T00:00:00Z');
    const customer = await stage.merchant.customer({ test_clock: clock.id });
    const payment_method = await stage.merchant.card(customer.id);
    const id = await here.pay({ amount: 1000, currency: 'AUD', customer_id: customer.id, payment_method });
    book.answer = async () => {
      await stage.merchant.deleteClock(clock.id);
    };
    refusal(await refund(id), 404, 'resource_missing');
    assert.deepEqual(await stage.merchant.events({ event_type: 'refund.succeeded' }), []);
  });
});

function assertReused(reply: Reply): void {
  const { type, code } = reply.body.error;
  assert.deepEqual([reply.status, type, code], [422, 'idempotency_error', 'idempotency_key_reused']);
}
