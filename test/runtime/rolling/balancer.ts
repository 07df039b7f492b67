import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../../../lab/eventually.ts';

const probeEveryMs = 100;

interface Backend {
  port: number;
  agent: Agent;
  isReady: boolean;
  underWay: number;
}

export interface Balancer {
  readonly url: string;
  /** Resolves when the backend is ready and takes part. */
  add(port: number): Promise<void>;
  /** Sends nothing more to the backend; resolves when all that it was sent is answered. */
  takeOut(port: number): Promise<void>;
  close(): Promise<void>;
}

/**
 * What stands before the API processes in production, no more: it asks each for `/readyz` ten times a second, hands
 * requests round among those that are ready on connections that it keeps, and tries another one when a connection is
 * refused. A request that was sent is never sent again: whatever becomes of it is the client's.
 */
export async function startBalancer(): Promise<Balancer> {
  const backends = new Map<number, Backend>();
  let turn = 0;

  const server: Server = createServer(async (incoming, response) => {
    const body: Buffer[] = [];
    for await (const chunk of incoming) body.push(chunk);
    const tried = new Set<Backend>();
    for (;;) {
      const ready = [...backends.values()].filter((backend) => backend.isReady && !tried.has(backend));
      const backend = ready[turn++ % Math.max(1, ready.length)];
      if (backend === undefined) return void response.writeHead(502).end('none is ready');
      tried.add(backend);
      if (await pass(backend, incoming, Buffer.concat(body), response)) return;
    }
  });
  server.keepAliveTimeout = 0; // its own clients it never cuts off, however long they are silent
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));

  async function probe(backend: Backend): Promise<void> {
    while (backends.get(backend.port) === backend) {
      const answer = await fetch(`http://127.0.0.1:${backend.port}/readyz`, {
        signal: AbortSignal.timeout(2_000),
      }).catch(() => null);
      backend.isReady = answer?.status === 200;
      await pause(probeEveryMs);
    }
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async add(port) {
      const backend = { port, agent: new Agent({ keepAlive: true }), isReady: false, underWay: 0 };
      backends.set(port, backend);
      void probe(backend);
      await eventually(`port ${port} is ready`, () => backend.isReady, { timeoutMs: 60_000 });
    },
    async takeOut(port) {
      const backend = backends.get(port);
      backends.delete(port);
      await eventually(`port ${port} has answered`, () => !backend?.underWay, { timeoutMs: 30_000 });
    },
    async close() {
      backends.clear();
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** Passes a request on, and its answer back; false when the connection was refused, so that nothing was sent. */
function pass(backend: Backend, incoming: IncomingMessage, body: Buffer, response: ServerResponse): Promise<boolean> {
  const { method, url, headers } = incoming;
  backend.underWay += 1;
  return new Promise<boolean>((settled) => {
    const outgoing = request(
      { host: '127.0.0.1', port: backend.port, agent: backend.agent, method, path: url, headers },
      (answer) => {
        const { connection, 'transfer-encoding': _, ...rest } = answer.headers;
        response.writeHead(answer.statusCode ?? 502, rest);
        answer.pipe(response).on('close', () => settled(true));
      },
    );
    outgoing.on('error', (error) => {
      if ('code' in error && error.code === 'ECONNREFUSED') return settled(false);
      if (!response.headersSent) response.writeHead(502);
      response.end(`${error}`);
      settled(true);
    });
    outgoing.end(body);
  }).finally(() => {
    backend.underWay -= 1;
  });
}
