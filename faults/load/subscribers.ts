import { setTimeout as pause } from 'node:timers/promises';
import { realNow } from '../../src/platform/real-time.ts';
import { type Client, textIn } from './client.ts';
import { type Actor, type Claim, keepDoing, saveCard, type World } from './world.ts';

const restMs = 200;
const lookAgainMs = 120;

/** What somebody does to a plan at the moment at which it is due. */
const endings = ['suspend', 'close', 'deactivate'] as const;

/**
 * Begins plans whose first payment is due today, and payments that are scheduled for today; of some plans somebody thinks
 * better at the very moment at which they fall due.
 */
export function subscriber(number: number): Actor {
  return async (world) => {
    const { client } = world.accounts.shop;
    const name = `subscriber ${number}`;
    const chance = world.chance.fork(name);
    await keepDoing(world, name, restMs, async () => {
      const customerId = textIn(await client.post('/customers', { body: { name: 'Joan Example' } }), 'id');
      const methodId = await saveCard(client, customerId);
      const errand = chance.pickByWeight([
        { weight: 5, run: () => subscribe(world, client, customerId) },
        { weight: 6, run: () => schedule(world, client, customerId, methodId) },
        { weight: 3, run: () => thinkBetter(world, client, customerId, chance.pick(endings), chance.between(0, 120)) },
      ]);
      await errand.run();
    });
  };
}

async function subscribe(world: World, client: Client, customerId: string): Promise<void> {
  const { claim, id } = await makePlan(world, client, customerId);
  claim.succeeded = [0, 1];
  claim.attempts = [0, 1];
  await client.post(`/payment_plans/${id}/activate`);
  // Committed to: it is collected, whatever happens from here on.
  claim.succeeded = [1, 1];
  claim.attempts = [1, 1];
  await untilHolds(client, `/payment_plans/${id}`, ({ collected_amount_cents: sum }) => sum === claim.amount);
  await client.post(`/payment_plans/${id}/close`);
}

async function schedule(world: World, client: Client, customerId: string, methodId: string): Promise<void> {
  const amount = world.nextAmount('payment');
  const claim: Claim = { amount, what: `a scheduled payment of ${amount}`, succeeded: [0, 1], attempts: [0, 1] };
  world.claims.push(() => [claim]);
  const made = await client.post('/payment_intents', {
    body: {
      amount,
      currency: 'AUD',
      customer_id: customerId,
      payment_method: methodId,
      scheduled_payment_date: today(),
      metadata: { _sandbox_outcome: 'succeed' },
    },
  });
  claim.succeeded = [1, 1];
  claim.attempts = [1, 1];
  await untilHolds(client, `/payment_intents/${textIn(made, 'id')}`, ({ status }) => status === 'succeeded');
}

/** Once the answer is there, no charge starts any more. */
async function thinkBetter(
  world: World,
  client: Client,
  customerId: string,
  ending: (typeof endings)[number],
  afterMs: number,
): Promise<void> {
  const { claim, id } = await makePlan(world, client, customerId);
  claim.succeeded = [0, 1];
  claim.attempts = [0, 1];
  await client.post(`/payment_plans/${id}/activate`);
  await pause(afterMs);
  const plan = await client.post(`/payment_plans/${id}/${ending}`);
  claim.notAfter = realNow().getTime();
  const expected = { suspend: 'suspended', close: 'closed', deactivate: 'deactivated' }[ending];
  if (plan.state !== expected) throw new Error(`plan ${id} is ${plan.state} after ${ending}`);
}

async function makePlan(world: World, client: Client, customerId: string): Promise<{ claim: Claim; id: string }> {
  const amount = world.nextAmount('plan');
  const claim: Claim = {
    amount,
    what: `a plan of ${amount}, due at its activation`,
    succeeded: [0, 0],
    attempts: [0, 0],
  };
  world.claims.push(() => [claim]);
  const plan = await client.post('/payment_plans', {
    body: {
      customer_id: customerId,
      name: 'live, due at once',
      frequency_type: 'weekly',
      recurring_amount_cents: amount,
      until_further_notice: true,
      currency: 'AUD',
      start_date: today(),
    },
  });
  return { claim, id: textIn(plan, 'id') };
}

async function untilHolds(
  client: Client,
  path: string,
  holds: (body: Record<string, unknown>) => boolean,
): Promise<void> {
  while (!holds(await client.get(path))) await pause(lookAgainMs);
}

function today(): string {
  return realNow().toISOString().slice(0, 10);
}
