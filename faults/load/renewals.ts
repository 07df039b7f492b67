import { setTimeout as pause } from 'node:timers/promises';
import { unlessRefused } from '../../lab/client.ts';
import { letPeriodBegin } from '../../lab/due-dates.ts';
import { eventually } from '../../lab/eventually.ts';
import { makePayer } from '../../lab/payer.ts';
import { enqueue } from '../../src/platform/postgres/outbox.ts';
import { atomically } from '../../src/platform/postgres/transaction.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { wakeEntry } from '../../src/services/wake.ts';
import { withoutFail } from './plans-in-real-time.ts';
import { type Account, type Actor, type Claim, keepDoing, type World } from './world.ts';

const aheadMs = 1_500;
const restMs = 1_500;
const raceAheadMs = 600;
const forEver = { timeoutMs: Number.POSITIVE_INFINITY, everyMs: 150 };

interface Renewed {
  id: string;
  amount: number;
}

/**
 * Subscriptions in real time that are all renewed at one instant, round after round. As with plans, a round moves the
 * calendar in the database: a run cannot wait for a week. The period that begins is the next one of that calendar.
 */
export function renewals(count: number): Actor {
  return async (world) => {
    const account = world.accounts.members;
    const subscriptions: Renewed[] = [];
    /** Rounds that were begun, and those in which every subscription was renewed and paid. */
    const rounds = { begun: 0, done: 0 };
    world.claims.push(() =>
      subscriptions.map(({ id, amount }) => ({
        amount,
        what: `subscription ${id}`,
        succeeded: [1 + rounds.done, 1 + rounds.begun],
        attempts: [1 + rounds.done, 1 + rounds.begun],
      })),
    );
    await keepDoing(world, 'renewals', restMs, async () => {
      while (subscriptions.length < count && !world.isStopping) {
        subscriptions.push(await startWeekly(world, account, 'succeed'));
      }
      const ids = subscriptions.map(({ id }) => id);
      if (rounds.begun === rounds.done) {
        rounds.begun += 1;
        await letRenew(world, ids, new Date(realNow().getTime() + aheadMs), rounds.begun);
      }
      await untilPaid(world, ids, 1 + rounds.begun);
      rounds.done = rounds.begun;
    });
  };
}

/**
 * Renewals that something else happens to at the same moment: the subscription is canceled, or the renewal is declined
 * and two clients at once ask for it to be charged again.
 */
export function renewalRaces(): Actor {
  return async (world) => {
    const account = world.accounts.members;
    const chance = world.chance.fork('renewal races');
    await keepDoing(world, 'renewal races', restMs, () =>
      chance.happens(0.5) ? cancelWhenDue(world, account, chance.between(0, 200)) : retryTwice(world, account),
    );
  };
}

/** Once the response is there, no charge starts. */
async function cancelWhenDue(world: World, account: Account, afterMs: number): Promise<void> {
  const { id, claim } = await startClaimed(world, account, 'succeed');
  Object.assign(claim, { succeeded: [1, 2], attempts: [1, 2] });
  await letRenew(world, [id], new Date(realNow().getTime() + raceAheadMs), 1);
  await pause(raceAheadMs - 100 + afterMs);
  const { state } = await account.client.subscriptions.cancel(id, { at: 'now' });
  claim.notAfter = realNow().getTime();
  if (state !== 'canceled') throw new Error(`subscription ${id} is ${state} after cancel`);
}

async function retryTwice(world: World, account: Account): Promise<void> {
  const { client } = account;
  const { id, claim } = await startClaimed(world, account, 'succeed;decline,succeed');
  Object.assign(claim, { succeeded: [1, 2], attempts: [1, 3] });
  await letRenew(world, [id], new Date(realNow().getTime() + raceAheadMs), 1);
  await eventually(`${id} is past due`, async () => (await client.subscriptions.get(id)).state === 'past_due', forEver);
  await Promise.all([1, 2].map(() => client.subscriptions.retry(id).catch(unlessRefused('invalid_state'))));
  await untilPaid(world, [id], 2);
  Object.assign(claim, { succeeded: [2, 2], attempts: [3, 3] });
  await client.subscriptions.cancel(id, { at: 'now' });
}

async function startClaimed(world: World, account: Account, outcomes: string) {
  const amount = world.nextAmount('plan');
  const claim: Claim = { amount, what: `a subscription of ${amount}`, succeeded: [0, 1], attempts: [0, 1] };
  world.claims.push(() => [claim]);
  const { id } = await startWeekly(world, account, outcomes, amount);
  return { id, claim };
}

/** A weekly subscription in real time whose first period is paid. */
async function startWeekly(
  world: World,
  { client }: Account,
  outcomes: string,
  amount = world.nextAmount('plan'),
): Promise<Renewed> {
  const { customerId } = await makePayer(client);
  const { id } = await client.subscriptions.create({
    customer_id: customerId,
    name: 'Membership',
    currency: 'AUD',
    items: [{ name: 'Membership', unit_amount_cents: amount }],
    frequency_type: 'weekly',
    metadata: { _sandbox_outcome_by_period: outcomes },
  });
  const { state } = await client.subscriptions.start(id);
  if (state !== 'active') throw new Error(`subscription ${id} is ${state} after its start`);
  world.subscriptions.push({ id, amount });
  return { id, amount };
}

/** Lets those that have had `periods` periods so far begin the next at this instant, and pokes their workflows. */
async function letRenew(world: World, ids: string[], at: Date, periods: number): Promise<void> {
  await withoutFail(world, () =>
    atomically(world.cluster.sql, async (tx) => {
      const due = await tx<{ id: string }[]>`
        select id from subscriptions
        where id in ${tx(ids)} and current_number = ${periods} and state = 'active' for update`;
      if (due.length === 0) return;
      const moved = await letPeriodBegin(
        tx,
        due.map(({ id }) => id),
        at,
      );
      await enqueue(
        tx,
        moved.map((subscription) => wakeEntry('subscription', subscription)),
        realNow(),
      );
    }),
  );
}

async function untilPaid(world: World, ids: string[], periods: number): Promise<void> {
  const { sql } = world.cluster;
  const left = () => sql`select from subscriptions where id in ${sql(ids)} and paid_periods < ${periods} limit 1`;
  const isDone = async () => (await withoutFail(world, left)).length === 0;
  await eventually('all of the subscriptions are paid', isDone, forEver);
}
