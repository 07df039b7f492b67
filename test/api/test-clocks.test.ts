import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { serve } from '../../src/api/http/server.ts';
import { selectOpenAdvance } from '../../src/db/test-clocks.ts';
import { customerInstant } from '../../src/domain/instants.ts';
import { realInstant, realNow } from '../../src/platform/real-time.ts';
import type { TestClock } from '../../src/resources/test-clock.ts';
import { completeAdvance, failAdvance } from '../../src/services/test-clocks/clock-advance.ts';
import { expireTestClock } from '../../src/services/test-clocks/test-clocks.ts';
import { createWebApp } from '../../src/sites/app.ts';
import { send, testDeps } from '../support/api.ts';
import { frozen, usePayer } from '../support/payer.ts';
import { instantPattern, refusal, rowCounts, useStage } from '../support/stage.ts';

const path = '/test_helpers/test_clocks';
const dayMs = 86_400_000;
/** A clock without what is told of it by the API alone: as its events carry it. */
function inEvents({ max_frozen_time, last_advance, webhook_deliveries, ...clock }: TestClock) {
  return clock;
}
const inDays = (days: number, ms = 0) => new Date(Date.parse(frozen) + days * dayMs + ms).toISOString();

describe('creating a test clock', () => {
  const stage = useStage();
  const post = (body: unknown) => stage.request('POST', path, body);

  it('answers 201 with the fields of the contract, expires 30 days of real time later, and tells of it', async () => {
    const before = realNow();
    const { status, body } = await post({ frozen_time: '2027-01-10T11:00:00+11:00', name: 'Renewals' });
    assert.equal(status, 201);
    const { id, expires_at, ...rest } = body;
    assert.match(id, /^clk_[0-9A-Za-z]{32}$/);
    assert.match(expires_at, instantPattern);
    const lifetime = Date.parse(expires_at) - before.getTime();
    assert.ok(lifetime >= 30 * dayMs && lifetime < 30 * dayMs + 60_000);
    const expected = {
      object: 'test_clock',
      name: 'Renewals',
      status: 'created',
      frozen_time: frozen,
      last_advanced_at: null,
    };
    const own = { max_frozen_time: inDays(62), last_advance: null };
    const webhook_deliveries = { pending: 0, delivered: 0, failed: 0 };
    assert.deepEqual(rest, { ...expected, failure_reason: null, livemode: false, ...own, webhook_deliveries });
    assert.deepEqual((await stage.request('GET', `${path}/${id}`)).body, body);
    const [event, ...others] = await stage.merchant.events();
    assert.deepEqual(
      [event?.event_type, event?.data, event?.test_clock, others],
      ['test_clock.created', inEvents(body), id, []],
    );
    assert.equal((await post({ frozen_time: frozen })).body.name, null);
  });

  it('is limited to three that are neither deleted nor failed, twenty asking at once or one by one', async () => {
    const replies = await Promise.all(Array.from({ length: 20 }, () => post({ frozen_time: frozen })));
    const made = replies.filter(({ status }) => status === 201);
    assert.equal(made.length, 3);
    for (const reply of replies) if (reply.status !== 201) refusal(reply, 422, 'test_clock_limit');
    const [first, second] = made.map(({ body }) => String(body.id));
    await stage.merchant.deleteClock(String(first));
    assert.equal((await post({ frozen_time: frozen })).status, 201);
    refusal(await post({ frozen_time: frozen }), 422, 'test_clock_limit');
    await stage.merchant.beginAdvance(String(second), inDays(1));
    const advance = await selectOpenAdvance(stage.db.sql, String(second));
    assert.ok(advance);
    await failAdvance(stage.db.sql, advance, 'an effect failed', realNow());
    assert.equal((await post({ frozen_time: frozen })).status, 201);
    const { merchant } = await stage.stranger();
    await merchant.clock(frozen);
  });

  it('is 503 where the Temporal server cannot skip time, naming the setting', async () => {
    const { deps } = testDeps(stage.db, { canSkipTime: () => false });
    const running = await serve(createWebApp(deps), { port: 0 });
    const url = `http://127.0.0.1:${running.port}/api/v1${path}`;
    const { status, body } = await send(url, 'POST', { key: stage.merchant.key, body: { frozen_time: frozen } });
    assert.deepEqual([status, body.error.type, body.error.code], [503, 'api_error', 'time_skipping_unavailable']);
    assert.match(body.error.message, /frontend\.WorkflowTimeSkippingEnabled/);
    await running.close();
  });
});

