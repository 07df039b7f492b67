import type { Fragment } from 'postgres';
import type { Collection, Id } from '../domain/ids.ts';
import type { Db, Tx } from '../platform/postgres/connection.ts';

/** Biller and mode. Every query on a tenant's rows filters by both. */
export interface TenantKey {
  billerId: Id<'biller'>;
  livemode: boolean;
}

/** Returns biller and mode of a row. */
export function tenantOf({ biller_id, livemode }: { biller_id: Id<'biller'>; livemode: boolean }): TenantKey {
  return { billerId: biller_id, livemode };
}

/** One page of a list: at most `limit` items, all older than the item `after`. */
export interface Page {
  limit: number;
  after?: string | undefined;
  /** The dates that the items are narrowed by. */
  dates?: readonly DateRange[] | undefined;
}

/** The dates by which a list can be narrowed. */
export const listDates = ['created', 'collected', 'updated'] as const;
type ListDate = (typeof listDates)[number];

/** Only items whose date is `from` or later, and earlier than `to`. */
export interface DateRange {
  date: ListDate;
  from?: Date | undefined;
  to?: Date | undefined;
}

/**
 * SQL condition: the row is within the dates of the page, and comes after its cursor. With dates, the order is that of
 * the first of them: it differs from the order of the ids, and an old range is found by an index.
 */
export function isOnPage(db: Db, table: Collection, tenant: TenantKey, page: Page): Fragment {
  const { after, dates = [] } = page;
  const column = orderColumn(db, page);
  if (column === null) return isAfter(db, table, tenant, after);
  const ranges = dates.map(
    ({ date, from, to }) => db`
      ${from === undefined ? db`` : db`${db(`${date}_at`)} >= ${from} and`}
      ${to === undefined ? db`` : db`${db(`${date}_at`)} < ${to} and`}`,
  );
  return db`
    ${ranges} ${
      after === undefined
        ? db`true`
        : db`(${column}, id) < (
            select ${column}, id from ${db(table)}
            where id = ${after} and biller_id = ${tenant.billerId} and livemode = ${tenant.livemode}
          )`
    }`;
}

/** The order of a page: newest first. */
export function orderOf(db: Db, page: Page): Fragment {
  const column = orderColumn(db, page);
  return column === null ? db`id desc` : db`${column} desc, id desc`;
}

/** The date that orders a page, or null: then its items are in the order of their ids. */
function orderColumn(db: Db, { dates: [first] = [] }: Page) {
  return first === undefined ? null : db(`${first.date}_at`);
}

/**
 * SQL condition: the row comes after the cursor `after`. The cursor is looked up in the same query. If the cursor is
 * unknown, no row matches.
 */
export function isAfter(db: Db, table: Collection, tenant: TenantKey, after: string | undefined): Fragment {
  if (after === undefined) return db`true`;
  return db`id < (
    select id from ${db(table)} where id = ${after} and biller_id = ${tenant.billerId} and livemode = ${tenant.livemode}
  )`;
}

/** Whether the table has this id for this biller and mode. The API rejects a cursor that does not exist. */
export async function hasRow(db: Db, table: Collection, tenant: TenantKey, id: string): Promise<boolean> {
  const rows = await db`
    select 1 from ${db(table)} where id = ${id} and biller_id = ${tenant.billerId} and livemode = ${tenant.livemode}`;
  return rows.length > 0;
}

/** Locks the biller until the transaction ends. No other transaction then counts its test clocks or their customers. */
export async function lockBiller(tx: Tx, billerId: Id<'biller'>): Promise<void> {
  await tx`select 1 from billers where id = ${billerId} for no key update`;
}
