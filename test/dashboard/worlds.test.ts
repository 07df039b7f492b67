import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { inWords } from '../../src/domain/words/money.ts';
import { enterDashboard } from '../support/dashboard.ts';
import { useStage } from '../support/stage.ts';

/** A generator of numbers below 1 that repeats with its seed. */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

const frozen = '2027-01-04T00:00:00Z';
const dayMs = 86_400_000;
const outcomes = ['succeed', 'decline', 'decline,succeed', 'decline,decline,succeed', 'timeout,succeed'];
const dated = (day: string) =>
  new Intl.DateTimeFormat('en-AU', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' }).format(
    new Date(`${day}T00:00:00Z`),
  );

describe('the dashboard computes nothing', function () {
  this.timeout(120_000);
  const stage = useStage();
  const get = async (path: string) => (await stage.request('GET', path)).body;
  const section = (html: string, id: string) =>
    (new RegExp(`id="${id}">([\\s\\S]*?)</section>`).exec(html)?.[1] ?? '')
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' ')
      .replace(/ ([:,.;])/g, '$1');

  for (const seed of [1, 2, 3, 4, 5, 6]) {
    it(`and says of a random customer what the API says, at each step: world ${seed}`, async () => {
      const next = chance(seed);
      const one = <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)] as T;
      const clock = await stage.merchant.clock(frozen);
      const payer = await stage.merchant.payer({ name: 'Ada', test_clock: clock.id });
      const plans = [];
      for (const name of ['Gym', 'Pool']) {
        const start_date = new Date(Date.parse(frozen) + Math.floor(next() * 6) * dayMs).toISOString().slice(0, 10);
        const metadata = { _sandbox_outcome: one(outcomes) };
        const recurring_amount_cents = 1000 + Math.floor(next() * 5000);
        const terms = { customer_id: payer.id, name, start_date, metadata, recurring_amount_cents };
        plans.push((await stage.merchant.activePlan(terms)).id);
      }
      const made = await stage.request('POST', '/subscriptions', {
        ...{ customer_id: payer.id, name: 'Piano', currency: 'AUD', frequency_type: 'weekly' },
        items: [{ name: 'Lesson', unit_amount_cents: 1000 + Math.floor(next() * 5000) }],
      });
      await stage.request('POST', `/subscriptions/${made.body.id}/start`);
      if (next() < 0.5) {
        const broke = await stage.merchant.card(payer.id, 'tok_sandbox_visa_decline_insufficient_funds');
        await stage.request('PUT', `/subscriptions/${made.body.id}`, { payment_instrument_id: broke });
      }
      const ann = await enterDashboard(stage.api.url, stage.keys.sandboxSecret, 'viewer');
      let at = Date.parse(frozen);
      for (let step = 0; step < 5; step++) {
        at += (0.5 + Math.floor(next() * 5)) * dayMs;
        await stage.advance(clock.id, new Date(at).toISOString());
        const now = section((await ann.get(`customers/${payer.id}`)).html, 'now');
        const owedByPlans = [];
        for (const id of plans) {
          const plan = await get(`/payment_plans/${id}`);
          const { data } = await get(`/payment_plans/${id}/schedule?count=1`);
          const [coming] = data;
          const words = coming && `${inWords(coming.amount, 'AUD', 'en')} on ${dated(coming.due_date)} by`;
          assert.equal(words !== undefined && now.includes(words), plan.state === 'active' && data.length > 0, now);
          const payments = await get(`/payment_plans/${id}/payments`);
          for (const { status, amount, due_date } of payments.data) {
            if (!['retrying', 'failed', 'returned'].includes(status)) continue;
            owedByPlans.push(`Owes ${inWords(amount, 'AUD', 'en')} for ${plan.name}, due on ${dated(due_date)}`);
          }
        }
        for (const words of owedByPlans) assert.ok(now.includes(words), `${words} is not in: ${now}`);
        const subscription = await get(`/subscriptions/${made.body.id}`);
        const owed = inWords(subscription.owed_amount_cents, 'AUD', 'en');
        assert.equal(
          now.includes(`Owes ${owed} for `) && now.includes('of Piano'),
          subscription.owed_amount_cents > 0,
          now,
        );
        const all = now.match(/Owes /g)?.length ?? 0;
        assert.equal(all, owedByPlans.length + (subscription.owed_amount_cents > 0 ? 1 : 0), now);
      }
    });
  }
});
