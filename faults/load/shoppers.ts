import { setTimeout as pause } from 'node:timers/promises';
import { ConnectionError } from '@payments-service/client';
import { refusalOf, unlessRefused } from '../../lab/client.ts';
import { makePayer, type Payer } from '../../lab/payer.ts';
import { type Account, type Actor, type Claim, keepDoing, modeOf, type World } from './world.ts';

/**
 * A purchase: the outcomes of its attempts, and what the shopper does besides the plain way. `inOneRequest`: the first
 * attempt is made by the request that creates the payment. `challenged`: the payer is sent to the bank, and comes back;
 * `cancels`: the biller cancels meanwhile. Both only in live mode.
 */
interface Errand {
  weight: number;
  outcomes: string[];
  /** `races`: two confirms with keys of their own at once; `leaves`: one try of a confirm, and never again. */
  manner?: 'inOneRequest' | 'races' | 'leaves' | 'refunds' | 'mistakes' | 'challenged' | 'cancels';
}

const errands: readonly Errand[] = [
  { weight: 25, outcomes: ['succeed'] },
  { weight: 15, outcomes: ['succeed'], manner: 'inOneRequest' },
  { weight: 5, outcomes: ['decline', 'succeed'], manner: 'inOneRequest' },
  { weight: 15, outcomes: ['decline', 'succeed'] },
  { weight: 5, outcomes: ['timeout'] },
  { weight: 25, outcomes: ['succeed'], manner: 'refunds' },
  { weight: 8, outcomes: ['succeed'], manner: 'races' },
  { weight: 5, outcomes: ['succeed'], manner: 'mistakes' },
  { weight: 4, outcomes: ['succeed'], manner: 'leaves' },
];

/**
 * What the payer does at the bank is the stand-in's to play. Challenges are most of them: nothing else in a fault run
 * reaches the crash points of theirs.
 */
const liveErrands: readonly Errand[] = [
  ...errands,
  { weight: 60, outcomes: ['passed_200'], manner: 'challenged' },
  { weight: 20, outcomes: ['failed_200'], manner: 'challenged' },
  { weight: 120, outcomes: ['left'], manner: 'cancels' },
];

const restMs = 120;
const lookAgainMs = 150;

/**
 * Buys single things: makes an intent, confirms it, has some of it refunded, each request under a key until it is
 * answered. Some intents are made and confirmed in one request.
 */
export function shopper(number: number, at: 'shop' | 'liveShop' = 'shop'): Actor {
  return async (world) => {
    const account = world.accounts[at];
    const name = `shopper ${number} of ${account.name}`;
    const chance = world.chance.fork(name);
    let payer: Payer | null = null;
    await keepDoing(world, name, restMs, async () => {
      payer ??= await makePayer(account.client, {}, modeOf(account));
      await buy(world, account, payer, chance.pickByWeight(account.livemode ? liveErrands : errands), chance);
    });
  };
}

