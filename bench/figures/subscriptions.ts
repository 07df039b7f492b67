import { Client, Connection } from '@temporalio/client';
import { eventually } from '../../lab/eventually.ts';
import { inParallel, range } from '../../lab/parallel.ts';
import { makePayer } from '../../lab/payer.ts';
import { realNow } from '../../src/platform/real-time.ts';
import type { Bench, Measurement } from '../bench.ts';
import { type DueCourse, type DueRun, followCourse, leadFor, NotAllTimersSet, withLead } from '../due-course.ts';
import { besideOf, type Figure, figure } from '../figure.ts';
import { expectChargedOnce, lastEvent, makeLivePlans, pokeAll, setTimers } from '../live-plans.ts';
import { advance, expectAttempts, type PlayedScene, setUp, tearDown } from '../scenery.ts';

const namespace = 'payments';
const terms = { name: 'Membership', currency: 'AUD' } as const;
const items = [{ name: 'Membership', unit_amount_cents: 1500 }];
const start = new Date('2031-01-06T00:00:00.000Z');
/** A first guess of how long the timers of one subscription take, in milliseconds. */
const timerMs = 15;

/** Subscriptions beside plans: advances of a clock, and what is renewed at one instant in real time. */
export const subscriptions: Measurement = {
  name: 'subscriptions',
  needs: 'copy',
  async measure(bench) {
    const connection = await Connection.connect({ address: bench.copy.temporalAddress });
    try {
      const temporal = new Client({ connection, namespace });
      return {
        name: 'subscriptions',
        title: 'Subscriptions beside plans',
        how: [
          'One advance: 60 days of a new clock with one monthly subscription, or one monthly plan, turn by turn: two periods begin, or two payments are made.',
          'A year in seven advances: a trial of 14 days, monthly periods, a payment that is declined and recovers a day later, a pause that ends by itself, and an end. The time is the sum of the advances.',
          `At one instant: ${bench.plans} weekly subscriptions in real time; next_period_at is moved by SQL, and the workflows are poked. Time runs until all are paid. Beside it, in turns, as many weekly plans are charged.`,
        ],
        figures: [...(await sixtyDays(bench)), ...(await aYear(bench)), ...(await renewals(bench, temporal))],
      };
    } finally {
      await connection.close();
    }
  },
};

/** A clock with one monthly subscription, whose first period or trial has begun. */
async function setUpOne({ client }: Bench, more: { trial_days?: number; metadata?: Record<string, string> } = {}) {
  const { id: clockId } = await client.testClocks.create({ frozen_time: start.toISOString() });
  const { customerId: customer_id } = await makePayer(client, { test_clock: clockId });
  const { id } = await client.subscriptions.create({
    ...{ ...terms, items, frequency_type: 'monthly', customer_id },
    ...more,
  });
  await client.subscriptions.start(id);
  const scene: PlayedScene = { clockId, time: start };
  return { id, scene };
}

async function sixtyDays(bench: Bench): Promise<Figure[]> {
  const taken = { subscription: [] as number[], plan: [] as number[] };
  for (let round = -1; round < (bench.quick ? 2 : 15); round += 1) {
    const { scene } = await setUpOne(bench);
    const seconds = await advance(bench, scene, 60);
    await expectAttempts(bench.sql, scene, { succeeded: 3, failed: 0 });
    await tearDown(bench, scene);
    const plan = await setUp(bench, { customers: 1, plansEach: 1, frequency: 'monthly' });
    const beside = await advance(bench, plan, 60);
    await tearDown(bench, plan);
    if (round < 0) continue; // the first one meets cold code
    taken.subscription.push(seconds);
    taken.plan.push(beside);
  }
  return [
    figure('subscriptions.60-days', '60 days, one monthly subscription', 's', taken.subscription, {
      target: { atMost: 0.15 },
      beside: besideOf('one monthly plan', taken.subscription, taken.plan),
    }),
  ];
}

async function aYear(bench: Bench): Promise<Figure[]> {
  const { client, sql } = bench;
  const taken: number[] = [];
  for (let round = -1; round < (bench.quick ? 1 : 7); round += 1) {
    const metadata = { _sandbox_outcome_by_period: 'succeed;decline,succeed;succeed' };
    const { id, scene } = await setUpOne(bench, { trial_days: 14, metadata });
    let seconds = 0;
    for (const days of [60, 60, 60]) seconds += await advance(bench, scene, days);
    await client.subscriptions.pause(id, { resumes_at: '2031-08-15' });
    for (const days of [60, 60]) seconds += await advance(bench, scene, days);
    await client.subscriptions.cancel(id, {});
    for (const days of [35, 30]) seconds += await advance(bench, scene, days);
    const { state, paid_periods: paid } = await client.subscriptions.get(id);
    if (state !== 'canceled') throw new Error(`the subscription is ${state} after a year`);
    await expectAttempts(sql, scene, { succeeded: paid, failed: 1 });
    await tearDown(bench, scene);
    if (round >= 0) taken.push(seconds); // the first one meets cold code
  }
  return [
    figure('subscriptions.year', 'a year with trial, decline, pause and end, seven advances', 's', taken, {
      target: { atMost: 1.5 },
    }),
  ];
}

