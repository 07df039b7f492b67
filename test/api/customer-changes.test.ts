import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, it } from 'mocha';
import { eventually } from '../../lab/eventually.ts';
import { atomically } from '../../src/platform/postgres/transaction.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { CustomerUpdate } from '../../src/resources/customer.ts';
import { transitionPlan } from '../../src/services/plans/plan-transitions.ts';
import type { Reply } from '../support/api.ts';
import { frozen, usePayer } from '../support/payer.ts';
import { untilBothHaveWon } from '../support/race.ts';
import { faultPaths, refusal, rowCounts, useStage } from '../support/stage.ts';
import { makeCall } from '../support/webhooks.ts';

const full = {
  name: 'Zoë Müller',
  email: 'zoe@example.com',
  reference: 'ref-1',
  status: 'inactive' as const,
  business_name: 'Müller & Co',
  billing_address: { line1: '1 High St', city_or_suburb: 'Perth' },
  shipping_address: { line1: '2 Low St' },
  notification_preferences: { send_payment_emails: true, send_sms_reminders: false },
  fee_preferences: { customer_pays_transaction_fees: true },
  additional_attributes: { tier: 'gold', nested: { list: [1, null, 'x'] } },
  phones: [{ raw: '0400 000 000', kind: 'mobile' }],
  metadata: { crm: '7-1042' },
};
const inDays = (days: number) => new Date(realNow().getTime() + days * 86_400_000).toISOString().slice(0, 10);

describe('changing a customer', () => {
  const stage = useStage();
  const put = (id: string, body: unknown) => stage.request('PUT', `/customers/${id}`, body);

  it('is tried with every field that can be changed, beside the default method', () => {
    const { test_clock: _, default_payment_method: __, ...fields } = CustomerUpdate.properties;
    assert.deepEqual(Object.keys(full).sort(), Object.keys(fields).sort());
  });

  it('changes each field on its own, returns the customer, and leaves all others as they were', async () => {
    let before = await stage.merchant.customer();
    for (const [name, value] of Object.entries(full)) {
      await pause(2);
      const { status, body } = await put(before.id, { [name]: value });
      assert.equal(status, 200);
      assert.deepEqual(body, { ...before, [name]: value, updated_at: body.updated_at });
      assert.ok(body.updated_at > before.updated_at);
      assert.deepEqual((await stage.request('GET', `/customers/${before.id}`)).body, body);
      before = body;
    }
  });

  it('clears with null every field but name, status and metadata, which a customer always has', async () => {
    const customer = await stage.merchant.customer(full);
    for (const name of Object.keys(full)) {
      const reply = await put(customer.id, { [name]: null });
      if (['name', 'status', 'metadata'].includes(name)) assert.deepEqual(faultPaths(reply, 422), [`/${name}`]);
      else assert.deepEqual([reply.status, reply.body[name]], [200, null], name);
    }
  });

  it('replaces an object as a whole', async () => {
    const { id } = await stage.merchant.customer(full);
    const { body } = await put(id, {
      billing_address: { line2: 'Unit 2' },
      additional_attributes: {},
      metadata: { b: '' },
    });
    const { billing_address, additional_attributes, metadata } = body;
    assert.deepEqual([billing_address, additional_attributes, metadata], [{ line2: 'Unit 2' }, {}, { b: '' }]);
  });

  it('sets the default method to another of its own, or to none', async () => {
    const customer = await stage.merchant.customer();
    const [first, second] = [await stage.merchant.card(customer.id), await stage.merchant.card(customer.id)];
    assert.equal((await stage.request('GET', `/customers/${customer.id}`)).body.default_payment_method, first);
    assert.equal((await put(customer.id, { default_payment_method: second })).body.default_payment_method, second);
    assert.equal((await put(customer.id, { default_payment_method: null })).body.default_payment_method, null);
    assert.equal((await put(customer.id, { name: 'Jo' })).body.default_payment_method, null);
  });

  it('refuses as default a method that is unknown, detached, unattached or another customer’s', async () => {
    const [customer, other] = [await stage.merchant.customer(), await stage.merchant.customer()];
    const { merchant } = await stage.stranger();
    const foreign = await merchant.card((await merchant.customer()).id);
    const detached = await stage.merchant.card(customer.id);
    await stage.merchant.detach(detached);
    const { body } = await stage.request('POST', '/payment_methods', {
      type: 'au_becs_debit',
      payment_method_data: { bsb_number: '000-000', account_name: 'Jo', account_number: '123456' },
    });
    const refused: [string, string][] = [
      ['pm_none', 'resource_missing'],
      [foreign, 'resource_missing'],
      [detached, 'payment_method_detached'],
      [await stage.merchant.card(other.id), 'payment_method_of_other_customer'],
      [body.payment_method.id, 'payment_method_unattached'],
    ];
    for (const [method, code] of refused) {
      const reply = await put(customer.id, { default_payment_method: method });
      assert.deepEqual(refusal(reply, 422), [`/default_payment_method ${code}`]);
    }
    assert.equal((await stage.request('GET', `/customers/${customer.id}`)).body.default_payment_method, null);
  });

  it('happens at the clock’s time on a clock, and not while it advances', async () => {
    const clock = await stage.merchant.clock('2031-02-03T04:05:06.789Z');
    const { id } = await stage.merchant.customer({ test_clock: clock.id });
    await stage.merchant.beginAdvance(clock.id, '2031-03-01T00:00:00Z');
    refusal(await put(id, { name: 'Jo' }), 422, 'test_clock_advancing');
    await stage.carryOut(clock.id);
    const { body } = await put(id, { name: 'Jo' });
    assert.deepEqual([body.created_at, body.updated_at], ['2031-02-03T04:05:06.789Z', '2031-03-01T00:00:00.000Z']);
  });

  it('twenty changes of different fields at once lose none of them', async () => {
    const { id } = await stage.merchant.customer();
    const { name: _, ...others } = full;
    await Promise.all(Object.entries(others).map(([name, value]) => put(id, { [name]: value })));
    const { body } = await stage.request('GET', `/customers/${id}`);
    for (const [name, value] of Object.entries(others)) assert.deepEqual(body[name], value, name);
  });
});

