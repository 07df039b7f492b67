import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, it } from 'mocha';
import { realNow } from '../../src/platform/real-time.ts';
import type { Reply } from '../support/api.ts';
import { untilBothHaveWon } from '../support/race.ts';
import { refusal, rowCounts, useStage } from '../support/stage.ts';

const day = 86_400_000;

describe('canceling a payment intent', () => {
  const stage = useStage();
  const cancel = (id: string): Promise<Reply> => stage.request('POST', `/payment_intents/${id}/cancel`);
  const owners = new Map<string | undefined, string>();
  const confirm = (id: string, payment_method?: string): Promise<Reply> =>
    stage.request('POST', `/payment_intents/${id}/confirm`, {
      payment_method,
      customer_id: owners.get(payment_method),
    });
  const intent = (body: object = {}) => stage.merchant.intent({ ...body });
  async function cardOf(token?: string): Promise<string> {
    const { id } = await stage.merchant.customer();
    const card = await stage.merchant.card(id, token);
    owners.set(card, id);
    return card;
  }
  const scheduled = async () => {
    const scheduled_payment_date = new Date(realNow().getTime() + 20 * day).toISOString().slice(0, 10);
    const payment_method = await cardOf();
    return intent({ customer_id: owners.get(payment_method), payment_method, scheduled_payment_date });
  };
  /** What the workflows were told of an object, after its making. */
  const pokes = async (id: string) => {
    const rows = await stage.db.sql<{ workflow_type: string; start: boolean; signal: string | null }[]>`
      select workflow_type, start, signal from workflow_intents where subject_id = ${id} and not start order by id`;
    return [...rows].map((row) => ({ ...row }));
  };

  it('answers the intent as canceled, without its secret, shows it so, and tells of it once', async () => {
    const { client_secret, next_action, ...made } = await intent({ metadata: { order: '7' } });
    const { status, body } = await cancel(made.id);
    assert.equal(status, 200);
    assert.deepEqual(body, { ...made, status: 'canceled', updated_at: body.updated_at });
    assert.ok(body.updated_at >= made.updated_at);
    const { body: seen } = await stage.request('GET', `/payment_intents/${made.id}`);
    assert.deepEqual(seen, { ...body, client_secret, next_action });
    const [event, ...others] = await stage.merchant.events();
    assert.deepEqual([event?.event_type, event?.data, others], ['payment_intent.canceled', body, []]);
    assert.match(String(event?.request_id), /^req_/);
    assert.deepEqual(await pokes(made.id), []);
  });

  it('works on one that has failed, and keeps why', async () => {
    const { id } = await intent();
    const failed = await confirm(id, await cardOf('tok_sandbox_visa_decline_card_lost'));
    const { status, body } = await cancel(id);
    assert.deepEqual([status, body.status, body.last_payment_error.code], [200, 'canceled', 'card_declined']);
    assert.equal(body.payment_method_id, failed.body.payment_method_id);
  });

  it('works while a challenge waits, which can be answered no more, and is told of as canceled alone', async () => {
    const { id } = await intent();
    assert.equal((await confirm(id, await cardOf('tok_sandbox_visa_3ds_required'))).body.status, 'requires_action');
    assert.equal((await cancel(id)).body.status, 'canceled');
    const answer = { result: 'succeed' };
    const late = await stage.request('POST', `/test_helpers/payment_intents/${id}/complete_action`, answer);
    refusal(late, 422, 'invalid_state');
    assert.equal((await stage.merchant.getIntent(id)).status, 'canceled');
    assert.deepEqual(
      (await stage.merchant.events()).map(({ event_type }) => event_type),
      ['payment_intent.requires_action', 'payment_intent.canceled'],
    );
    const [attempt] = await stage.db.sql`
      select outcome, code, settled_at is not null as settled from payment_attempts where payment_intent_id = ${id}`;
    assert.deepEqual({ ...attempt }, { outcome: 'failed', code: 'canceled', settled: true });
    assert.equal(stage.ledger.taken.size, 0);
  });

  it('ends a schedule: its workflow is poked, and nothing is charged when the date has come', async () => {
    const { id, scheduled_payment_date } = await scheduled();
    const { body } = await cancel(id);
    assert.equal(body.status, 'canceled');
    assert.deepEqual(await pokes(id), [{ workflow_type: 'scheduledPayment', start: false, signal: 'poke' }]);
    await stage.collectScheduled(id, `${scheduled_payment_date}T23:00:00Z`);
    assert.deepEqual([stage.ledger.requests, (await stage.merchant.getIntent(id)).status], [[], 'canceled']);
  });

  it('twice, or of one that has succeeded, is 422 invalid_state, which names the status and changes nothing', async () => {
    const [canceled, paid] = [await intent(), await intent()];
    await cancel(canceled.id);
    await confirm(paid.id, await cardOf());
    const before = await rowCounts(stage);
    for (const [id, status] of [
      [canceled.id, 'canceled'],
      [paid.id, 'succeeded'],
    ] as const) {
      const reply = await cancel(id);
      refusal(reply, 422, 'invalid_state');
      assert.ok(reply.body.error.message.includes(`is ${status}`), reply.text);
      assert.equal((await stage.merchant.getIntent(id)).status, status);
    }
    assert.deepEqual(await rowCounts(stage), before);
  });

  it('is 422 invalid_state while it is being charged, and the charge goes on', async () => {
    const { id } = await intent();
    const method = await cardOf();
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    stage.ledger.beforeAnswer = () => opened;
    const confirming = confirm(id, method);
    while (stage.ledger.requests.length === 0) await pause(5);
    const reply = await cancel(id);
    open();
    refusal(reply, 422, 'invalid_state');
    assert.ok(reply.body.error.message.includes('is processing'), reply.text);
    assert.equal((await confirming).body.status, 'succeeded');
  });

  it('makes a confirm 422 invalid_state, with another method too, and asks no processor', async () => {
    const { id } = await intent();
    await cancel(id);
    refusal(await confirm(id, await cardOf()), 422, 'invalid_state');
    assert.deepEqual(stage.ledger.requests, []);
  });

  it('is 422 invalid_state for a plan’s, whatever its status: the plan decides over its payments', async () => {
    const customer = await stage.merchant.customer();
    await stage.merchant.card(customer.id, 'tok_sandbox_visa_decline_insufficient_funds');
    const start_date = realNow().toISOString().slice(0, 10);
    const plan = await stage.merchant.activePlan({ customer_id: customer.id, start_date });
    await stage.collect(plan.id, realNow());
    const before = await stage.merchant.getPlan(plan.id);
    const [slot] = await stage.merchant.payments(plan.id);
    const reply = await cancel(String(slot?.payment_intent_id));
    refusal(reply, 422, 'invalid_state');
    assert.ok(reply.body.error.message.includes(plan.id), reply.text);
    assert.deepEqual(await stage.merchant.getPlan(plan.id), before);
    assert.equal(slot?.status, 'retrying');
  });

  it('works in live mode, without a processor', async () => {
    const live = (path: string, body?: unknown) =>
      stage.api.send('POST', `/api/v1${path}`, { key: stage.keys.liveSecret, body });
    const { body } = await live('/payment_intents', { amount: 500, currency: 'AUD' });
    assert.equal((await live(`/payment_intents/${body.id}/cancel`)).body.status, 'canceled');
  });

  it('returns the same response under its Idempotency-Key where the repeat alone would be refused', async () => {
    const { id } = await intent();
    const ask = () =>
      stage.api.send('POST', `/api/v1/payment_intents/${id}/cancel`, {
        key: stage.merchant.key,
        headers: { 'Idempotency-Key': id },
      });
    const first = await ask();
    const again = await ask();
    assert.deepEqual([again.status, again.text, again.headers.get('idempotent-replayed')], [200, first.text, 'true']);
  });

  it('happens at the clock’s time on a clock, and not while it advances', async () => {
    const clock = await stage.merchant.clock('2031-02-03T04:05:06.789Z');
    const customer = await stage.merchant.customer({ test_clock: clock.id });
    const { id } = await intent({ customer_id: customer.id });
    await stage.merchant.beginAdvance(clock.id, '2031-03-01T00:00:00Z');
    refusal(await cancel(id), 422, 'test_clock_advancing');
    await stage.carryOut(clock.id);
    const at = '2031-03-01T00:00:00.000Z';
    assert.equal((await cancel(id)).body.updated_at, at);
    const [event] = await stage.merchant.events({ event_type: 'payment_intent.canceled' });
    assert.deepEqual([event?.created_at, event?.test_clock], [at, clock.id]);
  });

  it('racing a confirm is charged or canceled, never both', async () => {
    const method = await cardOf();
    await untilBothHaveWon(48, async ({ first, second }) => {
      stage.ledger.reset();
      const { id } = await intent();
      const [confirmed, canceled] = await Promise.all([first(() => confirm(id, method)), second(() => cancel(id))]);
      const { status } = await stage.merchant.getIntent(id);
      assert.deepEqual([confirmed.status, canceled.status].sort(), [200, 422]);
      refusal(confirmed.status === 422 ? confirmed : canceled, 422, 'invalid_state');
      assert.equal(status, confirmed.status === 200 ? 'succeeded' : 'canceled');
      assert.equal(stage.ledger.taken.size, confirmed.status === 200 ? 1 : 0);
      return status === 'succeeded' ? 'first' : 'second';
    });
  });

  it('racing its own schedule is charged or canceled, never both', async () => {
    await untilBothHaveWon(32, async ({ first, second }) => {
      stage.ledger.reset();
      const { id, scheduled_payment_date } = await scheduled();
      const [, canceled] = await Promise.all([
        first(() => stage.collectScheduled(id, `${scheduled_payment_date}T00:00:00Z`)),
        second(() => cancel(id)),
      ]);
      const { status } = await stage.merchant.getIntent(id);
      assert.equal(status, canceled.status === 200 ? 'canceled' : 'succeeded');
      assert.equal(stage.ledger.taken.size, canceled.status === 200 ? 0 : 1);
      return status === 'succeeded' ? 'first' : 'second';
    });
  });

  it('twenty times at once cancels once and tells of it once', async () => {
    const { id } = await intent();
    const replies = await Promise.all(Array.from({ length: 20 }, () => cancel(id)));
    assert.equal(replies.filter(({ status }) => status === 200).length, 1);
    assert.equal((await stage.merchant.events()).length, 1);
  });
});

