import { type LoopbackServer, serveOnLoopback } from '../lab/loopback-server.ts';

/** A receiver of webhooks on loopback, in this process, that accepts everything at once. */
export interface BenchReceiver extends LoopbackServer {
  /** When each event came first, by its id; as `performance.now()` counts. */
  arrivals: Map<string, number>;
}

export async function startBenchReceiver(): Promise<BenchReceiver> {
  const arrivals = new Map<string, number>();
  const server = await serveOnLoopback(({ headers }, response) => {
    const id = String(headers['webhook-id']);
    if (!arrivals.has(id)) arrivals.set(id, performance.now());
    response.end();
  });
  return { ...server, arrivals };
}
