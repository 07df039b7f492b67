import type { Db } from '../platform/postgres/connection.ts';

export type AttemptSource = 'confirm' | 'plan' | 'schedule';
export type AttemptOutcome = 'processing' | 'requires_action' | 'succeeded' | 'failed';

export interface PaymentAttemptRow {
  id: string;
  payment_intent_id: string;
  number: number;
  payment_method_id: string | null;
  source: AttemptSource;
  request_key: string | null;
  /** Real time; null when the key stands as long as the attempt. */
  request_key_expires_at: Date | null;
  outcome: AttemptOutcome;
  code: string | null;
  message: string | null;
  at: Date;
  opened_at: Date;
  settled_at: Date | null;
}

type NewAttempt = Omit<PaymentAttemptRow, 'outcome' | 'code' | 'message' | 'settled_at'>;

/** Opens an attempt: from its commit on the processor may be asked, under the attempt's id. */
export async function insertAttempt(tx: Db, attempt: NewAttempt): Promise<void> {
  await tx`
    insert into payment_attempts (
      id, payment_intent_id, number, payment_method_id, source, request_key, request_key_expires_at,
      outcome, at, opened_at
    ) values (
      ${attempt.id}, ${attempt.payment_intent_id}, ${attempt.number}, ${attempt.payment_method_id}, ${attempt.source},
      ${attempt.request_key}, ${attempt.request_key_expires_at}, 'processing', ${attempt.at}, ${attempt.opened_at}
    )`;
}

/** The attempt, locked after its intent, or null when that was deleted. */
export async function lockAttempt(tx: Db, id: string): Promise<PaymentAttemptRow | null> {
  const [row] = await tx<PaymentAttemptRow[]>`select * from payment_attempts where id = ${id} for no key update`;
  return row ?? null;
}

/** The attempt of an intent that has no final outcome yet, or null. */
export async function findAttemptInFlight(db: Db, paymentIntentId: string): Promise<PaymentAttemptRow | null> {
  const [row] = await db<PaymentAttemptRow[]>`
    select * from payment_attempts
    where payment_intent_id = ${paymentIntentId} and outcome in ('processing', 'requires_action')`;
  return row ?? null;
}

/** The last attempt of an intent, whatever came of it, or null. */
export async function findLastAttempt(db: Db, paymentIntentId: string): Promise<PaymentAttemptRow | null> {
  const [row] = await db<PaymentAttemptRow[]>`
    select * from payment_attempts where payment_intent_id = ${paymentIntentId} order by number desc limit 1`;
  return row ?? null;
}

/** The newest attempt of an intent that was opened under this Idempotency-Key, unless the key has expired by `now`; or null. */
export async function findAttemptOfRequest(
  db: Db,
  paymentIntentId: string,
  requestKey: string,
  now: Date,
): Promise<PaymentAttemptRow | null> {
  const [row] = await db<PaymentAttemptRow[]>`
    select * from payment_attempts
    where payment_intent_id = ${paymentIntentId} and request_key = ${requestKey}
      and (request_key_expires_at is null or request_key_expires_at > ${now})
    order by number desc
    limit 1`;
  return row ?? null;
}

/** Lets the key of an attempt's request live until then, real time. */
export async function setAttemptKeyExpiry(tx: Db, id: string, expiresAt: Date): Promise<void> {
  await tx`update payment_attempts set request_key_expires_at = ${expiresAt} where id = ${id}`;
}

/** Attempts that were opened before this instant (real time) and have no outcome yet, oldest first. */
export async function findAbandonedAttempts(db: Db, openedBefore: Date): Promise<PaymentAttemptRow[]> {
  return db<PaymentAttemptRow[]>`
    select * from payment_attempts
    where outcome = 'processing' and opened_at < ${openedBefore}
    order by opened_at
    limit 100`;
}

/**
 * Gives an attempt its outcome, once. Its intent is locked and its outcome was looked at; whoever comes late all the same
 * (a worker that woke up after its time) loses here, with everything else that it wanted to write.
 * @throws when the attempt's outcome is not `from` any more.
 */
export async function completeAttempt(
  tx: Db,
  id: string,
  from: 'processing' | 'requires_action',
  settled: {
    outcome: 'succeeded' | 'failed' | 'requires_action';
    code: string | null;
    message: string | null;
    now: Date;
  },
): Promise<void> {
  const rows = await tx`
    update payment_attempts
    set outcome = ${settled.outcome}, code = ${settled.code}, message = ${settled.message},
      settled_at = ${settled.outcome === 'requires_action' ? null : settled.now}
    where id = ${id} and outcome = ${from}
    returning id`;
  if (rows.length !== 1) throw new Error(`attempt ${id} is not ${from} any more`);
}
