import postgres from 'postgres';
import { connectSocket } from './socket.ts';

/** Values that PostgreSQL and JavaScript would read differently if nobody said how. */
const types = {
  // Amounts and sequences: the schema keeps them within the range that a number holds exactly.
  bigint: { to: 20, from: [20], serialize: (value: number) => String(value), parse: (text: string) => Number(text) },
  // Biller-local dates stay YYYY-MM-DD: a date is not an instant.
  plainDate: { to: 1082, from: [1082], serialize: (value: string) => value, parse: (text: string) => text },
};

type Types = { bigint: number; plainDate: string };

/** A pool of connections. */
export type Pool = postgres.Sql<Types>;
/** What a query runs on: the pool, or the transaction that the caller is in. */
export type Db = Pool | postgres.TransactionSql<Types>;

/**
 * Opens a pool of at most `max` connections; nothing is connected before the first query.
 * A statement that cannot get its answer within 30 s is ended by PostgreSQL, so that a stuck lock frees itself.
 */
export function openPool(databaseUrl: string, options: { max: number; name: string }): Pool {
  // The client knows the option, its types do not.
  const socket: object = { socket: connectSocket };
  return postgres(databaseUrl, {
    ...socket,
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
}
