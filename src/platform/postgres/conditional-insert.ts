import type { Fragment } from 'postgres';
import type { Db } from './connection.ts';

/**
 * A query that gives one row if another row may be written, and none if not; it may write itself. It is a part of the
 * statement that writes the row, and itself finds and writes nothing unless `given` holds, which is what stands before it.
 */
export type InsertCondition = (db: Db, given: Fragment) => Fragment;

/** What a new row depends on, beside what the service itself finds: the key of the request, for one. */
export type ConditionsOf<Row> = (row: Row) => InsertCondition[];

export const unconditionally = () => [];

/** Makes an insert depend on premises: `${clauses} insert into … select … where ${hold}`. */
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
