import { setTimeout as pause } from 'node:timers/promises';
import type { PaymentsClient } from '@payments-service/client';
import { eventually } from '../../lab/eventually.ts';
import { makePayer, makePlan, type Payer } from '../../lab/payer.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { type Actor, type Claim, keepDoing, type World } from './world.ts';

const restMs = 200;
const forEver = { timeoutMs: Number.POSITIVE_INFINITY, everyMs: 120 };

/** What a biller does to a plan at the moment at which it is due, and the state that follows. */
const endings = { suspend: 'suspended', close: 'closed', deactivate: 'deactivated' } as const;
type Ending = keyof typeof endings;

/**
 * Begins plans whose first payment is due today, and payments that are scheduled for today. Some plans are ended at the
 * very moment at which they fall due.
 */
export function subscriber(number: number): Actor {
  return async (world) => {
    const { client } = world.accounts.shop;
    const name = `subscriber ${number}`;
    const chance = world.chance.fork(name);
    await keepDoing(world, name, restMs, async () => {
      const payer = await makePayer(client);
      const endNow = () =>
        endWhenDue(world, client, payer, chance.pick(Object.keys(endings) as Ending[]), chance.between(0, 120));
      const errand = chance.pickByWeight([
        { weight: 5, run: () => subscribe(world, client, payer) },
        { weight: 6, run: () => schedule(world, client, payer) },
        { weight: 3, run: endNow },
      ]);
      await errand.run();
    });
  };
}

async function subscribe(world: World, client: PaymentsClient, payer: Payer): Promise<void> {
  const { claim, id } = await makeDuePlan(world, client, payer);
  await client.paymentPlans.activate(id);
  // Committed: it is collected, whatever happens from here on.
  Object.assign(claim, { succeeded: [1, 1], attempts: [1, 1] });
  const isCollected = async () => (await client.paymentPlans.get(id)).collected_amount_cents === claim.amount;
  await eventually(`plan ${id} is collected`, isCollected, forEver);
  await client.paymentPlans.close(id);
}

async function schedule(world: World, client: PaymentsClient, { customerId, methodId }: Payer): Promise<void> {
  const amount = world.nextAmount('payment');
  const claim: Claim = { amount, what: `a scheduled payment of ${amount}`, succeeded: [0, 1], attempts: [0, 1] };
  world.claims.push(() => [claim]);
  const { id } = await client.paymentIntents.create({
    amount,
    currency: 'AUD',
    customer_id: customerId,
    payment_method: methodId,
    scheduled_payment_date: today(),
    metadata: { _sandbox_outcome: 'succeed' },
  });
  Object.assign(claim, { succeeded: [1, 1], attempts: [1, 1] });
  const isPaid = async () => (await client.paymentIntents.get(id)).status === 'succeeded';
  await eventually(`${id} is paid`, isPaid, forEver);
}

/** Once the response is there, no charge starts. */
async function endWhenDue(
  world: World,
  client: PaymentsClient,
  payer: Payer,
  ending: Ending,
  afterMs: number,
): Promise<void> {
  const { claim, id } = await makeDuePlan(world, client, payer);
  await client.paymentPlans.activate(id);
  await pause(afterMs);
  const plan = await client.paymentPlans[ending](id);
  claim.notAfter = realNow().getTime();
  if (plan.state !== endings[ending]) throw new Error(`plan ${id} is ${plan.state} after ${ending}`);
}

/** A pending plan that is due as soon as it is activated. */
async function makeDuePlan(world: World, client: PaymentsClient, { customerId }: Payer) {
  const amount = world.nextAmount('plan');
  const what = `a plan of ${amount}, due at its activation`;
  const claim: Claim = { amount, what, succeeded: [0, 0], attempts: [0, 0] };
  world.claims.push(() => [claim]);
  const terms = { customer_id: customerId, recurring_amount_cents: amount, start_date: today() };
  const { id } = await makePlan(client, terms);
  Object.assign(claim, { succeeded: [0, 1], attempts: [0, 1] });
  return { claim, id };
}

function today(): string {
  return realNow().toISOString().slice(0, 10);
}
