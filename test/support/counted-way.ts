import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { after, before } from 'mocha';
import type { TestDatabase } from './database.ts';

/** A connection to PostgreSQL, and what has gone over it. */
interface CountedConnection {
  roundTrips: number;
  /** Whether it is the one that holds advisory locks. */
  hasLocks: boolean;
}

/**
 * A way to the database of the calling `describe` that counts round trips: how often the client sends something after
 * the server has sent something. What is sent together counts once.
 */
export function useCountedWay(db: TestDatabase) {
  const connections = new Set<CountedConnection>();
  let server: Server | undefined;
  let held: (() => void)[] | null = null;
  let sentByHolder = 0;

  function relay(client: Socket): void {
    const { hostname, port } = new URL(db.url);
    const upstream = connect({ host: hostname, port: Number(port) });
    const connection: CountedConnection = { roundTrips: 0, hasLocks: false };
    let isAsking = false;
    connections.add(connection);
    client.on('data', (chunk: Buffer) => {
      if (chunk.includes('pg_try_advisory_lock')) connection.hasLocks = true;
      if (!isAsking) connection.roundTrips += 1;
      isAsking = true;
      const pass = () => upstream.write(chunk);
      // While a request has its lock, the next thing that this connection sends is the release.
      if (held !== null && connection.hasLocks && ++sentByHolder > 1) held.push(pass);
      else pass();
    });
    upstream.on('data', (chunk) => {
      isAsking = false;
      client.write(chunk);
    });
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  }

  before('open a counted way to the database', async () => {
    server = createServer({ noDelay: true }, relay).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after('close the counted way', () => {
    server?.close();
  });

  function total(hasLocks: boolean): number {
    const counted = [...connections].filter((connection) => connection.hasLocks === hasLocks);
    return counted.reduce((sum, { roundTrips }) => sum + roundTrips, 0);
  }
  return {
    get url(): string {
      const address = server?.address();
      if (address === null || address === undefined || typeof address === 'string') throw new Error('it is not open');
      const url = new URL(db.url);
      url.hostname = '127.0.0.1';
      url.port = String(address.port);
      return url.href;
    },
    /** The round trips so far: of statements and transactions, and of the connection with the locks of keys. */
    count: () => ({ statements: total(false), locks: total(true) }),
    /**
     * Lets the next lock be taken, and holds back what the same connection sends then: its release. Returns a function
     * that lets it pass.
     */
    holdReleases(): () => void {
      const mine: (() => void)[] = [];
      held = mine;
      sentByHolder = 0;
      return () => {
        held = null;
        for (const pass of mine) pass();
      };
    },
  };
}