describe('the customers of test clocks', () => {
  const stage = useStage();
  const attach = (test_clock: string) => stage.request('POST', '/customers', { name: 'Jo', test_clock });

  it('are at most three to a clock, also when twenty ask at once', async () => {
    const { id } = await stage.merchant.clock(frozen);
    const replies = await Promise.all(Array.from({ length: 20 }, () => attach(id)));
    assert.equal(replies.filter(({ status }) => status === 201).length, 3);
    for (const reply of replies) if (reply.status !== 201) refusal(reply, 422, 'test_clock_full');
    await stage.db
      .sql`update customers set deleted_at = ${new Date(frozen)} where id = ${replies.find((r) => r.status === 201)?.body.id}`;
    assert.equal((await attach(id)).status, 201);
    refusal(await attach(id), 422, 'test_clock_full');
  });

  it('are at most nine to an account, those of a failed clock among them', async () => {
    const failed = await stage.merchant.clock(frozen);
    for (let n = 0; n < 3; n++) await attach(failed.id);
    await stage.merchant.beginAdvance(failed.id, inDays(1));
    const advance = await selectOpenAdvance(stage.db.sql, failed.id);
    assert.ok(advance);
    await failAdvance(stage.db.sql, advance, 'an effect failed', realNow());
    refusal(await attach(failed.id), 422, 'test_clock_failed');
    const clocks = [];
    for (let n = 0; n < 3; n++) clocks.push(await stage.merchant.clock(frozen));
    for (let n = 0; n < 6; n++) assert.equal((await attach(String(clocks[n % 2]?.id))).status, 201);
    refusal(await attach(String(clocks[2]?.id)), 422, 'test_clock_customers_limit');
    await stage.merchant.deleteClock(failed.id);
    assert.equal((await attach(String(clocks[2]?.id))).status, 201);
  });

  it('cannot be attached while the clock advances', async () => {
    const { id } = await stage.merchant.clock(frozen);
    await stage.merchant.beginAdvance(id, inDays(1));
    refusal(await attach(id), 422, 'test_clock_advancing');
  });
});

