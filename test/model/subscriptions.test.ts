import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { describe, it } from 'mocha';
import { day } from '../../lab/model/calendar.ts';
import * as rules from '../../lab/model/plans.ts';
import { type Ask, type SubscriptionTerms, termsOf } from '../../lab/model/subscription-asks.ts';
import { Subscription } from '../../lab/model/subscriptions.ts';
import { tokens } from '../../lab/payer.ts';
import { findViolations } from '../../src/operations/invariants/invariants.ts';
import { accountOf, ledgerOf } from '../support/account-of-customer.ts';
import { searchMs, searchRuns, searchSeed } from '../support/search.ts';
import { useSubscriber } from '../support/subscriber.ts';
import { useSubscriptionLife } from './subscription-life.ts';

/** As in model.test.ts. */
const mostRuns = searchRuns(200);
/** Of the subscription of `useSubscriber`, minor units. */
const price = 4900;
/** The clock of `useSubscriber`. */
const begin = Date.UTC(2027, 0, 10);

const laterEnds = fc.record({ later: fc.integer({ min: 0, max: 3 }), off: fc.constantFrom(0, 0, 0, 1, -1) });
const asks: fc.Arbitrary<Ask> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      ask: fc.constant('pause' as const),
      resumesIn: fc.option(fc.integer({ min: 30, max: 120 }), { nil: null }),
      from: laterEnds,
    }),
  },
  { weight: 2, arbitrary: fc.record({ ask: fc.constant('cancel' as const), at: laterEnds }) },
  { weight: 3, arbitrary: fc.record({ ask: fc.constant('pause' as const), resumesIn: fc.constant(null) }) },
  {
    weight: 3,
    arbitrary: fc.record({ ask: fc.constant('pause' as const), resumesIn: fc.integer({ min: 5, max: 60 }) }),
  },
  { weight: 3, arbitrary: fc.constantFrom<Ask>({ ask: 'retry' }, { ask: 'uncancel' }) },
  {
    weight: 5,
    arbitrary: fc.record({
      ask: fc.constantFrom('resume' as const, 'resume' as const, 'heal' as const),
      unpaid: fc.constantFrom('collect' as const, 'collect' as const, 'waive' as const),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      ask: fc.constant('card' as const),
      card: fc.constantFrom('good' as const, 'empty' as const, 'expired' as const),
    }),
  },
  { weight: 2, arbitrary: fc.constant<Ask>({ ask: 'cancel', at: 'period_end' }) },
  { weight: 1, arbitrary: fc.constant<Ask>({ ask: 'cancel', at: 'now' }) },
  {
    weight: 7,
    arbitrary: fc.record({
      ask: fc.constant('change' as const),
      price: fc.constantFrom(700, 4900, 4901, 9800, 30_000),
      when: fc.constantFrom('now' as const, 'now' as const, 'period_end' as const),
      collect: fc.constantFrom('now' as const, 'next_period' as const),
    }),
  },
  { weight: 2, arbitrary: fc.constant<Ask>({ ask: 'refund' }) },
  { weight: 1, arbitrary: fc.record({ ask: fc.constant('payback' as const), amount: fc.constantFrom(250, 40_000) }) },
  { weight: 3, arbitrary: fc.record({ ask: fc.constant('fee' as const), amount: fc.constantFrom(0, 250, 9_999) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      ask: fc.constant('discount' as const),
      off: fc.option(
        fc
          .record({
            percent: fc.constantFrom(undefined, 1, 33, 50, 100),
            amount: fc.constantFrom(1, 1250, 40_000),
            periods: fc.constantFrom(1, 2, null),
          })
          .map(({ percent, amount, periods }) => (percent === undefined ? { amount, periods } : { percent, periods })),
        { nil: null },
      ),
    }),
  },
);
/** Leads to a payment that fails, and back: a card that fails, time until it is given up, and a return. */
type Turn = {
  turn: 'empty' | 'expired' | 'fee' | 'discount';
  hours: number;
  unpaid: 'collect' | 'waive';
  how: 'resume' | 'heal';
};
const turns: fc.Arbitrary<Turn> = fc.record({
  turn: fc.constantFrom('empty' as const, 'empty' as const, 'expired' as const, 'fee' as const, 'discount' as const),
  hours: fc.integer({ min: 24, max: 14 * 24 }),
  unpaid: fc.constantFrom('collect' as const, 'collect' as const, 'collect' as const, 'waive' as const),
  how: fc.constantFrom('resume' as const, 'heal' as const),
});
const moves = fc.oneof(
  { weight: 3, arbitrary: asks },
  { weight: 4, arbitrary: fc.record({ hours: fc.integer({ min: 1, max: 14 * 24 }) }) },
  { weight: 4, arbitrary: turns },
);

