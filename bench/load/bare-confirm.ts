import type { Payer } from '../../lab/payer.ts';
import { newId } from '../../src/domain/ids.ts';
import type { Pool } from '../../src/platform/postgres/connection.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { insertOfIntent, type Statement } from './bare-inserts.ts';
import { intent } from './bodies.ts';

/**
 * Writes what a confirm writes, in the two statements and commits that have to be: the attempt before the processor
 * would be asked, then the outcome with its event. Nothing is locked beforehand, checked or answered.
 */
export async function confirmBare(
  sql: Pool,
  billerId: string,
  { intentId, payer, key }: { intentId: string; payer: Payer; key: Statement | null },
): Promise<void> {
  const attemptId = newId('payment_attempt');
  const now = realNow();
  await sql`
    with attempt as (${insertOfAttempt(sql, attemptId, intentId, payer, now)})
    update payment_intents
    set status = 'processing', attempt_count = 1, payment_method_id = ${payer.methodId}, updated_at = ${now}
    where id = ${intentId}`;
  await completeBare(sql, billerId, { attemptId, intentId, payer, key, now });
}

/** The same of a payment in one request: the intent is inserted together with the attempt. */
export async function payBare(
  sql: Pool,
  billerId: string,
  { payer, key }: { payer: Payer; key: Statement | null },
): Promise<void> {
  const intentId = newId('payment_intent', { livemode: false });
  const attemptId = newId('payment_attempt');
  const now = realNow();
  const charged = { id: intentId, methodId: payer.methodId };
  await sql`
    with intent as (${insertOfIntent(sql, billerId, payer.customerId, charged)})
    ${insertOfAttempt(sql, attemptId, intentId, payer, now)}`;
  await completeBare(sql, billerId, { attemptId, intentId, payer, key, now });
}

function insertOfAttempt(sql: Pool, attemptId: string, intentId: string, payer: Payer, now: Date) {
  return sql`
    insert into payment_attempts (id, payment_intent_id, number, payment_method_id, source, outcome, at, opened_at)
    values (${attemptId}, ${intentId}, 1, ${payer.methodId}, 'confirm', 'processing', ${now}, ${now})`;
}

async function completeBare(
  sql: Pool,
  billerId: string,
  {
    attemptId,
    intentId,
    payer,
    key,
    now,
  }: { attemptId: string; intentId: string; payer: Payer; key: Statement | null; now: Date },
): Promise<void> {
  await sql`
    with attempt as (
      update payment_attempts set outcome = 'succeeded', settled_at = ${now} where id = ${attemptId}
    ), intent as (
      update payment_intents set status = 'succeeded', updated_at = ${now} where id = ${intentId}
    ), counter as (
      insert into event_sequences as s (biller_id, livemode, last_sequence) values (${billerId}, false, 1)
      on conflict (biller_id, livemode) do update set last_sequence = s.last_sequence + 1
      returning last_sequence
    ) ${key === null ? sql`` : sql`, key as (${key})`}
    insert into events (
      id, biller_id, livemode, sequence, event_type, customer_id, subject_id, request_id, data, created_at, recorded_at
    )
    select ${newId('event')}, ${billerId}, false, last_sequence, 'payment_intent.succeeded', ${payer.customerId},
      ${intentId}, ${newId('request')}, ${shown(intentId, payer, billerId, now)}::json, ${now}, ${now}
    from counter`;
}

/** As long as what the API shows of such an intent. */
function shown(id: string, payer: Payer, billerId: string, now: Date): string {
  return JSON.stringify({
    ...{ id, ...intent, total_amount: 4990, fee_amount: 117, surcharge_amount: 0, surcharge_applied: false },
    ...{ status: 'succeeded', payment_method_id: payer.methodId, customer_id: payer.customerId, biller_id: billerId },
    ...{
      payment_plan_id: null,
      total_refunded_amount: 0,
      net_collected_amount: 4990,
      last_payment_error: null,
      livemode: false,
    },
    ...{ created_at: now, updated_at: now },
  });
}
