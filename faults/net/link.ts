import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** Reads all that a client sends on one connection, and returns for each chunk whether it ends a transaction. */
export type CommitReader = (chunk: Buffer) => boolean;

type Direction = 'requests' | 'replies';

/** The way from a program to a server, by a port of its own: what happens on it affects no other. */
export interface Link {
  readonly name: string;
  readonly port: number;
  readonly connections: number;
  /** Lets everything pass again; connections that have lost bytes are reset. */
  heal(): void;
  /** Resets all connections. */
  cut(): void;
  /** Resets all connections, and new ones as soon as they are made. */
  refuse(): void;
  /** Lets no byte through; none is lost. */
  stall(): void;
  /** Lets every byte through so much later. */
  delay(ms: number): void;
  /** Lets the client's bytes through and drops the server's. */
  swallowReplies(): void;
  /** Ends the way to the server; it may still reply. */
  halfClose(): void;
  /** Lets the next commit through, drops its reply and resets its connection. Returns whether one came in time. */
  swallowNextCommit(timeoutMs: number): Promise<boolean>;
  /**
   * Lets so many bytes through from now on, and resets the connection at the next. Returns whether they came in time.
   */
  cutAfter(bytes: number, direction: Direction, timeoutMs: number): Promise<boolean>;
  close(): Promise<void>;
}

type Mode = { kind: 'pass' | 'refuse' | 'stall' | 'swallow' } | { kind: 'delay'; ms: number };

interface Connection {
  client: Socket;
  server: Socket;
  readCommits: CommitReader;
  /** What the mode holds back, in order. */
  waiting: (() => void)[];
  /** Performance time before which nothing later may be passed on. */
  notBefore: Record<Direction, number>;
  /** Bytes of the server were dropped: what follows them would make no sense. */
  hasHole: boolean;
}

interface Passage {
  connection: Connection;
  direction: Direction;
  chunk: Buffer;
  commits: boolean;
}

/** Looks at what passes; true if it has handled the bytes. */
type Trap = (passage: Passage) => boolean;

/** How long a server gets to carry out the commit whose reply is dropped. */
const commitMs = 200;

/** Opens a link to a port of this machine. `makeReader` gives a reader for each connection, where there are commits. */
export async function openLink(
  name: string,
  targetPort: number,
  makeReader: () => CommitReader = () => () => false,
): Promise<Link> {
  const open = new Set<Connection>();
  let mode: Mode = { kind: 'pass' };
  let trap: Trap | null = null;

  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    if (mode.kind === 'refuse') {
      client.on('error', () => {});
      client.resetAndDestroy();
      return;
    }
    const connection: Connection = {
      client,
      server: connect({ port: targetPort, host: '127.0.0.1', allowHalfOpen: true, noDelay: true }),
      readCommits: makeReader(),
      waiting: [],
      notBefore: { requests: 0, replies: 0 },
      hasHole: false,
    };
    open.add(connection);
    pipe(connection, 'requests');
    pipe(connection, 'replies');
  });

  function pipe(connection: Connection, direction: Direction): void {
    const { from, to } = endsOf(connection, direction);
    from.on('data', (chunk: Buffer) => {
      const commits = direction === 'requests' && connection.readCommits(chunk);
      if (trap?.({ connection, direction, chunk, commits })) return;
      if (direction === 'replies' && (connection.hasHole || mode.kind === 'swallow')) connection.hasHole = true;
      else later(connection, direction, () => write(connection, direction, chunk));
    });
    from.on('end', () => later(connection, direction, () => to.end()));
    from.on('error', () => reset(connection));
    from.on('close', () => {
      if (connection.client.destroyed && connection.server.destroyed) open.delete(connection);
      // A side that ends without its last byte ends the other too.
      else if (!from.readableEnded) reset(connection);
    });
  }

  function write(connection: Connection, direction: Direction, chunk: Buffer): void {
    const { from, to } = endsOf(connection, direction);
    if (to.destroyed || to.write(chunk)) return;
    from.pause();
    to.once('drain', () => from.resume());
  }

  /** Now, or when the mode lets it; never before what came earlier in this direction. */
  function later(connection: Connection, direction: Direction, act: () => void): void {
    if (mode.kind === 'stall' || connection.waiting.length > 0) {
      connection.waiting.push(act);
      return;
    }
    const now = performance.now();
    const at = Math.max(connection.notBefore[direction], now + (mode.kind === 'delay' ? mode.ms : 0));
    connection.notBefore[direction] = at;
    if (at <= now) act();
    else setTimeout(act, at - now);
  }

  function reset(connection: Connection): void {
    open.delete(connection);
    connection.waiting = [];
    for (const socket of [connection.client, connection.server]) if (!socket.destroyed) socket.resetAndDestroy();
  }

  function cut(): void {
    for (const connection of [...open]) reset(connection);
  }

  /** Sets a trap; returns whether it was sprung in time. */
  async function setTrap(timeoutMs: number, make: (sprung: () => void) => Trap): Promise<boolean> {
    const over = new AbortController();
    let wasSprung = false;
    const mine = make(() => {
      wasSprung = true;
      over.abort();
    });
    trap = mine;
    await pause(timeoutMs, undefined, { signal: over.signal }).catch(() => {});
    if (trap === mine) trap = null;
    return wasSprung;
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    name,
    port: portOf(server),
    get connections() {
      return open.size;
    },
    heal() {
      mode = { kind: 'pass' };
      for (const connection of [...open]) {
        if (connection.hasHole) reset(connection);
        for (const act of connection.waiting.splice(0)) act();
      }
    },
    cut,
    refuse() {
      mode = { kind: 'refuse' };
      cut();
    },
    stall() {
      mode = { kind: 'stall' };
    },
    delay(ms) {
      mode = { kind: 'delay', ms };
    },
    swallowReplies() {
      mode = { kind: 'swallow' };
    },
    halfClose() {
      for (const connection of open) connection.server.end();
    },
    swallowNextCommit: (timeoutMs) =>
      setTrap(timeoutMs, (sprung) => ({ connection, commits }) => {
        if (!commits) return false;
        // The commit itself goes on; from here on the server's words are lost.
        connection.hasHole = true;
        setTimeout(() => reset(connection), commitMs);
        sprung();
        return false;
      }),
    cutAfter(bytes, direction, timeoutMs) {
      let left = bytes;
      return setTrap(timeoutMs, (sprung) => ({ connection, direction: way, chunk }) => {
        if (way !== direction) return false;
        left -= chunk.length;
        if (left >= 0) return false;
        const { to } = endsOf(connection, direction);
        to.write(chunk.subarray(0, chunk.length + left), () => reset(connection));
        sprung();
        return true;
      });
    },
    async close() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function endsOf({ client, server }: Connection, direction: Direction): { from: Socket; to: Socket } {
  return direction === 'requests' ? { from: client, to: server } : { from: server, to: client };
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the link has no port');
  return address.port;
}
