import postgres from 'postgres';
import { boundWait } from './pool-acquire-timeout.ts';
import { takeSecurity } from './secure-socket.ts';
import { socketsFor } from './socket.ts';
import { type Pool, types } from './types.ts';

export type { Db, Pool } from './types.ts';

/**
 * Opens a pool of at most `max` connections; nothing is connected before the first query.
 * A statement that cannot get its answer within 30 s is ended by PostgreSQL, so that a stuck lock frees itself. Who finds
 * all connections at work waits `longestWaitMs` for one, and then fails (PoolExhausted); without it, for as long as it takes.
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

/** What the client needs to reach this database, over TLS where the URL wants that. */
export function wayTo(databaseUrl: string): { url: string; ssl: false } {
  const { url, security } = takeSecurity(databaseUrl);
  // The client knows the option `socket`, its types do not. It sees to TLS itself.
  const way: { url: string; ssl: false; socket: unknown } = { url, ssl: false, socket: socketsFor(security) };
  return way;
}
