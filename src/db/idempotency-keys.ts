import type postgres from 'postgres';
import type { Id } from '../domain/ids.ts';
import type { InsertCondition } from '../platform/postgres/conditional-insert.ts';
import type { Db } from '../platform/postgres/connection.ts';
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

/** A request with this key cannot go on: another request has the key, or this one has its response already. */
export class KeyTaken extends Error {
  override name = 'KeyTaken';
}

/**
 * Condition: the key is free. Claims it for this use: no other transaction can claim it until the statement is
 * committed or rolled back. An expired key counts as free. With `mayResume`, the same request may also claim the key
 * again, as long as no response is stored; the key then expires when this use of it expires.
 *
 * Notes `subjectId`, the object that the request makes, or null. Its row has as `subject_id` this id, or the one that
 * the claim which it resumes has noted. Waits up to `waitMs` for a transaction that has claimed the key already, then
 * fails (`waitedTooLong`).
 */
export function keyClaim(
  use: KeyUse,
  { subjectId, mayResume, waitMs }: { subjectId: string | null; mayResume: boolean; waitMs: number },
): InsertCondition {
  // In one round trip: the subquery sets the lock timeout before the insert can wait, and RETURNING resets it for the
  // next statements.
  return (db, met) => db`
    insert into idempotency_keys
      (biller_id, livemode, key, fingerprint, fingerprint_key, subject_id, created_at, expires_at)
    select ${use.billerId}, ${use.livemode}, ${use.key}, ${use.fingerprints[0]}, ${use.fingerprintKey}, ${subjectId},
      ${use.createdAt}, ${use.expiresAt}
    from (select set_config('lock_timeout', ${timeoutOf(waitMs)}, true)) as limited
    where ${met}
    on conflict (biller_id, livemode, key) do update
      set fingerprint = excluded.fingerprint, fingerprint_key = excluded.fingerprint_key, status_code = null,
        sealed_response = null, created_at = excluded.created_at, expires_at = excluded.expires_at,
        subject_id = case
          when idempotency_keys.expires_at > excluded.created_at
          then coalesce(idempotency_keys.subject_id, excluded.subject_id) else excluded.subject_id
        end
      where idempotency_keys.expires_at <= excluded.created_at
        ${mayResume ? db`or (${isUnanswered(db, use)})` : db``}
    returning subject_id, set_config('lock_timeout', '0', true)`;
}

/**
 * Condition: this request has claimed the key, and no response is stored. Stores the response. Waits up to `waitMs` for
 * a transaction that has locked the key, then fails (`waitedTooLong`).
 */
export function keyResponse(
  use: KeyUse,
  { status, sealed, waitMs }: { status: number; sealed: Buffer; waitMs: number },
): InsertCondition {
  return (db, met) => db`
    update idempotency_keys set status_code = ${status}, sealed_response = ${sealed}
    from (select set_config('lock_timeout', ${timeoutOf(waitMs)}, true)) as limited
    where ${met} and biller_id = ${use.billerId} and livemode = ${use.livemode} and key = ${use.key}
      and ${isUnanswered(db, use)}
    returning set_config('lock_timeout', '0', true)`;
}

/** SQL condition: the key is of this request, and has no response. */
function isUnanswered(db: Db, { fingerprints }: KeyUse): postgres.Fragment {
  const known = fingerprints.map((fingerprint) => fingerprint.toString('hex'));
  return db`idempotency_keys.status_code is null and encode(idempotency_keys.fingerprint, 'hex') = any(${known})`;
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

/** Counts the unexpired requests per encryption key of their fingerprint, the column `fingerprint_key`. */
export async function countFingerprints(db: Db, now: RealInstant): Promise<{ key_id: string; requests: number }[]> {
  return db<{ key_id: string; requests: number }[]>`
    select fingerprint_key as key_id, count(*)::integer as requests
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
