import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { after, afterEach, before, beforeEach } from 'mocha';
import { eventually } from '../../lab/eventually.ts';
import { type LoopbackServer, type Received, serveOnLoopback } from '../../lab/loopback-server.ts';
import { tenantOf } from '../../src/db/tenant.ts';
import { type Id, newId } from '../../src/domain/ids.ts';
import { addMs } from '../../src/domain/instants.ts';
import { batchIdOf } from '../../src/messages/workflow-types.ts';
import type { Db, Pool } from '../../src/platform/postgres/connection.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { eventCatalogue } from '../../src/resources/event-catalogue.ts';
import { allScopes } from '../../src/services/accounts/scopes.ts';
import { createVault } from '../../src/services/accounts/vault.ts';
import { type NewEvent, record, transact } from '../../src/services/events.ts';
import type { RequestContext } from '../../src/services/request-context.ts';
import { attemptDelivery, type DeliveryDeps } from '../../src/services/webhooks/attempt.ts';
import { getWebhookDelivery } from '../../src/services/webhooks/deliveries.ts';
import { createWebhookEndpoint, type WebhookDeps } from '../../src/services/webhooks/endpoints.ts';
import { createWebhookSender, type WebhookSender } from '../../src/services/webhooks/sender.ts';
import type { TestDatabase } from './database.ts';
import { makeBiller } from './factories.ts';
import type { Merchant } from './merchant.ts';

type Answer = (request: IncomingMessage, response: ServerResponse, nth: number) => void;

/** A webhook receiver on loopback for the calling `describe`. It returns 200 unless `answer` is set. */
export function useReceiver() {
  let server: LoopbackServer | undefined;
  const receiver = {
    url: '',
    received: [] as Received[],
    answer: undefined as Answer | undefined,
    get connections() {
      return server?.connections ?? 0;
    },
    reset(): void {
      receiver.received = [];
      receiver.answer = undefined;
    },
  };

  before('start the receiver', async () => {
    server = await serveOnLoopback((request, response) => {
      receiver.received.push(request);
      if (receiver.answer) receiver.answer(request.message, response, receiver.received.length);
      else response.end('ok');
    });
    receiver.url = server.url;
  });
  after('stop the receiver', () => server?.close());
  return receiver;
}

export const webhookDeps: WebhookDeps = {
  vault: createVault([{ id: 'test', key: Buffer.alloc(32, 7) }]),
  outbound: {
    allowLoopback: true,
    resolve: async () => {
      throw new Error('no names in tests');
    },
  },
};

/** The context of a request of a new biller, or of the one named, in sandbox. */
export async function makeCall(sql: Db, overrides: Partial<RequestContext> = {}): Promise<RequestContext> {
  return {
    billerId: overrides.billerId ?? (await makeBiller(sql)).id,
    livemode: false,
    requestId: newId('request'),
    keyId: newId('api_key'),
    keyKind: 'secret',
    connection: null,
    now: realNow(),
    timeZone: 'UTC',
    fees: { standard: { basisPoints: 175, fixed: 30 }, byMethod: {} },
    country: null,
    costs: {},
    tax: null,
    statementDescriptor: null,
    ...overrides,
  };
}

/** Lets the first attempts at these endpoints be made by batches, as after a prompt response. */
export async function makePrompt(sql: Db, ...endpointIds: string[]): Promise<void> {
  await sql`update webhook_endpoints set responds_promptly = true where id = any(${endpointIds})`;
}

/** An enabled endpoint, with its secret. */
export async function makeEndpoint(sql: Db, call: RequestContext, url: string, event_types: string[] = ['*']) {
  const endpoint = await createWebhookEndpoint(sql, call, { url, event_types }, webhookDeps);
  return { ...endpoint, secret: endpoint.secret ?? '' };
}

/**
 * What the tests of deliveries share: a sender with a short timeout, a biller of its own and an instant for each test.
 */
