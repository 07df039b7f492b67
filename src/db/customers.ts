import type { Id } from '../domain/ids.ts';
import type { CustomerInstant } from '../domain/instants.ts';
import type { InsertCondition } from '../platform/postgres/conditional-insert.ts';
import type { Db, Tx } from '../platform/postgres/connection.ts';
import { fittingPage, jsonBytes } from '../platform/postgres/fitting-page.ts';
import { jsonb } from '../platform/postgres/types.ts';
import { isOnPage, orderOf, type Page, type TenantKey } from './tenant.ts';
import type { TestClockRow } from './test-clocks.ts';

/** The JSON columns of a customer. The API has validated them. */
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
  id: Id<'customer'>;
  biller_id: Id<'biller'>;
  livemode: boolean;
  test_clock_id: Id<'test_clock'> | null;
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
  metadata: Record<string, string>;
  default_payment_method_id: Id<'payment_method'> | null;
  created_at: CustomerInstant;
  updated_at: CustomerInstant;
  deleted_at: CustomerInstant | null;
}

/** The columns of a row as parameters of a statement: objects and arrays as JSON. */
function parametersOf(db: Db, columns: Partial<CustomerRow>) {
  const given = Object.entries(columns).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([column, value]) => [column, isJson(value) ? jsonb(db, value) : value]));
}

function isJson(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !(value instanceof Date);
}

export async function insertCustomer(db: Db, row: CustomerRow): Promise<void> {
  await db`insert into customers ${db(parametersOf(db, row))}`;
}

/** The customer of this biller and mode, or null. Deleted customers are included. */
export async function selectCustomer(db: Db, tenant: TenantKey, id: string): Promise<CustomerRow | null> {
  const [row] = await db<CustomerRow[]>`
    select * from customers
    where id = ${id} and biller_id = ${tenant.billerId} and livemode = ${tenant.livemode}`;
  return row ?? null;
}

/** Whether the customer of a payment was deleted. */
export async function isPayerDeleted(db: Db, paymentIntentId: string): Promise<boolean> {
  const rows = await db`
    select from payment_intents i join customers c on c.id = i.customer_id
    where i.id = ${paymentIntentId} and c.deleted_at is not null`;
  return rows.length > 0;
}

/** A customer with the status and time of its test clock, if it has one. */
export interface LockedCustomerRow extends CustomerRow {
  clock_status: TestClockRow['status'] | null;
  frozen_time: CustomerInstant | null;
}

/**
 * Locks a customer for update until the transaction ends. Other rows may still reference it. Also takes a share lock on
 * its test clock. The clock is locked first: the subquery runs before the customer's row is locked.
 */
export async function lockCustomer(tx: Tx, tenant: TenantKey, id: string): Promise<LockedCustomerRow | null> {
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

/**
 * Condition: the customer, who has no test clock, has not changed since it was read. Checks only what a new intent
 * depends on: that it is not deleted, and whether it pays the fees. Takes a share lock.
 */
export function unchanged({ id, biller_id, livemode, fee_preferences }: CustomerRow): InsertCondition {
  const paysFees = fee_preferences?.customer_pays_transaction_fees ?? false;
  return (db, met) => db`
    select from customers
    where ${met} and id = ${id} and biller_id = ${biller_id} and livemode = ${livemode} and deleted_at is null
      and coalesce(fee_preferences -> 'customer_pays_transaction_fees' = 'true', false) = ${paysFees}
    for share`;
}

/**
 * The newest customer with this reference that is not deleted, or null. `others` counts those beside it that have it
 * too: on its clock or, if it has none, outside of clocks.
 */
export async function selectCustomerByReference(
  db: Db,
  tenant: TenantKey,
  reference: string,
): Promise<{ id: Id<'customer'>; others: number } | null> {
  const [row] = await db<{ id: Id<'customer'>; others: number }[]>`
    select id, (count(*) over (partition by test_clock_id))::integer - 1 as others from customers
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
  /** Only customers on this test clock. Without it, only customers in real time. */
  testClock?: Id<'test_clock'> | undefined;
}

/** A page of customers that are not deleted, newest first, with one extra row if more follow. */
export async function listCustomers(
  db: Db,
  tenant: TenantKey,
  filter: CustomerFilter,
  page: Page,
): Promise<CustomerRow[]> {
  return db<CustomerRow[]>`${fittingPage(
    db,
    db`coalesce(${jsonBytes(db, 'additional_attributes')}, 0) + ${jsonBytes(db, 'metadata')}`,
    db`
      select * from customers
      where biller_id = ${tenant.billerId} and livemode = ${tenant.livemode} and deleted_at is null
        ${filter.testClock === undefined ? db`and test_clock_id is null` : db`and test_clock_id = ${filter.testClock}`}
        ${filter.status === undefined ? db`` : db`and status = ${filter.status}`}
        ${filter.email === undefined ? db`` : db`and lower(email) = lower(${filter.email})`}
        ${filter.name === undefined ? db`` : db`and lower(name) = lower(${filter.name})`}
        ${filter.reference === undefined ? db`` : db`and reference = ${filter.reference}`}
        and ${isOnPage(db, 'customers', tenant, page)}
      order by ${orderOf(db, page)}
      limit ${page.limit + 1}`,
  )}`;
}

/** Counts the customers that are not deleted: on this test clock, and on all clocks of the biller. */
export async function countClockCustomers(
  tx: Tx,
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

/** Makes a method the customer's default, unless the customer has a default already. */
export async function setFirstDefaultMethod(
  tx: Tx,
  customerId: Id<'customer'>,
  methodId: Id<'payment_method'>,
  at: CustomerInstant,
): Promise<void> {
  await tx`
    update customers set default_payment_method_id = ${methodId}, updated_at = ${at}
    where id = ${customerId} and default_payment_method_id is null`;
}

/** Clears the default method of every customer whose default is this method. */
export async function clearDefaultMethod(tx: Tx, methodId: string, at: CustomerInstant): Promise<void> {
  await tx`
    update customers set default_payment_method_id = null, updated_at = ${at}
    where default_payment_method_id = ${methodId}`;
}

/** The columns that an update can change. Null clears a column. */
export type CustomerChange = Partial<
  Omit<CustomerRow, 'id' | 'biller_id' | 'livemode' | 'test_clock_id' | 'created_at'>
>;

/**
 * Changes a locked customer and returns the new row.
 * @throws if the customer does not exist.
 */
export async function updateCustomer(
  tx: Tx,
  id: string,
  change: CustomerChange & { updated_at: CustomerInstant },
): Promise<CustomerRow> {
  const [row] = await tx<CustomerRow[]>`
    update customers set ${tx(parametersOf(tx, change))} where id = ${id} returning *`;
  if (row === undefined) throw new Error(`customer ${id} does not exist`);
  return row;
}

/** What the payments of the customer `c` take from it and from its biller `b`. */
export function payerColumns(db: Db) {
  return db`
    b.time_zone, b.fee_basis_points, b.fee_fixed, b.fees_by_method, b.statement_descriptor, b.country, b.cost_of_acceptance,
    b.tax, c.default_payment_method_id,
    coalesce((c.fee_preferences ->> 'customer_pays_transaction_fees')::boolean, false) as customer_pays_fees`;
}
