import type { Pool } from '../../src/platform/postgres/connection.ts';

/** The row that a fetch shows, by the same index. */
export async function fetchBare(sql: Pool, billerId: string, id: string): Promise<void> {
  await sql`select * from customers where id = ${id} and biller_id = ${billerId} and not livemode`;
}

/** The rows that a page of 20 shows, and the one that says whether more follow. */
export async function listBare(sql: Pool, billerId: string, after: string | null): Promise<void> {
  await sql`
    select * from customers
    where biller_id = ${billerId} and livemode = false and deleted_at is null and test_clock_id is null
      ${after === null ? sql`` : sql`and id < ${after}`}
    order by id desc
    limit 21`;
}