describe('advancing a test clock', () => {
  const here = usePayer();
  const { stage } = here;
  const advance = (frozen_time: unknown, id = here.clock) =>
    stage.request('POST', `${path}/${id}/advance`, { frozen_time });

  it('answers 202 with the old time, and is ready with the new one once its effects are committed', async () => {
    const { status, body } = await advance(inDays(7));
    assert.equal(status, 202);
    assert.deepEqual(body, { id: here.clock, status: 'advancing', frozen_time: frozen });
    const during = await stage.merchant.getClock(here.clock);
    assert.deepEqual([during.status, during.frozen_time, during.last_advanced_at], ['advancing', frozen, null]);
    const before = realNow();
    await stage.carryOut(here.clock);
    const clock = await stage.merchant.getClock(here.clock);
    assert.deepEqual([clock.status, clock.frozen_time], ['ready', inDays(7)]);
    assert.ok(Date.parse(clock.last_advanced_at ?? '') >= before.getTime());
    const told = (await stage.merchant.events({ test_clock: here.clock })).slice(1);
    const effects_manifest = {
      payment_intents_enqueued: 0,
      links_expired: 0,
      subscriptions_rolled: 0,
      plans_recalculated: 0,
    };
    assert.deepEqual(
      told.map(({ event_type, data }) => ({ event_type, data })),
      [
        { event_type: 'test_clock.advancing', data: { ...inEvents(during), target_time: inDays(7) } },
        { event_type: 'test_clock.ready', data: { ...inEvents(clock), effects_manifest } },
      ],
    );
  });

  it('answers a fetch that prefers to wait as soon as the clock is ready, or when its seconds are over', async () => {
    const fetchWaiting = async (prefer: string) => {
      const began = performance.now();
      const reply = await stage.fetchPreferring(`${path}/${here.clock}`, prefer);
      return { reply, took: performance.now() - began };
    };
    const idle = await fetchWaiting('wait=30');
    assert.deepEqual([idle.reply.body.status, idle.took < 5_000], ['created', true]);
    await advance(inDays(7));
    const early = await fetchWaiting('wait=1');
    assert.deepEqual([early.reply.body.status, early.took >= 1_000], ['advancing', true]);
    assert.equal(early.reply.headers.get('Preference-Applied'), 'wait');
    const unread = await fetchWaiting('wait=soon');
    assert.deepEqual([unread.reply.body.status, unread.took < 1_000], ['advancing', true]);
    const waiting = fetchWaiting('respond-async, wait=30');
    await stage.carryOut(here.clock);
    const { reply, took } = await waiting;
    assert.deepEqual([reply.body.status, reply.body.frozen_time, took < 15_000], ['ready', inDays(7), true]);
  });

  it('counts in its manifest the intents that it attempted, once each, and the plans that it changed', async () => {
    await here.active({ metadata: { _sandbox_outcome: 'decline' } });
    await here.active();
    await here.active({ start_date: '2027-06-01' });
    const payer = { customer_id: here.customer, payment_method: here.card };
    await stage.merchant.intent({ amount: 500, ...payer, scheduled_payment_date: '2027-01-12' });
    await here.advance(inDays(7));
    const ready = (await stage.merchant.events({ event_type: 'test_clock.ready' })).at(-1);
    assert.deepEqual(ready?.data.effects_manifest, {
      payment_intents_enqueued: 3,
      links_expired: 0,
      subscriptions_rolled: 0,
      plans_recalculated: 2,
    });
  });

  it('is refused with invalid_state while it advances and after it has failed, which says why', async () => {
    await advance(inDays(1));
    assert.match((await advance(inDays(2))).body.error.message, /advancing/);
    refusal(await advance(inDays(2)), 422, 'invalid_state');
    const open = await selectOpenAdvance(stage.db.sql, here.clock);
    assert.ok(open);
    const before = await rowCounts(stage);
    await failAdvance(stage.db.sql, open, 'slot 3 could not be collected', realNow());
    assert.deepEqual(await rowCounts(stage), before);
    const clock = await stage.merchant.getClock(here.clock);
    assert.deepEqual(
      [clock.status, clock.frozen_time, clock.failure_reason],
      ['failed', frozen, 'slot 3 could not be collected'],
    );
    const again = await advance(inDays(2));
    refusal(again, 422, 'invalid_state');
    assert.match(again.body.error.message, /slot 3 could not be collected/);
  });

  it('asked for twenty times at once is accepted once, and closed once by two who finish it', async () => {
    for (let round = 1; round <= 10; round++) {
      const replies = await Promise.all(Array.from({ length: 20 }, () => advance(inDays(round))));
      assert.equal(replies.filter(({ status }) => status === 202).length, 1);
      const open = await selectOpenAdvance(stage.db.sql, here.clock);
      assert.ok(open);
      await Promise.all([1, 2, 3].map(() => completeAdvance(stage.db.sql, open, realNow())));
      assert.equal((await stage.merchant.events({ event_type: 'test_clock.ready' })).length, round);
    }
  });

  it('leaves the other clocks and their customers alone', async () => {
    const other = await stage.merchant.clock(frozen);
    const payer = await stage.merchant.payer({ test_clock: other.id });
    const theirs = await stage.merchant.activePlan({ customer_id: payer.id, start_date: '2027-01-11' });
    const before = await stage.merchant.getClock(other.id);
    await here.active();
    await here.advance(inDays(14));
    assert.deepEqual(await stage.merchant.getPlan(theirs.id), theirs);
    assert.deepEqual(await stage.merchant.getClock(other.id), before);
  });
});

