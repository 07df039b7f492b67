import { setTimeout as pause } from 'node:timers/promises';
import { ApiError } from '@payments-service/client';
import { describeApiError } from '../../lab/client.ts';
import type { Mode } from '../../lab/payer.ts';
import type { Chance } from '../../lab/random.ts';
import type { ReceivingEndpoint } from '../../lab/receiver.ts';
import type { Id } from '../../src/domain/ids.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { createKey } from '../../src/services/accounts/api-keys.ts';
import { createBiller } from '../../src/services/accounts/billers.ts';
import type { Cluster } from '../cluster.ts';
import type { FaultReceiver } from '../receiver.ts';
import { type BillerClients, openClients } from './client.ts';
import { type Journal, newJournal } from './journal.ts';

/**
 * What the processor's ledger may have under an amount. Each payment, and each plan, has an amount of its own, so the
 * ledger can be read without our own tables.
 */
export interface Claim {
  amount: number;
  /** Whose it is. */
  what: string;
  /** How many different keys may have succeeded under it, and how many there may be in all: from, to. */
  succeeded: readonly [number, number];
  attempts: readonly [number, number];
  /**
   * The keys are those of bank debits, which none of them takes at once: how often the account is told that one has
   * succeeded, come back and failed.
   */
  debits?: Record<'succeeded' | 'returned' | 'failed', readonly [number, number]>;
  /** Its payer is asked by a bank: the ledger has the challenge, and its answer is only with us. */
  isChallenged?: true;
  /** No attempt may have been opened after this instant (epoch ms): a response promised it. */
  notAfter?: number;
  /** Its objects were deleted with their clock: our tables no longer have it. */
  isDeleted?: boolean;
  /** Refunds of it, by amount, which no other refund has. */
  refunds?: readonly number[];
}

/** A payment link that the load has made, and the sessions whose payers were thanked. */
export interface LinkUse {
  id: string;
  thanked: Set<string>;
}

/** An account with its receivers. */
export interface Account extends BillerClients {
  name: string;
  livemode: boolean;
  billerId: Id<'biller'>;
  apiKey: string;
  endpoints: (ReceivingEndpoint & { id: string })[];
}

export const modeOf = ({ livemode }: Account): Mode => (livemode ? 'live' : 'sandbox');

/** What all parts of the load share. */
export interface World {
  readonly cluster: Cluster;
  readonly chance: Chance;
  readonly journal: Journal;
  readonly accounts: Record<
    'shop' | 'liveShop' | 'monthly' | 'weekly' | 'debits' | 'links' | 'members' | 'bystander' | 'live',
    Account
  >;
  /** Load ends after what is under way when this is true. */
  readonly isStopping: boolean;
  /** Responses that a client did not expect, and what differed from the rules. */
  readonly surprises: { promise: string; what: string }[];
  /** Ids that were deleted, with a clock. */
  readonly deleted: Set<string>;
  readonly claims: (() => Claim[])[];
  /** The payment links that the load has made. */
  readonly links: LinkUse[];
  /** The subscriptions in real time that the load has started. */
  readonly subscriptions: { id: string; amount: number }[];
  /** Comes when requests without a response are given up. */
  readonly signal: AbortSignal;
  nextAmount(kind: 'payment' | 'plan'): number;
  /** Takes these amounts, unless one of them was taken before or is among those of `nextAmount`. */
  takeAmounts(wanted: readonly number[]): boolean;
  /** Too many deliveries wait: the load rests. */
  readonly hasBacklog: boolean;
  stop(): void;
  /** Requests without a response are given up. */
  giveUp(): void;
}

/** A part of the load: runs until the world is stopping, and then ends what is under way. */
export type Actor = (world: World) => Promise<void>;

/** For the audit log. */
const by = { kind: 'service', id: 'fault run' } as const;
/** No count of `nextAmount` comes this far. */
const lowestFreeAmount = 2_000_000;
/** Deliveries that are due and not made. */
const mostWaiting = 150;
const backlogRestMs = 250;

export async function makeWorld(cluster: Cluster, receiver: FaultReceiver, chance: Chance): Promise<World> {
  const journal = newJournal();
  const ending = new AbortController();
  let isStopping = false;
  let hasBacklog = false;
  const amounts = { payment: 300, plan: 1_000_000 };
  const taken = new Set<number>();
  const urls = cluster.apis.map(({ url }) => url);

  async function openAccount(
    name: string,
    kinds: ('steady' | 'moody' | 'flaky')[],
    { billerId: ofBiller, livemode = false }: { billerId?: Id<'biller'>; livemode?: boolean } = {},
  ): Promise<Account> {
    const now = realNow();
    const billerId = ofBiller ?? (await createBiller(cluster.sql, { name, by, now })).id;
    const { key: apiKey } = await createKey(cluster.sql, { billerId, livemode, kind: 'secret', by, now });
    const clients = openClients(urls, apiKey, { journal, chance: chance.fork(name), signal: ending.signal });
    const endpoints: Account['endpoints'] = [];
    for (const kind of kinds) {
      const endpoint = receiver.endpoint(`${name}-${kind}`);
      const { id, secret } = await clients.client.webhookEndpoints.create({ url: endpoint.url });
      endpoint.trust(secret ?? '');
      endpoints.push({ ...endpoint, id });
    }
    return { name, livemode, billerId, apiKey, endpoints, ...clients };
  }

  const [shop, liveShop, monthly, weekly, debits, links, members, bystander] = await Promise.all([
    openAccount('shop', ['steady', 'moody', 'flaky']),
    // Live webhooks go to public addresses only, so it has no receiver.
    openAccount('live shop', [], { livemode: true }),
    openAccount('monthly', ['steady', 'moody', 'flaky']),
    openAccount('weekly', ['steady']),
    openAccount('debits', ['steady']),
    openAccount('links', ['steady']),
    openAccount('members', ['steady']),
    openAccount('bystander', []),
  ]);
  // The other mode of a biller that is busy in the sandbox.
  const live = await openAccount('live', [], { billerId: shop.billerId, livemode: true });
  const world: World = {
    cluster,
    chance,
    journal,
    accounts: { shop, liveShop, monthly, weekly, debits, links, members, bystander, live },
    surprises: [],
    deleted: new Set(),
    claims: [],
    links: [],
    subscriptions: [],
    signal: ending.signal,
    get isStopping() {
      return isStopping;
    },
    get hasBacklog() {
      return hasBacklog;
    },
    nextAmount: (kind) => amounts[kind]++,
    takeAmounts(wanted) {
      const isFree = (amount: number) => amount >= lowestFreeAmount && !taken.has(amount);
      if (!wanted.every(isFree) || new Set(wanted).size < wanted.length) return false;
      for (const amount of wanted) taken.add(amount);
      return true;
    },
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

/** Repeats the work until the world is stopping; an error is recorded, and the next round begins. */
export async function keepDoing(world: World, name: string, restMs: number, work: () => Promise<void>): Promise<void> {
  const rest = world.chance.fork(`${name} rests`);
  while (!world.isStopping) {
    try {
      await work();
    } catch (error) {
      world.surprises.push({
        promise: 'load',
        what: `${name}: ${error instanceof ApiError ? describeApiError(error) : String(error)}`,
      });
    }
    await pause(rest.between(0, 2 * restMs));
    while (world.hasBacklog && !world.isStopping) await pause(backlogRestMs);
  }
}

/** Looks how many deliveries wait, so that a slow machine gets no more load than it can take. */
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
