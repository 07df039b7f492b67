import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { frozen, usePayer } from '../support/payer.ts';
import { refusal } from '../support/stage.ts';

const day = (date: string) => `2027-${date}T00:00:00.000Z`;
const outcomes = (...words: string[]) => ({ _sandbox_outcome: words.join(',') });

describe('a plan', () => {
  const here = usePayer();
  const { stage } = here;
  const fetch = (id: string) => stage.merchant.getPlan(id);
  const typesOf = async (id: string) => {
    const intents = await stage.db.sql<{ id: string }[]>`select id from payment_intents where payment_plan_id = ${id}`;
    const subjects = [id, ...intents.map((row) => row.id)];
    const events = await stage.merchant.events();
    return events.filter(({ data }) => subjects.includes(String(data.id))).map(({ event_type }) => event_type);
  };

  it('collects one payment intent for each slot, at its instant, with the plan’s method, metadata and customer', async () => {
    const id = await here.active({ metadata: { order: '7' } });
    await here.advance(day('01-24'));
    assert.deepEqual(await here.paymentLines(id), [
      `0 paid ${frozen}`,
      `1 paid ${day('01-17')}`,
      `2 paid ${day('01-24')}`,
    ]);
    const { data } = (await stage.request('GET', `/customers/${here.customer}/payment_intents`)).body;
    assert.equal(data.length, 3);
    assert.deepEqual(data[0], {
      id: data[0].id,
      amount: 1000,
      total_amount: 1000,
      fee_amount: 48,
      surcharge_amount: 0,
      surcharge_applied: false,
      tax: null,
      tax_amount: 0,
      surcharge_reason: null,
      currency: 'AUD',
      status: 'succeeded',
      payment_method_id: here.card,
      customer_id: here.customer,
      biller_id: stage.keys.biller.id,
      payment_plan_id: id,
      metadata: { order: '7' },
      total_refunded_amount: 0,
      net_collected_amount: 1000,
      last_payment_error: null,
      collected_at: day('01-24'),
      created_at: day('01-24'),
      updated_at: day('01-24'),
      livemode: false,
    });
    const plan = await fetch(id);
    assert.deepEqual([plan.collected_amount_cents, plan.next_payment_date], [3000, '2027-01-31']);
    assert.deepEqual(await typesOf(id), ['payment_plan.activated', ...Array(3).fill('payment_intent.succeeded')]);
    const event = (await stage.merchant.events({ event_type: 'payment_intent.succeeded' })).at(-1);
    assert.deepEqual([event?.data, event?.created_at, event?.request_id], [data[0], day('01-24'), null]);
  });

  it('collects the first amount first, then the recurring one, the last one cut, and closes when the total is reached', async () => {
    const id = await here.active({ first_amount_cents: 1700, total_amount_cents: 3000 });
    assert.deepEqual(await stage.merchant.getPlan(id).then((plan) => plan.next_payment_date), '2027-01-17');
    await here.advance(day('01-24'));
    const payments = await stage.merchant.payments(id);
    assert.deepEqual(
      payments.map(({ amount, status }) => [amount, status]),
      [
        [1700, 'paid'],
        [1000, 'paid'],
        [300, 'paid'],
      ],
    );
    const plan = await fetch(id);
    assert.deepEqual([plan.state, plan.state_reason], ['closed', 'total_collected']);
    assert.deepEqual([plan.collected_amount_cents, plan.next_payment_date, plan.next_attempt_at], [3000, null, null]);
    assert.deepEqual((await typesOf(id)).slice(-2), ['payment_intent.succeeded', 'payment_plan.closed']);
    await here.advance(day('03-01'));
    assert.equal((await stage.merchant.payments(id)).length, 3);
  });

  it('collects base amounts up to the total; the surcharge comes on top', async () => {
    const fees = { fee_preferences: { customer_pays_transaction_fees: true } };
    const payer = await stage.merchant.customer({ ...fees, test_clock: here.clock });
    await stage.merchant.card(payer.id);
    const id = await here.active({ customer_id: payer.id, total_amount_cents: 1500 });
    await here.advance(day('01-17'));
    const { data } = (await stage.request('GET', `/customers/${payer.id}/payment_intents`)).body;
    assert.deepEqual(
      data.map((item: { total_amount: number }) => item.total_amount),
      [539, 1048],
    );
    assert.deepEqual([(await fetch(id)).collected_amount_cents, (await fetch(id)).state], [1500, 'closed']);
  });

  it('collects again 1, 3 and 5 days after the first failure, then suspends, telling of each step', async () => {
    const id = await here.active({ frequency_type: 'monthly', metadata: outcomes('decline') });
    assert.deepEqual(
      [(await fetch(id)).next_attempt_at, (await fetch(id)).next_payment_date],
      [day('01-11'), '2027-02-10'],
    );
    const [slot] = await stage.merchant.payments(id);
    assert.deepEqual(
      [slot?.status, slot?.attempts],
      [
        'retrying',
        [{ number: 1, at: frozen, outcome: 'failed', code: 'insufficient_funds', message: slot?.attempts[0]?.message }],
      ],
    );
    await here.advance(day('01-20'));
    const attempts = [frozen, day('01-11'), day('01-13'), day('01-15')];
    assert.deepEqual(await here.paymentLines(id), [`0 failed ${attempts.join(' ')}`]);
    const plan = await fetch(id);
    assert.deepEqual(
      [plan.state, plan.state_reason, plan.next_payment_date, plan.next_attempt_at, plan.updated_at],
      ['suspended', 'payment_failed', null, null, day('01-15')],
    );
    const events = await stage.merchant.events({ event_type: 'payment_intent.failed' });
    assert.deepEqual(
      events.map(({ data, created_at }) => [created_at, data.attempt, data.will_retry, data.next_attempt_at]),
      [
        [attempts[0], 1, true, attempts[1]],
        [attempts[1], 2, true, attempts[2]],
        [attempts[2], 3, true, attempts[3]],
        [attempts[3], 4, false, null],
      ],
    );
    assert.deepEqual((await typesOf(id)).slice(-2), ['payment_intent.failed', 'payment_plan.suspended']);
  });

  it('collects the unpaid slot by a retry, and later slots on their own dates meanwhile', async () => {
    const id = await here.active({ metadata: outcomes('decline', 'decline', 'decline', 'succeed') });
    await here.advance(day('01-18'));
    assert.deepEqual(await here.paymentLines(id), [
      `0 paid ${[frozen, day('01-11'), day('01-13'), day('01-15')].join(' ')}`,
      `1 retrying ${[day('01-17'), day('01-18')].join(' ')}`,
    ]);
    assert.equal((await fetch(id)).next_attempt_at, day('01-20'));
  });

  it('collects the older one first where a retry and a slot are due at the same instant', async () => {
    const id = await here.active({
      frequency_type: 'weekly',
      start_date: '2027-01-11',
      first_date: '2027-01-15',
      metadata: outcomes('decline', 'decline', 'succeed'),
    });
    await here.advance(day('01-18'));
    const events = await stage.merchant.events();
    const order = events
      .filter(({ created_at }) => created_at === day('01-18'))
      .map(({ data }) => data.attempt ?? data.status);
    assert.deepEqual(order.slice(0, 2), ['succeeded', 1]);
    assert.deepEqual(await here.paymentLines(id), [
      `0 paid ${[day('01-15'), day('01-16'), day('01-18')].join(' ')}`,
      `1 retrying ${day('01-18')}`,
    ]);
  });

  it('collects nothing more at the first failure of a plan that says stop, or at a final decline', async () => {
    const stop = await here.active({ failure_behaviour: 'stop', metadata: outcomes('timeout') });
    const challenged = await here.active({ metadata: outcomes('requires_action') });
    const lost = await stage.merchant.card(here.customer, 'tok_sandbox_visa_decline_card_lost');
    const declined = await here.active({ payment_instrument_id: lost });
    const codes = { [stop]: 'gateway_timeout', [challenged]: 'authentication_required', [declined]: 'card_declined' };
    for (const [id, code] of Object.entries(codes)) {
      const [slot] = await stage.merchant.payments(id);
      assert.deepEqual([slot?.status, slot?.attempts[0]?.code], ['failed', code]);
      assert.deepEqual([(await fetch(id)).state, (await fetch(id)).state_reason], ['suspended', 'payment_failed']);
    }
  });

  it('collects by the customer’s default of the moment, or else its own method; a detached one fails for good', async () => {
    const own = await stage.merchant.card(here.customer);
    const named = await here.active({ payment_instrument_id: own });
    const unnamed = await here.active();
    await stage.merchant.detach(here.card);
    await stage.merchant.detach(own);
    await here.advance(day('01-17'));
    for (const [id, method] of [
      [named, own],
      [unnamed, undefined],
    ] as const) {
      const failed = (await stage.merchant.payments(id))[1];
      assert.deepEqual([failed?.status, failed?.attempts[0]?.code], ['failed', 'payment_method_unavailable']);
      const intent = await stage.merchant.getIntent(String(failed?.payment_intent_id));
      assert.equal(intent.payment_method_id === undefined ? undefined : own, method);
      assert.equal((await fetch(id)).state, 'suspended');
    }
    const fresh = await stage.merchant.card(here.customer);
    assert.equal((await stage.request('GET', `/customers/${here.customer}`)).body.default_payment_method, fresh);
    await here.move(unnamed, 'resume');
    assert.equal((await stage.merchant.payments(unnamed))[1]?.status, 'paid');
  });

  it('collects by the method that it has at the moment of the retry', async () => {
    const poor = await stage.merchant.card(here.customer, 'tok_sandbox_visa_decline_insufficient_funds');
    const id = await here.active({ payment_instrument_id: poor, frequency_type: 'monthly' });
    await stage.merchant.updatePlan(id, { payment_instrument_id: here.card });
    await here.advance(day('01-12'));
    const [slot] = await stage.merchant.payments(id);
    assert.equal(slot?.status, 'paid');
    assert.equal((await stage.merchant.getIntent(String(slot?.payment_intent_id))).payment_method_id, here.card);
  });

  it('collects the new amount from the next slot on, and what is open at its own', async () => {
    const id = await here.active({ frequency_type: 'monthly', metadata: outcomes('decline', 'succeed') });
    await stage.merchant.updatePlan(id, { recurring_amount_cents: 2000 });
    await here.advance(day('02-15'));
    assert.deepEqual(
      (await stage.merchant.payments(id)).map(({ amount }) => amount),
      [1000, 2000],
    );
  });

  it('collects on after a raised total woke a calendar that had come to its end, without a burst', async () => {
    const id = await here.active({
      total_amount_cents: 2000,
      metadata: outcomes('decline', 'decline', 'decline', 'succeed'),
    });
    await here.advance(day('01-18'));
    const before = await fetch(id);
    assert.deepEqual([before.next_payment_date, before.next_attempt_at], [null, day('01-20')]);
    await here.advance(day('01-19'));
    const after = await stage.merchant.updatePlan(id, { total_amount_cents: 3500 });
    assert.equal(after.next_payment_date, '2027-01-24');
    await here.advance(day('02-01'));
    const amounts = (await stage.merchant.payments(id)).map(({ amount }) => amount);
    assert.deepEqual(amounts, [1000, 1000, 1000, 500]);
  });

  it('collects an unpaid slot that a biller confirms by hand, suspended or not, and closes when that completes the total', async () => {
    const id = await here.active({
      total_amount_cents: 1000,
      failure_behaviour: 'stop',
      metadata: outcomes('decline', 'succeed'),
    });
    const [slot] = await stage.merchant.payments(id);
    const reply = await stage.request('POST', `/payment_intents/${slot?.payment_intent_id}/confirm`, {});
    assert.equal(reply.body.status, 'succeeded');
    const plan = await fetch(id);
    assert.deepEqual([plan.state, plan.collected_amount_cents], ['closed', 1000]);
    assert.equal((await stage.merchant.payments(id))[0]?.status, 'paid');
  });

  it('collects by its own series of retries, whatever a confirm by hand came to in between', async () => {
    const poor = await stage.merchant.card(here.customer, 'tok_sandbox_visa_decline_insufficient_funds');
    const lost = await stage.merchant.card(here.customer, 'tok_sandbox_visa_decline_card_lost');
    const id = await here.active({ payment_instrument_id: poor, frequency_type: 'monthly' });
    const [slot] = await stage.merchant.payments(id);
    const reply = await stage.request('POST', `/payment_intents/${slot?.payment_intent_id}/confirm`, {
      payment_method: lost,
    });
    assert.deepEqual([reply.body.status, reply.body.last_payment_error.code], ['failed', 'card_declined']);
    const plan = await fetch(id);
    assert.deepEqual([plan.state, plan.next_attempt_at], ['active', day('01-11')]);
    await here.advance(day('01-20'));
    assert.deepEqual(await here.paymentLines(id), [
      `0 failed ${[frozen, frozen, day('01-11'), day('01-13'), day('01-15')].join(' ')}`,
    ]);
  });
});

