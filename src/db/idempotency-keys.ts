import type postgres from 'postgres';
import type { Id } from '../domain/ids.ts';
import type { InsertCondition } from '../platform/postgres/conditional-insert.ts';
import type { Db, Tx } from '../platform/postgres/connection.ts';
import { waitedTooLong } from '../platform/postgres/transaction.ts';
import type { RealInstant } from '../platform/real-time.ts';

const sweepBatch = 1_000;

/** One use of an Idempotency-Key. All times are real time. */
export interface KeyUse {
  billerId: Id<'biller'>;
  livemode: boolean;
  key: string;
  /**
   * Fingerprints of method, path and body. The first is stored in the column `fingerprint`. The others are fingerprints
   * of the same request under earlier encryption keys.
   */
  fingerprints: readonly [Buffer, ...Buffer[]];
  /** The id of the encryption key that made the first fingerprint; the column `fingerprint_key`. */
  fingerprintKey: string;
  createdAt: RealInstant;
  expiresAt: RealInstant;
}

/**
 * The stored use of a key: its request, and the first response to it. `response` holds the columns `status_code` and
 * `sealed_response`. It is null until a response is stored.
 */
export interface StoredUse {
  fingerprint: Buffer;
  response: { status: number; sealed: Buffer } | null;
}

/**
 * Claims the key for the caller's transaction. This must be the first statement of the transaction. No other
 * transaction can claim the key until this one ends. Waits up to `waitMs` for a transaction that has claimed it
 * already. An expired key counts as free.
 * @returns `claimed`; `taken` if another request has the key; `busy` if the other transaction did not end in time (this
 *   transaction is then unusable).
 */
export async function claimKey(tx: Tx, use: KeyUse, waitMs: number): Promise<'claimed' | 'taken' | 'busy'> {
  return insertKey(tx, use, waitMs, tx`idempotency_keys.expires_at <= excluded.created_at`);
}

/**
 * As `claimKey`, for a request that commits before it has a response. Until a response is stored, the same request may
 * claim the key again. The key then expires when this use of it expires.
 */
export async function claimOrResumeKey(tx: Tx, use: KeyUse, waitMs: number): Promise<'claimed' | 'taken' | 'busy'> {
  const isFreeOrUnanswered = tx`
    idempotency_keys.expires_at <= excluded.created_at
      or (${isSameRequest(tx, use)} and idempotency_keys.status_code is null)`;
  return insertKey(tx, use, waitMs, isFreeOrUnanswered);
}

function isSameRequest(db: Db, { fingerprints }: KeyUse): postgres.Fragment {
  const known = fingerprints.map((fingerprint) => fingerprint.toString('hex'));
  return db`encode(idempotency_keys.fingerprint, 'hex') = any(${known})`;
}

async function insertKey(tx: Tx, use: KeyUse, waitMs: number, mayReplace: postgres.Fragment) {
  try {
    // One round trip: the subquery sets the lock timeout before the insert can wait, and RETURNING resets it for the
    // next statements.
    const rows = await tx`
      insert into idempotency_keys (biller_id, livemode, key, fingerprint, fingerprint_key, created_at, expires_at)
      select ${use.billerId}, ${use.livemode}, ${use.key}, ${use.fingerprints[0]}, ${use.fingerprintKey},
        ${use.createdAt}, ${use.expiresAt}
      from (select set_config('lock_timeout', ${timeoutOf(waitMs)}, true)) as limited
      on conflict (biller_id, livemode, key) do update
        set fingerprint = excluded.fingerprint, fingerprint_key = excluded.fingerprint_key,
          status_code = null, sealed_response = null,
          created_at = excluded.created_at, expires_at = excluded.expires_at,
          subject_id = case when idempotency_keys.expires_at > excluded.created_at then idempotency_keys.subject_id end
        where ${mayReplace}
      returning set_config('lock_timeout', '0', true)`;
    return rows.length > 0 ? 'claimed' : 'taken';
  } catch (error) {
    if (waitedTooLong(error)) return 'busy';
    throw error;
  }
}

/**
 * Notes on a claimed key which object its request makes. Returns the id of the object: the one that an earlier try of
 * the request has noted and committed, or else `newId`.
 */
export async function noteSubject(tx: Tx, use: KeyUse, newId: string): Promise<string> {
  const [row] = await tx<{ subject_id: string }[]>`
    update idempotency_keys set subject_id = coalesce(subject_id, ${newId})
    where biller_id = ${use.billerId} and livemode = ${use.livemode} and key = ${use.key}
    returning subject_id`;
  if (row === undefined) throw new Error('the key was not claimed');
  return row.subject_id;
}

/**
 * Condition: the key is free. Claims it, as `claimKey` does, in the statement of the work that it guards. `subjectId`
 * is the object that the statement makes, or null. If any request has the key, the same one included, the statement
 * writes nothing; `claimOrResumeKey` can then tell which.
 */
