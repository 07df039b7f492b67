import type { Fragment } from 'postgres';
import type { Db } from './types.ts';

/**
 * The limit for free-form values on one page. A hundred customers can hold 25 MB, which took 330 ms of processor time
 * to read and write; 256 KiB plus one row took 6 ms.
 */
const pageBytes = 256 * 1024;

/**
 * Returns a page's query, in its order, cut to what fits. The first row is always included; the others until the rows
 * before them reach 256 KiB. Adds `has_next` to each row: whether the query has another row after it, even one that was
 * cut.
 * @param bytes the size of a row, as an expression on `page`, which is the query
 */
export function fittingPage(db: Db, bytes: Fragment, query: Fragment): Fragment {
  return db`
    select * from (
      select page.*, lead(true, 1, false) over () as has_next,
        sum(${bytes}) over (rows between unbounded preceding and 1 preceding) as bytes_before
      from (${query}) as page
    ) as sized
    where bytes_before is null or bytes_before < ${pageBytes}`;
}

/**
 * Returns the size of a json or jsonb column of the page, as an expression. Small values are not stored compressed. A
 * compressed value must be unpacked to be measured. Measuring it as the item of an array takes half the time of
 * measuring its text.
 */
export function jsonBytes(db: Db, column: string): Fragment {
  const value = db(`page.${column}`);
  return db`case when pg_column_compression(${value}) is null then pg_column_size(${value})
    else pg_column_size(array[${value}]) end`;
}