describe('the due instants of a plan', () => {
  const here = usePayer({ biller: { timeZone: 'Australia/Sydney' } });

  it('are at 00:00 of the biller’s zone, on either side of a daylight-saving change', async () => {
    const id = await here.active({ start_date: '2027-03-28' });
    await here.advance('2027-01-20T00:00:00Z');
    await here.advance('2027-02-02T00:00:00Z');
    for (const target of ['02-15', '03-01', '03-14', '03-28', '04-10']) await here.advance(day(target));
    assert.deepEqual(await here.paymentLines(id), [
      '0 paid 2027-03-27T13:00:00.000Z',
      '1 paid 2027-04-03T13:00:00.000Z',
    ]);
    await here.advance(day('04-11'));
    assert.equal((await here.paymentLines(id)).at(-1), '2 paid 2027-04-10T14:00:00.000Z');
  });
});

describe('the payments of a plan', () => {
  const here = usePayer();
  const { stage } = here;
  const list = (id: string, query = '') => stage.request('GET', `/payment_plans/${id}/payments?${query}`);

  it('are the slots that have come, newest first, in pages by slot number', async () => {
    const { id } = await here.plan();
    await here.advance(day('02-01'));
    await here.move(id, 'activate');
    const { body } = await list(id);
    assert.deepEqual(
      body.data.map((item: { slot: number }) => item.slot),
      [3, 2, 1, 0],
    );
    const skipped = {
      slot: 3,
      due_date: '2027-01-31',
      amount: null,
      status: 'skipped',
      payment_intent_id: null,
      attempts: [],
    };
    assert.deepEqual(body.data[0], skipped);
    const paid = body.data[3];
    assert.match(paid.payment_intent_id, /^pi_sandbox_/);
    const attempt = { number: 1, at: day('02-01'), outcome: 'succeeded', code: null, message: null };
    assert.deepEqual(paid, { ...paid, due_date: '2027-01-10', amount: 1000, status: 'paid', attempts: [attempt] });
    const first = (await list(id, 'limit=3')).body;
    assert.deepEqual([first.data.length, first.has_more], [3, true]);
    const rest = (await list(id, 'starting_after=1')).body;
    assert.deepEqual([rest.data.map((item: { slot: number }) => item.slot), rest.has_more], [[0], false]);
  });

  it('are 400 after something that is no slot of the plan', async () => {
    const id = await here.active();
    for (const cursor of ['1', '-1', 'x', '0.0', '99999999999999999999', 'pi_x', '']) {
      const reply = await list(id, `starting_after=${cursor}`);
      assert.equal(refusal(reply, 400).length, 1, cursor);
    }
    assert.deepEqual((await list(id, 'starting_after=0')).body, { data: [], has_more: false });
  });
});