describe('deleting a test clock', () => {
  const here = usePayer();
  const { stage } = here;
  const remove = (id = here.clock) => stage.request('DELETE', `${path}/${id}`);

  it('takes its customers and all that they have with it, tells of it, and leaves the events', async () => {
    const id = await here.active();
    const { id: pending } = await here.plan();
    const intent = await stage.merchant.intent({ amount: 500, customer_id: here.customer });
    const clock = await stage.merchant.getClock(here.clock);
    const events = (await stage.merchant.events()).length;
    const { status, body } = await remove();
    assert.deepEqual([status, body], [200, { id: here.clock, object: 'test_clock', deleted: true }]);
    for (const gone of [
      `${path}/${here.clock}`,
      `/customers/${here.customer}`,
      `/payment_methods/${here.card}`,
      `/payment_plans/${id}`,
      `/payment_plans/${pending}`,
      `/payment_intents/${intent.id}`,
    ]) {
      refusal(await stage.request('GET', gone), 404, 'resource_missing');
    }
    const told = await stage.merchant.events();
    assert.equal(told.length, events + 1);
    assert.deepEqual([told.at(-1)?.event_type, told.at(-1)?.data], ['test_clock.deleted', inEvents(clock)]);
    assert.deepEqual((await stage.merchant.events({ test_clock: here.clock })).length, events + 1);
    refusal(await remove(), 404, 'resource_missing');
  });

  it('works in every status, and nothing of it is charged afterwards', async () => {
    const id = await here.active();
    await stage.merchant.beginAdvance(here.clock, inDays(14));
    const advance = await selectOpenAdvance(stage.db.sql, here.clock);
    assert.ok(advance);
    assert.equal((await remove()).status, 200);
    const charged = stage.ledger.requests.length;
    await stage.collect(id, inDays(7));
    await completeAdvance(stage.db.sql, advance, realNow());
    assert.equal(stage.ledger.requests.length, charged);
    assert.equal((await stage.merchant.events({ event_type: 'test_clock.ready' })).length, 0);
  });

  it('pokes the workflows that it leaves behind', async () => {
    const id = await here.active();
    const scheduled = { customer_id: here.customer, payment_method: here.card, scheduled_payment_date: '2027-02-01' };
    const intent = await stage.merchant.intent({ amount: 500, ...scheduled });
    await stage.db.sql`delete from workflow_intents`;
    await remove();
    const rows = await stage.db.sql<{ workflow_id: string }[]>`
      select workflow_id from workflow_intents where signal = 'poke' and not start order by 1`;
    assert.deepEqual(
      rows.map((row) => row.workflow_id),
      [`payment-plan/${id}`, `scheduled-payment/${intent.id}`, `test-clock/${here.clock}`],
    );
  });

  it('ends without a charge being recorded or a deadlock while one is under way', async () => {
    for (let round = 0; round < 10; round++) {
      const { clock, payer, plan } = await stage.merchant.planOnClock(frozen, { start_date: '2027-01-10' });
      const [reply] = await Promise.all([
        remove(clock.id),
        stage.collect(plan.id, frozen),
        stage.collect(plan.id, frozen),
      ]);
      assert.equal(reply.status, 200);
      assert.deepEqual(
        Number((await stage.db.sql`select count(*) from customers where id = ${payer.id}`)[0]?.count),
        0,
      );
    }
  });

  it('happens on its own 30 days of real time after its creation, and not before', async () => {
    const expiry = Date.parse((await stage.merchant.getClock(here.clock)).expires_at);
    const instants = (ms: number) => ({ at: customerInstant(ms), now: realInstant(ms), maxAheadMs: Infinity });
    await expireTestClock(stage.db.sql, here.clock, instants(expiry - 1));
    assert.equal((await stage.request('GET', `${path}/${here.clock}`)).status, 200);
    await expireTestClock(stage.db.sql, here.clock, instants(expiry));
    await expireTestClock(stage.db.sql, here.clock, instants(expiry));
    refusal(await stage.request('GET', `${path}/${here.clock}`), 404, 'resource_missing');
    const deleted = await stage.merchant.events({ event_type: 'test_clock.deleted' });
    assert.deepEqual(
      deleted.map(({ request_id }) => request_id),
      [null],
    );
  });
});
