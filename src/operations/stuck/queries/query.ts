import type { Fragment } from 'postgres';
import type { Id } from '../../../domain/ids.ts';
import type { Db } from '../../../platform/postgres/connection.ts';
import type { RealInstant } from '../../../platform/real-time.ts';

/** The columns that every kind of stuck object has. */
export interface StuckRow {
  /** Null where the whole service is stuck. */
  subject_id: string | null;
  biller_id: Id<'biller'> | null;
  livemode: boolean | null;
  /** Null if it is not known. */
  since: RealInstant | null;
}

/** Objects are stuck when they have waited since before `before`. `now` is the current instant. Both are real time. */
export interface StuckThreshold {
  before: RealInstant;
  now: RealInstant;
}

/**
 * How one kind is read: a query for the rows, cheap enough to count, and one for the details of the few that are shown.
 */
export interface StuckQuery<Facts extends object> {
  /** A select of the columns of `StuckRow`. */
  rows(db: Db, threshold: StuckThreshold): Fragment;
  /** A select of at most one row: the details of the stuck row `f`. */
  facts(db: Db, threshold: StuckThreshold): Fragment;
  /** Carries the type of what `facts` selects; it has no value. */
  readonly selected?: Facts;
}

/** The rows that have been stuck longest, at most `limit`, each with its details. `count` is the number of all rows. */
export async function findStuckRows<Facts extends object>(
  db: Db,
  query: StuckQuery<Facts>,
  threshold: StuckThreshold,
  limit: number,
): Promise<{ count: number; rows: (StuckRow & Facts)[] }> {
  const rows = await db<(StuckRow & Facts & { count: number })[]>`
    with stuck as materialized (${query.rows(db, threshold)}),
      longest as (select * from stuck order by since, subject_id limit ${limit})
    select f.*, facts.*, (select count(*)::integer from stuck) as count
    from longest f
    left join lateral (${query.facts(db, threshold)}) facts on true
    order by f.since, f.subject_id`;
  return { count: rows[0]?.count ?? 0, rows: [...rows] };
}

/** The number of rows of each query, in the order of the queries. One round trip. */
export async function countStuckRows(
  db: Db,
  queries: readonly { query: StuckQuery<object>; threshold: StuckThreshold }[],
): Promise<number[]> {
  const counts = queries.map(({ query, threshold }, position) => {
    const one = db`
      select ${position}::integer as position, count(*)::integer as count from (${query.rows(db, threshold)}) r`;
    return position === 0 ? one : db`union all ${one}`;
  });
  const rows = await db<{ position: number; count: number }[]>`${counts}`;
  const countAt = new Map(rows.map(({ position, count }) => [position, count]));
  return queries.map((_, position) => countAt.get(position) ?? 0);
}