export function useDeliveries(db: TestDatabase, receiver: ReturnType<typeof useReceiver>) {
  let sender: WebhookSender;
  before('open the sender', () => {
    sender = createWebhookSender({ policy: webhookDeps.outbound, timeoutMs: 300 });
  });
  after('close the sender', () => sender.close());
  beforeEach('begin afresh', async () => {
    receiver.reset();
    harness.now = realNow();
    harness.call = await makeCall(db.sql, { now: harness.now });
  });
  afterEach('every pending delivery is in the outbox', async () => {
    const missing = await db.sql`
      select id from webhook_deliveries d
      where d.status = 'pending' and not exists (select 1 from workflow_intents i where i.subject_id = d.id and i.start)`;
    assert.deepEqual([...missing], []);
  });

  const harness = {
    now: realNow(),
    call: undefined as unknown as RequestContext,
    get deps(): DeliveryDeps {
      return { vault: webhookDeps.vault, sender, now: () => harness.now, random: () => 0.5 };
    },
    /** Lets the real time of the deliveries pass. */
    pass(ms: number): void {
      harness.now = addMs(harness.now, ms);
    },
    /** An endpoint at the receiver, and an event on its way to it. */
    async made(path = '/hook') {
      const endpoint = await makeEndpoint(db.sql, harness.call, receiver.url + path);
      const eventId = await makeEvent(db.sql, harness.call, { data: { amount: 5000 } });
      return { endpoint, eventId, id: await deliveryOf(db.sql, eventId, endpoint.id) };
    },
    attempt: (id: string, after: number | null = null) => attemptDelivery(db.sql, harness.deps, id, after),
    read: (id: string) => getWebhookDelivery(db.sql, harness.call, id, allScopes),
    fail: (_request: IncomingMessage, response: ServerResponse): void => {
      response.writeHead(500).end();
    },
  };
  return harness;
}

/** Records one event about nothing in particular; returns its id. */
export async function makeEvent(
  sql: Db,
  call: RequestContext,
  {
    type = 'payment_plan.activated',
    data = eventCatalogue[type].example as Record<string, unknown>,
    customerId = null,
    testClockId = null,
    at = call.now,
  } = {} as Partial<NewEvent>,
): Promise<string> {
  const { billerId, livemode } = call;
  const event = { billerId, livemode, type, subjectId: newId('payment_plan'), customerId, testClockId, at, data };
  const [id] = await transact(sql, call, async (tx) => record(tx, event));
  if (id === undefined) throw new Error('no event was recorded');
  return id;
}

/** The delivery of an event to an endpoint. */
export async function deliveryOf(sql: Db, eventId: string, endpointId: string): Promise<string> {
  const [row] = await sql<{ id: string }[]>`
    select id from webhook_deliveries where event_id = ${eventId} and endpoint_id = ${endpointId}`;
  if (row === undefined) throw new Error('there is no such delivery');
  return row.id;
}

/**
 * Commits so many events of an endpoint's biller at once. Their data say which they are, from 0. Returns the ids of the
 * deliveries to the endpoint, in the order of the events.
 */
export async function commitEvents(
  sql: Pool,
  endpointId: string,
  count: number,
  testClockId: Id<'test_clock'> | null = null,
): Promise<string[]> {
  const [row] = await sql<[{ biller_id: Id<'biller'>; livemode: boolean }]>`
    select biller_id, livemode from webhook_endpoints where id = ${endpointId}`;
  const now = realNow();
  const about = { ...tenantOf(row), customerId: null, testClockId, at: now };
  const events = Array.from({ length: count }, (_, nth) => ({
    ...about,
    type: 'payment_plan.activated' as const,
    subjectId: newId('payment_plan'),
    data: { nth },
  }));
  const eventIds = await transact(sql, { requestId: null, now }, async (tx) => record(tx, ...events));
  const rows = await sql<{ id: string }[]>`
    select d.id from webhook_deliveries d join events e on e.id = d.event_id
    where d.event_id = any(${eventIds}) and d.endpoint_id = ${endpointId} order by e.sequence`;
  return rows.map(({ id }) => id);
}

/** The workflow id of the batches that an endpoint's deliveries are in. */
export async function batchIdAt(sql: Db, endpointId: string): Promise<string> {
  const [row] = await sql<[{ biller_id: Id<'biller'>; livemode: boolean }]>`
    select biller_id, livemode from webhook_endpoints where id = ${endpointId}`;
  return batchIdOf(tenantOf(row));
}

/** A new endpoint of a merchant that has responded promptly to a ping, so that its deliveries travel together. */
export async function promptEndpoint(merchant: Merchant, url: string): Promise<string> {
  const { id } = await merchant.endpoint(url);
  const ping = await merchant.ping(id);
  await eventually('it has responded', async () => (await merchant.delivery(ping.id)).status === 'delivered');
  return id;
}