export function claimOfFreeKey(use: KeyUse, waitMs: number, subjectId: string | null): InsertCondition {
  return (db, met) => db`
    insert into idempotency_keys
      (biller_id, livemode, key, fingerprint, fingerprint_key, subject_id, created_at, expires_at)
    select ${use.billerId}, ${use.livemode}, ${use.key}, ${use.fingerprints[0]}, ${use.fingerprintKey}, ${subjectId},
      ${use.createdAt}, ${use.expiresAt}
    from (select set_config('lock_timeout', ${timeoutOf(waitMs)}, true)) as limited
    where ${met}
    on conflict (biller_id, livemode, key) do update
      set fingerprint = excluded.fingerprint, fingerprint_key = excluded.fingerprint_key, status_code = null,
        sealed_response = null, subject_id = excluded.subject_id, created_at = excluded.created_at,
        expires_at = excluded.expires_at
      where idempotency_keys.expires_at <= excluded.created_at
    returning set_config('lock_timeout', '0', true)`;
}

/** A conditional insert wrote nothing, because another request already has the key. */
export class KeyTaken extends Error {
  override name = 'KeyTaken';
}

/**
 * Condition: the key is free, or this request has claimed it and has no response yet. Stores the key and its response
 * in the same statement as the row that it guards. If another request has the key, that statement writes nothing. It
 * fails (`waitedTooLong`) if the other transaction does not end within `waitMs`.
 */
export function keyWithResponse(
  use: KeyUse,
  response: { status: number; sealed: Buffer },
  waitMs: number,
): InsertCondition {
  return (db, met) => db`
    insert into idempotency_keys
      (biller_id, livemode, key, fingerprint, fingerprint_key, status_code, sealed_response, created_at, expires_at)
    select ${use.billerId}, ${use.livemode}, ${use.key}, ${use.fingerprints[0]}, ${use.fingerprintKey},
      ${response.status}, ${response.sealed}, ${use.createdAt}, ${use.expiresAt}
    from (select set_config('lock_timeout', ${timeoutOf(waitMs)}, true)) as limited
    where ${met}
    on conflict (biller_id, livemode, key) do update
      set fingerprint = excluded.fingerprint, fingerprint_key = excluded.fingerprint_key,
        status_code = excluded.status_code, sealed_response = excluded.sealed_response, created_at = excluded.created_at, expires_at = excluded.expires_at
      where idempotency_keys.expires_at <= excluded.created_at
        or (idempotency_keys.status_code is null and ${isSameRequest(db, use)})
    returning set_config('lock_timeout', '0', true)`;
}

function timeoutOf(waitMs: number): string {
  return `${Math.max(1, Math.round(waitMs))}ms`;
}

/** The request that has the key at this instant, or null. An expired key is not found. */
export async function selectKeyUse(db: Db, use: KeyUse): Promise<StoredUse | null> {
  const [row] = await db<{ fingerprint: Buffer; status_code: number | null; sealed_response: Buffer | null }[]>`
    select fingerprint, status_code, sealed_response from idempotency_keys
    where biller_id = ${use.billerId} and livemode = ${use.livemode} and key = ${use.key}
      and expires_at > ${use.createdAt}`;
  if (row === undefined) return null;
  const { fingerprint, status_code: status, sealed_response: sealed } = row;
  return { fingerprint, response: status === null || sealed === null ? null : { status, sealed } };
}

/** Stores the response to a key that this transaction has claimed. */
export async function storeResponse(tx: Tx, use: KeyUse, status: number, sealed: Buffer): Promise<void> {
  await tx`
    update idempotency_keys set status_code = ${status}, sealed_response = ${sealed}
    where biller_id = ${use.billerId} and livemode = ${use.livemode} and key = ${use.key}`;
}

/**
 * Stores a key and its response in one statement. If the key already has a response, or belongs to another request,
 * nothing changes: the first response stays. An expired key is replaced.
 */
export async function insertResponse(
  db: Db,
  use: KeyUse,
  response: { status: number; sealed: Buffer },
  waitMs: number,
): Promise<void> {
  await db`${keyWithResponse(use, response, waitMs)(db, db`true`)}`;
}

/**
 * Counts the unexpired requests per encryption key of their fingerprint. `key_id` is the column `fingerprint_key`; `''`
 * stands for null.
 */
export async function countFingerprints(db: Db, now: RealInstant): Promise<{ key_id: string; requests: number }[]> {
  return db<{ key_id: string; requests: number }[]>`
    select coalesce(fingerprint_key, '') as key_id, count(*)::integer as requests
    from idempotency_keys where expires_at > ${now} group by 1 order by 1`;
}

/**
 * Deletes the expired keys, 1,000 per statement, and returns their number. Concurrent sweepers skip each other's rows.
 */
export async function sweepIdempotencyKeys(sql: Db, now: RealInstant): Promise<number> {
  for (let swept = 0; ; ) {
    const { count } = await sql`
      delete from idempotency_keys where ctid in (
        select ctid from idempotency_keys where expires_at <= ${now}
        order by expires_at limit ${sweepBatch} for update skip locked
      )`;
    swept += count;
    if (count < sweepBatch) return swept;
  }
}
