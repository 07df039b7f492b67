import type { Fragment, TransactionSql } from 'postgres';
import type { Db } from '../platform/postgres/connection.ts';

/** A query for the columns of all tables that are there: `table_name`, `column_name`. It needs no right on them. */
export function existingColumns(sql: Db | TransactionSql): Fragment {
  return sql`
    select c.relname::text as table_name, a.attname::text as column_name
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')`;
}

/** A table that lacks columns, or is not there at all. */
export interface IncompleteTable {
  table: string;
  /** Whether there is a table of that name. */
  isThere: boolean;
  /** What the migrations have made and is not there. */
  missing: string[];
  /** Columns of the table that no migration has made. If it is not there: tables that have all of its columns. */
  strange: string[];
}

/**
 * Returns the tables that are not as the migrations have made them: a table or a column was renamed or dropped. Null if
 * no migration has run. Reads the catalogue only; what is added by hand does no harm.
 */
export async function listIncompleteTables(db: Db): Promise<IncompleteTable[] | null> {
  const [known] = await db<[{ isThere: boolean }]>`
    select to_regclass('schema_columns') is not null
      and has_table_privilege(to_regclass('schema_columns'), 'select') as "isThere"`;
  if (!known.isThere) return null;
  return db<IncompleteTable[]>`
    with present as materialized (${existingColumns(db)}),
    missing as (
      select table_name, array_agg(column_name order by column_name) as columns
      from (select table_name, column_name from schema_columns except select table_name, column_name from present) m
      group by table_name
    )
    select m.table_name as table, p.is_there as "isThere", m.columns as missing,
      case when p.is_there then array(
        select column_name from present where table_name = m.table_name
        except select column_name from schema_columns where table_name = m.table_name
      ) else array(
        select o.table_name from present o
        where o.table_name not in (select table_name from schema_columns) and o.column_name = any(m.columns)
        group by o.table_name having count(*) = cardinality(m.columns)
        order by o.table_name
      ) end as strange
    from missing m
    cross join lateral (select exists (select from present where table_name = m.table_name) as is_there) p
    order by m.table_name`;
}
