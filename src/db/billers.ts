import type { Id } from '../domain/ids.ts';
import type { Costs } from '../domain/surcharges/costs.ts';
import type { FeeColumns } from '../domain/surcharges/fees.ts';
import type { Tax } from '../domain/tax/tax.ts';
import type { Db, Tx } from '../platform/postgres/connection.ts';
import { jsonb } from '../platform/postgres/types.ts';
import type { RealInstant } from '../platform/real-time.ts';

/** A row of `billers`. */
export interface BillerRow extends FeeColumns {
  id: Id<'biller'>;
  name: string;
  time_zone: string;
  statement_descriptor: string | null;
  /** Bank accounts are debited under a mandate only, in the sandbox too. */
  require_mandates: boolean;
  /** ISO 3166-1 alpha-2; null if it was not stated. */
  country: string | null;
  country_since: RealInstant | null;
  cost_of_acceptance: Costs;
  /** The tax that its prices include. Null if it has stated none. */
  tax: Tax | null;
  created_at: RealInstant;
}

/** Inserts a biller with the default fee schedule. */
export async function insertBiller(
  db: Db,
  biller: Pick<
    BillerRow,
    | 'id'
    | 'name'
    | 'time_zone'
    | 'statement_descriptor'
    | 'require_mandates'
    | 'country'
    | 'country_since'
    | 'created_at'
  >,
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

/** Writes what decides the surcharges of a biller. */
export async function updateSurcharging(
  db: Db,
  id: string,
  change: Pick<BillerRow, 'country' | 'country_since' | 'cost_of_acceptance'>,
): Promise<void> {
  const row = { ...change, cost_of_acceptance: jsonb(db, change.cost_of_acceptance) };
  await db`update billers set ${db(row)} where id = ${id}`;
}

/** Writes what a biller pays for a payment. */
export async function updateFees(tx: Tx, id: string, fees: FeeColumns): Promise<void> {
  await tx`update billers set ${tx({ ...fees, fees_by_method: jsonb(tx, fees.fees_by_method) })} where id = ${id}`;
}

/** Writes the tax that the prices of a biller include. */
export async function updateTax(tx: Tx, id: string, tax: Tax | null): Promise<void> {
  await tx`update billers set tax = ${jsonb(tx, tax)} where id = ${id}`;
}

/** Writes the time zone of a biller. */
export async function updateTimeZone(tx: Tx, id: string, timeZone: string): Promise<void> {
  await tx`update billers set time_zone = ${timeZone} where id = ${id}`;
}

/** What is yet to happen on dates in the zone of a biller. */
export interface ScheduledRow {
  id: string;
  /** Such as `active`; of a payment its date. */
  state: string;
  /** How many there are in all. */
  count: number;
}

/**
 * The first plans, subscriptions and payments of a biller that have dates to come, in both modes. Locks the biller
 * against all that is created meanwhile.
 */
export async function lockScheduled(tx: Tx, id: string): Promise<ScheduledRow[]> {
  await tx`select from billers where id = ${id} for update`;
  return tx<ScheduledRow[]>`
    select id, state, count(*) over ()::integer as count from (
      select id, state from payment_plans
      where biller_id = ${id} and state in ('pending', 'active', 'suspended')
      union all select id, state from subscriptions where biller_id = ${id} and state <> 'canceled'
      union all select id, scheduled_payment_date::text from payment_intents
      where biller_id = ${id} and scheduled_at is not null
    ) as scheduled
    order by id
    limit 3`;
}

/** All billers, oldest first. */
export async function listBillers(db: Db): Promise<BillerRow[]> {
  return db<BillerRow[]>`select * from billers order by id`;
}
