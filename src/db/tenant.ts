import type { Fragment } from 'postgres';
import type { Db } from '../platform/postgres/connection.ts';

/** Whose rows: every query on them names biller and mode. */
export interface TenantKey {
  billerId: string;
  livemode: boolean;
}

/** Which part of a list: at most `limit` items, those older than the item `after`. */
export interface Page {
  limit: number;
  after?: string | undefined;
}

type ListedTable =
  | 'customers'
  | 'payment_methods'
  | 'payment_intents'
  | 'payment_plans'
  | 'test_clocks'
  | 'events'
  | 'refunds'
  | 'webhook_endpoints'
  | 'webhook_deliveries';

/** The condition that a row is on the page, the cursor being looked up on the way; nothing is where it names nothing. */
export function isAfter(db: Db, table: ListedTable, tenant: TenantKey, after: string | undefined): Fragment {
  if (after === undefined) return db`true`;
  return db`id < (
    select id from ${db(table)} where id = ${after} and biller_id = ${tenant.billerId} and livemode = ${tenant.livemode}
  )`;
}

/** Whether the table has this id for this biller and mode: a cursor that names nothing is refused. */
export async function hasRow(db: Db, table: ListedTable, tenant: TenantKey, id: string): Promise<boolean> {
  const rows = await db`
    select 1 from ${db(table)} where id = ${id} and biller_id = ${tenant.billerId} and livemode = ${tenant.livemode}`;
  return rows.length > 0;
}

/** Locks the biller against another count of its clocks or clock-bound customers until the transaction ends. */
export async function lockBiller(tx: Db, billerId: string): Promise<void> {
  await tx`select 1 from billers where id = ${billerId} for no key update`;
}
