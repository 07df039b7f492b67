import type { Fragment } from 'postgres';
import type { Db } from './connection.ts';

/**
 * A query that returns one row when the insert may proceed, and no row otherwise. It may itself write. It becomes a CTE
 * of the statement that inserts the row. It must find and write nothing unless `given` is true: `given` says that the
 * condition before it was met.
 */
export type InsertCondition = (db: Db, given: Fragment) => Fragment;

/**
 * Further conditions for a new row, beside the service's own: for example that the request's idempotency key can be
 * claimed.
 */
export type ConditionsOf<Row> = (row: Row) => InsertCondition[];

export const unconditionally = () => [];

/** Returns the parts of a conditional insert: `${clauses} insert into … select … where ${hold}`. */
export function insertWhere(
  db: Db,
  premises: readonly InsertCondition[],
): { clauses: Fragment | Fragment[]; hold: Fragment } {
  const holds = (count: number) => (count === 0 ? db`true` : db`exists (select from ${db(`premise_${count}`)})`);
  const clauses = premises.map((premise, index) => {
    const name = db(`premise_${index + 1}`);
    return db`${index === 0 ? db`with` : db`,`} ${name} as (${premise(db, holds(index))})`;
  });
  return { clauses: clauses.length === 0 ? db`` : clauses, hold: holds(premises.length) };
}
