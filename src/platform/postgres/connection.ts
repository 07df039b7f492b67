import { connect, type Socket } from 'node:net';
import postgres from 'postgres';
import { withAcquireTimeout } from './pool-acquire-timeout.ts';
import { type Tls, takeTls } from './tls.ts';
import { type Pool, types } from './types.ts';

export type { Db, Pool, Reader, Tx, Writer } from './types.ts';

/** The client's delay before it connects again, in seconds. Its own grows to 20 s while PostgreSQL is away. */
const reconnectDelay = 0.01;

/**
 * Returns a pool of at most `max` connections. It connects with the first query, not before. A connection must be there
 * within 5 s, or within the `connect_timeout` of the URL, as in libpq. PostgreSQL ends a statement after 30 s, so a
 * stuck lock frees itself. After `acquireTimeoutMs`, a caller that has no connection yet
 * fails with PoolExhausted. Without it, callers wait without limit.
 */
export function openPool(databaseUrl: string, options: { max: number; name: string; acquireTimeoutMs?: number }): Pool {
  const { url, ...connection } = connectionOptions(databaseUrl);
  const pool = postgres(url, {
    ...connection,
    max: options.max,
    types,
    onnotice: () => {},
    connect_timeout: connectTimeoutOf(databaseUrl),
    connection: {
      application_name: options.name,
      timezone: 'UTC',
      statement_timeout: 30_000,
      idle_in_transaction_session_timeout: 60_000,
    },
  });
  return options.acquireTimeoutMs === undefined ? pool : withAcquireTimeout(pool, options.acquireTimeoutMs);
}

/** How long a new connection may take, in seconds. @throws if the URL has no whole number of seconds. */
export function connectTimeoutOf(databaseUrl: string): number {
  const text = new URL(databaseUrl).searchParams.get('connect_timeout') ?? '5';
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new Error('DATABASE_URL: connect_timeout must be a number of seconds from 1');
  return Number(text);
}

/** Where the client connects to, after it has read the URL and its own environment variables. */
interface Target {
  host: string[];
  port: number[];
  path?: string | false;
}

/** Returns the client's options for reaching this database, over TLS if the URL asks for it. */
export function connectionOptions(databaseUrl: string): { url: string; ssl: Tls; backoff: () => number } {
  const { url, ssl } = takeTls(databaseUrl);
  const { hostname, port: givenPort } = new URL(url);
  // The client would cut an IPv6 address at its first colon.
  const [, ipv6] = /^\[(.*)\]$/.exec(hostname) ?? [];

  // The client's own socket would hold small statements back until the server has confirmed the one before (Nagle).
  function socket({ host: [host], port: [port], path }: Target): Socket {
    if (path) return connect(path);
    // The certificate is checked against this name or address.
    if (typeof ssl === 'object') ssl.host = host;
    // The client sends the member `host` to the server (SNI), unless it is an address.
    return Object.assign(connect({ host, port: port ?? 5432, noDelay: true }), { host });
  }

  // The client's types lack its option `socket`.
  const options: { url: string; ssl: Tls; backoff: () => number; socket: unknown } = {
    url,
    ssl,
    backoff: () => reconnectDelay,
    socket,
    ...(ipv6 === undefined ? {} : { host: [ipv6], port: [Number(givenPort || 5432)] }),
  };
  return options;
}
