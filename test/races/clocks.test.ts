import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { selectOpenAdvance } from '../../src/db/test-clocks.ts';
import { type RealInstant, realNow } from '../../src/platform/real-time.ts';
import { completeAdvance, failAdvance } from '../../src/services/test-clocks/clock-advance.ts';
import type { Reply } from '../support/api.ts';
import { usePayer } from '../support/payer.ts';
import { assertAccounted, eventsSoFar, toldSince } from './account.ts';
import { inTurn } from './barriers.ts';

const day = '2027-01-11T00:00:00.000Z';
const nextDay = '2027-01-12T00:00:00.000Z';

describe('two who act on a test clock at once', () => {
  const here = usePayer();
  const { stage } = here;
  let plan = '';
  beforeEach(async () => {
    plan = (await here.plan()).id;
  });

  const path = () => `/test_helpers/test_clocks/${here.clock}`;
  const advance = (frozen_time: string) => () => stage.request('POST', `${path()}/advance`, { frozen_time });
  const remove = () => stage.request('DELETE', path());
  const activate = () => stage.request('POST', `/payment_plans/${plan}/activate`);
  const customer = () => stage.request('POST', '/customers', { name: 'New', test_clock: here.clock });
  const deleteCustomer = () => stage.request('DELETE', `/customers/${here.customer}`);
  const payment = () => {
    const scheduled = {
      ...{ customer_id: here.customer, payment_method: here.card },
      scheduled_payment_date: '2027-01-11',
    };
    return stage.request('POST', '/payment_intents', { amount: 1000, currency: 'AUD', ...scheduled });
  };

  const meetings: [string, () => Promise<Reply>, () => Promise<Reply>, string][] = [
    [
      'an advance by a day and one by two',
      advance(day),
      advance(nextDay),
      '202 422 invalid_state; test_clock.advancing',
    ],
    [
      'an advance by two days and one by one',
      advance(nextDay),
      advance(day),
      '202 422 invalid_state; test_clock.advancing',
    ],
    ['the same advance twice', advance(day), advance(day), '202 422 invalid_state; test_clock.advancing'],
    ['an advance and a deletion', advance(day), remove, '202 200; test_clock.advancing test_clock.deleted'],
    ['a deletion and an advance', remove, advance(day), '200 404 resource_missing; test_clock.deleted'],
    ['a deletion and a deletion', remove, remove, '200 404 resource_missing; test_clock.deleted'],
    ['an advance and an activation', advance(day), activate, '202 422 test_clock_advancing; test_clock.advancing'],
    ['an activation and an advance', activate, advance(day), '200 202; payment_plan.activated test_clock.advancing'],
    ['an advance and a new customer', advance(day), customer, '202 422 test_clock_advancing; test_clock.advancing'],
    ['a new customer and an advance', customer, advance(day), '201 202; test_clock.advancing'],
    ['a deletion and a new customer', remove, customer, '200 422 validation_failed; test_clock.deleted'],
    ['an advance and a new payment', advance(day), payment, '202 422 test_clock_advancing; test_clock.advancing'],
    ['a new payment and an advance', payment, advance(day), '201 202; test_clock.advancing'],
    [
      'a customer’s deletion and an advance',
      deleteCustomer,
      advance(day),
      '200 202; payment_plan.closed test_clock.advancing',
    ],
    [
      'an advance and a customer’s deletion',
      advance(day),
      deleteCustomer,
      '202 422 test_clock_advancing; test_clock.advancing',
    ],
    [
      'a customer’s deletion and the clock’s',
      deleteCustomer,
      remove,
      '200 200; payment_plan.closed test_clock.deleted',
    ],
  ];
  for (const [what, first, second, comesTo] of meetings) {
    it(`come to ${comesTo} with ${what}`, async () => {
      const from = await eventsSoFar(stage);
      const row = { table: 'test_clocks', id: here.clock } as const;
      const replies = await inTurn<[Reply, Reply]>(stage.db.sql, row, [first, second]);
      const answers = replies.map(({ status, body }) => (status < 400 ? status : `${status} ${body.error.code}`));
      assert.equal(`${answers.join(' ')}; ${(await toldSince(stage, from)).join(' ')}`, comesTo);
      if ((await selectOpenAdvance(stage.db.sql, here.clock)) !== null) {
        await stage.carryOut(here.clock);
        const [advancing] = await stage.merchant.events({ event_type: 'test_clock.advancing' });
        assert.equal((await stage.merchant.getClock(here.clock)).frozen_time, advancing?.data.target_time);
      }
      await assertAccounted(stage);
    });
  }

  const ends = { ready: completeAdvance, failed: (...args: Parameters<typeof completeAdvance>) => fail(...args) };
  const fail = (
    db: Parameters<typeof completeAdvance>[0],
    row: Parameters<typeof completeAdvance>[1],
    now: RealInstant,
  ) => failAdvance(db, row, 'poison', now);
  for (const first of ['ready', 'failed'] as const) {
    for (const second of ['ready', 'failed', 'deleted'] as const) {
      it(`let the first end of an advance stand, ${first}, when another one is ${second}`, async () => {
        await here.active();
        await stage.merchant.beginAdvance(here.clock, day);
        const advancing = await selectOpenAdvance(stage.db.sql, here.clock);
        assert.ok(advancing);
        const from = await eventsSoFar(stage);
        const end = (how: 'ready' | 'failed') => () => ends[how](stage.db.sql, advancing, realNow());
        const row = { table: 'test_clocks', id: here.clock } as const;
        await inTurn<[unknown, unknown]>(stage.db.sql, row, [end(first), second === 'deleted' ? remove : end(second)]);
        const told = [
          ...(first === 'ready' ? ['test_clock.ready'] : []),
          ...(second === 'deleted' ? ['test_clock.deleted'] : []),
        ];
        assert.deepEqual(await toldSince(stage, from), told);
        if (second !== 'deleted') assert.equal((await stage.merchant.getClock(here.clock)).status, first);
        await assertAccounted(stage, second === 'deleted' ? stage.ledger.taken.size : 0);
      });
    }
  }

  it('have a payment of this instant recorded before the target of an advance that was accepted while it was asked for', async () => {
    const { id } = await here.plan({ total_amount_cents: 1000 });
    await stage.merchant.move(id, 'activate');
    stage.ledger.beforeAnswer = async () => {
      stage.ledger.beforeAnswer = async () => {};
      assert.equal((await advance(day)()).status, 202);
    };
    await stage.collect(id, '2027-01-10T00:00:00Z');
    await stage.carryOut(here.clock);
    const told = (await stage.merchant.events({ test_clock: here.clock })).slice(-4);
    assert.deepEqual(
      told.map(({ event_type, created_at }) => `${event_type} ${created_at.slice(0, 10)}`),
      [
        'test_clock.advancing 2027-01-10',
        'payment_intent.succeeded 2027-01-10',
        'payment_plan.closed 2027-01-10',
        'test_clock.ready 2027-01-11',
      ],
    );
    assert.equal((await stage.merchant.manifests(here.clock))[0]?.payment_intents_enqueued, 0);
    await assertAccounted(stage);
  });
});
