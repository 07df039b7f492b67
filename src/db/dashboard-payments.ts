import type { Id } from '../domain/ids.ts';
import type { Db } from '../platform/postgres/connection.ts';
import type { CustomerRow } from './customers.ts';
import type { PaymentIntentRow } from './payment-intents.ts';
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

/** The last payment of a plan, of a subscription or by itself that has failed or come back, and why. */
export type LastFailure = Pick<PaymentIntentRow, 'id' | 'last_error_code' | 'last_error_message'>;

/** The last failure of these plans, subscriptions and payments, by their id. */
export async function lastFailuresOf(
  db: Db,
  tenant: TenantKey,
  ids: readonly string[],
): Promise<Map<string, LastFailure>> {
  const isTheirs = db`i.biller_id = ${tenant.billerId} and i.livemode = ${tenant.livemode}`;
  const last = (column: 'payment_plan_id' | 'subscription_id' | 'id') => db`
    select of.id as of, l.id, l.last_error_code, l.last_error_message
    from unnest(${ids}::text[]) as of (id) cross join lateral (
      select i.id, i.last_error_code, i.last_error_message from payment_intents i
      where i.${db(column)} = of.id and ${isTheirs} and i.last_error_code is not null
      order by i.id desc limit 1
    ) l`;
  const rows = await db<(LastFailure & { of: string })[]>`
    ${last('payment_plan_id')} union all ${last('subscription_id')} union all ${last('id')}`;
  return new Map(rows.map(({ of, ...failure }) => [of, failure]));
}
