import { type InsertCondition, insertWhere } from '../platform/postgres/conditional-insert.ts';
import type { Db } from '../platform/postgres/connection.ts';
import { fittingPage, jsonBytes } from '../platform/postgres/fitting-page.ts';
import { jsonb } from '../platform/postgres/json.ts';
import { isAfter, type Page, type TenantKey } from './tenant.ts';
import type { TestClockRow } from './test-clocks.ts';

/** The JSON columns of a customer, as the API has checked them. */
interface Address {
  line1?: string;
  line2?: string;
  city_or_suburb?: string;
  state_or_region?: string;
  postal_code?: string;
  country?: string;
}
interface NotificationPreferences {
  send_payment_emails?: boolean;
  send_sms_reminders?: boolean;
  send_sms_failures?: boolean;
}
interface FeePreferences {
  customer_pays_transaction_fees?: boolean;
}
interface Phone {
  kind?: string;
  raw: string;
  country_code?: string;
}

export interface CustomerRow {
  id: string;
  biller_id: string;
  livemode: boolean;
  test_clock_id: string | null;
  name: string;
  email: string | null;
  reference: string | null;
  status: 'active' | 'inactive';
  business_name: string | null;
  billing_address: Address | null;
  shipping_address: Address | null;
  notification_preferences: NotificationPreferences | null;
  fee_preferences: FeePreferences | null;
  additional_attributes: Record<string, unknown> | null;
  phones: Phone[] | null;
  default_payment_method_id: string | null;
  created_at: Date;
  updated_at: Date;
  deleted_at: Date | null;
}

/** Stores a new customer if all premises hold, and answers whether it did. */
export async function insertCustomer(
  db: Db,
  row: CustomerRow,
  premises: readonly InsertCondition[] = [],
): Promise<boolean> {
  const { clauses, hold } = insertWhere(db, premises);
  const { count } = await db`
    ${clauses} insert into customers (
      id, biller_id, livemode, test_clock_id, name, email, reference, status, business_name, billing_address,
      shipping_address, notification_preferences, fee_preferences, additional_attributes, phones, created_at, updated_at
    ) select
      ${row.id}, ${row.biller_id}, ${row.livemode}, ${row.test_clock_id}, ${row.name}, ${row.email}, ${row.reference},
      ${row.status}, ${row.business_name}, ${jsonb(db, row.billing_address)}, ${jsonb(db, row.shipping_address)},
      ${jsonb(db, row.notification_preferences)}, ${jsonb(db, row.fee_preferences)},
      ${jsonb(db, row.additional_attributes)}, ${jsonb(db, row.phones)}, ${row.created_at}, ${row.updated_at}
    where ${hold}`;
  return count > 0;
}

/** The customer of this biller and mode, deleted ones too, or null. */
export async function findCustomer(db: Db, tenant: TenantKey, id: string): Promise<CustomerRow | null> {
  const [row] = await db<CustomerRow[]>`
    select * from customers
    where id = ${id} and biller_id = ${tenant.billerId} and livemode = ${tenant.livemode}`;
  return row ?? null;
}

/** A customer together with the clock that it lives on, if any. */
export interface LockedCustomerRow extends CustomerRow {
  clock_status: TestClockRow['status'] | null;
  frozen_time: Date | null;
}

/**
 * The same, locked against change until the transaction ends; other rows may still point at it. Its clock is held still, and
 * is so before the customer is locked: the subquery has run when the row is.
 */
export async function lockCustomer(tx: Db, tenant: TenantKey, id: string): Promise<LockedCustomerRow | null> {
  const [row] = await tx<LockedCustomerRow[]>`
    with clock as materialized (
      select id, status, frozen_time from test_clocks
      where id = (select test_clock_id from customers where id = ${id})
        and biller_id = ${tenant.billerId} and livemode = ${tenant.livemode}
      for share
    )
    select c.*, clock.status as clock_status, clock.frozen_time
    from customers c left join clock on true
    where c.id = ${id} and c.biller_id = ${tenant.billerId} and c.livemode = ${tenant.livemode}
    for no key update of c`;
  return row ?? null;
}

/** That a customer in real time is what it was when it was read, as far as a new intent depends on it; locked against change. */
export function unchanged({ id, biller_id, livemode, fee_preferences }: CustomerRow): InsertCondition {
  const paysFees = fee_preferences?.customer_pays_transaction_fees ?? false;
  return (db, given) => db`
    select from customers
    where ${given} and id = ${id} and biller_id = ${biller_id} and livemode = ${livemode} and deleted_at is null
      and coalesce(fee_preferences -> 'customer_pays_transaction_fees' = 'true', false) = ${paysFees}
    for share`;
}

