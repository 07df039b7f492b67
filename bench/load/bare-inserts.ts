import { randomBytes, randomUUID } from 'node:crypto';
import { newId } from '../../src/domain/ids.ts';
import type { Pool } from '../../src/platform/postgres/connection.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { customer, intent } from './bodies.ts';

/** Bytes of a stored response: those of a customer's or an intent's JSON, encrypted. */
const storedResponseBytes = 780;
const keyLivesMs = 86_400_000;

/** A statement that has not been sent: it runs when it is waited for, or as part of another. */
export type Statement = ReturnType<typeof insertOfCustomer>;

/** Inserts a row, with the row of its key in the same statement where it has one. */
export async function insertBare(sql: Pool, row: Statement, key: Statement | null): Promise<void> {
  if (key === null) await row;
  else await sql`with key as (${key}) ${row}`;
}

export function insertOfCustomer(sql: Pool, billerId: string) {
  const now = realNow();
  return sql`
    insert into customers (
      id, biller_id, livemode, test_clock_id, name, email, reference, status, business_name, billing_address,
      shipping_address, notification_preferences, fee_preferences, additional_attributes, phones, created_at, updated_at
    ) values (
      ${newId('customer')}, ${billerId}, false, null, ${customer.name}, ${customer.email}, ${customer.reference},
      'active', null, ${sql.json(customer.billing_address)}, null, null, null, null, null, ${now}, ${now}
    )`;
}

/** A new intent; with `charged`, one under this id whose first attempt by this method is under way. */
export function insertOfIntent(
  sql: Pool,
  billerId: string,
  customerId: string | null,
  charged: { id: string; methodId: string } | null = null,
) {
  const now = realNow();
  const id = charged?.id ?? newId('payment_intent', { livemode: false });
  return sql`
    insert into payment_intents (
      id, biller_id, livemode, customer_id, payment_method_id, payment_plan_id, payment_plan_slot, amount, fee_amount,
      surcharge_amount, surcharge_applied, currency, status, metadata, statement_descriptor,
      scheduled_payment_date, scheduled_at, attempt_count, created_at, updated_at, surcharge_asked, agreed_amount
    ) values (
      ${id}, ${billerId}, false, ${customerId}, ${charged?.methodId ?? null}, null, null,
      ${intent.amount}, 117, 0, false, ${intent.currency}, ${charged ? 'processing' : 'requires_payment_method'},
      ${sql.json(intent.metadata)}, null, null, null, ${charged ? 1 : 0}, ${now}, ${now}, false, ${intent.amount}
    )`;
}

export function insertOfKey(sql: Pool, billerId: string) {
  const now = realNow();
  return sql`
    insert into idempotency_keys
      (biller_id, livemode, key, fingerprint, fingerprint_key, status_code, sealed_response, created_at, expires_at)
    values (${billerId}, false, ${randomUUID()}, ${randomBytes(32)}, 'bench', 201, ${randomBytes(storedResponseBytes)},
      ${now}, ${new Date(now.getTime() + keyLivesMs)})`;
}