describe('the list of payment intents', () => {
  const stage = useStage();
  const list = (query = '') => stage.request('GET', `/payment_intents?${query}`);
  const amounts = (reply: Reply) => reply.body.data.map(({ amount }: { amount: number }) => amount);

  it('is newest first, without client secrets, by customer and by status, in pages', async () => {
    const [one, other] = [await stage.merchant.payer(), await stage.merchant.payer()];
    const made = [];
    for (let n = 0; n < 4; n++) {
      const customer_id = n % 2 === 0 ? one.id : other.id;
      made.push(await stage.merchant.intent({ amount: 300 + n, customer_id }));
    }
    made.push(await stage.merchant.intent({ amount: 304 }));
    await stage.request('POST', `/payment_intents/${made[2]?.id}/cancel`);
    const all = await list();
    assert.deepEqual([amounts(all), all.body.has_more], [[304, 303, 302, 301, 300], false]);
    const { client_secret: _, next_action: none, ...shown } = made[4] ?? {};
    assert.equal(none, null);
    assert.deepEqual(all.body.data[0], shown);
    assert.deepEqual(amounts(await list(`customer_id=${one.id}`)), [302, 300]);
    assert.deepEqual(amounts(await list('status=canceled')), [302]);
    assert.deepEqual(amounts(await list(`customer_id=${other.id}&status=canceled`)), []);
    assert.deepEqual((await list('customer_id=cus_none')).body, { data: [], has_more: false });
    const first = await list('limit=2');
    assert.deepEqual([amounts(first), first.body.has_more], [[304, 303], true]);
    const rest = await list(`limit=3&starting_after=${first.body.data[1].id}`);
    assert.deepEqual([amounts(rest), rest.body.has_more], [[302, 301, 300], false]);
  });

  it('is 20 to a page unless limit says otherwise', async () => {
    for (let n = 0; n < 21; n++) await stage.merchant.intent({ amount: 300 });
    const { body } = await list();
    assert.deepEqual([body.data.length, body.has_more], [20, true]);
  });

  it('refuses a status that there is not, a bad limit and a cursor that names nothing with 400', async () => {
    assert.deepEqual(refusal(await list('status=paid'), 400), ['query/status invalid_value']);
    assert.equal((await list('limit=101')).status, 400);
    assert.deepEqual(refusal(await list('starting_after=pi_none'), 400), ['query/starting_after resource_missing']);
  });
});
