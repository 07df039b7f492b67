import { Client, Connection } from '@temporalio/client';
import { letPeriodBegin } from '../../lab/due-dates.ts';
import { inParallel, range } from '../../lab/parallel.ts';
import { makeDebtor, makePayer } from '../../lab/payer.ts';
import { atomically } from '../../src/platform/postgres/transaction.ts';
import type { Bench, Measurement } from '../bench.ts';
import { allWaiting, dueBesideCards } from '../beside-cards.ts';
import { besideOf, type Figure, figure } from '../figure.ts';
import { advance, expectAttempts, type PlayedScene, setUp, tearDown } from '../scenery.ts';

const namespace = 'payments';
const terms = { name: 'Membership', currency: 'AUD' } as const;
const items = [{ name: 'Membership', unit_amount_cents: 1500 }];
const start = new Date('2031-01-06T00:00:00.000Z');

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
          'One advance: 60 days of a new clock with one monthly subscription, by card or by bank debit, or one monthly plan, turn by turn: two periods begin, or two payments are made.',
          'A year in seven advances: a trial of 14 days, monthly periods, a payment that is declined and recovers a day later, an upgrade in the middle of a period that is charged by its quote, a pause that ends on its own, and an end. The time is the sum of the advances.',
          `At one instant: ${bench.plans} weekly subscriptions in real time; their calendar is moved by SQL, and the workflows are poked. Time runs until all are paid. Beside it, in turns, as many weekly plans are charged.`,
        ],
        figures: [...(await sixtyDays(bench)), ...(await aYear(bench)), ...(await renewals(bench, temporal))],
      };
    } finally {
      await connection.close();
    }
  },
};

/** A clock with one monthly subscription, whose first period or trial has begun. */
async function setUpOne(
  { client }: Bench,
  more: { trial_days?: number; metadata?: Record<string, string> } = {},
  makeOwner: typeof makePayer | typeof makeDebtor = makePayer,
) {
  const { id: clockId } = await client.testClocks.create({ frozen_time: start.toISOString() });
  const { customerId: customer_id } = await makeOwner(client, { test_clock: clockId });
  const { id } = await client.subscriptions.create({
    ...{ ...terms, items, frequency_type: 'monthly', customer_id },
    ...more,
  });
  await client.subscriptions.start(id);
  const scene: PlayedScene = { clockId, time: start };
  return { id, scene };
}

async function sixtyDays(bench: Bench): Promise<Figure[]> {
  const taken = { subscription: [] as number[], byDebit: [] as number[], plan: [] as number[] };
  for (let round = -1; round < (bench.quick ? 2 : 15); round += 1) {
    const { scene } = await setUpOne(bench);
    const seconds = await advance(bench, scene, 60);
    await expectAttempts(bench.sql, scene, { succeeded: 3, failed: 0 });
    await tearDown(bench, scene);
    const { scene: ofDebtor } = await setUpOne(bench, {}, makeDebtor);
    const byDebit = await advance(bench, ofDebtor, 60);
    // The bank has the third debit, and has not reported yet.
    await expectAttempts(bench.sql, ofDebtor, { succeeded: 2, failed: 0, underWay: 1 });
    await tearDown(bench, ofDebtor);
    const plan = await setUp(bench, { customers: 1, plansEach: 1, frequency: 'monthly' });
    const beside = await advance(bench, plan, 60);
    await tearDown(bench, plan);
    if (round < 0) continue; // the first one meets cold code
    taken.subscription.push(seconds);
    taken.byDebit.push(byDebit);
    taken.plan.push(beside);
  }
  return [
    figure('subscriptions.60-days', '60 days, one monthly subscription', 's', taken.subscription, {
      target: { atMost: 0.15 },
      beside: besideOf('one monthly plan', taken.subscription, taken.plan),
    }),
    figure('subscriptions.60-days-by-debit', '60 days, one monthly subscription by bank debit', 's', taken.byDebit, {
      beside: besideOf('the same by card', taken.byDebit, taken.subscription),
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
    for (const days of [60, 60]) seconds += await advance(bench, scene, days);
    await upgrade(bench, id);
    seconds += await advance(bench, scene, 60);
    await client.subscriptions.pause(id, { resumes_at: '2031-08-15' });
    for (const days of [60, 60]) seconds += await advance(bench, scene, days);
    await client.subscriptions.cancel(id, {});
    for (const days of [35, 30]) seconds += await advance(bench, scene, days);
    const { state, paid_periods: paid } = await client.subscriptions.get(id);
    if (state !== 'canceled') throw new Error(`the subscription is ${state} after a year`);
    await expectAttempts(sql, scene, { succeeded: paid + 1, failed: 1 });
    await tearDown(bench, scene);
    if (round >= 0) taken.push(seconds); // the first one meets cold code
  }
  return [
    figure('subscriptions.year', 'a year with trial, decline, upgrade, pause and end, seven advances', 's', taken, {
      target: { atMost: 1.5 },
    }),
  ];
}

/** Two members more from now on, charged by a quote. @throws unless the items have changed */
async function upgrade({ client }: Bench, id: string): Promise<void> {
  const wanted = { items: items.map((item) => ({ ...item, quantity: 3 })), when: 'now', collect: 'now' } as const;
  const { amount_cents: expected } = await client.subscriptions.change(id, { ...wanted, dry_run: true });
  const { subscription } = await client.subscriptions.change(id, { ...wanted, expected_amount_cents: expected });
  if (expected === 0 || subscription.items[0]?.quantity !== 3)
    throw new Error(`${id} was not upgraded for ${expected}`);
}

async function renewals(bench: Bench, temporal: Client): Promise<Figure[]> {
  const { plans: count, sql, log } = bench;
  log(`subscriptions: making ${count} subscriptions`);
  const ids = await makeWeekly(bench, temporal);
  let periods = 1;
  return dueBesideCards(bench, temporal, {
    id: 'subscriptions.renewals',
    title: `from the instant to the last of ${count} renewals`,
    name: 'subscriptions',
    workflowType: 'subscription',
    atMost: 12,
    async make() {
      periods += 1;
      return ids;
    },
    move: (_, at) => atomically(sql, (tx) => letPeriodBegin(tx, ids, at)),
    async countDone() {
      const [row] = await sql<[{ count: number }]>`
        select count(*)::integer as count from subscriptions where id = any(${ids}) and paid_periods = ${periods}`;
      return row.count;
    },
    expectDone: () => expectOneEach(bench, ids, periods),
  });
}

/** Starts weekly subscriptions in real time, and waits until the workflow of each has its timer. */
async function makeWeekly({ client, plans: count }: Bench, temporal: Client): Promise<string[]> {
  const ids = await inParallel(range(count), 12, async () => {
    const { customerId: customer_id } = await makePayer(client);
    const { id } = await client.subscriptions.create({ ...terms, items, frequency_type: 'weekly', customer_id });
    await client.subscriptions.start(id);
    return id;
  });
  await allWaiting(temporal, 'subscription', count);
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
