import { createServer, type Server, type ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type Koa from 'koa';
import { httpRefusalOf, refuseParseError, tooManyHeaders } from './http-parse-errors.ts';

export interface Limits {
  /** A client that takes longer to send its headers, or its whole request, is disconnected. */
  headersTimeoutMs: number;
  requestTimeoutMs: number;
  /** How often these two timeouts are checked. */
  checkMs: number;
  /** A socket that is idle for this long is closed, such as when a client does not read its response. */
  silenceMs: number;
  keepAliveMs: number;
  /** The limit on the request line (with its URL) plus the headers, as Node.js counts them. */
  headerBytes: number;
  headerCount: number;
  /** Further connections are closed without a response. A load balancer then tries another process. */
  connections: number;
}

/**
 * Together these limits bound the memory that unauthenticated clients can occupy: connections times a body of 256 KiB,
 * for 30 s.
 */
const defaultLimits: Limits = {
  headersTimeoutMs: 15_000,
  requestTimeoutMs: 30_000,
  checkMs: 5_000,
  silenceMs: 120_000, // longer than a client may prefer to wait
  keepAliveMs: 65_000, // longer than the common 60 s of load balancers: they must close first
  headerBytes: 16 * 1024,
  headerCount: 100,
  connections: 2_000,
};

/** Less than the 14 s after which a closing process is killed. */
const drainTimeoutMs = 10_000;

export interface RunningServer {
  readonly server: Server;
  readonly port: number;
  /**
   * Closes each connection after its next response, so that clients reconnect through the load balancer. New
   * connections are still accepted.
   */
  drain(): void;
  /**
   * Stops accepting connections, finishes the running requests, and closes each connection after its last response.
   * Connections still open after 10 s are cut off. Resolves when no connection is left.
   */
  close(): Promise<void>;
}

/** Serves the app. Port 0 picks any free port. Rejects with the error of `listen`, such as EADDRINUSE. */
export async function serve(
  app: { callback: Koa['callback'] },
  { port, host = '127.0.0.1', limits: changed }: { port: number; host?: string; limits?: Partial<Limits> },
): Promise<RunningServer> {
  const limits = { ...defaultLimits, ...changed };
  const server = createServer({
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: limits.checkMs,
    maxHeaderSize: limits.headerBytes,
    noDelay: true,
  });
  server.timeout = limits.silenceMs;
  server.maxConnections = limits.connections;
  // One more than the limit: Node.js silently drops headers beyond this count, so the extra one reveals the excess.
  server.maxHeadersCount = limits.headerCount + 1;
  const handle = app.callback();
  const connections = new Map<Socket, Set<ServerResponse>>();
  let draining = false;

  server.on('connection', (socket) => {
    connections.set(socket, new Set());
    socket.once('close', () => connections.delete(socket));
  });
  server.on('request', (request, response) => {
    const atWork = connections.get(request.socket);
    atWork?.add(response);
    response.once('close', () => atWork?.delete(response));
    if (draining) endAfter(response);
    if (request.rawHeaders.length <= 2 * limits.headerCount) handle(request, response);
    else refuseParseError(request.socket, tooManyHeaders(limits.headerCount));
  });
  server.on('clientError', (error, socket) => {
    const refusal = httpRefusalOf(error, limits.headerBytes);
    const atWork = [...((socket instanceof Socket && connections.get(socket)) || [])];
    // A response that has already begun must not be corrupted.
    if (refusal === null || !socket.writable || atWork.some(({ headersSent }) => headersSent)) socket.destroy();
    else refuseParseError(socket, refusal, idOf(atWork.at(-1)));
  });

  function drain(): void {
    if (draining) return;
    draining = true;
    for (const atWork of connections.values()) for (const response of atWork) endAfter(response);
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const address = server.address();

  return {
    server,
    port: typeof address === 'object' && address !== null ? address.port : port,
    drain,
    close() {
      drain();
      return new Promise((resolve, reject) => {
        const cut = setTimeout(() => server.closeAllConnections(), drainTimeoutMs);
        server.close((error) => {
          clearTimeout(cut);
          if (error) reject(error);
          else resolve();
        });
        for (const [socket, atWork] of connections) {
          if (atWork.size === 0) socket.destroy();
        }
      });
    },
  };
}

/** Closes the connection after this response, and sends `Connection: close` if the headers are not sent yet. */
function endAfter(response: ServerResponse): void {
  if (response.headersSent) response.once('finish', () => response.req.socket.end());
  else response.setHeader('Connection', 'close');
}

/** Returns the id of a request whose body is still arriving. */
function idOf(response: ServerResponse | undefined): string | undefined {
  const id = response?.getHeader('Request-Id');
  return typeof id === 'string' ? id : undefined;
}
