import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { Reply } from '../support/api.ts';
import { frozen, usePayer } from '../support/payer.ts';
import { assertAccounted, eventsSoFar, toldSince } from './account.ts';
import { door, inTurn, type SharedRow } from './barriers.ts';
import { eachMoment, meet } from './moments.ts';

const hour = 3_600_000;

describe('the last payment of a plan’s total', () => {
  const here = usePayer();
  const { stage } = here;

  /** A plan whose only payment is due, suspended once the charge is being asked for. */
  async function due(outcome: string) {
    const { id } = await here.plan({ total_amount_cents: 1000, metadata: { _sandbox_outcome: outcome } });
    await stage.merchant.move(id, 'activate');
    const row: SharedRow = { table: 'payment_plans', id };
    return { id, row };
  }
  const resume = (id: string) => () => stage.request('POST', `/payment_plans/${id}/resume`);
  const summary = async (id: string) => {
    const { state, collected_amount_cents } = await stage.merchant.getPlan(id);
    const slots = (await stage.merchant.payments(id)).map(({ status }) => status);
    return `${state} ${collected_amount_cents} ${slots.join()}`;
  };

  /** Suspends the plan while its charge is asked for, then lets resume and settlement through its row in this order. */
  async function suspendedMeet(id: string, row: SharedRow, first: 'resume' | 'settlement'): Promise<Reply> {
    const asked = door();
    stage.ledger.beforeAnswer = () => asked.pass();
    const collecting = stage.collect(id, frozen);
    await asked.arrived;
    await stage.merchant.move(id, 'suspend');
    const settle = () => {
      asked.open();
      return collecting;
    };
    if (first === 'resume') return (await inTurn<[Reply, unknown]>(stage.db.sql, row, [resume(id), settle]))[0];
    return (await inTurn<[unknown, Reply]>(stage.db.sql, row, [settle, resume(id)]))[1];
  }

  it('that succeeds while the plan is resumed closes it, and nothing more is charged', async () => {
    const { id, row } = await due('succeed');
    const reply = await suspendedMeet(id, row, 'resume');
    assert.deepEqual([reply.status, await summary(id)], [200, 'closed 1000 paid']);
    await stage.collectAll(id, frozen);
    assert.equal(stage.ledger.requests.length, 1);
    await assertAccounted(stage);
  });

  it('that succeeds before the plan is resumed has closed it: it cannot be resumed', async () => {
    const { id, row } = await due('succeed');
    const reply = await suspendedMeet(id, row, 'settlement');
    assert.deepEqual([reply.status, reply.body.error.code], [422, 'invalid_state']);
    assert.deepEqual([await summary(id), stage.ledger.taken.size], ['closed 1000 paid', 1]);
    await assertAccounted(stage);
  });

  for (const first of ['resume', 'settlement'] as const) {
    it(`that fails, the ${first} going first, is tried again after the resume and closes the plan then`, async () => {
      const { id, row } = await due('decline,succeed');
      assert.equal((await suspendedMeet(id, row, first)).status, 200);
      assert.equal(await summary(id), 'active 0 retrying');
      await stage.collectAll(id, new Date(Date.parse(frozen) + 24 * hour));
      assert.deepEqual([await summary(id), stage.ledger.requests.length], ['closed 1000 paid', 2]);
      await assertAccounted(stage);
    });
  }

  for (const [moment] of eachMoment({ ahead: '' }, 'payment_plans')) {
    it(`that is tried again by a resume meets a confirm of it by hand, ${moment}: it is paid once`, async () => {
      const { id, row } = await due('decline,succeed');
      await stage.collect(id, frozen);
      await stage.merchant.move(id, 'suspend');
      const [slot] = await stage.merchant.payments(id);
      await stage.merchant.move(id, 'resume');
      stage.ledger.requests.length = 0;
      const confirm = () => stage.request('POST', `/payment_intents/${slot?.payment_intent_id}/confirm`, {});
      const { reply } = await meet(stage, moment, row, confirm, () => stage.collect(id, frozen));
      assert.equal(reply.status, moment === 'ahead' ? 200 : 422);
      assert.deepEqual([await summary(id), stage.ledger.taken.size], ['closed 1000 paid', 1]);
      await assertAccounted(stage);
    });
  }
});

