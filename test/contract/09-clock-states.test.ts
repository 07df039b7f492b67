import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { selectOpenAdvance } from '../../src/db/test-clocks.ts';
import { addMs, withoutClock } from '../../src/domain/instants.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { failAdvance } from '../../src/services/test-clocks/clock-advance.ts';
import { expireTestClock } from '../../src/services/test-clocks/test-clocks.ts';
import { usePayer } from '../support/payer.ts';
import { refusal } from '../support/stage.ts';
import { clock, intent } from './bodies.ts';
import { itIsTheTable } from './tables.ts';

const path = '/test_helpers/test_clocks';
const dayMs = 86_400_000;

describe('Test clock: states and transitions', () => {
  const here = usePayer();
  const { stage } = here;
  const clockEvents = async () =>
    (await stage.merchant.events({ test_clock: here.clock })).filter(({ event_type }) =>
      event_type.startsWith('test_clock.'),
    );
  const begin = (frozen_time: string) => stage.request('POST', `${path}/${here.clock}/advance`, { frozen_time });
  async function fail(): Promise<void> {
    assert.equal((await begin('2027-01-11T00:00:00Z')).status, 202);
    const advance = await selectOpenAdvance(stage.db.sql, here.clock);
    assert.ok(advance);
    await failAdvance(stage.db.sql, advance, 'an effect failed', realNow());
  }

  itIsTheTable(
    'clockStates',
    ['From', 'Trigger', 'Next'],
    [
      ['(none)', 'Create', 'created'],
      ['created or ready', 'Advance', 'advancing'],
      ['advancing', 'Billing effects complete', 'ready'],
      ['advancing', 'Advance fails', 'failed'],
      ['any', 'Delete, or 30 days after creation', 'deleted'],
    ],
  );

  describe('(none) —create→ created', () => {
    it('given a frozen_time, with test_clock.created', async () => {
      const { body } = await stage.request('POST', path, clock());
      assert.equal(body.status, 'created');
      const [event] = await stage.merchant.events({ test_clock: body.id });
      assert.deepEqual(
        [event?.event_type, event?.data.id, event?.data.status],
        ['test_clock.created', body.id, 'created'],
      );
    });

    it('fewer than 3 active clocks being there', async () => {
      for (let n = 0; n < 2; n++) assert.equal((await stage.request('POST', path, clock())).status, 201);
      refusal(await stage.request('POST', path, clock()), 422, 'test_clock_limit');
    });
  });

  describe('created or ready —advance→ advancing', () => {
    it('202, and the response still has the old frozen_time', async () => {
      const { status, body } = await begin('2027-01-17T00:00:00Z');
      assert.equal(status, 202);
      assert.deepEqual(body, { id: here.clock, status: 'advancing', frozen_time: '2027-01-10T00:00:00.000Z' });
    });

    it('starts from ready as from created', async () => {
      await here.advance('2027-01-11T00:00:00Z');
      assert.equal((await stage.merchant.getClock(here.clock)).status, 'ready');
      assert.equal((await begin('2027-01-12T00:00:00Z')).body.status, 'advancing');
    });

    it('sends test_clock.advancing, which carries target_time', async () => {
      await begin('2027-01-17T00:00:00Z');
      const event = (await clockEvents()).at(-1);
      const { target_time, frozen_time, status } = event?.data ?? {};
      assert.equal(event?.event_type, 'test_clock.advancing');
      assert.deepEqual(
        [target_time, frozen_time, status],
        ['2027-01-17T00:00:00.000Z', '2027-01-10T00:00:00.000Z', 'advancing'],
      );
    });

    it('the target being after the current frozen_time', async () => {
      for (const at of ['2027-01-10T00:00:00Z', '2027-01-09T23:59:59.999Z']) {
        assert.deepEqual(refusal(await begin(at), 422), ['/frozen_time out_of_range']);
      }
    });

    it('the target being within the advance bound', async () => {
      refusal(await begin('2027-03-13T00:00:00.001Z'), 422, 'advance_bound_exceeded');
      assert.equal((await begin('2027-03-13T00:00:00Z')).status, 202);
    });
  });

  describe('advancing —billing effects complete→ ready', () => {
    it('frozen_time becomes the target and last_advanced_at is set', async () => {
      const { last_advanced_at: never } = await stage.merchant.getClock(here.clock);
      await here.advance('2027-01-17T00:00:00Z');
      const { status, frozen_time, last_advanced_at } = await stage.merchant.getClock(here.clock);
      assert.deepEqual([never, status, frozen_time], [null, 'ready', '2027-01-17T00:00:00.000Z']);
      assert.ok(last_advanced_at);
    });

    it('sends test_clock.ready, which carries effects_manifest', async () => {
      await here.active();
      await here.advance('2027-01-17T00:00:00Z');
      const event = (await clockEvents()).at(-1);
      assert.equal(event?.event_type, 'test_clock.ready');
      const counts = { payment_intents_enqueued: 1, links_expired: 0, subscriptions_rolled: 0, plans_recalculated: 1 };
      assert.deepEqual(event?.data.effects_manifest, counts);
    });
  });

  describe('advancing —advance fails→ failed', () => {
    it('sends no event', async () => {
      await fail();
      assert.equal((await stage.merchant.getClock(here.clock)).status, 'failed');
      const types = (await clockEvents()).map(({ event_type }) => event_type);
      assert.deepEqual(types, ['test_clock.created', 'test_clock.advancing']);
    });

    it('and cannot be advanced again', async () => {
      await fail();
      refusal(await begin('2027-01-12T00:00:00Z'), 422, 'invalid_state');
    });
  });

  it('an advance of a clock that is advancing is rejected', async () => {
    await begin('2027-01-11T00:00:00Z');
    refusal(await begin('2027-01-12T00:00:00Z'), 422, 'invalid_state');
  });

  describe('any —delete, or 30 days after creation→ deleted', () => {
    const remove = () => stage.request('DELETE', `${path}/${here.clock}`);
    const expire = async (days: number) => {
      const now = addMs(realNow(), days * dayMs);
      await expireTestClock(stage.db.sql, here.clock, { at: withoutClock(now), now, maxAheadMs: Infinity });
    };
    const isGone = async () => (await stage.request('GET', `${path}/${here.clock}`)).status === 404;

    for (const [state, reach] of [
      ['created', async () => {}],
      ['advancing', () => begin('2027-01-11T00:00:00Z')],
      ['ready', () => here.advance('2027-01-11T00:00:00Z')],
      ['failed', fail],
    ] as const) {
      it(`starts from the state ${state}`, async () => {
        await reach();
        assert.deepEqual([(await remove()).status, await isGone()], [200, true]);
      });
    }

    it('30 days after creation, and not before', async () => {
      await expire(29.99);
      assert.equal(await isGone(), false);
      await expire(30.01);
      assert.equal(await isGone(), true);
    });

    for (const [how, go] of [
      ['by hand', remove],
      ['at its expiry', () => expire(31)],
    ] as const) {
      it(`sends test_clock.deleted, ${how}`, async () => {
        await go();
        const event = (await clockEvents()).at(-1);
        assert.deepEqual([event?.event_type, event?.data.id], ['test_clock.deleted', here.clock]);
      });
    }

    it('and with it all its customers, plans and payment intents, permanently', async () => {
      const plan = await here.plan();
      const { id } = (await stage.request('POST', '/payment_intents', intent({ customer_id: here.customer }))).body;
      await remove();
      for (const gone of [`/customers/${here.customer}`, `/payment_plans/${plan.id}`, `/payment_intents/${id}`]) {
        assert.equal((await stage.request('GET', gone)).status, 404, gone);
      }
    });
  });

  describe('when a clock advances, the new frozen_time is now for its customers', () => {
    it('plan payments come due, and payment intents are enqueued', async () => {
      const id = await here.active({ start_date: '2027-01-12' });
      await here.advance('2027-01-12T00:00:00Z');
      assert.deepEqual(await here.paymentLines(id), ['0 paid 2027-01-12T00:00:00.000Z']);
    });

    it('plans are recalculated', async () => {
      const id = await here.active();
      await here.advance('2027-01-18T00:00:00Z');
      assert.equal((await stage.merchant.getPlan(id)).next_payment_date, '2027-01-24');
    });

    it('no other customer’s plan moves', async () => {
      const other = await stage.merchant.payer();
      const plan = await stage.merchant.activePlan({ customer_id: other.id, start_date: '2100-01-01' });
      await here.advance('2027-03-01T00:00:00Z');
      assert.deepEqual(
        [(await stage.merchant.getPlan(plan.id)).next_payment_date, await here.paymentLines(plan.id)],
        ['2100-01-01', []],
      );
    });
  });
});
