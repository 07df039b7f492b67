import type { Currency } from '../domain/currencies.ts';
import type { MinorUnits } from '../domain/units.ts';
import type { Db } from '../platform/postgres/connection.ts';
import type { CustomerRow } from './customers.ts';
import type { PaymentIntentRow } from './payment-intents.ts';
import type { TenantKey } from './tenant.ts';

/** Why a customer is found; in the order in which hits are shown. */
export interface CustomerSearch {
  email?: string;
  reference?: string;
  /** Words of the name, each of which may be the beginning of one. */
  words?: string;
  /** The last four digits of a card or an account, detached ones included. */
  last4?: string;
}

/** Customers of this biller and mode, deleted and clock-bound ones included, at most `limit`. */
export async function findCustomers(
  db: Db,
  tenant: TenantKey,
  search: CustomerSearch,
  limit: number,
): Promise<CustomerRow[]> {
  const isTheirs = db`biller_id = ${tenant.billerId} and livemode = ${tenant.livemode}`;
  const queries = [
    search.email === undefined
      ? null
      : db<CustomerRow[]>`
          select * from customers where ${isTheirs} and lower(email) = lower(${search.email})
          order by id desc limit ${limit}`,
    search.reference === undefined
      ? null
      : db<CustomerRow[]>`
          select * from customers where ${isTheirs} and reference = ${search.reference} order by id desc limit ${limit}`,
    search.last4 === undefined
      ? null
      : db<CustomerRow[]>`
          select * from customers where ${isTheirs} and id in (
            select customer_id from payment_methods where ${isTheirs} and last4 = ${search.last4}
            order by id desc limit ${limit}
          )`,
    search.words === undefined ? null : findByWords(db, tenant, search.words, limit),
  ];
  const found = await Promise.all(queries);
  const byId = new Map(found.flatMap((rows) => rows ?? []).map((row) => [row.id, row]));
  return [...byId.values()].slice(0, limit);
}

/**
 * Customers whose name has words that begin so. The words are found as the index has them. It has no order: one would
 * read all hits of a common word.
 */
async function findByWords(db: Db, tenant: TenantKey, words: string, limit: number): Promise<CustomerRow[]> {
  const [row] = await db<{ query: string | null }[]>`
    select string_agg(quote_literal(lexeme) || ':*', ' & ') as query from unnest(to_tsvector('simple', ${words}))`;
  const query = row?.query ?? null;
  if (query === null) return [];
  return db<CustomerRow[]>`
    select * from customers
    where to_tsvector('simple', name) @@ ${query}::tsquery
      and biller_id = ${tenant.billerId} and livemode = ${tenant.livemode}
    limit ${limit}`;
}

/** Payments of this biller and mode over these totals, clock-bound ones included, newest first, at most `limit`. */
export async function findPaymentsByTotal(
  db: Db,
  tenant: TenantKey,
  amounts: readonly { currency: Currency; total: MinorUnits }[],
  limit: number,
): Promise<PaymentIntentRow[]> {
  const totals = [...new Set(amounts.map(({ total }) => total))];
  const pairs = amounts.map(({ currency, total }) => `${currency} ${total}`);
  const found = await Promise.all(
    totals.map(
      (total) => db<PaymentIntentRow[]>`
        select * from payment_intents
        where biller_id = ${tenant.billerId} and livemode = ${tenant.livemode} and total_amount = ${total}
          and currency || ' ' || total_amount = any(${pairs}::text[])
        order by id desc limit ${limit}`,
    ),
  );
  return found.flat().slice(0, limit);
}

/** Payments of this biller and mode whose last debit has this reference on statements, at most `limit`. */
export async function findPaymentsByLodgement(
  db: Db,
  tenant: TenantKey,
  reference: string,
  limit: number,
): Promise<PaymentIntentRow[]> {
  return db<PaymentIntentRow[]>`
    select * from payment_intents
    where biller_id = ${tenant.billerId} and livemode = ${tenant.livemode} and lodgement_reference = ${reference}
    limit ${limit}`;
}
