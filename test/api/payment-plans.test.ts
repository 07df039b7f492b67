import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { addDays, dateIn } from '../../src/domain/calendar.ts';
import { withoutClock } from '../../src/domain/instants.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { frozen, usePayer } from '../support/payer.ts';
import { refusal, rowCounts } from '../support/stage.ts';

const path = '/payment_plans';
const terms = {
  name: 'Gym',
  frequency_type: 'monthly',
  recurring_amount_cents: 1500,
  until_further_notice: true,
  currency: 'AUD',
  start_date: '2027-01-31',
} as const;

describe('creating a payment plan', () => {
  const here = usePayer();
  const { stage } = here;
  const post = (body: object = {}) => stage.request('POST', path, { customer_id: here.customer, ...terms, ...body });
  const faults = async (body: object) => refusal(await post(body), 422);

  it('answers 201 with every field of the contract, pending, on the customer’s time', async () => {
    const { status, body } = await post();
    assert.equal(status, 201);
    assert.match(body.id, /^pp_[0-9A-Za-z]{32}$/);
    const expected = {
      id: body.id,
      customer_id: here.customer,
      ...terms,
      state: 'pending',
      state_reason: null,
      frequency_period: 1,
      first_amount_cents: null,
      total_amount_cents: null,
      first_date: null,
      payment_instrument_id: null,
      failure_behaviour: 'retry',
      tax_included: true,
      metadata: {},
      collected_amount_cents: 0,
      next_payment_date: '2027-01-31',
      next_attempt_at: null,
      biller_id: stage.keys.biller.id,
      livemode: false,
      test_clock: here.clock,
      created_at: frozen,
      updated_at: frozen,
    };
    assert.deepEqual(body, expected);
    assert.deepEqual((await stage.request('GET', `${path}/${body.id}`)).body, expected);
    assert.deepEqual((await stage.request('GET', path)).body, { data: [expected], has_more: false });
  });

  it('is one row, without event or workflow', async () => {
    const before = await rowCounts(stage);
    await post();
    assert.deepEqual(await rowCounts(stage), { ...before, payment_plans: (before.payment_plans ?? 0) + 1 });
  });

  it('needs a method: its own, or the customer’s default at that moment', async () => {
    const { id } = await stage.merchant.customer();
    const date = { start_date: addDays(dateIn(withoutClock(realNow()), 'UTC'), 3) };
    assert.deepEqual(await faults({ ...date, customer_id: id }), ['/payment_instrument_id parameter_missing']);
    assert.deepEqual(await faults({ ...date, customer_id: id, payment_instrument_id: here.card }), [
      '/payment_instrument_id payment_method_of_other_customer',
    ]);
    const card = await stage.merchant.card(id);
    assert.equal((await post({ ...date, customer_id: id })).status, 201);
    await stage.merchant.detach(card);
    assert.deepEqual(await faults({ ...date, customer_id: id, payment_instrument_id: card }), [
      '/payment_instrument_id payment_method_detached',
    ]);
  });

  it('names customer_id for a deleted customer', async () => {
    await stage.db.sql`update customers set deleted_at = now() where id = ${here.customer}`;
    assert.deepEqual(await faults({}), ['/customer_id customer_deleted']);
  });

  it('is refused while the customer’s clock advances', async () => {
    await stage.merchant.beginAdvance(here.clock, '2027-01-20T00:00:00Z');
    refusal(await post(), 422, 'test_clock_advancing');
  });
});

describe('the dates of a plan', () => {
  const here = usePayer({ biller: { timeZone: 'Pacific/Auckland' } });
  const { stage } = here;

  it('are judged by the biller’s calendar', async () => {
    // Midnight UTC is 13:00 of the same day in Auckland; at 11:30 UTC the 11th has begun there.
    await stage.advance(here.clock, '2027-01-10T11:30:00Z');
    const post = (start_date: string) =>
      stage.request('POST', path, { customer_id: here.customer, ...terms, start_date });
    assert.deepEqual(refusal(await post('2027-01-10'), 422), ['/start_date out_of_range']);
    assert.equal((await post('2027-01-11')).status, 201);
  });
});

