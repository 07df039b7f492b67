import { setTimeout as pause } from 'node:timers/promises';
import { enqueue } from '../../src/platform/postgres/outbox.ts';
import { atomically } from '../../src/platform/postgres/transaction.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { wakeEntry } from '../../src/services/wake.ts';
import { textIn } from './client.ts';
import { type Account, type Actor, keepDoing, saveCard, type World } from './world.ts';

const aheadMs = 1_500;
const restMs = 1_500;
const week = 7 * 86_400_000;

/**
 * Plans in real time that all fall due at one instant, round after round. A round moves the due instants of all of them into
 * the next seconds, in the database, since nobody can wait for midnight; the rest is the plans' own doing.
 */
export function livePlans(count: number): Actor {
  return async (world) => {
    const account = world.accounts.shop;
    const plans: { id: string; amount: number }[] = [];
    /** Rounds that were begun, and those in which every plan was collected. */
    const rounds = { begun: 0, done: 0 };
    world.claims.push(() =>
      plans.map(({ id, amount }) => ({
        amount,
        what: `live plan ${id}`,
        succeeded: [rounds.done, rounds.begun],
        attempts: [rounds.done, rounds.begun],
      })),
    );
    await keepDoing(world, 'live plans', restMs, async () => {
      while (plans.length < count && !world.isStopping) {
        plans.push(await makeLivePlan(world, account, 'live, due with others'));
      }
      if (rounds.begun === rounds.done) {
        const ids = plans.map(({ id }) => id);
        rounds.begun += 1;
        await letFallDue(world, ids, new Date(realNow().getTime() + aheadMs), rounds.done);
      }
      await untilCollected(world, plans, rounds.begun);
      rounds.done = rounds.begun;
    });
  };
}

/** An active plan in real time whose first payment is a week ahead. */
export async function makeLivePlan(
  world: World,
  { client }: Account,
  name: string,
): Promise<{ id: string; amount: number }> {
  const amount = world.nextAmount('plan');
  const customerId = textIn(await client.post('/customers', { body: { name: 'Grace Example' } }), 'id');
  await saveCard(client, customerId);
  const plan = await client.post('/payment_plans', {
    body: {
      customer_id: customerId,
      name,
      frequency_type: 'weekly',
      recurring_amount_cents: amount,
      until_further_notice: true,
      currency: 'AUD',
      start_date: new Date(realNow().getTime() + week).toISOString().slice(0, 10),
    },
  });
  const id = textIn(plan, 'id');
  await client.post(`/payment_plans/${id}/activate`);
  return { id, amount };
}

/** Moves the due instant of those of the plans that have collected `rounds` payments so far, and tells their workflows. */
export async function letFallDue(world: World, ids: string[], dueAt: Date, rounds = 0): Promise<void> {
  await sturdily(world, () =>
    atomically(world.cluster.sql, async (tx) => {
      // Only those: after a commit whose answer was lost this is done again, and some may have collected by then.
      const moved = await tx<{ id: string }[]>`
        update payment_plans set next_due_at = ${dueAt}
        where id in ${tx(ids)} and collected_amount_cents = recurring_amount_cents * ${rounds}
        returning id`;
      await enqueue(
        tx,
        moved.map(({ id }) => wakeEntry('paymentPlan', id)),
        realNow(),
      );
    }),
  );
}

async function untilCollected(world: World, plans: { id: string }[], rounds: number): Promise<void> {
  const ids = plans.map(({ id }) => id);
  for (;;) {
    const [left] = await sturdily(
      world,
      () => world.cluster.sql<{ count: number }[]>`
        select count(*)::integer as count from payment_plans
        where id in ${world.cluster.sql(ids)} and collected_amount_cents < recurring_amount_cents * ${rounds}`,
    );
    if (left?.count === 0) return;
    await pause(200);
  }
}

/** The fault run's own statements are no part of what is tested: they wait until the database is there. */
export async function sturdily<T>(world: World, work: () => PromiseLike<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      world.journal.setBack('a statement of the fault run itself');
      if (!(error instanceof Error)) throw error;
      await pause(200);
    }
  }
}
