import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, it } from 'mocha';
import { door } from '../races/barriers.ts';
import { frozen, usePayer } from '../support/payer.ts';
import { untilBothHaveWon } from '../support/race.ts';
import { refusal } from '../support/stage.ts';

describe('two who act on a plan at once', () => {
  const here = usePayer();
  const { stage } = here;
  const due = async (terms: Parameters<typeof here.plan>[0] = {}) => {
    const { id } = await here.plan(terms);
    await stage.merchant.move(id, 'activate');
    return id;
  };
  const statuses = async (id: string) => (await stage.merchant.payments(id)).map(({ status }) => status);

  it('collect a due payment once, however many workers wake up', async () => {
    for (let round = 0; round < 30; round++) {
      const id = await due();
      stage.ledger.reset();
      await Promise.all(Array.from({ length: 8 }, () => stage.collect(id, frozen)));
      assert.equal(stage.ledger.taken.size, 1);
      assert.equal(new Set(stage.ledger.requests.map(({ idempotencyKey }) => idempotencyKey)).size, 1);
      assert.deepEqual(await statuses(id), ['paid']);
    }
  });

  it('are a worker that froze before its answer and the one that went on: the late one changes nothing', async () => {
    const id = await due({ metadata: { _sandbox_outcome: 'decline,succeed' }, frequency_type: 'monthly' });
    const late = door();
    let first = true;
    stage.ledger.beforeAnswer = async () => {
      if (!first) return;
      first = false;
      await late.pass();
    };
    const frozenWorker = stage.collect(id, frozen);
    await late.arrived;
    await stage.collect(id, frozen);
    await here.advance('2027-01-11T00:00:00Z');
    assert.deepEqual(await statuses(id), ['paid']);
    const told = await stage.merchant.events();
    const plan = await stage.merchant.getPlan(id);
    late.open();
    await frozenWorker;
    assert.deepEqual([await stage.merchant.events(), await stage.merchant.getPlan(id)], [told, plan]);
    assert.equal(stage.ledger.taken.size, 1);
  });

  it('are suspend and the collection: either the charge began before, or there is none', async () => {
    await untilBothHaveWon(40, async ({ first, second }) => {
      const id = await due();
      stage.ledger.reset();
      const collecting = first(() => stage.collect(id, frozen));
      await second(() => stage.merchant.move(id, 'suspend'));
      const begun = await stage.db.sql`select 1 from payment_intents where payment_plan_id = ${id}`;
      await collecting;
      await stage.collect(id, frozen);
      assert.equal(stage.ledger.taken.size, begun.length, 'a charge began after the answer to suspend');
      assert.equal((await stage.merchant.getPlan(id)).state, 'suspended');
      return begun.length === 1 ? 'first' : 'second';
    });
  });

  for (const transition of ['suspend', 'deactivate', 'close'] as const) {
    it(`are ${transition} and a charge under way: its money is recorded and its plan stays as it was put`, async () => {
      const id = await due({ total_amount_cents: 5000 });
      const answering = door();
      stage.ledger.beforeAnswer = () => answering.pass();
      const collecting = stage.collect(id, frozen);
      await answering.arrived;
      const { state } = await stage.merchant.move(id, transition);
      answering.open();
      await collecting;
      const plan = await stage.merchant.getPlan(id);
      assert.deepEqual([plan.state, plan.collected_amount_cents], [state, 1000]);
      assert.deepEqual(await statuses(id), ['paid']);
    });

    it(`are ${transition} and a worker that died in a charge: what was taken is recorded when it is asked for again`, async () => {
      const id = await due();
      stage.ledger.beforeAnswer = async () => {
        throw new Error('the worker is gone');
      };
      await assert.rejects(stage.collect(id, frozen));
      const { state } = await stage.merchant.move(id, transition);
      stage.ledger.beforeAnswer = async () => {};
      assert.deepEqual(await statuses(id), ['processing']);
      await stage.collect(id, frozen);
      const plan = await stage.merchant.getPlan(id);
      assert.deepEqual([plan.state, plan.collected_amount_cents, await statuses(id)], [state, 1000, ['paid']]);
      assert.equal(stage.ledger.taken.size, 1);
    });
  }

  it('are a charge that fails under way and suspend: nothing is tried again before the plan is resumed', async () => {
    const id = await due({ metadata: { _sandbox_outcome: 'decline,succeed' } });
    const answering = door();
    stage.ledger.beforeAnswer = () => answering.pass();
    const collecting = stage.collect(id, frozen);
    await answering.arrived;
    await stage.merchant.move(id, 'suspend');
    answering.open();
    await collecting;
    assert.deepEqual(await statuses(id), ['failed']);
    const [event] = await stage.merchant.events({ event_type: 'payment_intent.failed' });
    assert.deepEqual([event?.data.will_retry, event?.data.next_attempt_at], [false, null]);
    await here.advance('2027-01-15T00:00:00Z');
    assert.equal(stage.ledger.requests.length, 1);
    await here.move(id, 'resume');
    assert.deepEqual(await statuses(id), ['paid']);
  });

  it('are a lowered total and the collection: the cap is never passed', async () => {
    for (let round = 0; round < 30; round++) {
      const id = await due({ total_amount_cents: 5000 });
      const update = () => stage.request('PUT', `/payment_plans/${id}`, { total_amount_cents: 900 });
      const collecting = pause(round % 3).then(() => stage.collect(id, frozen));
      const [reply] = await Promise.all([pause((round >> 1) % 3).then(update), collecting]);
      const plan = await stage.merchant.getPlan(id);
      if (reply.status === 200) {
        assert.deepEqual([plan.state, plan.collected_amount_cents, plan.total_amount_cents], ['closed', 900, 900]);
      } else {
        assert.deepEqual(refusal(reply, 422), ['/total_amount_cents out_of_range']);
        assert.deepEqual([plan.collected_amount_cents, plan.total_amount_cents], [1000, 5000]);
      }
    }
  });

  it('are a retry by the plan and a confirm by hand: the slot is paid once', async () => {
    for (let round = 0; round < 30; round++) {
      const id = await here.active({ metadata: { _sandbox_outcome: 'decline,succeed' }, frequency_type: 'monthly' });
      const [slot] = await stage.merchant.payments(id);
      stage.ledger.reset();
      const retry = new Date(Date.parse(frozen) + 86_400_000);
      const [reply] = await Promise.all([
        stage.request('POST', `/payment_intents/${slot?.payment_intent_id}/confirm`, {}),
        stage.collect(id, retry),
      ]);
      if (reply.status !== 200) refusal(reply, 422, 'invalid_state');
      assert.equal(stage.ledger.taken.size, 1);
      assert.deepEqual(
        [await statuses(id), (await stage.merchant.getPlan(id)).collected_amount_cents],
        [['paid'], 1000],
      );
    }
  });

  it('are all of these at once, on plans of one customer, without a deadlock that reaches a client', async () => {
    const ids = await Promise.all(Array.from({ length: 4 }, () => due({ total_amount_cents: 50_000 })));
    const replies = await Promise.all(
      ids.flatMap((id) => [
        stage.request('PUT', `/payment_plans/${id}`, { recurring_amount_cents: 700, payment_instrument_id: here.card }),
        stage.request('POST', `/payment_plans/${id}/suspend`),
        stage.request('POST', '/payment_intents', {
          ...{ amount: 500, currency: 'AUD', customer_id: here.customer, payment_method: here.card },
        }),
        stage.request('POST', `/payment_methods/${here.card}/detach`),
        stage.collect(id, frozen).then(() => ({ status: 200 })),
        stage.request('POST', `/test_helpers/test_clocks/${here.clock}/advance`, {
          frozen_time: '2027-01-12T00:00:00Z',
        }),
      ]),
    );
    assert.deepEqual(
      replies.filter(({ status }) => status >= 500),
      [],
    );
  });
});
