import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { Reply } from '../support/api.ts';
import { frozen, usePayer } from '../support/payer.ts';
import { refusal, rowCounts, useStage } from '../support/stage.ts';

const day = (monthAndDay: string) => `2027-${monthAndDay}T00:00:00.000Z`;

describe('answering a challenge', () => {
  const stage = useStage();
  const complete = (id: string, result: unknown): Promise<Reply> =>
    stage.request('POST', `/test_helpers/payment_intents/${id}/complete_action`, { result });
  const confirm = (id: string, payment_method?: string): Promise<Reply> =>
    stage.request('POST', `/payment_intents/${id}/confirm`, { payment_method });
  const challenged = async (customer: object = {}) => {
    const { id: customer_id } = await stage.merchant.customer(customer);
    const card = await stage.merchant.card(customer_id, 'tok_sandbox_visa_3ds_required');
    const { id } = await stage.merchant.intent({ customer_id });
    const { body } = await confirm(id, card);
    assert.equal(body.status, 'requires_action');
    return { id, card, customer_id, asked: body };
  };
  const attempts = async (id: string) => {
    const rows = await stage.db.sql<{ number: number; outcome: string; code: string | null }[]>`
      select number, outcome, code from payment_attempts where payment_intent_id = ${id} order by number`;
    return rows.map(({ number, outcome, code }) => `${number} ${outcome} ${code}`);
  };
  const told = async () => (await stage.merchant.events()).map(({ event_type }) => event_type);

  it('makes the payment succeed when it is succeed, in the attempt that was waiting, and sends its event', async () => {
    const { id, asked } = await challenged();
    const { client_secret, next_action, ...before } = asked;
    assert.match(next_action?.url, /\/challenge\//);
    const { status, body } = await complete(id, 'succeed');
    assert.equal(status, 200);
    const expected = { ...before, status: 'succeeded', net_collected_amount: before.total_amount };
    assert.deepEqual(body, { ...expected, updated_at: body.updated_at, collected_at: body.updated_at });
    const { receipt_url, ...after } = (await stage.request('GET', `/payment_intents/${id}`)).body;
    assert.deepEqual(after, { ...body, client_secret, next_action: null });
    assert.match(receipt_url, /\/receipt\//);
    assert.deepEqual(await attempts(id), ['1 succeeded null']);
    assert.equal(stage.ledger.requests.length, 1);
    assert.deepEqual(await told(), ['payment_intent.requires_action', 'payment_intent.succeeded']);
    const [, event] = await stage.merchant.events();
    assert.deepEqual(event?.data, body);
    assert.match(String(event?.request_id), /^req_/);
  });

  it('takes no money from a customer that was deleted meanwhile, even when it is succeed', async () => {
    const { id, customer_id } = await challenged();
    assert.equal((await stage.request('DELETE', `/customers/${customer_id}`)).status, 200);
    const { status, body } = await complete(id, 'succeed');
    assert.deepEqual([status, body.status, body.last_payment_error.code], [200, 'failed', 'authentication_required']);
    assert.deepEqual(await attempts(id), ['1 failed authentication_required']);
  });

  it('makes the payment fail with authentication_required when it is fail, and it can be confirmed again', async () => {
    const { id, customer_id } = await challenged();
    const { status, body } = await complete(id, 'fail');
    assert.deepEqual([status, body.status, body.last_payment_error.code], [200, 'failed', 'authentication_required']);
    assert.ok(body.last_payment_error.message.length > 0);
    assert.deepEqual(await attempts(id), ['1 failed authentication_required']);
    const [, event] = await stage.merchant.events();
    assert.deepEqual(
      [event?.event_type, event?.data.attempt, event?.data.will_retry, event?.data.next_attempt_at],
      ['payment_intent.failed', 1, false, null],
    );
    assert.equal((await confirm(id, await stage.merchant.card(customer_id))).body.status, 'succeeded');
    assert.deepEqual(await attempts(id), ['1 failed authentication_required', '2 succeeded null']);
  });

  it('works for a payment without a customer and for a bank debit as for any other', async () => {
    const { id } = await stage.merchant.intent({ amount: 302 });
    const debit = { bsb_number: '000-000', account_name: 'Jo', account_number: '123456' };
    const { body } = await stage.request('POST', '/payment_methods', {
      type: 'au_becs_debit',
      payment_method_data: debit,
    });
    assert.equal((await confirm(id, body.payment_method.id)).body.status, 'requires_action');
    assert.equal((await complete(id, 'succeed')).body.status, 'succeeded');
  });

  it('where none is waiting is 422 invalid_state, which names the status, and changes nothing', async () => {
    const { customer_id } = await challenged();
    const fresh = await stage.merchant.intent({ customer_id });
    const paid = await stage.merchant.intent({ customer_id });
    await confirm(paid.id, await stage.merchant.card(customer_id));
    const answered = await challenged();
    await complete(answered.id, 'fail');
    const before = await rowCounts(stage);
    for (const [id, status] of [
      [fresh.id, 'requires_payment_method'],
      [paid.id, 'succeeded'],
      [answered.id, 'failed'],
    ] as const) {
      for (const result of ['succeed', 'fail']) {
        const reply = await complete(id, result);
        refusal(reply, 422, 'invalid_state');
        assert.ok(reply.body.error.message.includes(`is ${status}`), reply.text);
      }
    }
    assert.deepEqual(await rowCounts(stage), before);
  });

  it('happens on a clock at the clock’s time of the answer, and not while it advances', async () => {
    const clock = await stage.merchant.clock('2031-02-03T04:05:06.789Z');
    const { id } = await challenged({ test_clock: clock.id });
    await stage.merchant.beginAdvance(clock.id, '2031-03-01T00:00:00Z');
    refusal(await complete(id, 'succeed'), 422, 'test_clock_advancing');
    await stage.carryOut(clock.id);
    const at = '2031-03-01T00:00:00.000Z';
    assert.equal((await complete(id, 'succeed')).body.updated_at, at);
    const [event] = await stage.merchant.events({ event_type: 'payment_intent.succeeded' });
    assert.deepEqual([event?.created_at, event?.test_clock], [at, clock.id]);
  });

  it('both ways at once is answered one way, and told of once', async () => {
    for (let round = 0; round < 20; round++) {
      const { id } = await challenged();
      const replies = await Promise.all(['succeed', 'fail', 'succeed', 'fail'].map((result) => complete(id, result)));
      const [winner, ...others] = replies.filter(({ status }) => status === 200);
      assert.deepEqual(others, []);
      assert.equal((await stage.merchant.getIntent(id)).status, winner?.body.status);
      assert.equal((await attempts(id)).length, 1);
    }
  });
});

describe('answering the challenge of a plan’s payment that was confirmed by hand', () => {
  const here = usePayer();
  const { stage } = here;
  const complete = (id: string, result: 'succeed' | 'fail'): Promise<Reply> =>
    stage.request('POST', `/test_helpers/payment_intents/${id}/complete_action`, { result });
  /** Every attempt of the plan in turn. */
  const outcomes = (...words: string[]) => ({ metadata: { _sandbox_outcome: words.join(',') } });

  /** A plan whose first payment was declined, confirmed by hand, and is now challenged. */
  async function challenged(terms: Parameters<typeof here.plan>[0] = {}, ...words: string[]) {
    const plan = await here.active({
      frequency_type: 'monthly',
      ...outcomes('decline', 'requires_action', ...(words.length > 0 ? words : ['succeed'])),
      ...terms,
    });
    const [slot] = await stage.merchant.payments(plan);
    const intent = String(slot?.payment_intent_id);
    const { body } = await stage.request('POST', `/payment_intents/${intent}/confirm`, {});
    assert.equal(body.status, 'requires_action');
    await stage.db.sql`delete from workflow_intents`;
    return { plan, intent };
  }
  const pokes = async (id: string) => {
    const rows = await stage.db.sql<{ workflow_type: string; start: boolean; signal: string | null }[]>`
      select workflow_type, start, signal from workflow_intents where subject_id = ${id}`;
    return rows.map(({ workflow_type, start, signal }) => `${workflow_type} ${start} ${signal}`);
  };

  it('leaves its retries alone while it waits: nothing is charged beside it', async () => {
    const { plan } = await challenged();
    const { next_attempt_at, state } = await stage.merchant.getPlan(plan);
    assert.deepEqual([next_attempt_at, state], [null, 'active']);
    await here.advance('2027-01-10T00:14:59.999Z');
    assert.deepEqual(await here.paymentLines(plan), [`0 processing ${frozen}`]);
    assert.equal(stage.ledger.requests.length, 2);
  });

  it('pays the slot when it is succeed, is collected, and pokes the plan', async () => {
    const { plan, intent } = await challenged();
    await here.advance('2027-01-10T00:14:00Z');
    await stage.db.sql`delete from workflow_intents`;
    assert.equal((await complete(intent, 'succeed')).body.status, 'succeeded');
    const { collected_amount_cents, next_attempt_at, state, next_payment_date } = await stage.merchant.getPlan(plan);
    assert.deepEqual(
      [collected_amount_cents, next_attempt_at, state, next_payment_date],
      [1000, null, 'active', '2027-02-10'],
    );
    const [slot] = await stage.merchant.payments(plan);
    assert.deepEqual([slot?.status, slot?.attempts.map(({ outcome }) => outcome)], ['paid', ['failed', 'succeeded']]);
    assert.deepEqual(await pokes(plan), ['paymentPlan false poke']);
    await here.advance(day('02-10'));
    assert.equal(stage.ledger.requests.length, 3);
  });

  it('closes the plan when it is succeed and that completes its total', async () => {
    const { plan, intent } = await challenged({ total_amount_cents: 1000 });
    await complete(intent, 'succeed');
    const { state, state_reason } = await stage.merchant.getPlan(plan);
    assert.deepEqual([state, state_reason], ['closed', 'total_collected']);
    const types = (await stage.merchant.events({ test_clock: here.clock })).map(({ event_type }) => event_type);
    assert.deepEqual(types.slice(-2), ['payment_intent.succeeded', 'payment_plan.closed']);
  });

  it('goes on with the series of retries where it was when it is fail, and pokes the plan', async () => {
    const { plan, intent } = await challenged({}, 'decline');
    const { body } = await complete(intent, 'fail');
    assert.deepEqual([body.status, body.last_payment_error.code], ['failed', 'authentication_required']);
    const { next_attempt_at, state } = await stage.merchant.getPlan(plan);
    assert.deepEqual([next_attempt_at, state], [day('01-11'), 'active']);
    const failures = await stage.merchant.events({ event_type: 'payment_intent.failed' });
    const { attempt, will_retry, next_attempt_at: next } = failures.at(-1)?.data ?? {};
    assert.deepEqual([attempt, will_retry, next], [2, true, day('01-11')]);
    assert.deepEqual(await pokes(plan), ['paymentPlan false poke']);
    await here.advance(day('01-20'));
    assert.deepEqual(await here.paymentLines(plan), [
      `0 failed ${[frozen, frozen, day('01-11'), day('01-13'), day('01-15')].join(' ')}`,
    ]);
    assert.equal((await stage.merchant.getPlan(plan)).state_reason, 'payment_failed');
  });

  it('that is not given within 15 minutes is a failure; a retry whose date has come is made then', async () => {
    const plan = await here.active({ frequency_type: 'monthly', ...outcomes('decline', 'requires_action', 'succeed') });
    await here.advance('2027-01-10T23:55:00Z');
    const [open] = await stage.merchant.payments(plan);
    await stage.request('POST', `/payment_intents/${open?.payment_intent_id}/confirm`, {});
    await here.advance(day('01-12'));
    const [slot] = await stage.merchant.payments(plan);
    assert.deepEqual(
      slot?.attempts.map(({ at, outcome, code }) => `${at} ${code ?? outcome}`),
      [
        '2027-01-10T00:00:00.000Z insufficient_funds',
        '2027-01-10T23:55:00.000Z authentication_required',
        '2027-01-11T00:10:00.000Z succeeded',
      ],
    );
    assert.equal((await complete(String(slot?.payment_intent_id), 'succeed')).status, 422);
  });

  it('leaves a plan that says stop suspended when it is fail: nothing is tried before it is resumed', async () => {
    const { plan, intent } = await challenged({ failure_behaviour: 'stop' });
    assert.equal((await stage.merchant.getPlan(plan)).state, 'suspended');
    await complete(intent, 'fail');
    assert.deepEqual(await here.paymentLines(plan), [`0 failed ${frozen} ${frozen}`]);
    await here.advance(day('01-20'));
    assert.equal(stage.ledger.requests.length, 2);
    await here.move(plan, 'resume');
    assert.equal((await stage.merchant.payments(plan))[0]?.status, 'paid');
  });

  for (const [transition, state] of [
    ['suspend', 'suspended'],
    ['deactivate', 'deactivated'],
    ['close', 'closed'],
  ] as const) {
    it(`is refused after ${transition}, and takes no money: the challenge has ended`, async () => {
      for (const result of ['succeed', 'fail'] as const) {
        const { plan, intent } = await challenged();
        await stage.merchant.move(plan, transition);
        assert.equal((await complete(intent, result)).status, 422);
        const after = await stage.merchant.getPlan(plan);
        assert.deepEqual([after.state, after.collected_amount_cents, after.next_attempt_at], [state, 0, null]);
        assert.equal((await stage.merchant.payments(plan))[0]?.status, 'failed');
      }
    });
  }

  it('takes effect once while others act on the plan, without a deadlock that reaches a client', async () => {
    for (let round = 0; round < 8; round++) {
      const { plan, intent } = await challenged();
      const replies = await Promise.all([
        complete(intent, 'succeed'),
        stage.request('PUT', `/payment_plans/${plan}`, { name: 'Another' }),
        stage.request('POST', `/payment_plans/${plan}/suspend`),
        complete(intent, 'fail'),
        stage.request('POST', `/payment_intents/${intent}/confirm`, {}),
        stage.collect(plan, day('01-11')).then(() => ({ status: 200 })),
      ]);
      assert.deepEqual(
        replies.filter(({ status }) => status >= 500),
        [],
      );
    }
  });
});
