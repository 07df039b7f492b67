import type { Db } from '../platform/postgres/connection.ts';

/** A row of `billers`. */
export interface BillerRow {
  id: string;
  name: string;
  time_zone: string;
  statement_descriptor: string | null;
  fee_basis_points: number;
  fee_fixed: number;
  created_at: Date;
}

/** Inserts a biller with the default fee schedule. */
export async function insertBiller(
  db: Db,
  biller: Pick<BillerRow, 'id' | 'name' | 'time_zone' | 'statement_descriptor' | 'created_at'>,
): Promise<BillerRow> {
  const [row] = await db<BillerRow[]>`
    insert into billers ${db(biller, 'id', 'name', 'time_zone', 'statement_descriptor', 'created_at')}
    returning *`;
  if (!row) throw new Error('an insert returned no row');
  return row;
}

/** The biller, or null. */
export async function selectBiller(db: Db, id: string): Promise<BillerRow | null> {
  const [row] = await db<BillerRow[]>`select * from billers where id = ${id}`;
  return row ?? null;
}

/** The oldest biller with exactly this name, or null. */
export async function selectBillerByName(db: Db, name: string): Promise<BillerRow | null> {
  const [row] = await db<BillerRow[]>`select * from billers where name = ${name} order by id limit 1`;
  return row ?? null;
}

/** All billers, oldest first. */
export async function listBillers(db: Db): Promise<BillerRow[]> {
  return db<BillerRow[]>`select * from billers order by id`;
}
