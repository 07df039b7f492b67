import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A receiver of webhooks on loopback, in this process, that answers 200 at once. */
export interface Receiver {
  url: string;
  /** When each event came first, by its id; as `performance.now()` counts. */
  arrivals: Map<string, number>;
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const arrivals = new Map<string, number>();
  const server = createServer((request, response) => {
    const id = String(request.headers['webhook-id']);
    if (!arrivals.has(id)) arrivals.set(id, performance.now());
    request.resume();
    response.end();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hooks`,
    arrivals,
    close: () =>
      new Promise((closed) => {
        server.closeAllConnections();
        server.close(() => closed());
      }),
  };
}
