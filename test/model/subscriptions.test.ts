import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { describe, it } from 'mocha';
import * as rules from '../../demo/rules.ts';
import { tokens } from '../../lab/payer.ts';
import { findViolations } from '../../src/operations/invariants/invariants.ts';
import { useSubscriber } from '../support/subscriber.ts';
import { type Ask, type Off, Subscription } from './subscriptions.ts';

/** As in model.test.ts. */
const { MODEL_RUNS, MODEL_SEED } = process.env;
const usualMs = 14_000;
const mostRuns = 200;
const day = 86_400_000;
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
  { weight: 4, arbitrary: fc.constantFrom<Ask>({ ask: 'resume' }, { ask: 'retry' }, { ask: 'uncancel' }) },
  { weight: 3, arbitrary: fc.constant<Ask>({ ask: 'cancel', at: 'period_end' }) },
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
  { weight: 1, arbitrary: fc.record({ ask: fc.constant('fee' as const), amount: fc.constantFrom(0, 250, 9_999) }) },
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
const moves = fc.oneof(
  { weight: 3, arbitrary: asks },
  { weight: 4, arbitrary: fc.record({ hours: fc.integer({ min: 1, max: 14 * 24 }) }) },
);
const outcomes = fc.array(fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 4 });
const courses = fc.record({
  terms: fc.record({
    every: fc.constantFrom('week' as const, 'month' as const),
    period: fc.integer({ min: 1, max: 2 }),
    trialDays: fc.constantFrom(0, 0, 2, 9, 25),
    behaviour: fc.constantFrom('retry' as const, 'retry' as const, 'stop' as const),
    unpaid: fc.constantFrom('pause' as const, 'cancel' as const),
    graceDays: fc.integer({ min: 0, max: 8 }),
    outcomes,
  }),
  /** The plan beside it: how often it is paid, and whether its card is declined. */
  plan: fc.record({ every: fc.constantFrom('week' as const, 'month' as const), isDeclined: fc.boolean() }),
  moves: fc.array(moves, { minLength: 6, maxLength: 16, size: 'max' }),
});

