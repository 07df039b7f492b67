import { type Event, PaymentsClient } from '@payments-service/client';
import { Made, triggerEvent } from '@payments-service/client/trigger';
import { SandboxClock } from './clock.ts';
import { startReceiver, type WebhookReceiver } from './receiver.ts';
import { type Development, findService, type SandboxOptions } from './service.ts';

export { SandboxClock } from './clock.ts';
export type { WebhookReceiver } from './receiver.ts';
export type { SandboxOptions } from './service.ts';

/** What a fresh account is made with. */
export interface AccountOptions {
  /** IANA name, in which dates begin. By default UTC. */
  timeZone?: string | undefined;
  /** ISO 3166-1 alpha-2, which decides which surcharges are allowed. Not stated by default. */
  country?: string | undefined;
}

/** The keys of an account. */
export interface SandboxKeys {
  sandbox_secret: string;
  sandbox_publishable: string;
  live_secret: string;
  live_publishable: string;
}

/** A service with an account of its own. */
export interface Sandbox {
  readonly baseUrl: string;
  /** The folder of the service's data: another process joins the service if its DATA_DIR is this. */
  readonly dataDir: string;
  readonly billerId: string;
  readonly keys: SandboxKeys;
  /** A client with the account's sandbox secret key. */
  readonly payments: PaymentsClient;
  /** Creates a test clock; its time is by default now. */
  clock(options?: { at?: string | Date; name?: string }): Promise<SandboxClock>;
  /** Starts a receiver on this machine and creates an endpoint for it; by default for all events. */
  webhooks(...eventTypes: string[]): Promise<WebhookReceiver>;
  /**
   * Makes the objects that cause an event of this type. Returns the event.
   * @throws Error if it does not come within 30 seconds, or no event of this type can be triggered.
   */
  trigger(type: Event['event_type']): Promise<Event>;
  /** Deletes the account's clocks and webhook endpoints, and goes on with a fresh account: other keys, no objects. */
  reset(account?: AccountOptions): Promise<void>;
  /** Deletes the account's clocks and webhook endpoints. A service that was started here ends. */
  stop(): Promise<void>;
}

interface Account {
  biller_id: string;
  keys: SandboxKeys;
}

/**
 * Joins the payments service that runs on this machine, or starts one, and creates an account for the caller alone.
 * Call it once for each file of tests.
 * @throws Error if no service runs and it is not known where one is, or the service does not know the zone or country.
 */
export async function startSandbox(options: SandboxOptions & AccountOptions = {}): Promise<Sandbox> {
  const { development, dataDir, stop } = await findService(options);
  let account = await createAccount(development, options);
  const clientOf = ({ keys }: Account) =>
    new PaymentsClient({ baseUrl: development.base_url, apiKey: keys.sandbox_secret });
  let payments = clientOf(account);
  const receivers: WebhookReceiver[] = [];

  async function clear(): Promise<void> {
    for (const receiver of receivers.splice(0)) receiver.close();
    await deleteOwned(payments);
  }

  return {
    baseUrl: development.base_url,
    dataDir,
    get billerId() {
      return account.biller_id;
    },
    get keys() {
      return account.keys;
    },
    get payments() {
      return payments;
    },
    async clock({ at = new Date(), name } = {}) {
      const frozen_time = typeof at === 'string' ? at : at.toISOString();
      return new SandboxClock(payments, await payments.testClocks.create({ frozen_time, name }));
    },
    async webhooks(...eventTypes) {
      const receiver = await startReceiver(payments, eventTypes.length === 0 ? ['*'] : eventTypes);
      receivers.push(receiver);
      return receiver;
    },
    trigger: (type) => triggerEvent(new Made(payments), type, new AbortController().signal),
    async reset(fresh = options) {
      [account] = await Promise.all([createAccount(development, fresh), clear()]);
      payments = clientOf(account);
    },
    async stop() {
      await clear();
      await stop();
    },
  };
}

async function createAccount(
  { accounts_url, accounts_token }: Development,
  { timeZone: time_zone, country }: AccountOptions,
): Promise<Account> {
  const response = await fetch(accounts_url, {
    method: 'POST',
    headers: { Authorization: `Bearer ${accounts_token}` },
    body: JSON.stringify({ time_zone, country }),
  });
  if (response.status !== 201) {
    throw new Error(`The service has made no account: ${response.status} ${await response.text()}`);
  }
  return (await response.json()) as Account;
}

async function deleteOwned({ testClocks, webhookEndpoints }: PaymentsClient): Promise<void> {
  const deleteAll = async (all: typeof testClocks | typeof webhookEndpoints) => {
    const found: { id: string }[] = await all.list({ limit: 100 }).toArray();
    await Promise.all(found.map(({ id }) => all.delete(id)));
  };
  await Promise.all([deleteAll(testClocks), deleteAll(webhookEndpoints)]);
}
