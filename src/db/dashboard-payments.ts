import type { Id } from '../domain/ids.ts';
import type { Db } from '../platform/postgres/connection.ts';
import type { CustomerRow } from './customers.ts';
import type { Instrument, PaymentMethodRow } from './payment-methods.ts';
import type { TenantKey } from './tenant.ts';

/** What a list shows of a payer. */
export type Payer = Pick<CustomerRow, 'id' | 'name' | 'reference' | 'test_clock_id'>;

/** What a list shows of a method: never a token, nor a number but its last digits. */
export type ListedMethod = Pick<PaymentMethodRow, 'id' | 'brand' | 'last4'> & { instrument: Pick<Instrument, 'type'> };

/** The customers with these ids, deleted ones included. */
export async function payersOf(db: Db, tenant: TenantKey, ids: readonly string[]): Promise<Map<string, Payer>> {
  const rows = await db<Payer[]>`
    select id, name, reference, test_clock_id from customers
    where id = any(${[...new Set(ids)]}::text[]) and biller_id = ${tenant.billerId} and livemode = ${tenant.livemode}`;
  return byId(rows);
}

/** The payment methods with these ids, detached ones included. */
export async function methodsOf(db: Db, tenant: TenantKey, ids: readonly string[]): Promise<Map<string, ListedMethod>> {
  const rows = await db<ListedMethod[]>`
    select id, brand, last4, jsonb_build_object('type', type) as instrument from payment_methods
    where id = any(${[...new Set(ids)]}::text[]) and biller_id = ${tenant.billerId} and livemode = ${tenant.livemode}`;
  return byId(rows);
}

function byId<Row extends { id: Id<'customer'> | Id<'payment_method'> }>(rows: readonly Row[]): Map<string, Row> {
  return new Map(rows.map((row) => [row.id, row]));
}
