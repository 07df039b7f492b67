import type { ServerResponse } from 'node:http';
import { verifyWebhook, type WebhookEvent } from '@payments-service/client';
import { realNow } from '../src/platform/real-time.ts';
import { serveOnLoopback } from './loopback-server.ts';

/** What a receiver does with a webhook: `respond` returns whether the sender was given a 2xx. */
export interface Behaviour<Name extends string = string> {
  name: Name;
  respond(response: ServerResponse): Promise<boolean> | boolean;
}

/** A rightly signed webhook. */
export interface Arrival<Name extends string = string> {
  /** The name of the endpoint that it was sent to. */
  endpoint: string;
  /** Real time, epoch ms. */
  at: number;
  event: WebhookEvent;
  behaviour: Name;
  /** Whether the sender was given a 2xx. */
  accepted: boolean;
}

export interface ReceivingEndpoint {
  readonly name: string;
  readonly url: string;
  /** Gives the signing secret; until then deliveries are kept waiting. */
  trust(secret: string): void;
}

/** A biller's webhook receivers on loopback: each has a path of its own, verifies signatures and records what comes. */
export interface Receiver<Name extends string = string> {
  readonly arrivals: readonly Arrival<Name>[];
  /** What was posted and is not a rightly signed webhook, each with the reason. */
  readonly refused: readonly string[];
  endpoint(name: string): ReceivingEndpoint;
  /** Resets every connection until `open` is called. */
  shut(): void;
  open(): void;
  close(): Promise<void>;
}

export const accepts: Behaviour<'accepts'> = {
  name: 'accepts',
  respond(response) {
    response.writeHead(204).end();
    return true;
  },
};

/** `choose` says what the endpoint of this name does with the next webhook. */
export async function startReceiver<Name extends string>(
  choose: (endpoint: string) => Behaviour<Name>,
): Promise<Receiver<Name>> {
  const arrivals: Arrival<Name>[] = [];
  const refused: string[] = [];
  const secrets = new Map<string, Promise<string>>();
  let isShut = false;

  const server = await serveOnLoopback(async ({ method, path, headers, body, message }, response) => {
    if (isShut) return message.socket.resetAndDestroy();
    const at = realNow().getTime();
    const endpoint = path.slice(1);
    try {
      const secret = await secrets.get(endpoint);
      if (secret === undefined) throw new Error('there is no such endpoint');
      const event = verifyWebhook(body, headers, secret);
      if (headers['webhook-id'] !== event.id) throw new Error(`webhook-id is not ${event.id}`);
      const { name, respond } = choose(endpoint);
      const arrival: Arrival<Name> = { endpoint, at, event, behaviour: name, accepted: false };
      arrivals.push(arrival);
      // A status that was sent before the connection broke counts: the sender may have read it.
      arrival.accepted = await respond(response);
    } catch (error) {
      refused.push(`${method} ${path}: ${error instanceof Error ? error.message : String(error)}`);
      response.writeHead(400).end();
    }
  });
  return {
    arrivals,
    refused,
    endpoint(name) {
      const { promise, resolve } = withResolver();
      secrets.set(name, promise);
      return { name, url: `${server.url}/${name}`, trust: resolve };
    },
    shut() {
      isShut = true;
      server.cut();
    },
    open() {
      isShut = false;
    },
    close: () => server.close(),
  };
}

function withResolver() {
  let resolve: (secret: string) => void = () => {};
  const promise = new Promise<string>((fulfil) => {
    resolve = fulfil;
  });
  return { promise, resolve };
}
