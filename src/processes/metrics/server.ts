import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Registry } from 'prom-client';
import { isLoopbackAddress, isLoopbackHost } from '../../api/middleware/this-machine.ts';
import { ConfigError } from '../config/config.ts';

/** Prometheus sends one request after the other. A connection that takes longer is cut off. */
const requestTimeoutMs = 10_000;

/** Metrics of another source in the same process, as text, appended to ours. Must not throw. */
export type MoreMetrics = () => Promise<string>;

/**
 * Serves `GET /metrics` with the metrics of a registry, in the text format of Prometheus. There is no key, so it
 * listens only on `host`; on loopback it refuses requests for other hosts.
 * @throws a ConfigError that names the port, when the port is taken.
 */
export async function serveMetrics(
  registry: Registry,
  { port, host, more = async () => '' }: { port: number; host: string; more?: MoreMetrics },
): Promise<{ port: number; close(): Promise<void> }> {
  const forThisMachine = isLoopbackAddress(host) || host === 'localhost';
  const server = createServer(
    { requestTimeout: requestTimeoutMs, headersTimeout: requestTimeoutMs },
    (request, response) => {
      if (forThisMachine && !isLoopbackHost(request.headers.host)) {
        return void response.writeHead(421).end('These metrics are for this machine alone (METRICS_HOST)\n');
      }
      const [path] = (request.url ?? '').split('?');
      if (path !== '/metrics') return void response.writeHead(404).end('See /metrics\n');
      if (request.method !== 'GET') return void response.writeHead(405, { Allow: 'GET' }).end();
      Promise.all([registry.metrics(), more()]).then(
        ([ours, theirs]) => response.writeHead(200, { 'Content-Type': registry.contentType }).end(`${ours}\n${theirs}`),
        (error: unknown) => response.writeHead(500).end(String(error)),
      );
    },
  );
  server.listen(port, host);
  await once(server, 'listening').catch((cause: unknown) => {
    throw new ConfigError([`The metrics cannot be served at ${host}:${port} (METRICS_HOST, METRICS_PORT): ${cause}`]);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
