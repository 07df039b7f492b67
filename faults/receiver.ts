import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { verifyWebhook, type WebhookEvent } from '@payments-service/client';
import { realNow } from '../src/platform/real-time.ts';
import type { Chance } from './random.ts';

/** How a receiver treats one request. */
export type Mood =
  | 'takes'
  | 'takes slowly'
  | 'hangs'
  | 'resets'
  | 'fails'
  | 'asks to wait'
  | 'redirects'
  | 'dribbles'
  | 'floods';

/** A webhook that came, whatever was made of it. */
export interface Arrival {
  endpoint: string;
  at: number;
  event: WebhookEvent;
  mood: Mood;
  /** Whether the sender was told 2xx. */
  taken: boolean;
}

export interface Endpoint {
  readonly name: string;
  readonly url: string;
  trust(secret: string): void;
}

/** A biller's receivers: each has a path of its own, verifies signatures and writes down all that comes. */
export interface Receiver {
  readonly arrivals: readonly Arrival[];
  /** What was posted and is not a rightly signed webhook. */
  readonly refused: readonly string[];
  /** An endpoint that always takes, or one that has moods. */
  endpoint(name: string, kind: 'steady' | 'moody'): Endpoint;
  /** From now on everybody takes everything, at once. */
  calmDown(): void;
  /** Answers nobody until it is opened again. */
  shut(): void;
  open(): void;
  close(): Promise<void>;
}

/** What a moody endpoint does, in hundredths. Most is refused in ways from which the second try, 5 s later, is to recover. */
const moods: readonly { mood: Mood; weight: number }[] = [
  { mood: 'takes', weight: 70 },
  { mood: 'takes slowly', weight: 8 },
  { mood: 'hangs', weight: 2 },
  { mood: 'resets', weight: 5 },
  { mood: 'fails', weight: 5 },
  { mood: 'asks to wait', weight: 4 },
  { mood: 'redirects', weight: 3 },
  { mood: 'dribbles', weight: 1 },
  { mood: 'floods', weight: 2 },
];

/** Longer than the service's own limit of 15 s. */
const hangMs = 20_000;
const floodBytes = 4 * 2 ** 20;
export const askedToWaitSeconds = 7;

export async function startReceiver(chance: Chance): Promise<Receiver> {
  const arrivals: Arrival[] = [];
  const refused: string[] = [];
  const endpoints = new Map<string, { name: string; kind: 'steady' | 'moody'; secret: Promise<string> }>();
  let isCalm = false;
  let isShut = false;

  const server = createServer((incoming, response) => {
    response.on('error', () => {});
    void receive(incoming, response).catch((error: unknown) => {
      // A connection that broke while the body was coming: nothing has arrived.
      if (!incoming.complete) return;
      refused.push(`${incoming.method} ${incoming.url}: ${error instanceof Error ? error.message : String(error)}`);
      response.writeHead(400).end();
    });
  });

  async function receive(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    if (isShut) return void incoming.socket.resetAndDestroy();
    const body = await textOf(incoming);
    const endpoint = endpoints.get(incoming.url ?? '');
    if (endpoint === undefined) throw new Error('nobody was told to come here');
    const event = verifyWebhook(body, incoming.headers, await endpoint.secret);
    if (incoming.headers['webhook-id'] !== event.id) throw new Error(`webhook-id is not ${event.id}`);
    const mood = endpoint.kind === 'steady' || isCalm ? 'takes' : chance.pickByWeight(moods).mood;
    const arrival: Arrival = { endpoint: endpoint.name, at: realNow().getTime(), event, mood, taken: false };
    arrivals.push(arrival);
    // What is told to the sender before its connection broke counts as told: it may have heard it.
    arrival.taken = await answers[mood](response);
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  return {
    arrivals,
    refused,
    endpoint(name, kind) {
      let trust = (_secret: string): void => {};
      const secret = new Promise<string>((resolve) => {
        trust = resolve;
      });
      endpoints.set(`/${name}`, { name, kind, secret });
      return { name, url: `http://127.0.0.1:${port}/${name}`, trust: (text) => trust(text) };
    },
    calmDown() {
      isCalm = true;
    },
    shut() {
      isShut = true;
      server.closeAllConnections();
    },
    open() {
      isShut = false;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Each answers whether the sender was told that it arrived. */
const answers: Record<Mood, (response: ServerResponse) => Promise<boolean>> = {
  async takes(response) {
    response.writeHead(204).end();
    return true;
  },
  async 'takes slowly'(response) {
    await pause(2_500);
    response.writeHead(200).end('{"ok":true}');
    return true;
  },
  async hangs(response) {
    await pause(hangMs);
    response.destroy();
    return false;
  },
  async resets(response) {
    response.socket?.resetAndDestroy();
    return false;
  },
  async fails(response) {
    response.writeHead(500).end('out of order');
    return false;
  },
  async 'asks to wait'(response) {
    response.writeHead(429, { 'retry-after': String(askedToWaitSeconds) }).end();
    return false;
  },
  async redirects(response) {
    response.writeHead(302, { location: '/nobody-is-to-follow' }).end();
    return false;
  },
  /** A status line and then a byte now and then: the status is the receiver's word. */
  async dribbles(response) {
    response.writeHead(200);
    for (let bytes = 0; bytes < 40 && !response.destroyed; bytes += 1) {
      response.write('.');
      await pause(500);
    }
    response.end();
    return true;
  },
  async floods(response) {
    response.writeHead(200);
    response.end(Buffer.alloc(floodBytes, 'x'));
    return true;
  },
};

async function textOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
