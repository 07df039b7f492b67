import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { describe, it } from 'mocha';
import { millisecondsPerDay } from '../../src/domain/calendar.ts';
import { findViolations } from '../../src/operations/invariants/invariants.ts';
import { frozen } from '../support/payer.ts';
import { searchMs, searchRuns, searchSeed } from '../support/search.ts';
import { useStage } from '../support/stage.ts';

type Step =
  | { do: 'pass'; days: number }
  | { do: 'suspend' | 'resume' | 'detach' | 'save' | 'confirm' }
  | { do: 'amount' | 'total'; cents: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 9 }).map((days): Step => ({ do: 'pass', days })) },
  {
    weight: 3,
    arbitrary: fc
      .constantFrom('suspend', 'suspend', 'resume', 'resume', 'resume', 'detach', 'save', 'confirm')
      .map((name): Step => ({ do: name })),
  },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 3000 }).map((cents): Step => ({ do: 'amount', cents })) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 9000 }).map((cents): Step => ({ do: 'total', cents })) },
);
const word = fc.constantFrom('succeed', 'succeed', 'decline', 'decline', 'timeout', 'requires_action');
const course = fc.record({
  total: fc.option(fc.integer({ min: 500, max: 8000 }), { nil: undefined }),
  first: fc.option(fc.integer({ min: 1, max: 3000 }), { nil: undefined }),
  outcomes: fc.array(word, { minLength: 1, maxLength: 6 }),
  behaviour: fc.constantFrom('retry' as const, 'stop' as const),
  startsIn: fc.integer({ min: 0, max: 10 }),
  steps: fc.array(step, { minLength: 4, maxLength: 14 }),
});

const runs = searchRuns(12);

describe('whatever happens to a plan', () => {
  const stage = useStage({ isAlone: true });

  it('its books are right after every step, capped or not', async function () {
    this.timeout(80_000 + 5 * searchMs);
    await fc.assert(
      fc.asyncProperty(course, async ({ total, first, outcomes, behaviour, startsIn, steps }) => {
        const { merchant } = stage;
        const clock = await merchant.clock(frozen);
        const { id: customer } = await merchant.customer({ test_clock: clock.id });
        let card = await merchant.card(customer);
        let now = Date.parse(frozen);
        const dateAfter = (days: number) => new Date(now + days * millisecondsPerDay).toISOString();
        const { id } = await merchant.activePlan({
          customer_id: customer,
          start_date: dateAfter(startsIn).slice(0, 10),
          failure_behaviour: behaviour,
          metadata: { _sandbox_outcome: outcomes.join(',') },
          ...(first === undefined ? {} : { first_amount_cents: first }),
          ...(total === undefined ? {} : { total_amount_cents: total }),
        });

        async function perform(one: Step): Promise<void> {
          switch (one.do) {
            case 'pass':
              await stage.advance(clock.id, dateAfter(one.days));
              now += one.days * millisecondsPerDay;
              return;
            case 'detach':
              await merchant.detach(card);
              return;
            case 'save':
              card = await merchant.card(customer);
              return;
            case 'amount':
              await merchant.request('PUT', `/payment_plans/${id}`, { recurring_amount_cents: one.cents });
              return;
            case 'total':
              await merchant.request('PUT', `/payment_plans/${id}`, { total_amount_cents: one.cents });
              return;
            case 'confirm': {
              const open = (await merchant.payments(id)).find(
                ({ status }) => status === 'failed' || status === 'retrying',
              );
              if (open)
                await merchant.request('POST', `/payment_intents/${open.payment_intent_id}/confirm`, {
                  payment_method: card,
                });
              return;
            }
            default:
              await merchant.request('POST', `/payment_plans/${id}/${one.do}`);
          }
        }

        for (const one of steps) {
          await perform(one);
          await stage.collectAll(id, new Date(now));
          await assertBooks(id, clock.id, now);
        }
        await merchant.deleteClock(clock.id);
      }),
      { seed: searchSeed, numRuns: runs, endOnFailure: true },
    );
  });

  async function assertBooks(id: string, clockId: string, now: number): Promise<void> {
    const plan = await stage.merchant.getPlan(id);
    const payments = await stage.merchant.payments(id);
    const { data: schedule } = (await stage.request('GET', `/payment_plans/${id}/schedule?count=1`)).body;
    const paid = payments.filter(({ status }) => status === 'paid');
    const collected = paid.reduce((sum, { amount }) => sum + (amount ?? 0), 0);
    assert.equal(plan.collected_amount_cents, collected);
    assert.ok(collected <= (plan.total_amount_cents ?? Number.POSITIVE_INFINITY));
    assert.deepEqual(
      payments.map(({ slot }) => slot),
      [...payments.keys()],
      'one entry for each slot, none missing',
    );
    const intents = payments.flatMap(({ payment_intent_id: intent }) => (intent === null ? [] : [intent]));
    assert.equal(new Set(intents).size, intents.length);
    for (const payment of payments) {
      assert.ok(Date.parse(payment.due_date) <= now, 'nothing is collected before its day');
      assert.equal(payment.status === 'paid', payment.attempts.at(-1)?.outcome === 'succeeded');
    }
    const [next] = schedule;
    assert.equal(plan.next_payment_date, plan.state === 'active' ? (next?.due_date ?? null) : null);
    if (next && plan.state === 'active') assert.ok(Date.parse(next.due_date) > now, 'whatever has come is dealt with');
    const retrying = payments.filter(({ status }) => status === 'retrying').length;
    assert.equal(plan.next_attempt_at !== null, retrying > 0);
    assert.ok(retrying === 0 || plan.state === 'active');
    assert.equal(plan.state === 'closed', plan.total_amount_cents !== null && collected === plan.total_amount_cents);
    assert.deepEqual(await findViolations(stage.db.sql), []);
    assert.equal((await stage.merchant.getClock(clockId)).frozen_time, new Date(now).toISOString());
  }
});
