import assert from 'node:assert/strict';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, afterEach, before, beforeEach } from 'mocha';
import { defaultFeeSchedule } from '../../src/domain/fees.ts';
import { newId } from '../../src/domain/ids.ts';
import type { Db } from '../../src/platform/postgres/connection.ts';
import { atomically } from '../../src/platform/postgres/transaction.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { allScopes } from '../../src/services/accounts/scopes.ts';
import { createVault } from '../../src/services/accounts/vault.ts';
import { recordEvents } from '../../src/services/events.ts';
import type { RequestContext } from '../../src/services/request-context.ts';
import { attemptDelivery, type DeliveryDeps } from '../../src/services/webhooks/attempt.ts';
import { findWebhookDelivery } from '../../src/services/webhooks/deliveries.ts';
import { createWebhookEndpoint, type WebhookDeps } from '../../src/services/webhooks/endpoints.ts';
import { createWebhookSender, type WebhookSender } from '../../src/services/webhooks/sender.ts';
import type { TestDatabase } from './database.ts';
import { makeBiller } from './factories.ts';

export interface ReceivedWebhook {
  headers: IncomingHttpHeaders;
  body: string;
  path: string;
}

export type Answer = (request: IncomingMessage, response: ServerResponse, nth: number) => void;

/** A webhook receiver on loopback for the calling `describe`. It answers 200 unless `answer` is set. */
export function useReceiver() {
  let server: Server;
  const receiver = {
    url: '',
    received: [] as ReceivedWebhook[],
    connections: 0,
    answer: undefined as Answer | undefined,
    reset(): void {
      receiver.received = [];
      receiver.answer = undefined;
    },
  };

  before('start the receiver', async () => {
    server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      receiver.received.push({ headers: request.headers, body, path: request.url ?? '' });
      if (receiver.answer) receiver.answer(request, response, receiver.received.length);
      else response.end('ok');
    });
    server.on('connection', () => {
      receiver.connections += 1;
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after('stop the receiver', async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });
  return receiver;
}

export const webhookDeps: WebhookDeps = {
  scopes: allScopes,
  vault: createVault([{ id: 'test', key: Buffer.alloc(32, 7) }]),
  outbound: {
    allowLoopback: true,
    resolve: async () => {
      throw new Error('no names in tests');
    },
  },
};

/** A call of a new biller, or of the one named, in sandbox. */
export async function makeCall(sql: Db, overrides: Partial<RequestContext> = {}): Promise<RequestContext> {
  return {
    billerId: overrides.billerId ?? (await makeBiller(sql)).id,
    livemode: false,
    requestId: newId('request'),
    keyId: newId('api_key'),
    keyKind: 'secret',
    now: realNow(),
    timeZone: 'UTC',
    feeSchedule: defaultFeeSchedule,
    statementDescriptor: null,
    ...overrides,
  };
}

/** An enabled endpoint, with its secret. */
export async function makeEndpoint(sql: Db, call: RequestContext, url: string, event_types: string[] = ['*']) {
  const endpoint = await createWebhookEndpoint(sql, call, { url, event_types }, webhookDeps);
  return { ...endpoint, secret: endpoint.secret ?? '' };
}

/** What the tests of deliveries share: a sender with a short timeout, a biller of its own and an instant for each test. */
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
  afterEach('every delivery was told to Temporal at least once', async () => {
    const untold = await db.sql`
      select id from webhook_deliveries d
      where not exists (select 1 from workflow_intents i where i.subject_id = d.id and i.start)`;
    assert.deepEqual([...untold], []);
  });

  const harness = {
    now: realNow(),
    call: undefined as unknown as RequestContext,
    get deps(): DeliveryDeps {
      return { vault: webhookDeps.vault, sender, now: () => harness.now, random: () => 0.5 };
    },
    /** Lets real time pass, as far as the deliveries are told. */
    pass(milliseconds: number): void {
      harness.now = new Date(harness.now.getTime() + milliseconds);
    },
    /** An endpoint at the receiver, and an event on its way to it. */
    async made(path = '/hook') {
      const endpoint = await makeEndpoint(db.sql, harness.call, receiver.url + path);
      const eventId = await makeEvent(db.sql, harness.call, { data: { amount: 5000 } });
      return { endpoint, eventId, id: await deliveryOf(db.sql, eventId, endpoint.id) };
    },
    attempt: (id: string, after: number | null = null) => attemptDelivery(db.sql, harness.deps, id, after),
    read: (id: string) => findWebhookDelivery(db.sql, harness.call, id, allScopes),
    fail: (_request: IncomingMessage, response: ServerResponse): void => {
      response.writeHead(500).end();
    },
  };
  return harness;
}

/** Records one event about nothing in particular; answers its id. */
export async function makeEvent(
  sql: Db,
  call: RequestContext,
  { type = 'payment_plan.activated', data = {}, customerId = null, testClockId = null, at = call.now } = {} as Partial<
    Parameters<typeof recordEvents>[2][number]
  >,
): Promise<string> {
  const event = { type, subjectId: newId('payment_plan'), customerId, testClockId, at, data };
  const [id] = await atomically(sql, (tx) => recordEvents(tx, call, [event]));
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
