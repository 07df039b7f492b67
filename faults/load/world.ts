import { setTimeout as pause } from 'node:timers/promises';
import { PaymentsClient } from '@payments-service/client';
import { realNow } from '../../src/platform/real-time.ts';
import { createKey } from '../../src/services/accounts/api-keys.ts';
import { createBiller } from '../../src/services/accounts/billers.ts';
import type { Cluster } from '../cluster.ts';
import type { Chance } from '../random.ts';
import type { Endpoint, Receiver } from '../receiver.ts';
import { type Client, openClient, textIn } from './client.ts';
import { type Journal, newJournal } from './journal.ts';

/**
 * What may be found in the processor's ledger under an amount. Every payment that is asked for, or plan, has an amount that
 * nobody else has, so that the ledger can be read without our own tables.
 */
export interface Claim {
  amount: number;
  /** Whose it is. */
  what: string;
  /** How many different keys may have succeeded under it, and how many there may be in all: from, to. */
  succeeded: readonly [number, number];
  attempts: readonly [number, number];
  /** No attempt may have been opened after this instant (epoch ms): somebody was told so. */
  notAfter?: number;
  /** Its objects were deleted with their clock: our tables know of it no more. */
  isGone?: boolean;
}

/** An account with its receivers. */
export interface Account {
  name: string;
  livemode: boolean;
  billerId: string;
  apiKey: string;
  client: Client;
  endpoints: (Endpoint & { id: string })[];
}

/** Everything that those who make load share. */
export interface World {
  readonly cluster: Cluster;
  readonly chance: Chance;
  readonly journal: Journal;
  readonly accounts: Record<'shop' | 'monthly' | 'weekly' | 'bystander' | 'live', Account>;
  /** Load ends after what is under way when this is true. */
  readonly isStopping: boolean;
  /** What clients were answered and did not expect, and what differed from the rules. */
  readonly surprises: { promise: string; what: string }[];
  /** Ids that were deleted, with a clock. */
  readonly deleted: Set<string>;
  readonly claims: (() => Claim[])[];
  nextAmount(kind: 'payment' | 'plan'): number;
  /** The typed client, sent to whichever process answers, without end. */
  reader(account: Account): PaymentsClient;
  /** More is waiting to be delivered than is good: whoever makes load rests. */
  readonly hasBacklog: boolean;
  stop(): void;
  /** Those who still wait for an answer give up. */
  giveUp(): void;
}

/** Somebody who makes load: runs until the world is stopping, and then ends what is under way. */
export type Actor = (world: World) => Promise<void>;

/** Who makes the accounts, for the audit log. */
const by = { kind: 'service', id: 'fault run' } as const;
/** Deliveries that are due and not made. */
const mostWaiting = 150;
const backlogRestMs = 250;
const typedTimeoutMs = 6_000;
const typedRetries = 500;

