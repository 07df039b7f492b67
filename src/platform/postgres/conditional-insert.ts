import type { Fragment } from 'postgres';
import type { Db } from './types.ts';

/**
 * A query that returns one row when the insert may proceed, and no row otherwise. It may itself write. It becomes a CTE
 * of the statement that inserts the row. It must find and write nothing unless `met` is true: `met` says that the
 * conditions before it were met.
 */
export type InsertCondition = (db: Db, met: Fragment) => Fragment;

/** Runs a condition as a statement of its own. Returns its row, or null if it does not hold. */
export async function runAlone<Row extends object>(db: Db, condition: InsertCondition): Promise<Row | null> {
  const [row] = await db<Row[]>`${condition(db, db`true`)}`;
  return row ?? null;
}

/** A row with its version: the transaction that wrote it (`xmin`). Any change of the row makes another version. */
export type Versioned<Row> = Row & { version: string };

/**
 * Condition: the row is still the version that was read. So what was decided from it still holds, and SQL does not have
 * to repeat the decision. Locks the row until the statement commits: `share` against any change, `no key update` if the
 * statement itself changes the row. With `skip locked` it does not wait: if another transaction has locked the row, the
 * condition does not hold.
 */
export function sameVersion(
  table: string,
  { id, version }: Versioned<{ id: string }>,
  lock: 'share' | 'no key update' | 'no key update skip locked',
): InsertCondition {
  return (db, met) => db`
    select from ${db(table)} where ${met} and id = ${id} and xmin = ${version}::xid
    for ${lock === 'share' ? db`share` : lock === 'no key update' ? db`no key update` : db`no key update skip locked`}`;
}

/**
 * Returns the parts of a conditional insert: `${clauses} insert into … select … where ${condition}`. A statement with
 * CTEs of its own writes `${clauses} ${next} name as (…)`.
 */
export function insertWhere(
  db: Db,
  conditions: readonly InsertCondition[],
): { clauses: Fragment | Fragment[]; next: Fragment; condition: Fragment } {
  const firstAreMet = (count: number) =>
    count === 0 ? db`true` : db`exists (select from ${db(`condition_${count}`)})`;
  const clauses = conditions.map((condition, index) => {
    const name = db(`condition_${index + 1}`);
    return db`${index === 0 ? db`with` : db`,`} ${name} as (${condition(db, firstAreMet(index))})`;
  });
  const isFirst = clauses.length === 0;
  return {
    clauses: isFirst ? db`` : clauses,
    next: isFirst ? db`with` : db`,`,
    condition: firstAreMet(conditions.length),
  };
}
