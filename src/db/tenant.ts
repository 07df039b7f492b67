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
  /** Only items with this `created_at` or a later one. */
  createdFrom?: Date | undefined;
  /** Only items with an earlier `created_at`. */
  createdTo?: Date | undefined;
}

/**
 * SQL condition: the row is within the dates of the page, and comes after its cursor. With dates, the order is that of
 * `created_at`: on a test clock it differs from the order of the ids, and an old range is found by an index.
 */
export function isOnPage(db: Db, table: Collection, tenant: TenantKey, page: Page): Fragment {
  const { after, createdFrom, createdTo } = page;
  if (!isByDate(page)) return isAfter(db, table, tenant, after);
  return db`
    ${createdFrom === undefined ? db`true` : db`created_at >= ${createdFrom}`}
    and ${createdTo === undefined ? db`true` : db`created_at < ${createdTo}`}
    and ${
      after === undefined
        ? db`true`
        : db`(created_at, id) < (
            select created_at, id from ${db(table)}
            where id = ${after} and biller_id = ${tenant.billerId} and livemode = ${tenant.livemode}
          )`
    }`;
}

/** The order of a page: newest first. */
export function orderOf(db: Db, page: Page): Fragment {
  return isByDate(page) ? db`created_at desc, id desc` : db`id desc`;
}

function isByDate({ createdFrom, createdTo }: Page): boolean {
  return createdFrom !== undefined || createdTo !== undefined;
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