describe('updating a plan', () => {
  const here = usePayer();
  const { stage } = here;
  const put = (id: string, body: unknown) => stage.request('PUT', `${path}/${id}`, body);
  const make = (body: object = {}) => stage.merchant.plan({ customer_id: here.customer, ...terms, ...body });
  const always = {
    name: 'New',
    recurring_amount_cents: 700,
    total_amount_cents: 5000,
    until_further_notice: false,
    failure_behaviour: 'stop',
  };
  const metadata = { a: 'b' };

  async function inState(state: string): Promise<string> {
    const { id } = await make();
    if (state === 'pending') return id;
    if (state !== 'closed') await stage.merchant.move(id, 'activate');
    if (state === 'suspended') await stage.merchant.move(id, 'suspend');
    if (state === 'deactivated') await stage.merchant.move(id, 'deactivate');
    if (state === 'closed') await stage.merchant.move(id, 'close');
    return id;
  }

  for (const state of ['active', 'suspended']) {
    it(`changes nothing of a plan that is ${state} if one field cannot be changed, and names each such field`, async () => {
      const fixed = {
        frequency_type: 'weekly',
        frequency_period: 3,
        first_amount_cents: 100,
        currency: 'USD',
        start_date: '2027-03-01',
        first_date: '2027-02-27',
        customer_id: 'cus_x',
      };
      const id = await inState(state);
      const before = (await stage.request('GET', `${path}/${id}`)).body;
      assert.deepEqual(
        refusal(await put(id, { ...always, metadata, ...fixed }), 422),
        Object.keys(fixed)
          .map((name) => `/${name} immutable`)
          .sort(),
      );
      assert.deepEqual((await stage.request('GET', `${path}/${id}`)).body, before);
    });
  }

  it('changes metadata in every state, without an event or a step of the plan', async () => {
    for (const state of ['pending', 'active', 'suspended', 'deactivated', 'closed']) {
      const id = await inState(state);
      const before = (await stage.request('GET', `${path}/${id}`)).body;
      const told = (await stage.merchant.events()).length;
      assert.deepEqual((await put(id, { metadata })).body, { ...before, metadata }, state);
      assert.deepEqual((await put(id, { metadata: {} })).body, { ...before, metadata: {} }, state);
      assert.deepEqual(refusal(await put(id, { metadata: { _sandbox_outcome: 'x' } }), 422), [
        '/metadata/_sandbox_outcome invalid_value',
      ]);
      assert.equal((await stage.merchant.events()).length, told, state);
    }
  });

  it('changes metadata of a plan that its total or the deletion of its customer has closed', async () => {
    const whole = { recurring_amount_cents: 500, total_amount_cents: 500, until_further_notice: undefined };
    const paid = await here.active({ ...whole, start_date: '2027-01-10' });
    assert.equal((await stage.merchant.getPlan(paid)).state, 'closed');
    const { id: customer_id } = await stage.merchant.payer();
    const left = await stage.merchant.plan({ customer_id, start_date: '2200-01-01' });
    assert.equal((await stage.request('DELETE', `/customers/${customer_id}`)).status, 200);
    for (const id of [paid, left.id]) {
      const { status, body } = await put(id, { metadata });
      assert.deepEqual([status, body.state, body.metadata], [200, 'closed', metadata]);
    }
  });

  it('gives new metadata to the payments to come, and leaves it in those that exist', async () => {
    const id = await here.active({ start_date: '2027-01-10', metadata: { class: 'red' } });
    assert.equal((await put(id, { metadata: { class: 'blue' } })).status, 200);
    await here.advance('2027-01-18T00:00:00Z');
    const payments = await stage.merchant.payments(id);
    const classes = payments.map(async ({ payment_intent_id: intent }) => {
      return (await stage.merchant.getIntent(intent ?? '')).metadata.class;
    });
    assert.deepEqual(await Promise.all(classes), ['red', 'blue']);
  });

  it('changes no terms once it has ended', async () => {
    for (const state of ['deactivated', 'closed']) {
      const id = await inState(state);
      const faults = refusal(await put(id, { ...always, payment_instrument_id: here.card }), 422);
      assert.deepEqual(
        faults,
        [...Object.keys(always), 'payment_instrument_id'].map((name) => `/${name} immutable`).sort(),
      );
    }
  });

  it('takes the same values as a creation does, and tells all faults at once', async () => {
    const id = await inState('pending');
    const unwise = { start_date: '2027-01-09', payment_instrument_id: 'pm_none', metadata: { _sandbox_outcome: 'x' } };
    assert.deepEqual(refusal(await put(id, { ...unwise, total_amount_cents: 5, until_further_notice: true }), 422), [
      '/metadata/_sandbox_outcome invalid_value',
      '/payment_instrument_id resource_missing',
      '/start_date out_of_range',
      '/total_amount_cents total_or_until_further_notice',
    ]);
    assert.deepEqual(refusal(await put(id, { first_date: '2027-02-28' }), 422), ['/first_date out_of_range']);
    assert.deepEqual(refusal(await put('pp_none', {}), 404, 'resource_missing'), []);
  });

  it('replaces the total by its absence, and the reverse, by naming one of them', async () => {
    const id = await inState('active');
    const cap = async (body: object) => {
      const { total_amount_cents, until_further_notice } = (await put(id, body)).body;
      return [total_amount_cents, until_further_notice];
    };
    assert.deepEqual(await cap({ total_amount_cents: 9000 }), [9000, false]);
    assert.deepEqual(await cap({ until_further_notice: true }), [null, true]);
    assert.deepEqual(refusal(await put(id, { until_further_notice: false }), 422).length, 1);
    assert.deepEqual(await cap({ total_amount_cents: 9000, until_further_notice: false }), [9000, false]);
    assert.deepEqual(refusal(await put(id, { total_amount_cents: null }), 422).length, 1);
    assert.deepEqual(await cap({ total_amount_cents: null, until_further_notice: true }), [null, true]);
  });

  it('gives up its own method only where the customer has a default', async () => {
    const { id } = await make({ payment_instrument_id: here.card });
    assert.equal((await put(id, { payment_instrument_id: null })).body.payment_instrument_id, null);
    const other = await stage.merchant.card(here.customer);
    await put(id, { payment_instrument_id: other });
    await stage.merchant.detach(here.card);
    assert.deepEqual(refusal(await put(id, { payment_instrument_id: null }), 422), [
      '/payment_instrument_id parameter_missing',
    ]);
  });

  it('does not lower the total below what is collected or under way, nor to what is collected', async () => {
    const { id } = await make({ start_date: '2027-01-10', total_amount_cents: 6000, until_further_notice: undefined });
    await stage.merchant.move(id, 'activate');
    await stage.collect(id, frozen);
    for (const total_amount_cents of [1500, 1499, 1]) {
      assert.deepEqual(refusal(await put(id, { total_amount_cents }), 422), ['/total_amount_cents out_of_range']);
    }
    assert.equal((await put(id, { total_amount_cents: 1501 })).status, 200);
    const schedule = (await stage.request('GET', `${path}/${id}/schedule`)).body;
    assert.deepEqual(schedule, { data: [{ slot: 1, due_date: '2027-02-10', amount: 1 }], has_more: false });
  });

  it('is refused while the clock advances', async () => {
    const id = await inState('active');
    await stage.merchant.beginAdvance(here.clock, '2027-01-20T00:00:00Z');
    refusal(await put(id, { name: 'N' }), 422, 'test_clock_advancing');
  });
});