/** The newest customer with this reference that is not deleted, or null. */
export async function findCustomerByReference(
  db: Db,
  tenant: TenantKey,
  reference: string,
): Promise<CustomerRow | null> {
  const [row] = await db<CustomerRow[]>`
    select * from customers
    where biller_id = ${tenant.billerId} and livemode = ${tenant.livemode} and reference = ${reference}
      and deleted_at is null
    order by id desc
    limit 1`;
  return row ?? null;
}

export interface CustomerFilter {
  status?: string | undefined;
  email?: string | undefined;
  name?: string | undefined;
  reference?: string | undefined;
  /** A clock's customers; without it, the customers that have no clock. */
  testClock?: string | undefined;
}

/** A page of customers that are not deleted, newest first, one more than `limit` when there are more. */
export async function listCustomers(
  db: Db,
  tenant: TenantKey,
  filter: CustomerFilter,
  { limit, after }: Page,
): Promise<CustomerRow[]> {
  return db<CustomerRow[]>`${fittingPage(
    db,
    jsonBytes(db, 'additional_attributes'),
    db`
      select * from customers
      where biller_id = ${tenant.billerId} and livemode = ${tenant.livemode} and deleted_at is null
        ${filter.testClock === undefined ? db`and test_clock_id is null` : db`and test_clock_id = ${filter.testClock}`}
        ${filter.status === undefined ? db`` : db`and status = ${filter.status}`}
        ${filter.email === undefined ? db`` : db`and lower(email) = lower(${filter.email})`}
        ${filter.name === undefined ? db`` : db`and lower(name) = lower(${filter.name})`}
        ${filter.reference === undefined ? db`` : db`and reference = ${filter.reference}`}
        and ${isAfter(db, 'customers', tenant, after)}
      order by id desc
      limit ${limit + 1}`,
  )}`;
}

/** How many customers that are not deleted this clock has, and all clocks of the biller together. */
export async function countClockCustomers(
  tx: Db,
  tenant: TenantKey,
  testClockId: string,
): Promise<{ onClock: number; inAll: number }> {
  const [row] = await tx<{ on_clock: number; in_all: number }[]>`
    select count(*) filter (where test_clock_id = ${testClockId})::integer as on_clock, count(*)::integer as in_all
    from customers
    where biller_id = ${tenant.billerId} and livemode = ${tenant.livemode} and test_clock_id is not null
      and deleted_at is null`;
  return { onClock: row?.on_clock ?? 0, inAll: row?.in_all ?? 0 };
}

/** Makes a method the customer's default when it has none yet. */
export async function setFirstDefaultMethod(tx: Db, customerId: string, methodId: string, at: Date): Promise<void> {
  await tx`
    update customers set default_payment_method_id = ${methodId}, updated_at = ${at}
    where id = ${customerId} and default_payment_method_id is null`;
}

/** Leaves every customer whose default is this method without one. */
export async function clearDefaultMethod(tx: Db, methodId: string, at: Date): Promise<void> {
  await tx`
    update customers set default_payment_method_id = null, updated_at = ${at}
    where default_payment_method_id = ${methodId}`;
}

/** What an update can change of a customer, in its columns; null clears one. */
export type CustomerChange = Partial<
  Omit<CustomerRow, 'id' | 'biller_id' | 'livemode' | 'test_clock_id' | 'created_at'>
>;

/** Changes a locked customer and answers it as it is now. */
export async function updateCustomer(
  tx: Db,
  id: string,
  change: CustomerChange & { updated_at: Date },
): Promise<CustomerRow> {
  const { billing_address, shipping_address, notification_preferences, fee_preferences, ...others } = change;
  const { additional_attributes, phones, ...plain } = others;
  const objects = { billing_address, shipping_address, notification_preferences, fee_preferences };
  const json = Object.entries({ ...objects, additional_attributes, phones })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, jsonb(tx, value)] as const);
  const [row] = await tx<CustomerRow[]>`
    update customers set ${tx({ ...plain, ...Object.fromEntries(json) })} where id = ${id} returning *`;
  if (row === undefined) throw new Error(`customer ${id} is gone`);
  return row;
}