describe('the model of subscriptions and the service', () => {
  const subscriber = useSubscriber();
  const { stage, here } = subscriber;

  it('agree on every period, event and answer, whatever is asked between advances, beside a plan of the clock', async function () {
    this.timeout(usualMs + 60_000 + Number(MODEL_RUNS ?? 0) * 20_000);
    const endsAt = MODEL_RUNS === undefined ? performance.now() + usualMs : Number.POSITIVE_INFINITY;
    let taken = 0;
    const property = fc.asyncProperty(courses, async ({ terms, plan, moves: all }) => {
      if (taken > 0 && performance.now() > endsAt) return;
      taken += 1;
      const { id, planId } = await makeBoth(terms, plan);
      const model = new Subscription(terms, begin);
      const beside = { ...plan, period: 1, start: '2027-01-10', amount: 1000, total: null };
      const course = rules.newCourse(beside, plan.isDeclined ? 'declining' : 'good', begin);
      rules.activate(course);
      await assertAgree(id, model);
      let now = begin;
      for (const move of all) {
        if ('hours' in move) {
          now += move.hours * 3_600_000;
          model.advance(now);
          rules.passTo(course, now);
          await here.advance(new Date(now).toISOString());
          const found = await stage.merchant.getPlan(planId);
          assert.deepEqual([found.state, found.collected_amount_cents], [course.state, course.collected]);
        } else {
          const day = dayOf(move, model);
          const isTaken = model.request(move);
          const quoted = move.ask === 'change' && isTaken ? model.quoted : null;
          assert.equal(await isDone(id, move, { now, day, quoted }), isTaken, JSON.stringify(move));
        }
        await assertAgree(id, model);
      }
      assert.deepEqual(await findViolations(stage.db.sql), []);
    });
    const seed = MODEL_SEED === undefined ? {} : { seed: Number(MODEL_SEED) };
    await fc.assert(property, { ...seed, numRuns: Number(MODEL_RUNS ?? mostRuns) });
    assert.ok(taken > 0);
  });

  /** A new clock with two customers: one with the subscription, which is started, and one with the plan, activated. */
  async function makeBoth(
    terms: ConstructorParameters<typeof Subscription>[0],
    plan: { every: string; isDeclined: boolean },
  ) {
    const { merchant } = stage;
    for (const { id } of await merchant.client.testClocks.list().toArray()) await merchant.client.testClocks.delete(id);
    here.clock = (await merchant.clock(new Date(begin).toISOString())).id;
    here.customer = (await merchant.customer({ test_clock: here.clock })).id;
    await merchant.card(here.customer);
    const other = (await merchant.customer({ test_clock: here.clock })).id;
    await merchant.card(other, plan.isDeclined ? tokens.declining : tokens.good);
    const first = [true, ...(terms.outcomes[0] ?? []).slice(1)];
    terms.outcomes = [first, ...terms.outcomes.slice(1)];
    const planId = await here.active({
      customer_id: other,
      frequency_type: plan.every === 'week' ? 'weekly' : 'monthly',
    });
    const id = await subscriber.started({
      frequency_type: terms.every === 'week' ? 'weekly' : 'monthly',
      frequency_period: terms.period,
      ...(terms.trialDays === 0 ? {} : { trial_days: terms.trialDays }),
      failure_behaviour: terms.behaviour,
      unpaid_behaviour: terms.unpaid,
      grace_days: terms.graceDays,
      metadata: {
        _sandbox_outcome_by_period: terms.outcomes
          .map((list) => list.map((isPaid) => (isPaid ? 'succeed' : 'decline')).join(','))
          .join(';'),
      },
    });
    return { id, planId };
  }

  /** The day that a request names, before it is made. */
  function dayOf(asked: Ask, model: Subscription): string | null {
    if (asked.ask === 'pause' && asked.from !== undefined) return model.dateOfEnd(asked.from);
    return asked.ask === 'cancel' && typeof asked.at === 'object' ? model.dateOfEnd(asked.at) : null;
  }

  /** Whether the service does what was asked, and not refuses it. */
  async function isDone(
    id: string,
    asked: Ask,
    { now, day: named, quoted }: { now: number; day: string | null; quoted: Subscription['quoted'] | null },
  ): Promise<boolean> {
    if (asked.ask === 'change') return isChanged(id, asked, quoted);
    if (asked.ask === 'refund') {
      return (await stage.request('POST', `/subscriptions/${id}/refund_credit`, {})).status === 201;
    }
    if (asked.ask === 'fee' || asked.ask === 'discount') return isUpdated(id, asked);
    const dateIn = (days: number) => new Date(now + days * day).toISOString().slice(0, 10);
    const body =
      asked.ask === 'cancel'
        ? { at: named ?? asked.at }
        : asked.ask === 'pause'
          ? {
              ...(named === null ? {} : { from: named }),
              ...(asked.resumesIn === null ? {} : { resumes_at: dateIn(asked.resumesIn) }),
            }
          : undefined;
    const { status, text } = await stage.request(
      'POST',
      `/subscriptions/${id}/${asked.ask === 'retry' ? 'retry_now' : asked.ask}`,
      body,
    );
    assert.ok(status < 300 || status === 422, `${asked.ask}: ${status} ${text}`);
    if (status >= 300) return false;
    await stage.collectSubscriptionAll(id, new Date(now));
    return true;
  }

  /** Sets what the next period takes besides its items, or takes off them. */
  async function isUpdated(id: string, asked: Extract<Ask, { ask: 'fee' | 'discount' }>): Promise<boolean> {
    const fee = (amount: number) => ({ name: 'Fee', unit_amount_cents: amount });
    const discount = ({ percent, amount, periods }: Off) => ({
      name: 'Off',
      ...(percent === undefined ? { amount_off_cents: amount } : { percent_off: percent }),
      ...(periods === null ? {} : { periods }),
    });
    const body =
      asked.ask === 'fee'
        ? { one_off_items: asked.amount === 0 ? [] : [fee(asked.amount)] }
        : { discounts: asked.off === null ? [] : [discount(asked.off)] };
    const { status, text } = await stage.request('PUT', `/subscriptions/${id}`, body);
    assert.ok(status === 200 || status === 422, `${asked.ask}: ${status} ${text}`);
    return status === 200;
  }

  /** Asks for a quote, and then for the change at this quote. */
  async function isChanged(
    id: string,
    { price, when, collect }: Extract<Ask, { ask: 'change' }>,
    quoted: Subscription['quoted'] | null,
  ): Promise<boolean> {
    const items = [{ name: 'Membership', unit_amount_cents: price }];
    const wanted = when === 'now' ? { items, when, collect } : { items, when };
    const quote = await stage.request('POST', `/subscriptions/${id}/change`, { ...wanted, dry_run: true });
    const sure = when === 'now' ? { expected_amount_cents: quote.body.amount_cents ?? 0 } : {};
    const made = await stage.request('POST', `/subscriptions/${id}/change`, { ...wanted, ...sure });
    assert.equal(made.status, quote.status, made.text);
    if (made.status !== 200) return false;
    for (const { body } of [quote, made]) {
      assert.deepEqual({ amount: body.amount_cents, next: body.next_period_amount_cents }, quoted);
    }
    return true;
  }

  async function assertAgree(id: string, model: Subscription): Promise<void> {
    const found = await subscriber.get(id);
    const periods = await stage.db.sql<{ line: string }[]>`
      select concat_ws(' ', p.number, p.start_date::text, p.end_date::text, p.status, p.amount_cents, count(a.id)) as line
      from subscription_periods p left join payment_attempts a on a.payment_intent_id = p.payment_intent_id
      where p.subscription_id = ${id} group by p.subscription_id, p.number order by p.number`;
    const told = (await subscriber.events(id)).map((line) => line.replace(/ (true|false)$/, ''));
    assert.deepEqual(
      {
        state: found.state,
        reason: found.state_reason,
        inEffect: found.in_effect,
        paid: found.paid_periods,
        price: (found.next_items ?? found.items)[0].unit_amount_cents,
        account: found.next_period_lines.reduce(
          (sum: number, { amount_cents: amount }: { amount_cents: number }) => sum + amount,
          0 - found.credit_balance_cents,
        ),
        periods: periods.map(({ line }) => line),
        told,
      },
      {
        state: model.state,
        reason: model.reason,
        inEffect: model.inEffect,
        paid: model.paid,
        price: model.nextPrice,
        account: model.account,
        periods: model.periods,
        told: model.told,
      },
    );
  }
});
