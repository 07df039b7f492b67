import type { Fragment } from 'postgres';
import type { Collection } from '../domain/ids.ts';
import type { Db, Tx } from '../platform/postgres/connection.ts';

/** Biller and mode. Every query on a tenant's rows filters by both. */
export interface TenantKey {
  billerId: string;
  livemode: boolean;
}

/** Returns biller and mode of a row. */
export function tenantOf({ biller_id, livemode }: { biller_id: string; livemode: boolean }): TenantKey {
  return { billerId: biller_id, livemode };
}

/** One page of a list: at most `limit` items, all older than the item `after`. */
export interface Page {
  limit: number;
  after?: string | undefined;
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
export async function lockBiller(tx: Tx, billerId: string): Promise<void> {
  await tx`select 1 from billers where id = ${billerId} for no key update`;
}
