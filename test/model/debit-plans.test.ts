import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { describe, it } from 'mocha';
import { findViolations } from '../../src/operations/invariants/invariants.ts';
import { useDebits } from '../support/debits.ts';
import { searchMs, searchRuns, searchSeed } from '../support/search.ts';
import { useStage } from '../support/stage.ts';
import { DebitPlan } from './debit-plans.ts';

/** As in model.test.ts. */
const mostRuns = searchRuns(200);
const hour = 3_600_000;
const lifeDays = 150;

const words = fc.array(fc.constantFrom('settled', 'dishonoured', 'dishonoured', 'late_dishonour'), {
  minLength: 1,
  maxLength: 5,
});
const courses = fc.record({
  /** Before Easter and Anzac Day, the end of daylight saving, a long weekend, and the end of a year. */
  frozen: fc.constantFrom('2027-03-19', '2028-04-10', '2027-03-30', '2027-06-08', '2027-12-14', '2027-09-28'),
  waits: fc.integer({ min: 0, max: 6 }),
  period: fc.integer({ min: 1, max: 2 }),
  total: fc.constantFrom(1000, 2000, 2500, 4000),
  behaviour: fc.constantFrom('retry', 'retry', 'retry', 'stop'),
  words,
  /** The hours of each advance, and the one before which the plan gets a card. */
  advances: fc.array(fc.integer({ min: 1, max: 14 * 24 }), { minLength: 4, maxLength: 12 }),
  cardBefore: fc.option(fc.integer({ min: 1, max: 8 }), { freq: 3 }),
});

describe('the model of plans by bank debit and the service', () => {
  const stage = useStage({ isAlone: true });
  const debits = useDebits(stage);

  it('agree on every event, slot and sum after each advance, beside cards and whatever the bank says', async function () {
    this.timeout(searchMs + 60_000);
    const endsAt = performance.now() + searchMs;
    let taken = 0;
    const property = fc.asyncProperty(courses, async ({ frozen, waits, advances, cardBefore, ...terms }) => {
      if (taken > 0 && performance.now() > endsAt) return;
      taken += 1;
      let now = Date.parse(`${frozen}T00:00:00Z`);
      const start = new Date(now + waits * 24 * hour).toISOString().slice(0, 10);
      const model = new DebitPlan({ ...terms, start, amount: 1000 } as ConstructorParameters<typeof DebitPlan>[0], now);
      for (const { id } of await stage.merchant.client.testClocks.list().toArray()) {
        await stage.merchant.client.testClocks.delete(id); // an account has at most three
      }
      const payer = await debits.payer(new Date(now).toISOString());
      const { id } = await debits.plan(payer, terms.words.join(','), {
        start_date: start,
        frequency_period: terms.period,
        total_amount_cents: terms.total,
        failure_behaviour: terms.behaviour as 'retry' | 'stop',
      });
      const endsOn = now + lifeDays * 24 * hour;
      for (let nth = 0; now < endsOn; nth += 1) {
        if (nth === cardBefore && model.state === 'active') {
          const card = await stage.merchant.card(payer.customer);
          await stage.merchant.client.paymentPlans.update(id, { payment_instrument_id: card });
          model.cardFrom = now;
        }
        now += (advances[nth] ?? 14 * 24) * hour;
        model.advance(now);
        await stage.advance(payer.clock, new Date(now).toISOString());
        if (model.isAmbiguous) return;
        const plan = await stage.merchant.getPlan(id);
        assert.deepEqual(
          {
            told: await debits.story(payer.clock),
            slots: await debits.slots(id),
            state: plan.state,
            reason: plan.state_reason,
            collected: plan.collected_amount_cents,
            shortfall: plan.shortfall_amount_cents,
          },
          {
            told: model.told,
            slots: model.slots,
            state: model.state,
            reason: model.reason,
            collected: model.collected,
            shortfall: model.shortfall,
          },
          `up to ${new Date(now).toISOString()}`,
        );
      }
      assert.deepEqual(await findViolations(stage.db.sql), []);
    });
    await fc.assert(property, { seed: searchSeed, numRuns: mostRuns });
    assert.ok(taken > 0);
  });
});
