import type { DeclineCode } from '../domain/charge-outcome.ts';
import type { Id } from '../domain/ids.ts';
import type { CustomerInstant } from '../domain/instants.ts';
import type { InsertCondition } from '../platform/postgres/conditional-insert.ts';
import type { Db, Tx } from '../platform/postgres/connection.ts';
import type { RealInstant } from '../platform/real-time.ts';

export type AttemptSource = 'confirm' | 'plan' | 'schedule' | 'subscription';
/**
 * `accepted`: a debit that waits for its hand-over to the bank. `submitted`: the bank has it, or may have it.
 * `returned`: the bank collected it and took it back.
 */
export type AttemptOutcome =
  | 'processing'
  | 'accepted'
  | 'submitted'
  | 'requires_action'
  | 'succeeded'
  | 'failed'
  | 'returned';

/** The outcomes of an attempt that something is still done about. */
export type UnfinishedOutcome = Exclude<AttemptOutcome, 'failed' | 'returned'>;

export interface PaymentAttemptRow {
  id: Id<'payment_attempt'>;
  payment_intent_id: Id<'payment_intent'>;
  number: number;
  payment_method_id: Id<'payment_method'> | null;
  source: AttemptSource;
  /** Whether a payer has confirmed the payment: with a publishable key or on a page. */
  by_payer: boolean;
  request_key: string | null;
  /** Null if the key lasts as long as the attempt. */
  request_key_expires_at: RealInstant | null;
  outcome: AttemptOutcome;
  code: DeclineCode | 'canceled' | null;
  message: string | null;
  at: CustomerInstant;
  opened_at: RealInstant;
  settled_at: RealInstant | null;
  /**
   * Of a live payment that waits for its payer: its challenge is given up at the processor from then on. Null: after
   * the usual time.
   */
  challenge_ends_at: RealInstant | null;
}

export type NewAttempt = Omit<PaymentAttemptRow, 'outcome' | 'code' | 'message' | 'settled_at' | 'challenge_ends_at'>;

/**
 * Opens an attempt. Once this is committed as `processing`, the processor may be called, with the attempt's id as the
 * key. A debit begins as `accepted`.
 */
export async function insertAttempt(
  tx: Tx,
  attempt: NewAttempt,
  outcome: 'processing' | 'accepted' = 'processing',
): Promise<void> {
  await tx`insert into payment_attempts ${tx({ ...attempt, outcome })}`;
}

/**
 * Writes the last attempt of a payment that is processing and has lost its row. Returns false if the payment has it, or
 * is no longer processing.
 */
export async function restoreLostAttempt(tx: Tx, attempt: NewAttempt): Promise<boolean> {
  const { id, payment_intent_id: intentId, number, payment_method_id: methodId, source, at, opened_at } = attempt;
  const rows = await tx`
    insert into payment_attempts (id, payment_intent_id, number, payment_method_id, source, outcome, at, opened_at)
    select ${id}, id, ${number}, ${methodId}, ${source}, 'processing', ${at}, ${opened_at}
    from payment_intents
    where id = ${intentId} and status = 'processing' and attempt_count = ${number}
    on conflict do nothing
    returning id`;
  return rows.length > 0;
}

/**
 * Marks an accepted debit as handed over. Commit this before the processor is asked.
 * @throws if the attempt is not accepted.
 */
export async function markSubmitted(tx: Tx, id: string): Promise<void> {
  const { count } =
    await tx`update payment_attempts set outcome = 'submitted' where id = ${id} and outcome = 'accepted'`;
  if (count !== 1) throw new Error(`attempt ${id} is no longer accepted`);
}

/** The attempt, or null. */
export async function selectAttempt(db: Db, id: string): Promise<PaymentAttemptRow | null> {
  const [row] = await db<PaymentAttemptRow[]>`select * from payment_attempts where id = ${id}`;
  return row ?? null;
}

/** Locks an attempt for update. Lock its intent first. Returns null if the attempt was deleted. */
export async function lockAttempt(tx: Tx, id: string): Promise<PaymentAttemptRow | null> {
  const [row] = await tx<PaymentAttemptRow[]>`select * from payment_attempts where id = ${id} for no key update`;
  return row ?? null;
}

/** The attempt of an intent that has no final outcome yet, or null. */
export async function selectAttemptInFlight(db: Db, paymentIntentId: string): Promise<PaymentAttemptRow | null> {
  const [row] = await db<PaymentAttemptRow[]>`
    select * from payment_attempts
    where payment_intent_id = ${paymentIntentId}
      and outcome in ('processing', 'accepted', 'submitted', 'requires_action')`;
  return row ?? null;
}

/** The last attempt of an intent, whatever its outcome, or null. */
export async function selectLastAttempt(db: Db, paymentIntentId: string): Promise<PaymentAttemptRow | null> {
  const [row] = await db<PaymentAttemptRow[]>`
    select * from payment_attempts where payment_intent_id = ${paymentIntentId} order by number desc limit 1`;
  return row ?? null;
}

/**
 * The newest attempt of an intent that was opened under this Idempotency-Key. Returns null if there is none, or if the
 * key has expired by `now`.
 */
