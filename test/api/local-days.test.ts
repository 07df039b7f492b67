import assert from 'node:assert/strict';
import { findViolations } from '../../src/operations/invariants/invariants.ts';
import { beginLife, type Life } from '../pairs/lives.ts';
import { useInvariants } from '../support/database.ts';
import { useStage } from '../support/stage.ts';
import { stuckBySubject } from '../support/stuck.ts';

// Sydney goes back in the night of 4 April 2027: 00:00 is at 13:00 UTC before, at 14:00 after.
const ways = { 'in one advance': undefined, 'by each due day': 86_400_000 };

describe('days in the time zone of the biller', () => {
  const stage = useStage({ biller: { timeZone: 'Australia/Sydney' } });
  useInvariants(stage.db);
  async function begin(from: string, stride?: number): Promise<Life> {
    return beginLife(stage, (await stage.merchant.clock(from)).id, { from, ...(stride && { stride }) });
  }
  const plan = async (life: Life) =>
    life.plan({
      name: 'plan',
      customer_id: await life.payer(),
      start_date: '2027-04-03',
      metadata: { _sandbox_outcome: 'decline' },
    });
  const gym = async (life: Life) =>
    life.started({
      name: 'gym',
      customer_id: await life.payer(),
      frequency_type: 'weekly',
      grace_days: 2,
      metadata: { _sandbox_outcome_by_period: 'succeed;decline' },
    });

  for (const [way, stride] of Object.entries(ways)) {
    it(`bring the retries of a plan at midnight of 4, 6 and 8 April, moved ${way}`, async () => {
      const life = await begin('2027-04-02T00:00:00.000Z', stride);
      await plan(life);
      await life.to('2027-04-09');
      assert.deepEqual((await life.story()).slice(1), [
        '2027-04-02 13:00 payment_intent.failed plan 1000 insufficient_funds again 2027-04-03 13:00',
        '2027-04-03 13:00 payment_intent.failed plan 1000 insufficient_funds again 2027-04-05 14:00',
        '2027-04-05 14:00 payment_intent.failed plan 1000 insufficient_funds again 2027-04-07 14:00',
        '2027-04-07 14:00 payment_intent.failed plan 1000 insufficient_funds',
        '2027-04-07 14:00 payment_plan.suspended plan payment_failed 0',
      ]);
      await life.holds();
    });

    it(`bring the retries of a subscription at midnight too, and the end of its grace, moved ${way}`, async () => {
      const life = await begin('2027-03-27T00:00:00.000Z', stride);
      const id = await gym(life);
      await life.to('2027-04-03');
      assert.deepEqual(await life.shows('subscriptions', id, 'state', 'in_effect', 'in_effect_until'), [
        'past_due',
        true,
        '2027-04-04T14:00:00.000Z',
      ]);
      await life.to('2027-04-09');
      assert.deepEqual(await life.story('2027-04-02 13:00'), [
        '2027-04-02 13:00 subscription.renewed gym active in effect',
        '2027-04-02 13:00 payment_intent.failed gym 3000 insufficient_funds again 2027-04-03 13:00',
        '2027-04-02 13:00 subscription.past_due gym past_due in effect',
        '2027-04-03 13:00 payment_intent.failed gym 3000 insufficient_funds again 2027-04-05 14:00',
        '2027-04-04 14:00 subscription.in_effect_changed gym past_due not in effect',
        '2027-04-05 14:00 payment_intent.failed gym 3000 insufficient_funds again 2027-04-07 14:00',
        '2027-04-07 14:00 payment_intent.failed gym 3000 insufficient_funds',
        '2027-04-07 14:00 subscription.paused gym paused not in effect',
      ]);
      await life.holds();
    });
  }

  it('change nothing of a retry that waits while the account gets another time zone', async () => {
    const life = await begin('2027-03-27T00:00:00.000Z');
    const ids = [await plan(life), await gym(life)];
    await life.to('2027-04-04');
    await stage.db.sql`update billers set time_zone = 'Australia/Brisbane' where id = ${stage.keys.biller.id}`;
    assert.deepEqual(await findViolations(stage.db.sql), []);
    for (const id of ids) assert.deepEqual(await stuckBySubject(stage.db.sql, id), {});
    await life.to('2027-04-06');
    const retried = (await life.story('2027-04-05')).filter((line) => line.includes('payment_intent.failed'));
    assert.deepEqual(retried, [
      '2027-04-05 14:00 payment_intent.failed plan 1000 insufficient_funds again 2027-04-07 13:00',
      '2027-04-05 14:00 payment_intent.failed gym 3000 insufficient_funds again 2027-04-07 13:00',
    ]);
    await stage.db.sql`update billers set time_zone = 'Australia/Sydney' where id = ${stage.keys.biller.id}`;
  });
});
