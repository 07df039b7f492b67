import { fallsDueAt } from '../../lab/due-dates.ts';
import { eventually, untilItSucceeds } from '../../lab/eventually.ts';
import { makeActivePlan, makePayer } from '../../lab/payer.ts';
import { enqueue } from '../../src/platform/postgres/outbox.ts';
import { atomically } from '../../src/platform/postgres/transaction.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { wakeEntry } from '../../src/services/wake.ts';
import { type Account, type Actor, keepDoing, modeOf, type World } from './world.ts';

const aheadMs = 1_500;
const restMs = 1_500;
const week = 7 * 86_400_000;

/**
 * Plans in real time that all fall due at one instant, round after round. A round moves the due instants of all of them
 * into the next seconds, in the database, because a run cannot wait for midnight; the plans do the rest themselves.
 */
export function plansInRealTime(count: number, of: 'shop' | 'liveShop'): Actor {
  return async (world) => {
    const account = world.accounts[of];
    const plans: { id: string; amount: number }[] = [];
    /** Rounds that were begun, and those in which every plan was collected. */
    const rounds = { begun: 0, done: 0 };
    world.claims.push(() =>
      plans.map(({ id, amount }) => ({
        amount,
        what: `plan ${id} of the ${account.name}`,
        succeeded: [rounds.done, rounds.begun],
        attempts: [rounds.done, rounds.begun],
      })),
    );
    await keepDoing(world, `plans of the ${account.name}`, restMs, async () => {
      while (plans.length < count && !world.isStopping) {
        plans.push(await makePlanInRealTime(world, account));
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
export async function makePlanInRealTime(world: World, account: Account): Promise<{ id: string; amount: number }> {
  const { client } = account;
  const amount = world.nextAmount('plan');
  const { customerId } = await makePayer(client, {}, modeOf(account));
  const start_date = new Date(realNow().getTime() + week).toISOString().slice(0, 10);
  const id = await makeActivePlan(client, { customer_id: customerId, recurring_amount_cents: amount, start_date });
  return { id, amount };
}

/**
 * Moves the due instant of those of the plans that have collected `rounds` payments so far, and pokes their workflows.
 */
export async function letFallDue(world: World, ids: string[], dueAt: Date, rounds = 0): Promise<void> {
  await withoutFail(world, () =>
    atomically(world.cluster.sql, async (tx) => {
      // Only those: after a commit whose response was lost this is repeated, and some may have collected by then.
      const moved = await tx<{ id: string; livemode: boolean }[]>`
        update payment_plans set ${fallsDueAt(tx, dueAt)}
        where id in ${tx(ids)} and collected_amount_cents = recurring_amount_cents * ${rounds}
        returning id, livemode`;
      await enqueue(
        tx,
        moved.map((plan) => wakeEntry('paymentPlan', plan)),
        realNow(),
      );
    }),
  );
}

async function untilCollected(world: World, plans: { id: string }[], rounds: number): Promise<void> {
  const ids = plans.map(({ id }) => id);
  const left = () => world.cluster.sql`
    select from payment_plans
    where id in ${world.cluster.sql(ids)} and collected_amount_cents < recurring_amount_cents * ${rounds} limit 1`;
  const isDone = async () => (await withoutFail(world, left)).length === 0;
  await eventually('all of the plans are collected', isDone, { timeoutMs: Number.POSITIVE_INFINITY, everyMs: 200 });
}

/** The fault run's own statements are not tested: they wait until the database is there. */
export function withoutFail<T>(world: World, work: () => PromiseLike<T>): Promise<T> {
  const attempt = async () => {
    try {
      return await work();
    } catch (error) {
      world.journal.setBack('a statement of the fault run itself');
      throw error;
    }
  };
  return untilItSucceeds(attempt, { timeoutMs: Number.POSITIVE_INFINITY, everyMs: 200 });
}
