import { createServer, type Server, type ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type Koa from 'koa';
import { refusalOf, refuseParseError, tooManyHeaders } from './http-parse-errors.ts';

export interface Limits {
  /** A client that takes longer to send its headers, or its whole request, is cut off. */
  headersTimeoutMs: number;
  requestTimeoutMs: number;
  /** How often that is looked at. */
  checkMs: number;
  /** Nothing sent and nothing taken for this long, such as by a client that does not read its answer. */
  silenceMs: number;
  keepAliveMs: number;
  /** Of the request line with its URL and the headers together, as Node counts. */
  headerBytes: number;
  headerCount: number;
  /** One more is closed unanswered: a balancer then tries another process. */
  connections: number;
}

/** Together they bound what strangers can make the process hold: connections times a body of 256 KiB, for 30 s. */
export const defaultLimits: Limits = {
  headersTimeoutMs: 15_000,
  requestTimeoutMs: 30_000,
  checkMs: 5_000,
  silenceMs: 120_000, // longer than a client may prefer to wait
  keepAliveMs: 65_000, // longer than the 60 s after which common load balancers give up: they are to be the first
  headerBytes: 16 * 1024,
  headerCount: 100,
  connections: 2_000,
};

/** Below the 14 s after which a closing process is ended. */
const drainTimeoutMs = 10_000;

export interface RunningServer {
  readonly server: Server;
  readonly port: number;
  /**
   * From now on each answer closes its connection, so that a client comes back on a new one, by way of a balancer that may
   * know better; new ones are still taken.
   */
  drain(): void;
  /**
   * Takes no new connection, answers the requests at work, and closes each connection after its last answer; what is
   * still open after 10 s is cut off. Resolves when no connection is left.
   */
  close(): Promise<void>;
}

/** Serves the app; port 0 is any free one. Rejects with the error of `listen`, such as EADDRINUSE. */
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
  // One more than are let in: Node drops what is beyond without a word.
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
    const refusal = refusalOf(error, limits.headerBytes);
    const atWork = [...((socket instanceof Socket && connections.get(socket)) || [])];
    // An answer that is already on its way is not to be spoilt.
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

/** Closes the connection after this answer, and tells the client so where that is still possible. */
function endAfter(response: ServerResponse): void {
  if (response.headersSent) response.once('finish', () => response.req.socket.end());
  else response.setHeader('Connection', 'close');
}

/** The id under which a request is known already, whose body is still on its way. */
function idOf(response: ServerResponse | undefined): string | undefined {
  const id = response?.getHeader('Request-Id');
  return typeof id === 'string' ? id : undefined;
}
