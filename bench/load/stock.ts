import { range } from '../../lab/parallel.ts';
import type { Payer } from '../../lab/payer.ts';
import { newId } from '../../src/domain/ids.ts';
import type { Pool } from '../../src/platform/postgres/connection.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { customer, intent } from './bodies.ts';

const rowsInStatement = 10_000;

/** Inserts so many customers as the API makes them, and returns their ids, oldest first. */
export async function stockCustomers(sql: Pool, billerId: string, count: number): Promise<string[]> {
  const ids = range(count).map(() => newId('customer'));
  for (let from = 0; from < count; from += rowsInStatement) {
    await sql`
      insert into customers
        (id, biller_id, livemode, name, email, reference, status, billing_address, created_at, updated_at)
      select id, ${billerId}, false, ${customer.name}, ${customer.email}, ${customer.reference}, 'active',
        ${sql.json(customer.billing_address)}, ${realNow()}, ${realNow()}
      from unnest(${ids.slice(from, from + rowsInStatement)}::text[]) as given (id)`;
  }
  // As autovacuum leaves them, whose time is not known.
  await sql`vacuum analyze customers`;
  return ids;
}

/** Inserts so many intents of these payers in turn, each ready to be confirmed, and returns their ids. */
export async function stockIntents(
  sql: Pool,
  billerId: string,
  payers: readonly Payer[],
  count: number,
): Promise<string[]> {
  const ids = range(count).map(() => newId('payment_intent', { livemode: false }));
  const owners = range(count).map((nth) => payers[nth % payers.length]?.customerId ?? null);
  await sql`
    insert into payment_intents (
      id, biller_id, livemode, customer_id, amount, fee_amount, surcharge_applied, currency, status, metadata,
      created_at, updated_at, surcharge_asked, agreed_amount
    )
    select id, ${billerId}, false, customer_id, ${intent.amount}, 117, false, ${intent.currency},
      'requires_payment_method', ${sql.json(intent.metadata)}, ${realNow()}, ${realNow()}, false, ${intent.amount}
    from unnest(${ids}::text[], ${owners}::text[]) as given (id, customer_id)`;
  return ids;
}