describe('the schedule of a plan', () => {
  const here = usePayer();
  const { stage } = here;
  const make = (body: object = {}) => stage.merchant.plan({ customer_id: here.customer, ...terms, ...body });
  const schedule = async (id: string, query = '') =>
    (await stage.request('GET', `${path}/${id}/schedule${query}`)).body;
  const dates = async (id: string, query = '') =>
    (await schedule(id, query)).data.map((item: { due_date: string }) => item.due_date);

  it('counts from the anchor, 12 payments unless count says otherwise', async () => {
    const { id } = await make();
    const { data, has_more } = await schedule(id);
    assert.deepEqual([data.length, has_more], [12, true]);
    assert.deepEqual(data[0], { slot: 0, due_date: '2027-01-31', amount: 1500 });
    assert.deepEqual(await dates(id, '?count=4'), ['2027-01-31', '2027-02-28', '2027-03-31', '2027-04-30']);
    for (const count of ['0', '101', 'x', '']) {
      assert.equal(refusal(await stage.request('GET', `${path}/${id}/schedule?count=${count}`), 400).length, 1);
    }
    assert.equal((await dates(id, '?count=100')).length, 100);
  });

  it('ends with the total, the last payment cut, the first one of its own amount and date', async () => {
    const more = {
      first_amount_cents: 4000,
      first_date: '2027-02-05',
      total_amount_cents: 6000,
      until_further_notice: undefined,
    };
    const { id } = await make(more);
    const { data, has_more } = await schedule(id);
    assert.equal(has_more, false);
    assert.deepEqual(data, [
      { slot: 0, due_date: '2027-02-05', amount: 4000 },
      { slot: 1, due_date: '2027-02-28', amount: 1500 },
      { slot: 2, due_date: '2027-03-31', amount: 500 },
    ]);
  });

  it('is as if a pending plan whose dates have passed were activated now', async () => {
    const { id } = await make({ start_date: '2027-01-10' });
    await stage.advance(here.clock, '2027-03-01T00:00:00Z');
    assert.deepEqual(await dates(id, '?count=3'), ['2027-01-10', '2027-03-10', '2027-04-10']);
  });

  it('is as if a suspended plan were resumed now, and is empty for one that has ended', async () => {
    const { id } = await make({ start_date: '2027-01-10' });
    await stage.merchant.move(id, 'activate');
    await stage.collect(id, frozen);
    await stage.merchant.move(id, 'suspend');
    await stage.advance(here.clock, '2027-03-01T00:00:00Z');
    assert.deepEqual(await dates(id, '?count=2'), ['2027-03-10', '2027-04-10']);
    await stage.merchant.move(id, 'close');
    assert.deepEqual(await schedule(id), { data: [], has_more: false });
  });
});