export async function selectAttemptOfRequest(
  db: Db,
  paymentIntentId: string,
  requestKey: string,
  now: RealInstant,
): Promise<PaymentAttemptRow | null> {
  const [row] = await db<PaymentAttemptRow[]>`
    select * from payment_attempts
    where payment_intent_id = ${paymentIntentId} and request_key = ${requestKey}
      and (request_key_expires_at is null or request_key_expires_at > ${now})
    order by number desc
    limit 1`;
  return row ?? null;
}

/**
 * The newest attempt of any payment of a subscription that was opened under this Idempotency-Key, or null. An expired
 * key is a new request.
 */
export async function selectAttemptOfSubscriptionRequest(
  db: Db,
  subscriptionId: string,
  requestKey: string,
  now: RealInstant,
): Promise<PaymentAttemptRow | null> {
  const [row] = await db<PaymentAttemptRow[]>`
    select a.* from payment_intents i
    join payment_attempts a on a.payment_intent_id = i.id
    where i.subscription_id = ${subscriptionId} and a.request_key = ${requestKey}
      and (a.request_key_expires_at is null or a.request_key_expires_at > ${now})
    order by i.subscription_charge desc, a.number desc
    limit 1`;
  return row ?? null;
}

/** Sets when the Idempotency-Key of an attempt expires. */
export async function updateAttemptKeyExpiry(tx: Tx, id: string, expiresAt: RealInstant): Promise<void> {
  await tx`update payment_attempts set request_key_expires_at = ${expiresAt} where id = ${id}`;
}

/**
 * The 100 oldest attempts that are still `processing` and were opened before this instant, and those of a process whose
 * clock was ahead: they say that they will be opened.
 */
export async function listAbandonedAttempts(db: Db, openedBefore: RealInstant): Promise<PaymentAttemptRow[]> {
  return db<PaymentAttemptRow[]>`
    select * from payment_attempts
    where outcome = 'processing' and (opened_at < ${openedBefore} or opened_at > now() + interval '1 minute')
    order by opened_at
    limit 100`;
}

/** The attempt that has this reference at the live processor, and that reservation's number. Null: none has it. */
export async function selectAttemptByReference(
  db: Db,
  reference: string,
): Promise<{ attempt: PaymentAttemptRow; reservation: number } | null> {
  const [row] = await db<(PaymentAttemptRow & { reservation: number })[]>`
    select a.*, r.number as reservation from payment_reservations r
    join payment_attempts a on a.id = r.attempt_id
    where r.livemode and r.reference = ${reference}`;
  if (row === undefined) return null;
  const { reservation, ...attempt } = row;
  return { attempt, reservation };
}

/** How many open challenges one look asks about. */
const mostChallenges = 20;

/**
 * Some of the attempts of live payments that wait for a challenge, and were opened before an instant or are to be given
 * up. They come in any order: so those that never end do not keep the others from being asked about.
 */
export async function listChallengedAttempts(
  db: Db,
  { openedBefore, now }: { openedBefore: RealInstant; now: RealInstant },
): Promise<PaymentAttemptRow[]> {
  return db<PaymentAttemptRow[]>`
    select a.* from payment_attempts a join payment_intents i on i.id = a.payment_intent_id
    where a.outcome = 'requires_action' and i.livemode
      and (a.opened_at < ${openedBefore} or a.challenge_ends_at <= ${now})
    order by random()
    limit ${mostChallenges}`;
}

/** The challenge of a live payment is to be given up from now on. By PostgreSQL's clock, as those who look for it. */
export async function bringChallengeEndForward(tx: Tx, id: string): Promise<void> {
  await tx`
    update payment_attempts set challenge_ends_at = least(challenge_ends_at, now())
    where id = ${id} and outcome = 'requires_action'`;
}

/**
 * Records the outcome of an attempt, once. The caller has locked the intent and read the attempt's outcome. A late
 * worker fails here, and its transaction rolls back. The column `settled_at` says when the attempt completed. It stays
 * null for `requires_action`.
 * @throws if the attempt's outcome is no longer `from`.
 */
export async function completeAttempt(
  tx: Tx,
  id: string,
  from: UnfinishedOutcome,
  completion: AttemptCompletion,
): Promise<void> {
  const rows = await tx`${attemptCompletion(id, from, completion)(tx, tx`true`)}`;
  if (rows.length !== 1) throw new Error(`attempt ${id} is no longer ${from}`);
}

/** The outcome of an attempt, as its row has it. */
export interface AttemptCompletion {
  outcome: 'succeeded' | 'failed' | 'requires_action' | 'returned';
  code: DeclineCode | 'canceled' | null;
  message: string | null;
  now: RealInstant;
  /** Of a challenge at a live processor: see `PaymentAttemptRow`. Left out: null. */
  challengeEndsAt?: RealInstant | null;
}

/** As `completeAttempt`, as a condition of the statement that records the event. */
export function attemptCompletion(
  id: string,
  from: UnfinishedOutcome,
  { outcome, code, message, now, challengeEndsAt = null }: AttemptCompletion,
): InsertCondition {
  return (db, met) => db`
    update payment_attempts
    set outcome = ${outcome}, code = ${code}, message = ${message},
      settled_at = ${outcome === 'requires_action' ? null : now},
      challenge_ends_at = ${outcome === 'requires_action' ? challengeEndsAt : null}
    where id = ${id} and outcome = ${from} and ${met}
    returning id`;
}
