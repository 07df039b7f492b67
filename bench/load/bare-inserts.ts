import { randomBytes, randomUUID } from 'node:crypto';
import type { Pool } from '../../src/db/connection.ts';
import { newId } from '../../src/domain/ids.ts';
import { realNow } from '../../src/domain/real-time.ts';
import { customer, intent } from './bodies.ts';
import type { Resource } from './jobs.ts';

/** Bytes of a stored answer: those of a customer's or an intent's JSON, encrypted. */
const storedAnswerBytes = 780;
const keyLivesMs = 86_400_000;

/**
 * Writes the rows that the API would write, in one statement and one round trip, and nothing else: no request is parsed,
 * nothing is checked and nothing is answered. It is what the database alone allows.
 */
export async function insertBare(
  sql: Pool,
  billerId: string,
  { resource, keyed, customerId }: { resource: Resource; keyed: boolean; customerId: string },
): Promise<void> {
  const row =
    resource === 'customer'
      ? insertOfCustomer(sql, billerId)
      : insertOfIntent(sql, billerId, resource === 'intent' ? null : customerId);
  if (keyed) await sql`with key as (${insertOfKey(sql, billerId)}) ${row}`;
  else await row;
}

function insertOfCustomer(sql: Pool, billerId: string) {
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

function insertOfIntent(sql: Pool, billerId: string, customerId: string | null) {
  const now = realNow();
  return sql`
    insert into payment_intents (
      id, biller_id, livemode, customer_id, payment_method_id, payment_plan_id, payment_plan_slot, amount, fee_amount,
      surcharge_amount, surcharge_applied, currency, status, metadata, payment_method_data, statement_descriptor,
      scheduled_payment_date, scheduled_at, created_at, updated_at
    ) values (
      ${newId('payment_intent', { livemode: false })}, ${billerId}, false, ${customerId}, null, null, null,
      ${intent.amount}, 117, 0, false, ${intent.currency}, 'requires_payment_method', ${sql.json(intent.metadata)}, null,
      null, null, null, ${now}, ${now}
    )`;
}

function insertOfKey(sql: Pool, billerId: string) {
  const now = realNow();
  return sql`
    insert into idempotency_keys
      (biller_id, livemode, key, fingerprint, status_code, sealed_response, created_at, expires_at)
    values (${billerId}, false, ${randomUUID()}, ${randomBytes(32)}, 201, ${randomBytes(storedAnswerBytes)}, ${now},
      ${new Date(now.getTime() + keyLivesMs)})`;
}
