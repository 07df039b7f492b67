import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { verifyWebhook, type WebhookEvent } from '@payments-service/client';

/** A webhook whose signature is right. */
export interface Arrival {
  /** Real time, epoch ms. */
  at: number;
  /** The header `webhook-id`. */
  id: string;
  event: WebhookEvent;
}

export interface Receiver {
  url: string;
  arrivals: Arrival[];
  /** What was posted and is not a rightly signed webhook, each with the reason. */
  refused: string[];
  /** Gives the signing secret of the endpoint; until then deliveries are kept waiting. */
  trust(secret: string): void;
  /** Waits until so much has arrived; answers whether it did in time. */
  until(holds: () => boolean, timeoutMs: number): Promise<boolean>;
  close(): Promise<void>;
}

const lookAgainAfterMs = 5;

/**
 * A webhook receiver on loopback, as a biller would write one with the client. Whoever waits for a webhook stops waiting when
 * the signal comes.
 */
export async function startReceiver(signal: AbortSignal): Promise<Receiver> {
  const arrivals: Arrival[] = [];
  const refused: string[] = [];
  let trust: (secret: string) => void = () => {};
  const secret = new Promise<string>((resolve) => {
    trust = resolve;
  });

  const server = createServer(async (request, response) => {
    const at = Date.now();
    const body = await textOf(request);
    try {
      const event = verifyWebhook(body, request.headers, await secret);
      arrivals.push({ at, id: String(request.headers['webhook-id']), event });
      response.writeHead(204).end();
    } catch (error) {
      refused.push(`${request.method} ${request.url}: ${error instanceof Error ? error.message : String(error)}`);
      response.writeHead(400).end();
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    arrivals,
    refused,
    trust: (secret) => trust(secret),
    async until(holds, timeoutMs) {
      const giveUpAt = performance.now() + timeoutMs;
      while (!holds()) {
        signal.throwIfAborted();
        if (performance.now() > giveUpAt) return false;
        await pause(lookAgainAfterMs);
      }
      return true;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
