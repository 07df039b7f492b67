import { createHash } from 'node:crypto';
import { findViolations } from '../src/operations/invariants/invariants.ts';
import { type AccountEvidence, allEvents, type Evidence, type Repetition, type TakenRow } from './evidence.ts';
import { Refused } from './load/client.ts';
import { type Exchange, successes } from './load/journal.ts';
import type { Account, World } from './load/world.ts';
import type { Receiver } from './receiver.ts';

const atOnce = 16;

/** Collects all that the judges see, when nothing is under way any more. */
export async function gather(
  world: World,
  receiver: Receiver,
  {
    stuck,
    histories,
    before,
    replayedFrom,
  }: Pick<Evidence, 'stuck' | 'histories' | 'replayedFrom'> & { before: string },
): Promise<Evidence> {
  const { cluster, journal, accounts } = world;
  const exchanges = [...journal.exchanges];
  const repetitions = await repeatAll(world, exchanges);
  const unreadable = await readAll(world, exchanges);
  const active = Object.values(accounts).filter(({ endpoints }) => endpoints.length > 0);
  const attempts = await cluster.sql<TakenRow[]>`
    select a.id, a.payment_intent_id, a.outcome, i.total_amount as amount
    from payment_attempts a join payment_intents i on i.id = a.payment_intent_id`;
  const refunds = await cluster.sql<TakenRow[]>`
    select id, payment_intent_id, status as outcome, amount from refunds`;
  const violations = await findViolations(cluster.sql);
  // A repetition must have changed nothing: the events and the ledger are read after them.
  const evidenceOf = async (account: Account): Promise<AccountEvidence> => ({
    name: account.name,
    events: await allEvents(world.reader(account)),
    endpoints: account.endpoints.map(({ name }) => name),
    waits: await waitsOf(world, account),
  });
  await cluster.ledger.readOn();
  return {
    ledger: cluster.ledger.all.map(({ value, seenAt }) => ({ ...value, seenAt })),
    claims: world.claims.flatMap((claim) => claim()),
    exchanges,
    repetitions,
    unreadable,
    accounts: await Promise.all(active.map(evidenceOf)),
    arrivals: [...receiver.arrivals],
    refusedWebhooks: [...receiver.refused],
    attempts: [...attempts],
    refunds: [...refunds],
    violations,
    stuck,
    histories,
    replayedFrom,
    bystander: { before, after: await checksumOfUntouched(world) },
  };
}

async function waitsOf(world: World, account: Account): Promise<AccountEvidence['waits']> {
  const waits: AccountEvidence['waits'] = [];
  for (const { id, name } of account.endpoints) {
    for await (const delivery of world.reader(account).webhookEndpoints.listDeliveries(id, { limit: 100 })) {
      for (const { at, status_code: status } of delivery.attempts) {
        if (status === 429) waits.push({ endpoint: name, eventId: delivery.event_id, at: Date.parse(at) });
      }
    }
  }
  return waits;
}

/** A checksum of what nobody touches: an account, and the live mode of a biller who is busy in the sandbox. */
export async function checksumOfUntouched(world: World): Promise<string> {
  const { bystander, live } = world.accounts;
  return `${await checksumOf(world, bystander)} ${await checksumOf(world, live)}`;
}

/** A checksum of all that an account has in its mode. */
async function checksumOf(world: World, account: Account): Promise<string> {
  const client = world.reader(account);
  const plans = await client.paymentPlans.list({ limit: 100 }).toArray();
  const all = {
    plans,
    payments: await Promise.all(plans.map(({ id }) => client.paymentPlans.listPayments(id, { limit: 100 }).toArray())),
    intents: await client.paymentIntents.list({ limit: 100 }).toArray(),
    customers: await client.customers.list({ limit: 100 }).toArray(),
    methods: await client.paymentMethods.list(),
    clocks: account.livemode ? [] : await client.testClocks.list({ limit: 100 }).toArray(),
    events: await allEvents(client),
  };
  return createHash('sha256').update(JSON.stringify(all)).digest('hex').slice(0, 16);
}

/** Sends every request with a key once more. Whatever can no longer be repeated because its objects are gone is left out. */
async function repeatAll(world: World, exchanges: readonly Exchange[]): Promise<Repetition[]> {
  const keyed = exchanges.filter((exchange) => exchange.key !== null && successes(exchange).length > 0);
  const accountOf = new Map(Object.values(world.accounts).map((account) => [account.apiKey, account]));
  return inParallel(keyed, async (exchange) => {
    const client = accountOf.get(exchange.apiKey)?.client;
    if (client === undefined || exchange.key === null) throw new Error('an exchange of nobody');
    const { status, text } = await client.repeat(exchange);
    return { exchange, status, text };
  });
}

/** Reads every object of which an answer told, by its id; those that were deleted with a clock excepted. */
async function readAll(world: World, exchanges: readonly Exchange[]): Promise<Evidence['unreadable']> {
  const known = new Map<string, { account: Account; path: string }>();
  const accountOf = new Map(Object.values(world.accounts).map((account) => [account.apiKey, account]));
  for (const exchange of exchanges) {
    if (exchange.method === 'GET') continue;
    const account = accountOf.get(exchange.apiKey);
    for (const { text } of successes(exchange)) {
      const id = idIn(JSON.parse(text));
      const path = id === null ? null : pathOf(id);
      if (id !== null && path !== null && account !== undefined && !world.deleted.has(id))
        known.set(id, { account, path });
    }
  }
  const looks = await inParallel([...known], async ([id, { account, path }]) => {
    const fault = await account.client.get(path).then(
      () => null,
      (error: unknown) => {
        if (error instanceof Refused) return error.message;
        throw error;
      },
    );
    return fault === null ? [] : [{ id, answer: fault }];
  });
  return looks.flat();
}

function idIn(body: Record<string, unknown>): string | null {
  const holder = body.payment_method ?? body;
  return typeof holder === 'object' && holder !== null && 'id' in holder ? String(holder.id) : null;
}

const paths: Record<string, string> = {
  cus: '/customers/',
  pm: '/payment_methods/',
  pi: '/payment_intents/',
  pp: '/payment_plans/',
  re: '/refunds/',
  clk: '/test_helpers/test_clocks/',
  we: '/webhook_endpoints/',
};

function pathOf(id: string): string | null {
  const path = paths[id.split('_')[0] ?? ''];
  return path === undefined ? null : path + id;
}

async function inParallel<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const queue = items.entries();
  const drain = async () => {
    for (const [index, item] of queue) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, drain));
  return results;
}
