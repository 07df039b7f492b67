import { createServer, type Server, type ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type Koa from 'koa';
import { refuseUnparsed } from './unparsed.ts';

/** A client that takes longer to send its headers, or its whole request, is cut off. */
const headersTimeoutMs = 15_000;
const requestTimeoutMs = 30_000;
/** Longer than the 60 s after which common load balancers give up an idle connection: they are to be the first. */
const keepAliveTimeoutMs = 65_000;
/** Below the 14 s after which a closing process is ended. */
const drainTimeoutMs = 10_000;

export interface RunningServer {
  readonly server: Server;
  readonly port: number;
  /**
   * Takes no new connection, answers the requests at work, and closes each connection after its last answer; what is
   * still open after 10 s is cut off. Resolves when no connection is left.
   */
  close(): Promise<void>;
}

/** Serves the app; port 0 is any free one. Rejects with the error of `listen`, such as EADDRINUSE. */
export async function serve(
  app: { callback: Koa['callback'] },
  { port, host = '127.0.0.1' }: { port: number; host?: string },
): Promise<RunningServer> {
  const server = createServer({
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    connectionsCheckingInterval: 5_000,
    noDelay: true,
  });
  const connections = new Map<Socket, Set<ServerResponse>>();
  let draining = false;

  server.on('connection', (socket) => {
    connections.set(socket, new Set());
    socket.once('close', () => connections.delete(socket));
  });
  server.on('request', (_request, response) => {
    const atWork = connections.get(response.socket ?? _request.socket);
    atWork?.add(response);
    response.once('close', () => atWork?.delete(response));
    if (draining) endAfter(response);
  });
  server.on('request', app.callback());
  server.on('clientError', (error, socket) => {
    const atWork = (socket instanceof Socket && connections.get(socket)) || [];
    refuseUnparsed(
      error,
      socket,
      [...atWork].some((response) => response.headersSent),
    );
  });

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
    close() {
      draining = true;
      return new Promise((resolve, reject) => {
        const cut = setTimeout(() => server.closeAllConnections(), drainTimeoutMs);
        server.close((error) => {
          clearTimeout(cut);
          if (error) reject(error);
          else resolve();
        });
        for (const [socket, atWork] of connections) {
          if (atWork.size === 0) socket.destroy();
          for (const response of atWork) endAfter(response);
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