function movesOf(
  { turn, hours, unpaid, how }: Turn,
  { state, card, unpaid: period }: Subscription,
): (Ask | { hours: number })[] {
  if (period !== undefined) {
    const back: Ask[] = hours % 3 === 0 ? [] : [{ ask: 'card', card: 'good' }];
    return state === 'paused' ? [...back, { ask: how, unpaid }] : [{ hours }];
  }
  if (turn === 'fee') return [{ ask: 'fee', amount: 2500 }];
  if (turn === 'discount') return [{ ask: 'discount', off: { percent: 50, periods: 1 } }];
  return card === 'good' ? [{ ask: 'card', card: turn }, { hours }] : [{ hours }];
}
const outcomes = fc.array(fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 4 });
const courses = fc.record({
  terms: fc.record({
    every: fc.constantFrom('week' as const, 'week' as const, 'month' as const),
    period: fc.constantFrom(1, 1, 2),
    trialDays: fc.constantFrom(0, 0, 2, 9, 25),
    behaviour: fc.constantFrom('retry' as const, 'retry' as const, 'stop' as const),
    unpaid: fc.constantFrom('pause' as const, 'pause' as const, 'cancel' as const),
    graceDays: fc.integer({ min: 0, max: 8 }),
    outcomes: fc.option(outcomes, { nil: null }),
  }),
  /** The plan beside it: how often it is paid, and whether its card is declined. */
  plan: fc.record({ every: fc.constantFrom('week' as const, 'month' as const), isDeclined: fc.boolean() }),
  isByDay: fc.boolean(),
  moves: fc.array(moves, { minLength: 8, maxLength: 24, size: 'max' }),
});

type Course = typeof courses extends fc.Arbitrary<infer C> ? C : never;

const renewed = {
  every: 'week',
  period: 1,
  trialDays: 0,
  behaviour: 'retry',
  unpaid: 'pause',
  outcomes: null,
} satisfies Partial<Course['terms']>;

/** Courses in which the two have differed, and one that gives credit, refunds some and uses some. */
const kept: Course[] = [
  {
    terms: {
      every: 'month',
      period: 1,
      trialDays: 0,
      behaviour: 'retry',
      unpaid: 'pause',
      graceDays: 0,
      outcomes: null,
    },
    plan: { every: 'month', isDeclined: false },
    isByDay: false,
    moves: [
      { hours: 240 },
      { ask: 'change', price: 700, when: 'now', collect: 'next_period' },
      { ask: 'payback', amount: 250 },
      { hours: 312 },
      { hours: 312 },
    ],
  },
  // A planned pause with a date is over when a payment fails for good before it: then nothing resumes on its own.
  {
    terms: {
      every: 'week',
      period: 1,
      trialDays: 0,
      behaviour: 'retry',
      unpaid: 'pause',
      graceDays: 0,
      outcomes: [[true], [true], [true], [false]],
    },
    plan: { every: 'week', isDeclined: false },
    isByDay: false,
    moves: [
      { hours: 124 },
      { hours: 212 },
      { ask: 'pause', resumesIn: 65, from: { later: 1, off: 0 } },
      { hours: 178 },
      { hours: 45 },
      { hours: 219 },
    ],
  },
  // A fee waits for the next period once the unpaid one is over: its payment cannot be made any more.
  {
    terms: { ...renewed, graceDays: 0 },
    plan: { every: 'week', isDeclined: false },
    isByDay: true,
    moves: [
      { ask: 'fee', amount: 2500 },
      { ask: 'card', card: 'empty' },
      { hours: 12 * 24 },
      { hours: 4 * 24 },
      { ask: 'fee', amount: 250 },
      { ask: 'heal', unpaid: 'collect' },
    ],
  },
  // What an earlier change left to pay waits again whole: no share of it is owed with the days that were served.
  {
    terms: { ...renewed, graceDays: 1 },
    plan: { every: 'week', isDeclined: false },
    isByDay: false,
    moves: [
      { ask: 'change', price: 9800, when: 'now', collect: 'next_period' },
      { ask: 'card', card: 'empty' },
      { hours: 12 * 24 },
      { hours: 4 * 24 },
      { ask: 'heal', unpaid: 'collect' },
    ],
  },
];

