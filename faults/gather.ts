import { createHash } from 'node:crypto';
import type { Event } from '@payments-service/client';
import { inParallel } from '../lab/parallel.ts';
import type { Mode } from '../lab/payer.ts';
import { findViolations } from '../src/operations/invariants/invariants.ts';
import type { AccountEvidence, Evidence, Repetition, TakenRow } from './evidence.ts';
import { type Exchange, successes } from './load/journal.ts';
import type { Account, World } from './load/world.ts';
import type { FaultReceiver } from './receiver.ts';

const atOnce = 16;

/** Collects all that the judges see, once nothing is under way. */
export async function gather(
  world: World,
  receiver: FaultReceiver,
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
  const active = Object.values(accounts).filter((account) => ![accounts.bystander, accounts.live].includes(account));
  const attempts = await cluster.sql<TakenRow[]>`
    select a.id, a.payment_intent_id, a.outcome, i.total_amount as amount, i.livemode
    from payment_attempts a join payment_intents i on i.id = a.payment_intent_id`;
  const refunds = await cluster.sql<TakenRow[]>`
    select id, payment_intent_id, status as outcome, amount, livemode from refunds`;
  const violations = await findViolations(cluster.sql);
  // A repetition must have changed nothing: the events and the ledger are read after them.
  const evidenceOf = async (account: Account): Promise<AccountEvidence> => ({
    name: account.name,
    events: await allEvents(account),
    endpoints: account.endpoints.map(({ name }) => name),
    waits: await waitsOf(account),
  });
  await Promise.all(Object.values(cluster.ledgers).map((lines) => lines.readOn()));
  const ledgerOf = (mode: Mode) =>
    cluster.ledgers[mode].all.map(({ value, seenAt }) => ({ ...value, livemode: mode === 'live', seenAt }));
  return {
    ledger: [...ledgerOf('sandbox'), ...ledgerOf('live')],
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
    links: await inParallel(world.links, atOnce, async ({ id, thanked }) => ({
      link: await accounts.links.client.paymentLinks.get(id),
      thanked: thanked.size,
    })),
    subscriptions: await inParallel(world.subscriptions, atOnce, async ({ id, amount }) => ({
      ...{ id, amount },
      periods: await accounts.members.client.subscriptions.listPeriods(id, { limit: 100 }).toArray(),
    })),
    replayedFrom,
    bystander: { before, after: await checksumOfUntouched(world) },
  };
}

async function waitsOf(account: Account): Promise<AccountEvidence['waits']> {
  const waits: AccountEvidence['waits'] = [];
  for (const { id, name } of account.endpoints) {
    for await (const delivery of account.client.webhookEndpoints.listDeliveries(id, { limit: 100 })) {
      for (const { at, status_code: status } of delivery.attempts) {
        if (status === 429) waits.push({ endpoint: name, eventId: delivery.event_id, at: Date.parse(at) });
      }
    }
  }
  return waits;
}

/**
 * A checksum of what the load does not touch: an account, and the live mode of a biller that is busy in the sandbox.
 */
export async function checksumOfUntouched(world: World): Promise<string> {
  const { bystander, live } = world.accounts;
  return `${await checksumOf(bystander)} ${await checksumOf(live)}`;
}

/** A checksum of all that an account has in its mode. */
async function checksumOf(account: Account): Promise<string> {
  const { client } = account;
  const plans = await client.paymentPlans.list({ limit: 100 }).toArray();
  const all = {
    plans,
    payments: await Promise.all(plans.map(({ id }) => client.paymentPlans.listPayments(id, { limit: 100 }).toArray())),
    intents: await client.paymentIntents.list({ limit: 100 }).toArray(),
    customers: await client.customers.list({ limit: 100 }).toArray(),
    methods: await client.paymentMethods.list(),
    clocks: account.livemode ? [] : await client.testClocks.list({ limit: 100 }).toArray(),
    events: await allEvents(account),
  };
  return createHash('sha256').update(JSON.stringify(all)).digest('hex').slice(0, 16);
}

/** Sends every request with a key that succeeded once more. */
async function repeatAll(world: World, exchanges: readonly Exchange[]): Promise<Repetition[]> {
  const keyed = exchanges.filter((exchange) => exchange.key !== null && successes(exchange).length > 0);
  const accountOf = new Map(Object.values(world.accounts).map((account) => [account.apiKey, account]));
  return inParallel(keyed, atOnce, async (exchange) => {
    const account = accountOf.get(exchange.apiKey);
    if (account === undefined) throw new Error('the exchange has an unknown key');
    const { status, text } = await account.send(exchange);
    return { exchange, status, text };
  });
}

/** Reads every object that a response showed, by its id; those that were deleted with a clock excepted. */
async function readAll(world: World, exchanges: readonly Exchange[]): Promise<Evidence['unreadable']> {
  const known = new Map<string, { account: Account; path: string }>();
  const accountOf = new Map(Object.values(world.accounts).map((account) => [account.apiKey, account]));
  for (const exchange of exchanges) {
    const account = accountOf.get(exchange.apiKey);
    for (const { text } of successes(exchange)) {
      const id = idIn(JSON.parse(text));
      const path = id === null ? null : pathOf(id);
      if (id !== null && path !== null && account !== undefined && !world.deleted.has(id))
        known.set(id, { account, path });
    }
  }
  const looks = await inParallel([...known], atOnce, async ([id, { account, path }]) => {
    const { status, text } = await account.send({ method: 'GET', path, body: null, key: null });
    return status < 300 ? [] : [{ id, response: `${status} ${text}` }];
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
  mdt: '/mandates/',
  lnk: '/payment_links/',
  sub: '/subscriptions/',
  clk: '/test_helpers/test_clocks/',
  we: '/webhook_endpoints/',
};

function pathOf(id: string): string | null {
  const path = paths[id.split('_')[0] ?? ''];
  return path === undefined ? null : path + id;
}

/** All pages of the events, oldest first. */
async function allEvents({ client }: Account): Promise<Event[]> {
  const events = await client.events.list({ limit: 100 }).toArray();
  return events.sort((a, b) => a.sequence - b.sequence);
}
