import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { frozen, usePayer } from '../support/payer.ts';
import { assertAccounted, eventsSoFar, toldSince } from './account.ts';

describe('a plain payment of a plan, which is recorded by one statement,', () => {
  const here = usePayer();
  const { stage } = here;

  it('is recorded whole although its slot has changed and its plan has not', async () => {
    const { id } = await here.plan();
    await stage.merchant.move(id, 'activate');
    const from = await eventsSoFar(stage);
    stage.ledger.beforeAnswer = async () => {
      await stage.db.sql`update payment_plan_slots set status = 'failed' where payment_plan_id = ${id}`;
    };
    await stage.collect(id, frozen);
    const plan = await stage.request('GET', `/payment_plans/${id}`);
    const slots = (await stage.merchant.payments(id)).map(({ status, amount }) => `${status} ${amount}`);
    assert.deepEqual([plan.body.collected_amount_cents, ...slots], [1000, 'paid 1000']);
    assert.deepEqual(await toldSince(stage, from), ['payment_intent.succeeded']);
    await assertAccounted(stage);
  });
});