describe('a retry and the next slot that are due at one instant', () => {
  const here = usePayer();
  const { stage } = here;
  /** Slot 0 fails on the 16th and is tried again on the 17th, which is the date of slot 1. */
  const instant = '2027-01-17T00:00:00Z';
  async function failing(terms: object) {
    const { id } = await here.plan({ first_date: '2027-01-16', ...terms });
    await stage.merchant.move(id, 'activate');
    await stage.collect(id, '2027-01-16T00:00:00Z');
    stage.ledger.requests.length = 0;
    return id;
  }
  const slots = async (id: string) =>
    (await stage.merchant.payments(id)).map(({ slot, status, amount }) => `${slot} ${status} ${amount}`);
  const bothWorkers = (id: string) => {
    const row: SharedRow = { table: 'payment_plans', id };
    const collectAll = () => stage.collectAll(id, instant);
    return inTurn<[unknown, unknown]>(stage.db.sql, row, [collectAll, collectAll]);
  };

  it('are charged one after the other, the older first, each once, by two workers', async () => {
    const id = await failing({ metadata: { _sandbox_outcome: 'decline,succeed' } });
    await bothWorkers(id);
    await stage.collectAll(id, instant);
    assert.equal((await slots(id))[0], '0 paid 1000');
    const [slot0] = await stage.merchant.payments(id);
    const order = [...new Set(stage.ledger.requests.map(({ paymentIntentId }) => paymentIntentId))];
    assert.equal(order[0], slot0?.payment_intent_id);
    assert.equal(order.length, 2);
    await assertAccounted(stage);
  });

  it('end at the total when the retry leaves less than a payment of it, and the plan is closed once', async () => {
    const id = await failing({ total_amount_cents: 1500, metadata: { _sandbox_outcome: 'decline,succeed' } });
    const from = await eventsSoFar(stage);
    await bothWorkers(id);
    await stage.collectAll(id, instant);
    // The second slot's own first attempt declines too; its retry comes a day later.
    await stage.collectAll(id, '2027-01-18T00:00:00Z');
    assert.deepEqual(await slots(id), ['0 paid 1000', '1 paid 500']);
    const told = await toldSince(stage, from);
    assert.equal(told.filter((type) => type === 'payment_plan.closed').length, 1);
    assert.equal((await stage.merchant.getPlan(id)).collected_amount_cents, 1500);
    await assertAccounted(stage);
  });

  it('are one when the retry reaches the total: the next slot never comes', async () => {
    const id = await failing({ total_amount_cents: 1000, metadata: { _sandbox_outcome: 'decline,succeed' } });
    const from = await eventsSoFar(stage);
    await bothWorkers(id);
    assert.deepEqual(await slots(id), ['0 paid 1000']);
    assert.deepEqual(await toldSince(stage, from), ['payment_intent.succeeded', 'payment_plan.closed']);
    await stage.collectAll(id, '2027-02-17T00:00:00Z');
    assert.equal(stage.ledger.taken.size, 1);
    await assertAccounted(stage);
  });

  for (const deed of ['suspend', 'close'] as const) {
    it(`are none after ${deed}, whichever of them it comes before`, async () => {
      for (const charged of [0, 1]) {
        const id = await failing({ metadata: { _sandbox_outcome: 'decline,succeed' } });
        stage.ledger.requests.length = 0;
        if (charged === 1) await stage.collect(id, instant);
        const row: SharedRow = { table: 'payment_plans', id };
        const collect = () => stage.collect(id, instant);
        const move = () => stage.request('POST', `/payment_plans/${id}/${deed}`);
        await inTurn<[Reply, unknown]>(stage.db.sql, row, [move, collect]);
        assert.equal(stage.ledger.requests.length, charged);
      }
      await assertAccounted(stage);
    });
  }
});
