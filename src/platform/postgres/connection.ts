import postgres from 'postgres';
import { boundWait } from './pool-acquire-timeout.ts';
import { takeSecurity } from './secure-socket.ts';
import { socketsFor } from './socket.ts';
import { type Pool, types } from './types.ts';

export type { Db, Pool, Reader, Writer } from './types.ts';

/**
 * Returns a pool of at most `max` connections. It connects with the first query, not before. PostgreSQL ends a
 * statement after 30 s, so a stuck lock frees itself. `longestWaitMs` is the pool acquire timeout: after it, a caller
 * that has no connection yet fails with PoolExhausted. Without it, callers wait without limit.
 */
export function openPool(databaseUrl: string, options: { max: number; name: string; longestWaitMs?: number }): Pool {
  const { url, ...reached } = wayTo(databaseUrl);
  const pool = postgres(url, {
    ...reached,
    max: options.max,
    types,
    onnotice: () => {},
    connect_timeout: 5,
    connection: {
      application_name: options.name,
      timezone: 'UTC',
      statement_timeout: 30_000,
      idle_in_transaction_session_timeout: 60_000,
    },
  });
  return options.longestWaitMs === undefined ? pool : boundWait(pool, options.longestWaitMs);
}

/** Returns the client's options for reaching this database, over TLS if the URL asks for it. */
export function wayTo(databaseUrl: string): { url: string; ssl: false } {
  const { url, security } = takeSecurity(databaseUrl);
  // The client has an option `socket` that its types lack. The socket handles TLS, so the client's `ssl` is off.
  const way: { url: string; ssl: false; socket: unknown } = { url, ssl: false, socket: socketsFor(security) };
  return way;
}
