// What the pages for payers read of a payment. The token of a page has named the payment, so it is found by its id.
import type { Db } from '../platform/postgres/connection.ts';
import type { PaymentIntentRow } from './payment-intents.ts';
import type { RefundRow } from './refunds.ts';

/** The intent of this id, of whatever biller and mode, or null. */
export async function selectIntentOfPage(db: Db, id: string): Promise<PaymentIntentRow | null> {
  const [row] = await db<PaymentIntentRow[]>`select * from payment_intents where id = ${id}`;
  return row ?? null;
}

/** When the money of an intent was last taken, in customer time, or null. */
export async function selectTakenAt(db: Db, intentId: string): Promise<Date | null> {
  const [row] = await db<{ at: Date }[]>`
    select at from payment_attempts
    where payment_intent_id = ${intentId} and outcome in ('succeeded', 'returned')
    order by number desc limit 1`;
  return row?.at ?? null;
}

/** The refunds of an intent that succeeded, oldest first. */
export async function listRefundsOfPage(
  db: Db,
  intentId: string,
): Promise<Pick<RefundRow, 'id' | 'amount' | 'updated_at'>[]> {
  return db<Pick<RefundRow, 'id' | 'amount' | 'updated_at'>[]>`
    select id, amount, updated_at from refunds
    where payment_intent_id = ${intentId} and status = 'succeeded' order by id`;
}