describe('deleting a customer', () => {
  const stage = useStage();
  const remove = (id: string) => stage.request('DELETE', `/customers/${id}`);
  const fetch = async (id: string) => (await stage.request('GET', `/customers/${id}`)).body;
  const confirm = (id: string, payment_method?: string): Promise<Reply> =>
    stage.request('POST', `/payment_intents/${id}/confirm`, { payment_method });
  const planOf = (customer_id: string) => ({
    customer_id,
    name: 'P',
    frequency_type: 'weekly',
    recurring_amount_cents: 100,
    until_further_notice: true,
    currency: 'AUD',
    start_date: inDays(3),
  });
  const pokes = async (id: string) => {
    const rows = await stage.db.sql<{ workflow_type: string; signal: string | null }[]>`
      select workflow_type, signal from workflow_intents where subject_id = ${id} and not start`;
    return rows.map(({ workflow_type, signal }) => `${workflow_type} ${signal}`);
  };

  it('answers the record with deleted_at, and a fetch shows the same', async () => {
    const before = await stage.merchant.payer(full);
    const asked = realNow().toISOString();
    const { status, body } = await remove(before.id);
    assert.equal(status, 200);
    const { deleted_at } = body;
    assert.ok(deleted_at >= asked && deleted_at <= realNow().toISOString());
    assert.deepEqual({ ...body, default_payment_method: null }, { ...before, deleted_at, updated_at: deleted_at });
    assert.deepEqual(await fetch(before.id), body);
  });

  it('twice answers the same record, and tells of nothing again', async () => {
    const { id } = await stage.merchant.payer();
    await stage.request('POST', '/payment_plans', planOf(id));
    const first = await remove(id);
    const rows = await rowCounts(stage);
    await pause(5);
    const second = await remove(id);
    assert.deepEqual([second.status, second.body], [200, first.body]);
    assert.deepEqual(await rowCounts(stage), rows);
  });

  it('twice answers the same record even while its clock advances', async () => {
    const clock = await stage.merchant.clock('2027-01-10T00:00:00Z');
    const { id } = await stage.merchant.customer({ test_clock: clock.id });
    const first = await remove(id);
    const advance = { frozen_time: '2027-01-11T00:00:00Z' };
    assert.equal((await stage.request('POST', `/test_helpers/test_clocks/${clock.id}/advance`, advance)).status, 202);
    const second = await remove(id);
    assert.deepEqual([second.status, second.body], [200, first.body]);
  });

  it('takes it out of the lists, its clock’s too', async () => {
    const clock = await stage.merchant.clock('2027-01-10T00:00:00Z');
    const [plain, bound] = [await stage.merchant.customer(), await stage.merchant.customer({ test_clock: clock.id })];
    await remove(plain.id);
    await remove(bound.id);
    for (const query of ['', `?test_clock=${clock.id}`, '?name=test%20payer']) {
      assert.deepEqual((await stage.request('GET', `/customers${query}`)).body.data, [], query);
    }
  });

  it('makes room on its clock', async () => {
    const clock = await stage.merchant.clock('2027-01-10T00:00:00Z');
    const made = [];
    for (let n = 0; n < 3; n++) made.push(await stage.merchant.customer({ test_clock: clock.id }));
    const another = () => stage.request('POST', '/customers', { name: 'Jo', test_clock: clock.id });
    refusal(await another(), 422, 'test_clock_full');
    await remove(String(made[0]?.id));
    assert.equal((await another()).status, 201);
  });

  it('closes its plans that are open, each with an event and a poke, and no others', async () => {
    const { id } = await stage.merchant.payer();
    const { id: other } = await stage.merchant.payer();
    const make = async (customer: string, ...moves: ('activate' | 'suspend' | 'deactivate' | 'close')[]) => {
      const plan = await stage.merchant.plan({ customer_id: customer, start_date: inDays(3) });
      for (const move of moves) await stage.merchant.move(plan.id, move);
      return plan.id;
    };
    const open = [await make(id), await make(id, 'activate'), await make(id, 'activate', 'suspend')];
    const ended = [await make(id, 'close'), await make(id, 'activate', 'deactivate')];
    const foreign = await make(other, 'activate');
    const before = await Promise.all([...ended, foreign].map(stage.merchant.getPlan));
    await stage.db.sql`delete from workflow_intents`;
    const known = (await stage.merchant.events()).length;
    const { body } = await remove(id);
    const events = (await stage.merchant.events()).slice(known);
    assert.deepEqual(
      events.map(({ event_type, data }) => [event_type, data.id, data.state, data.state_reason]),
      open.map((plan) => ['payment_plan.closed', plan, 'closed', 'customer_deleted']),
    );
    for (const event of events) assert.match(String(event.request_id), /^req_/);
    for (const plan of open) {
      const { state, state_reason, next_payment_date, next_attempt_at, updated_at } =
        await stage.merchant.getPlan(plan);
      assert.deepEqual(
        [state, state_reason, next_payment_date, next_attempt_at, updated_at],
        ['closed', 'customer_deleted', null, null, body.deleted_at],
      );
      assert.deepEqual(await pokes(plan), ['paymentPlan poke']);
    }
    assert.deepEqual(await Promise.all([...ended, foreign].map(stage.merchant.getPlan)), before);
  });

  it('ends the retries of what is unpaid', async () => {
    const { id } = await stage.merchant.customer();
    await stage.merchant.card(id, 'tok_sandbox_visa_decline_insufficient_funds');
    const plan = await stage.merchant.activePlan({ customer_id: id, start_date: inDays(0) });
    await stage.collect(plan.id, realNow());
    assert.equal((await stage.merchant.payments(plan.id))[0]?.status, 'retrying');
    await remove(id);
    assert.equal((await stage.merchant.payments(plan.id))[0]?.status, 'failed');
    await stage.collect(plan.id, `${inDays(9)}T00:00:00Z`);
    assert.equal(stage.ledger.requests.length, 1);
  });

  it('cancels its scheduled payments, each with an event and a poke, and no other payment', async () => {
    const { id } = await stage.merchant.payer();
    const { id: other } = await stage.merchant.payer();
    const make = async (customer: string, isScheduled = true) => {
      const payment_method = (await fetch(customer)).default_payment_method;
      const date = isScheduled ? { scheduled_payment_date: inDays(9) } : {};
      const terms = { amount: 500, currency: 'AUD' as const, customer_id: customer, payment_method, ...date };
      return (await stage.merchant.intent(terms)).id;
    };
    const scheduled = [await make(id), await make(id)];
    const kept = [await make(id, false), await make(other)];
    await stage.db.sql`delete from workflow_intents`;
    const { body } = await remove(id);
    const events = await stage.merchant.events();
    assert.deepEqual(
      events.map(({ event_type, data }) => `${event_type} ${data.id} ${data.status}`).sort(),
      scheduled.map((intent) => `payment_intent.canceled ${intent} canceled`).sort(),
    );
    for (const intent of scheduled) {
      const { status, updated_at } = await stage.merchant.getIntent(intent);
      assert.deepEqual([status, updated_at], ['canceled', body.deleted_at]);
      assert.deepEqual(await pokes(intent), ['scheduledPayment poke']);
      await stage.collectScheduled(intent, `${inDays(10)}T00:00:00Z`);
    }
    assert.deepEqual(stage.ledger.requests, []);
    for (const intent of kept) assert.equal((await stage.merchant.getIntent(intent)).status, 'requires_payment_method');
  });

  it('makes a change, a new intent, plan or method, and an attach a validation failure that says so', async () => {
    const { id } = await stage.merchant.payer();
    const { default_payment_method: card } = await fetch(id);
    const { body: loose } = await stage.request('POST', '/payment_methods', {
      type: 'au_becs_debit',
      payment_method_data: { bsb_number: '000-000', account_name: 'Jo', account_number: '123456' },
    });
    await remove(id);
    const before = await rowCounts(stage);
    const intent = { amount: 500, currency: 'AUD' };
    const method = {
      type: 'au_becs_debit',
      payment_method_data: { bsb_number: '000-000', account_name: 'Jo', account_number: '123456' },
      customer_reference: id,
    };
    const attach = `/payment_methods/${loose.payment_method.id}/attach`;
    const refused: [string, string, object, number, string][] = [
      ['PUT', `/customers/${id}`, { name: 'Jo' }, 422, 'undefined'],
      ['POST', '/payment_intents', { ...intent, customer_id: id }, 400, '/customer_id'],
      [
        'POST',
        '/payment_intents',
        { ...intent, customer_id: id, payment_method: card, scheduled_payment_date: inDays(0) },
        400,
        '/customer_id',
      ],
      ['POST', '/payment_plans', planOf(id), 422, '/customer_id'],
      ['POST', '/payment_methods', method, 400, '/customer_reference'],
      ['POST', attach, { customer_id: id }, 400, '/customer_id'],
    ];
    for (const [verb, path, body, status, field] of refused) {
      assert.deepEqual(refusal(await stage.request(verb, path, body), status), [`${field} customer_deleted`], path);
    }
    assert.deepEqual(await rowCounts(stage), before);
  });

  it('makes the confirm of an old intent of the customer 422 invalid_state, without one 400, and charges nothing', async () => {
    const { id } = await stage.merchant.payer();
    const { default_payment_method: card } = await fetch(id);
    const fresh = await stage.merchant.intent({ amount: 500, customer_id: id });
    const carrying = await stage.merchant.intent({ amount: 500, payment_method: card });
    const failed = await stage.merchant.intent({
      amount: 500,
      customer_id: id,
      metadata: { _sandbox_outcome: 'decline,succeed' },
    });
    assert.equal((await confirm(failed.id, card)).body.status, 'failed');
    const unowned = await stage.merchant.intent({ amount: 500 });
    stage.ledger.reset();
    await remove(id);
    for (const intent of [fresh, failed]) refusal(await confirm(intent.id, card), 422, 'invalid_state');
    const notAllowed = ['/payment_method payment_method_not_allowed'];
    assert.deepEqual(refusal(await confirm(unowned.id, card), 400), notAllowed);
    assert.deepEqual(refusal(await confirm(carrying.id), 400), notAllowed);
    assert.deepEqual(stage.ledger.requests, []);
    assert.equal((await stage.merchant.getIntent(unowned.id)).status, 'requires_payment_method');
  });

  it('makes the confirm of a plan’s unpaid payment 422 invalid_state', async () => {
    const { id } = await stage.merchant.customer();
    await stage.merchant.card(id, 'tok_sandbox_visa_decline_insufficient_funds');
    const good = await stage.merchant.card(id);
    const plan = await stage.merchant.activePlan({ customer_id: id, start_date: inDays(0) });
    await stage.collect(plan.id, realNow());
    const [slot] = await stage.merchant.payments(plan.id);
    await remove(id);
    refusal(await confirm(String(slot?.payment_intent_id), good), 422, 'invalid_state');
    assert.equal(stage.ledger.taken.size, 0);
  });

  it('leaves its payments and methods readable', async () => {
    const { id } = await stage.merchant.payer();
    const intent = await stage.merchant.intent({ amount: 500, customer_id: id });
    const { default_payment_method: card } = await fetch(id);
    await remove(id);
    const { body: intents } = await stage.request('GET', `/customers/${id}/payment_intents`);
    const { body: methods } = await stage.request('GET', `/customers/${id}/payment_methods`);
    assert.deepEqual([intents.data[0].id, methods.payment_methods[0].id], [intent.id, card]);
  });

  it('deletes it even while another request ends one of its plans', async () => {
    const { id } = await stage.merchant.payer();
    const plans = [];
    for (let n = 0; n < 2; n++) plans.push(await stage.merchant.activePlan({ customer_id: id, start_date: inDays(3) }));
    const [first, second] = plans.map((plan) => plan.id);
    assert.ok(first && second);
    const call = await makeCall(stage.db.sql, { billerId: stage.keys.biller.id });
    let removing: Promise<Reply> | undefined;
    await atomically(stage.db.sql, async (tx) => {
      await transitionPlan(tx, call, first, 'deactivate');
      removing = remove(id);
      await eventually('the deletion waits for the plan', async () => {
        const waiting = await stage.db.sql`
          select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
        return waiting.length > 0;
      });
    });
    const reply = await removing;
    assert.deepEqual([reply?.status, typeof reply?.body.deleted_at], [200, 'string'], reply?.text);
    const states = [await stage.merchant.getPlan(first), await stage.merchant.getPlan(second)];
    assert.deepEqual(
      states.map(({ state, state_reason }) => `${state} ${state_reason}`),
      ['deactivated requested', 'closed customer_deleted'],
    );
  });

  it('racing a confirm is after the charge began, or there is no charge', async () => {
    await untilBothHaveWon(48, async ({ first, second }) => {
      stage.ledger.reset();
      const { id } = await stage.merchant.payer();
      const { default_payment_method: card } = await fetch(id);
      const intent = await stage.merchant.intent({ amount: 500, customer_id: id });
      let begunBefore = 0;
      const [confirmed] = await Promise.all([
        first(() => confirm(intent.id, card)),
        second(() => remove(id)).then(async () => {
          const rows = await stage.db.sql`select 1 from payment_attempts where payment_intent_id = ${intent.id}`;
          begunBefore = rows.length;
        }),
      ]);
      if (confirmed.status !== 200) refusal(confirmed, 422, 'invalid_state');
      assert.equal(stage.ledger.taken.size, begunBefore, 'a charge began after the answer to the deletion');
      assert.equal(stage.ledger.taken.size, confirmed.status === 200 ? 1 : 0);
      return confirmed.status === 200 ? 'first' : 'second';
    });
  });

  it('racing a plan’s collection is after the charge began, or there is no charge', async () => {
    await untilBothHaveWon(40, async ({ first, second }) => {
      const { id } = await stage.merchant.payer();
      const plan = await stage.merchant.activePlan({ customer_id: id, start_date: inDays(0) });
      stage.ledger.reset();
      const collecting = first(() => stage.collect(plan.id, realNow()));
      assert.equal((await second(() => remove(id))).status, 200);
      const begun = await stage.db.sql`select 1 from payment_intents where payment_plan_id = ${plan.id}`;
      await collecting;
      await stage.collect(plan.id, `${inDays(30)}T00:00:00Z`);
      assert.equal(stage.ledger.taken.size, begun.length, 'a charge began after the answer to the deletion');
      assert.equal((await stage.merchant.getPlan(plan.id)).state, 'closed');
      return begun.length === 1 ? 'first' : 'second';
    });
  });

  it('racing new plans, payments and methods leaves nothing open', async () => {
    for (let round = 0; round < 16; round++) {
      const { id } = await stage.merchant.payer();
      const { default_payment_method: card } = await fetch(id);
      const scheduled = { amount: 500, currency: 'AUD', payment_method: card, scheduled_payment_date: inDays(9) };
      const replies = await Promise.all([
        stage.request('POST', '/payment_plans', planOf(id)),
        stage.request('POST', '/payment_intents', { ...scheduled, customer_id: id }),
        pause(round % 5).then(() => remove(id)),
        stage.request('POST', '/payment_plans', planOf(id)),
        stage.request('POST', '/payment_intents', { ...scheduled, customer_id: id }),
      ]);
      assert.deepEqual(
        replies.filter(({ status }) => status >= 500),
        [],
      );
      const open = await stage.db.sql`
        select id from payment_plans where customer_id = ${id} and state <> 'closed'
        union all select id from payment_intents where customer_id = ${id} and scheduled_at is not null`;
      assert.equal(open.length, 0);
    }
  });

  it('a payment without a customer that is scheduled on its method is canceled too', async () => {
    const { id } = await stage.merchant.customer();
    const { body } = await stage.request('POST', '/payment_methods', {
      type: 'au_becs_debit',
      payment_method_data: { bsb_number: '000-000', account_name: 'Jo', account_number: '123456' },
    });
    const method = body.payment_method.id;
    const date = inDays(9);
    const intent = await stage.merchant.intent({ amount: 500, payment_method: method, scheduled_payment_date: date });
    const attached = await stage.request('POST', `/payment_methods/${method}/attach`, { customer_id: id });
    assert.equal(attached.status, 200);
    await remove(id);
    await stage.collectScheduled(intent.id, `${date}T23:00:00Z`);
    assert.equal(stage.ledger.taken.size, 0);
  });
});

describe('deleting a customer on a test clock', () => {
  const here = usePayer();
  const { stage } = here;
  const remove = () => stage.request('DELETE', `/customers/${here.customer}`);

  it('happens at the clock’s time, with that of its plans and payments', async () => {
    const plan = await here.active({ start_date: '2027-02-01' });
    const intent = await stage.merchant.intent({
      amount: 500,
      customer_id: here.customer,
      payment_method: here.card,
      scheduled_payment_date: '2027-02-01',
    });
    await here.advance('2027-01-12T01:02:03.004Z');
    const at = '2027-01-12T01:02:03.004Z';
    const { body } = await remove();
    const found = [body.deleted_at, body.updated_at, (await stage.merchant.getPlan(plan)).updated_at];
    assert.deepEqual([...found, (await stage.merchant.getIntent(intent.id)).updated_at], [at, at, at, at]);
    const events = (await stage.merchant.events({ test_clock: here.clock })).slice(-2);
    assert.deepEqual(events.map(({ event_type, created_at }) => `${event_type} ${created_at}`).sort(), [
      `payment_intent.canceled ${at}`,
      `payment_plan.closed ${at}`,
    ]);
  });

  it('is 422 test_clock_advancing while it advances, and changes nothing', async () => {
    const plan = await here.active({ start_date: '2027-02-01' });
    await stage.merchant.beginAdvance(here.clock, '2027-01-12T00:00:00Z');
    refusal(await remove(), 422, 'test_clock_advancing');
    await stage.carryOut(here.clock);
    assert.equal((await stage.merchant.getPlan(plan)).state, 'active');
    assert.equal((await remove()).body.deleted_at, '2027-01-12T00:00:00.000Z');
  });

  it('leaves an advance nothing to charge', async () => {
    const plan = await here.active();
    assert.equal(stage.ledger.taken.size, 1);
    await remove();
    await here.advance('2027-01-24T00:00:00Z');
    assert.equal(stage.ledger.taken.size, 1);
    assert.deepEqual(await here.paymentLines(plan), [`0 paid ${frozen}`]);
  });
});
