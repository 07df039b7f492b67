import { orRefusal, Refused, textIn } from './client.ts';
import { type Account, type Actor, type Claim, keepDoing, saveCard, type World } from './world.ts';

/** What becomes of a purchase: the outcomes of its attempts, and what is done beside the plain way. */
interface Errand {
  weight: number;
  outcomes: string[];
  /** `races`: two confirms with keys of their own at once; `leaves`: one try of a confirm, and never again. */
  manner?: 'races' | 'leaves' | 'refunds' | 'mistakes';
}

const errands: readonly Errand[] = [
  { weight: 40, outcomes: ['succeed'] },
  { weight: 15, outcomes: ['decline', 'succeed'] },
  { weight: 5, outcomes: ['timeout'] },
  { weight: 25, outcomes: ['succeed'], manner: 'refunds' },
  { weight: 8, outcomes: ['succeed'], manner: 'races' },
  { weight: 5, outcomes: ['succeed'], manner: 'mistakes' },
  { weight: 4, outcomes: ['succeed'], manner: 'leaves' },
];

const restMs = 120;

/** Buys single things: makes an intent, confirms it, has some of it refunded, each request under a key until it is answered. */
export function shopper(number: number): Actor {
  return async (world) => {
    const account = world.accounts.shop;
    const name = `shopper ${number}`;
    const chance = world.chance.fork(name);
    let payer: { customerId: string; methodId: string } | null = null;
    await keepDoing(world, name, restMs, async () => {
      payer ??= await makePayer(account);
      await buy(world, account, payer, chance.pickByWeight(errands), chance);
    });
  };
}

async function makePayer({ client }: Account): Promise<{ customerId: string; methodId: string }> {
  const customerId = textIn(await client.post('/customers', { body: { name: 'Ada Example' } }), 'id');
  return { customerId, methodId: await saveCard(client, customerId) };
}

async function buy(
  world: World,
  { client }: Account,
  payer: { customerId: string; methodId: string },
  { outcomes, manner }: Errand,
  chance: World['chance'],
): Promise<void> {
  const amount = world.nextAmount('payment');
  const claim: Claim = { amount, what: `a payment of ${amount}`, succeeded: [0, 0], attempts: [0, 0] };
  world.claims.push(() => [claim]);
  const twice = chance.happens(0.15);
  const intent = await client.post('/payment_intents', {
    twice,
    body: {
      amount,
      currency: 'AUD',
      customer_id: payer.customerId,
      metadata: { _sandbox_outcome: outcomes.join(',') },
    },
  });
  const id = textIn(intent, 'id');
  const confirm = { body: { payment_method: payer.methodId }, twice };
  const path = `/payment_intents/${id}/confirm`;

  if (manner === 'leaves') {
    Object.assign(claim, { succeeded: [0, 1], attempts: [0, 1] });
    const left = await client.postOnce(path, confirm);
    if (left !== null) Object.assign(claim, { succeeded: [1, 1], attempts: [1, 1] });
    return;
  }
  if (manner === 'races') {
    Object.assign(claim, { succeeded: [1, 1], attempts: [1, 1] });
    const both = await Promise.all([1, 2].map(() => client.post(path, confirm).catch(orRefusal('invalid_state'))));
    if (both.every((answer) => answer === null)) throw new Error(`both confirms of ${id} were refused`);
    return;
  }
  for (const [index, outcome] of outcomes.entries()) {
    const isLast = outcome === 'succeed';
    // As soon as the request is on its way the money may be taken, whether or not we ever hear of it.
    claim.attempts = [index, index + 1];
    claim.succeeded = [0, isLast ? 1 : 0];
    const key = crypto.randomUUID();
    const confirmed = await client.post(path, { ...confirm, key });
    claim.attempts = [index + 1, index + 1];
    claim.succeeded = isLast ? [1, 1] : [0, 0];
    const expected = isLast ? 'succeeded' : 'failed';
    if (confirmed.status !== expected) throw new Error(`${id} is ${confirmed.status}, not ${expected}`);
    if (manner === 'mistakes') await expectKeyIsTaken(client, path, key);
  }
  if (manner === 'refunds') await refund(client, id, amount, chance);
}

/** The key of one request must not do for another. */
async function expectKeyIsTaken(client: Account['client'], path: string, key: string): Promise<void> {
  const other = await client
    .post(path.replace('/confirm', '/cancel'), { misusing: key })
    .catch((error: unknown) => error);
  if (other instanceof Refused && other.code === 'idempotency_key_reused') return;
  throw new Error(`another request under the key of ${path} was answered ${JSON.stringify(other)}`);
}

/** One or two parts, or all of it; each gives back what was asked, once. */
async function refund(client: Account['client'], id: string, amount: number, chance: World['chance']): Promise<void> {
  const parts = chance.pick([[amount], [100], [100, 120]]);
  let refunded = 0;
  for (const part of parts) {
    const body = { amount: part, metadata: { _sandbox_refund_outcome: 'succeed' } };
    const made = await client.post(`/payment_intents/${id}/refunds`, { body, twice: chance.happens(0.2) });
    if (made.status !== 'succeeded' || made.amount !== part)
      throw new Error(`the refund of ${id} is ${JSON.stringify(made)}`);
    refunded += part;
  }
  const read = await client.get(`/payment_intents/${id}`);
  if (read.total_refunded_amount !== refunded) {
    throw new Error(`${id} says that ${read.total_refunded_amount} was refunded, and ${refunded} was`);
  }
}