export async function makeWorld(cluster: Cluster, receiver: Receiver, chance: Chance): Promise<World> {
  const journal = newJournal();
  const ending = new AbortController();
  let isStopping = false;
  let hasBacklog = false;
  const amounts = { payment: 300, plan: 1_000_000 };
  const urls = cluster.apis.map(({ url }) => url);
  const routes = chance.fork('routes');

  async function openAccount(
    name: string,
    kinds: ('steady' | 'moody')[],
    { billerId: ofBiller, livemode = false }: { billerId?: string; livemode?: boolean } = {},
  ): Promise<Account> {
    const now = realNow();
    const billerId = ofBiller ?? (await createBiller(cluster.sql, { name, by, now })).id;
    const { key: apiKey } = await createKey(cluster.sql, { billerId, livemode, kind: 'secret', by, now });
    const client = openClient(urls, apiKey, { journal, chance: chance.fork(name), signal: ending.signal });
    const endpoints: Account['endpoints'] = [];
    for (const kind of kinds) {
      const endpoint = receiver.endpoint(`${name}-${kind}`, kind);
      const made = await client.post('/webhook_endpoints', { body: { url: endpoint.url } });
      endpoint.trust(textIn(made, 'secret'));
      endpoints.push({ ...endpoint, id: textIn(made, 'id') });
    }
    return { name, livemode, billerId, apiKey, client, endpoints };
  }

  const [shop, monthly, weekly, bystander] = await Promise.all([
    openAccount('shop', ['steady', 'moody']),
    openAccount('monthly', ['steady', 'moody']),
    openAccount('weekly', ['steady']),
    openAccount('bystander', []),
  ]);
  // The other mode of a biller who is busy in the sandbox.
  const live = await openAccount('live', [], { billerId: shop.billerId, livemode: true });
  const world: World = {
    cluster,
    chance,
    journal,
    accounts: { shop, monthly, weekly, bystander, live },
    surprises: [],
    deleted: new Set(),
    claims: [],
    get isStopping() {
      return isStopping;
    },
    get hasBacklog() {
      return hasBacklog;
    },
    nextAmount: (kind) => amounts[kind]++,
    reader: ({ apiKey }) =>
      new PaymentsClient({
        apiKey,
        baseUrl: urls[0] ?? '',
        maxRetries: typedRetries,
        timeoutMs: typedTimeoutMs,
        fetch: async (input, init) => {
          const { pathname, search } = new URL(String(input));
          return fetch(new URL(pathname + search, routes.pick(urls)), init);
        },
      }),
    stop() {
      isStopping = true;
    },
    giveUp() {
      ending.abort();
    },
  };
  void watchBacklog(world, (has) => {
    hasBacklog = has;
  });
  return world;
}

/** Does the work again and again until the world is stopping; what goes wrong is written down, and the next time begun. */
export async function keepDoing(world: World, name: string, restMs: number, work: () => Promise<void>): Promise<void> {
  const rest = world.chance.fork(`${name} rests`);
  while (!world.isStopping) {
    try {
      await work();
    } catch (error) {
      world.surprises.push({
        promise: 'load',
        what: `${name}: ${error instanceof Error ? error.message : String(error)}`,
      });
    }
    await pause(rest.between(0, 2 * restMs));
    while (world.hasBacklog && !world.isStopping) await pause(backlogRestMs);
  }
}

/** Looks how much is waiting to be delivered, so that a slow machine is not given more than it can take. */
async function watchBacklog(world: World, note: (hasBacklog: boolean) => void): Promise<void> {
  while (!world.isStopping) {
    const count = await world.cluster.sql<{ count: number }[]>`
      select count(*)::integer as count from webhook_deliveries
      where status = 'pending' and coalesce(next_attempt_at, now()) <= now()`.then(
      ([row]) => row?.count ?? 0,
      () => null,
    );
    if (count !== null) note(count > mostWaiting);
    await pause(1_000);
  }
}

/** Looks until it holds; false when the world is to be given up before. */
export async function until(holds: () => Promise<boolean>, giveUpAt: number, everyMs = 150): Promise<boolean> {
  while (!(await holds())) {
    if (performance.now() > giveUpAt) return false;
    await pause(everyMs);
  }
  return true;
}

/** Saves a card of this fixture; answers the id. */
export async function saveCard(
  client: Client,
  customerId: string,
  card: 'good' | 'declining' = 'good',
): Promise<string> {
  const token = card === 'good' ? 'tok_sandbox_visa_succeed' : 'tok_sandbox_visa_decline_insufficient_funds';
  const made = await client.post('/payment_methods', {
    body: {
      type: 'card',
      customer_reference: customerId,
      payment_method_data: {
        expiry_month: 12,
        expiry_year: 2040,
        token_metadata: { type: 'fixture', token, data: '' },
      },
    },
  });
  const method = made.payment_method;
  if (typeof method !== 'object' || method === null || !('id' in method)) throw new Error('no payment method was made');
  return String(method.id);
}