async function buy(
  world: World,
  { client, impatient, once }: Account,
  { customerId, methodId }: Payer,
  { outcomes, manner }: Errand,
  chance: World['chance'],
): Promise<void> {
  const amount = world.nextAmount('payment');
  const claim: Claim = { amount, what: `a payment of ${amount}`, succeeded: [0, 0], attempts: [0, 0] };
  world.claims.push(() => [claim]);
  const sender = chance.happens(0.15) ? impatient : client;
  const terms = {
    amount,
    currency: 'AUD',
    customer_id: customerId,
    metadata: metadataOf(outcomes, manner),
  } as const;
  const expectStatus = (found: string, outcome: string) => {
    const expected = outcome === 'succeed' ? 'succeeded' : 'failed';
    if (found !== expected) throw new Error(`the payment of ${amount} is ${found}, not ${expected}`);
  };
  /** As soon as the request is sent the money may be taken, whether or not there is ever a response. */
  const claimAttempt = (index: number, isLast: boolean) => {
    claim.attempts = [index, index + 1];
    claim.succeeded = [0, isLast ? 1 : 0];
  };
  const claimResult = (index: number, isLast: boolean) => {
    claim.attempts = [index + 1, index + 1];
    claim.succeeded = isLast ? [1, 1] : [0, 0];
  };
  if (manner === 'inOneRequest') claimAttempt(0, outcomes[0] === 'succeed');
  const charged = manner === 'inOneRequest' ? { payment_method: methodId, confirm: true } : {};
  const { id, status } = await sender.paymentIntents.create({ ...terms, ...charged });
  const further = manner === 'inOneRequest' ? outcomes.slice(1) : outcomes;
  if (manner === 'inOneRequest') {
    expectStatus(status, String(outcomes[0]));
    claimResult(0, outcomes[0] === 'succeed');
  }
  const confirm = ({ paymentIntents } = sender, key?: string) =>
    paymentIntents.confirm(id, { payment_method: methodId }, { idempotencyKey: key });

  if (manner === 'leaves') {
    Object.assign(claim, { succeeded: [0, 1], attempts: [0, 1] });
    const left = await confirm(once).catch((error: unknown) => {
      if (!(error instanceof ConnectionError)) throw error;
    });
    if (left !== undefined) Object.assign(claim, { succeeded: [1, 1], attempts: [1, 1] });
    return;
  }
  if (manner === 'challenged' || manner === 'cancels') {
    Object.assign(claim, { succeeded: [0, manner === 'challenged' ? 1 : 0], attempts: [0, 1] });
    const { next_action: next } = await confirm(client, crypto.randomUUID());
    claim.attempts = [1, 1];
    if (manner === 'cancels') await client.paymentIntents.cancel(id, { idempotencyKey: crypto.randomUUID() });
    else await comeBack(world, client, id, next?.url, claim);
    return;
  }
  if (manner === 'races') {
    Object.assign(claim, { succeeded: [1, 1], attempts: [1, 1] });
    const both = await Promise.all([1, 2].map(() => confirm(client).catch(unlessRefused('invalid_state'))));
    if (both.every((intent) => intent === null)) throw new Error(`both confirms of ${id} were refused`);
    return;
  }
  for (const [later, outcome] of further.entries()) {
    const index = outcomes.length - further.length + later;
    const isLast = outcome === 'succeed';
    claimAttempt(index, isLast);
    const key = crypto.randomUUID();
    const confirmed = await confirm(sender, key);
    claimResult(index, isLast);
    expectStatus(confirmed.status, outcome);
    if (manner === 'mistakes') await expectKeyIsTaken(client, id, key);
  }
  if (manner === 'refunds') await refund(client, impatient, id, amount, chance);
}

function metadataOf(outcomes: readonly string[], manner: Errand['manner']): Record<string, string> {
  if (manner !== 'challenged' && manner !== 'cancels') return { _sandbox_outcome: outcomes.join(',') };
  return { _sandbox_outcome: 'requires_action', _stand_in_challenge: outcomes.join(',') };
}

/**
 * The payer comes back from the bank to our page, which asks the processor, until the payment has ended. A process
 * whose clock is an hour ahead gives the challenge up at once, so a payment whose payer has passed may have failed too.
 */
async function comeBack(
  world: World,
  { paymentIntents }: Account['client'],
  id: string,
  url: string | undefined,
  claim: Claim,
): Promise<void> {
  for (let turn = 0; !world.signal.aborted; turn += 1) {
    const { status } = await paymentIntents.get(id);
    if (status === 'succeeded' || status === 'failed') {
      claim.succeeded = status === 'succeeded' ? [1, 1] : [0, 0];
      return;
    }
    const { pages } = world.cluster;
    const page = pages[turn % pages.length];
    // A process that is down is not asked; another one is next.
    if (url !== undefined && page) await fetch(`${page.url}${new URL(url).pathname}`).catch(() => {});
    await pause(lookAgainMs);
  }
}

/** The key of one request must not work for another. */
async function expectKeyIsTaken({ paymentIntents }: Account['client'], id: string, key: string): Promise<void> {
  const refusal = await refusalOf(paymentIntents.cancel(id, { idempotencyKey: key }));
  if (refusal?.code === 'idempotency_key_reused') return;
  throw new Error(`canceling ${id} under the key of its confirm returned ${refusal?.code ?? 'success'}`);
}

/** One or two parts, or all of it; each gives back what was asked, once. */
async function refund(
  client: Account['client'],
  impatient: Account['impatient'],
  id: string,
  amount: number,
  chance: World['chance'],
): Promise<void> {
  const parts = chance.pick([[amount], [100], [100, 120]]);
  let refunded = 0;
  for (const part of parts) {
    const { refunds } = chance.happens(0.2) ? impatient : client;
    const made = await refunds.create(id, { amount: part, metadata: { _sandbox_refund_outcome: 'succeed' } });
    if (made.status !== 'succeeded' || made.amount !== part)
      throw new Error(`the refund of ${id} is ${JSON.stringify(made)}`);
    refunded += part;
  }
  const { total_refunded_amount: total } = await client.paymentIntents.get(id);
  if (total !== refunded) throw new Error(`${id} says that ${total} was refunded, and ${refunded} was`);
}
