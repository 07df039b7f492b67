import type { Fragment } from 'postgres';
import type { Db } from './connection.ts';

/**
 * Of free-form values on one page. A hundred customers can hold 25 MB, which took 330 ms of processor time to read and to
 * write; 256 KiB, and one row more, took 6.
 */
const pageBytes = 256 * 1024;

/**
 * A page's query, in its order, cut to what fits: the first row always, the others until the rows before them have come to
 * 256 KiB. Adds `has_next` to each row: whether the query has another row after it, be it left out.
 * @param bytes of a row, as an expression on `page`, which is the query
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
 * How large a column of the page is, json or jsonb. What is stored compressed, which nothing small is, has to be unpacked to be
 * measured: as the item of an array, which takes half the time that its text would.
 */
export function jsonBytes(db: Db, column: string): Fragment {
  const value = db(`page.${column}`);
  return db`case when pg_column_compression(${value}) is null then pg_column_size(${value}) else pg_column_size(array[${value}]) end`;
}
