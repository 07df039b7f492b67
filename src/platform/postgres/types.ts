import type postgres from 'postgres';

/** Types that PostgreSQL and JavaScript would read differently by default. */
export const types = {
  // Amounts and sequences. The schema keeps them within the range of exact numbers.
  bigint: { to: 20, from: [20], serialize: (value: number) => String(value), parse: (text: string) => Number(text) },
  // Biller-local dates stay YYYY-MM-DD: a date is not an instant.
  plainDate: { to: 1082, from: [1082], serialize: (value: string) => value, parse: (text: string) => text },
};

type Types = { bigint: number; plainDate: string };

declare const transaction: unique symbol;

/** A pool of connections. */
export type Pool = postgres.Sql<Types>;

/**
 * A transaction. Only `atomically` and `dryRun` make one. A function takes it, and not `Db`, if it takes a lock,
 * records events, adds to the outbox or calls `afterCommit`: outside a transaction, the lock would end with its
 * statement.
 */
export interface Tx extends postgres.TransactionSql<Types> {
  readonly [transaction]: true;
}

/** What a query runs on: the pool, or the caller's transaction. */
export type Db = Pool | Tx;

declare const isReadOnly: unique symbol;
/** For requests that only read. The types alone enforce it: a service that writes takes a `Writer`. */
export type Reader = Db & { readonly [isReadOnly]: true };
/** Any database handle except a `Reader`. */
export type Writer = Db & { readonly [isReadOnly]?: never };

/**
 * Returns a value for a jsonb column. Null and undefined become SQL null. A value that was parsed from JSON reads back
 * unchanged.
 */
export function jsonb(db: Db, value: object | null | undefined) {
  return value === null || value === undefined ? null : db.json(value as postgres.JSONValue);
}
