import type { Db } from '../platform/postgres/connection.ts';

/** A row of `billers`. */
export interface BillerRow {
  id: string;
  name: string;
  time_zone: string;
  statement_descriptor: string | null;
  fee_basis_points: number;
  fee_fixed: number;
  /** Bank accounts are debited under a mandate only, in the sandbox too. */
  require_mandates: boolean;
  created_at: Date;
}

/** Inserts a biller with the default fee schedule. */
export async function insertBiller(
  db: Db,
  biller: Pick<BillerRow, 'id' | 'name' | 'time_zone' | 'statement_descriptor' | 'require_mandates' | 'created_at'>,
): Promise<BillerRow> {
  const [row] = await db<BillerRow[]>`
    insert into billers ${db(biller)}
    returning *`;
  if (!row) throw new Error('an insert returned no row');
  return row;
}

/** The biller, or null. */
export async function selectBiller(db: Db, id: string): Promise<BillerRow | null> {
  const [row] = await db<BillerRow[]>`select * from billers where id = ${id}`;
  return row ?? null;
}

/** Whether the biller wants bank accounts debited under a mandate only, in the sandbox too. */
export async function selectRequiresMandates(db: Db, id: string): Promise<boolean> {
  const [row] = await db<Pick<BillerRow, 'require_mandates'>[]>`select require_mandates from billers where id = ${id}`;
  return row?.require_mandates ?? false;
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