async function renewals(bench: Bench, temporal: Client): Promise<Figure[]> {
  const { plans: count, sql, client, log } = bench;
  log(`subscriptions: making ${count} plans by card`);
  const cards = await makeLivePlans(client, temporal, count);
  log(`subscriptions: making ${count} subscriptions`);
  const ids = await makeWeekly(bench, temporal);
  let periods = 1;
  const paid = async () => {
    const [row] = await sql<[{ count: number }]>`
      select count(*)::integer as count from subscriptions where id = any(${ids}) and paid_periods = ${periods}`;
    return row.count;
  };
  const byPlan = async (leadMs: number): Promise<DueRun> => {
    cards.charges += 1;
    const { dueAt, preparedMs, areSet } = await setTimers(sql, temporal, cards.ids, leadMs);
    const before = await lastEvent(sql);
    const course = await followCourse(dueAt.getTime(), count, async () => (await lastEvent(sql)) - before);
    await expectChargedOnce(sql, cards);
    if (!areSet) throw new NotAllTimersSet(`not all of ${count} plans had their timer in time`);
    return { course, preparedMs };
  };
  const bySubscription = async (leadMs: number): Promise<DueRun> => {
    const begun = performance.now();
    const dueAt = new Date(Math.ceil((realNow().getTime() + leadMs) / 1000) * 1000);
    await sql`update subscriptions set next_period_at = ${dueAt} where id = any(${ids})`;
    const areSet = await pokeAll(temporal, 'subscription', ids, dueAt);
    const preparedMs = performance.now() - begun;
    periods += 1;
    const course = await followCourse(dueAt.getTime(), count, paid);
    await expectOneEach(bench, ids, periods);
    if (!areSet) throw new NotAllTimersSet(`not all of ${count} subscriptions had their timer in time`);
    return { course, preparedMs };
  };
  const kinds = {
    subscription: withLead(leadFor(timerMs * count), bySubscription, log),
    plan: withLead(leadFor(timerMs * count), byPlan, log),
  };
  const courses = { subscription: [] as DueCourse[], plan: [] as DueCourse[] };
  for (let round = 0; round < (bench.quick ? 1 : 2); round += 1) {
    for (const kind of ['subscription', 'plan'] as const) courses[kind].push(await kinds[kind]());
  }
  const last = (kind: 'subscription' | 'plan') => courses[kind].map((course) => course.last);
  return [
    figure('subscriptions.renewals', `from the instant to the last of ${count} renewals`, 's', last('subscription'), {
      ...(count === 1000 ? { target: { atMost: 12 } } : {}),
      beside: besideOf('charges of plans', last('subscription'), last('plan')),
    }),
  ];
}

/** Starts weekly subscriptions in real time, and waits until the workflow of each has its timer. */
async function makeWeekly({ client, plans: count }: Bench, temporal: Client): Promise<string[]> {
  const ids = await inParallel(range(count), 12, async () => {
    const { customerId: customer_id } = await makePayer(client);
    const { id } = await client.subscriptions.create({ ...terms, items, frequency_type: 'weekly', customer_id });
    await client.subscriptions.start(id);
    return id;
  });
  const waiting = `WorkflowType = 'subscription' and ExecutionStatus = 'Running' and NextDueAt > '${realNow().toISOString()}'`;
  const areWaiting = async () => (await temporal.workflow.count(waiting)).count >= count;
  await eventually('all subscriptions wait', areWaiting, { timeoutMs: Number.POSITIVE_INFINITY, everyMs: 100 });
  return ids;
}

/** @throws unless each subscription has so many periods, each paid by one attempt */
async function expectOneEach({ sql }: Bench, ids: readonly string[], periods: number): Promise<void> {
  const wrong = await sql<{ id: string }[]>`
    select s.id from subscriptions s
    left join payment_intents i on i.subscription_id = s.id
    left join payment_attempts a on a.payment_intent_id = i.id
    where s.id = any(${[...ids]})
    group by s.id
    having count(distinct i.id) <> ${periods} or count(a.id) <> ${periods} or min(s.paid_periods) <> ${periods}`;
  if (wrong.length > 0) throw new Error(`${wrong.length} subscriptions were not charged once for each period`);
}
