import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { useSubscriber } from '../support/subscriber.ts';

/** Sydney goes back in the night of 4 April 2027: midnight is 13:00 UTC before, and 14:00 UTC after. */
const midnights = ['2027-04-02T13:00', '2027-04-03T13:00', '2027-04-05T14:00', '2027-04-07T14:00'];

describe('retries by card over a change of clocks', () => {
  const subscriber = useSubscriber({ biller: { timeZone: 'Australia/Sydney' } });
  const { stage, here } = subscriber;

  const attemptsOf = async (column: 'payment_plan_id' | 'subscription_id', id: string) => {
    const rows = await stage.db.sql<{ at: Date }[]>`
      select a.at from payment_attempts a join payment_intents i on i.id = a.payment_intent_id
      where i.${stage.db.sql(column)} = ${id} and a.at >= '2027-04-01' order by a.at`;
    return rows.map(({ at }) => at.toISOString().slice(0, 16));
  };
  const inSteps = async (days: number) => {
    for (let now = Date.UTC(2027, 2, 10); now <= Date.UTC(2027, 3, 9); now += days * 86_400_000) {
      await here.advance(new Date(now).toISOString());
    }
  };

  for (const days of [1, 15]) {
    it(`are made at midnight of their local dates, for a plan and a subscription, in steps of ${days} days`, async () => {
      await here.advance('2027-02-08T00:00:00Z');
      const plan = await stage.request('POST', '/payment_plans', {
        customer_id: here.customer,
        name: 'Fees',
        frequency_type: 'monthly',
        recurring_amount_cents: 2500,
        until_further_notice: true,
        currency: 'AUD',
        start_date: '2027-04-03',
        metadata: { _sandbox_outcome: 'decline' },
      });
      await stage.request('POST', `/payment_plans/${plan.body.id}/activate`);
      const { id } = await subscriber.create({
        start_date: '2027-03-03',
        metadata: { _sandbox_outcome_by_period: 'succeed;decline' },
      });
      await stage.request('POST', `/subscriptions/${id}/start`);
      await here.advance('2027-03-09T00:00:00Z');
      await inSteps(days);
      assert.deepEqual(await attemptsOf('payment_plan_id', plan.body.id), midnights);
      assert.deepEqual(await attemptsOf('subscription_id', id), midnights);
    });
  }
});
