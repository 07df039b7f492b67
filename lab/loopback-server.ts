import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';

/** A request whose body is there. */
export interface Received {
  method: string;
  /** With its query. */
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** The request itself, for its socket. */
  message: IncomingMessage;
}

export interface LoopbackServer {
  /** Without a slash at its end. */
  readonly url: string;
  /** How many connections were made so far. */
  readonly connections: number;
  /** Cuts all connections. */
  cut(): void;
  /** Cuts all connections and listens no more. */
  close(): Promise<void>;
}

/**
 * Starts an HTTP server on loopback, on a free port if none is given. A request that breaks off, or whose handling
 * fails, is cut.
 */
export async function serveOnLoopback(
  handle: (received: Received, response: ServerResponse) => Promise<unknown> | unknown,
  { port = 0 } = {},
): Promise<LoopbackServer> {
  let connections = 0;
  const server = createServer((message, response) => {
    const { method = '', url: path = '', headers } = message;
    response.on('error', () => {});
    textOf(message)
      .then((body) => handle({ method, path, headers, body, message }, response))
      .catch(() => message.socket.destroy());
  });
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    get connections() {
      return connections;
    },
    cut: () => server.closeAllConnections(),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function textOf(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