describe('the model of subscriptions and the service', () => {
  const subscriber = useSubscriber({ isAlone: true });
  const { stage, here } = subscriber;
  const life = useSubscriptionLife(subscriber);

  it('agree on every period, event and answer, whatever is asked between advances, and so do statement and ledger', async function () {
    this.timeout(searchMs + 60_000);
    const endsAt = performance.now() + searchMs;
    let taken = 0;
    const property = fc.asyncProperty(courses, async ({ terms, plan, moves: all, isByDay }) => {
      if (taken > 0 && performance.now() > endsAt) return;
      taken += 1;
      if (terms.outcomes !== null) terms.outcomes[0] = [true, ...(terms.outcomes[0] ?? []).slice(1)];
      const { id, planId } = await makeBoth(terms, plan);
      const model = new Subscription(terms, begin, price);
      const beside = { ...plan, period: 1, start: '2027-01-10', amount: 1000, total: null };
      const course = rules.newCourse(beside, plan.isDeclined ? 'declining' : 'good', begin);
      rules.activate(course);
      await life.assertAgree(id, model);
      let now = begin;
      const does = async (move: Ask | { hours: number }) => {
        if ('hours' in move) {
          const end = now + move.hours * 3_600_000;
          model.advance(end);
          rules.passTo(course, end);
          while (now < end) {
            now = Math.min(end, now + (isByDay ? day : end - now));
            await here.advance(new Date(now).toISOString());
          }
          const found = await stage.merchant.getPlan(planId);
          assert.deepEqual([found.state, found.collected_amount_cents], [course.state, course.collected]);
        } else {
          if (!model.isClear(move)) return;
          const named = dayOf(move, model);
          const isTaken = model.request(move);
          const quoted = move.ask === 'change' && isTaken ? model.quoted : null;
          assert.equal(await life.isDone(id, move, { now, day: named, quoted }), isTaken, JSON.stringify(move));
        }
        await life.assertAgree(id, model);
      };
      for (const move of all) for (const one of 'turn' in move ? movesOf(move, model) : [move]) await does(one);
      await assertBooksAgree();
      assert.deepEqual(await findViolations(stage.db.sql), []);
    });
    await fc.assert(property, { seed: searchSeed, numRuns: mostRuns, examples: kept.map((course) => [course]) });
    assert.ok(taken > 0);
    console.log(`      ${JSON.stringify(moved)} in ${taken} courses, SEARCH_SEED=${searchSeed}`);
    assert.ok(moved.collected > 0 && moved.refunded > 0 && moved.credit > 0, JSON.stringify(moved));
  });

  /** What all courses have moved, minor units: a check of nothing would prove nothing. */
  const moved = { collected: 0, refunded: 0, returned: 0, credit: 0 };

  /** The statement of the payer and the ledger have the same money and the same credit, and so has the subscription. */
  async function assertBooksAgree(): Promise<void> {
    const payer = { id: here.customer, biller_id: stage.keys.biller.id };
    const { money } = await accountOf(stage.db.sql, payer);
    assert.deepEqual(await ledgerOf(stage.db.sql, payer), money, 'the ledger and the statement');
    const { body } = await stage.request('GET', `/subscriptions?customer_id=${payer.id}&test_clock=${here.clock}`);
    const credits = body.data.map((one: { credit_balance_cents: number }) => one.credit_balance_cents);
    assert.deepEqual(credits, [money.credit], 'the credit of the subscription');
    for (const name of Object.keys(moved) as (keyof typeof moved)[]) moved[name] += money[name];
  }

  /** A new clock with two customers: one with the subscription, which is started, and one with the plan, activated. */
  async function makeBoth(terms: SubscriptionTerms, plan: { every: string; isDeclined: boolean }) {
    const { merchant } = stage;
    for (const { id } of await merchant.client.testClocks.list().toArray()) await merchant.client.testClocks.delete(id);
    here.clock = (await merchant.clock(new Date(begin).toISOString())).id;
    here.customer = (await merchant.customer({ test_clock: here.clock })).id;
    await merchant.card(here.customer);
    const other = (await merchant.customer({ test_clock: here.clock })).id;
    await merchant.card(other, plan.isDeclined ? tokens.declining : tokens.good);
    const planId = await here.active({
      customer_id: other,
      frequency_type: plan.every === 'week' ? 'weekly' : 'monthly',
    });
    return { id: await subscriber.started(termsOf(terms)), planId };
  }

  /** The day that a request names, before it is made. */
  function dayOf(asked: Ask, model: Subscription): string | null {
    if (asked.ask === 'pause' && asked.from !== undefined) return model.dateOfEnd(asked.from);
    return asked.ask === 'cancel' && typeof asked.at === 'object' ? model.dateOfEnd(asked.at) : null;
  }
});
