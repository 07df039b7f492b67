import postgres from 'postgres';
import type { InsertCondition } from '../platform/postgres/conditional-insert.ts';
import type { Db } from '../platform/postgres/connection.ts';

const lockNotAvailable = '55P03';
const sweptAtOnce = 1_000;

/** One use of an Idempotency-Key. All times are real. */
export interface KeyUse {
  billerId: string;
  livemode: boolean;
  key: string;
  /** Of method, path and body; the first is stored. Others are what the same request had under keys of before. */
  fingerprints: readonly [Buffer, ...Buffer[]];
  /** The id of the encryption key that the first is made with. */
  fingerprintKey: string;
  createdAt: Date;
  expiresAt: Date;
}

/** Whose a key is, with the first answer to it once there is one. */
export interface HeldKey {
  fingerprint: Buffer;
  answer: { status: number; sealed: Buffer } | null;
}

/**
 * Takes the key for the caller's transaction, whose first statement this has to be: nobody else has it until that ends.
 * Waits up to `waitMs` for a transaction that has taken it before. A key whose time is over counts as free.
 * @returns `claimed`; `taken` when a request has it already; `busy` when the other one did not end in time (the
 *   transaction is then of no more use).
 */
export async function claimKey(tx: Db, use: KeyUse, waitMs: number): Promise<'claimed' | 'taken' | 'busy'> {
  return insertKey(tx, use, waitMs, tx`idempotency_keys.expires_at <= excluded.created_at`);
}

/**
 * The same for a request that commits before it has an answer. As long as it has none, the same request again takes the
 * key once more, which then lives as long as this use of it.
 */
export async function holdKey(tx: Db, use: KeyUse, waitMs: number): Promise<'claimed' | 'taken' | 'busy'> {
  const isFreeOrUnanswered = tx`
    idempotency_keys.expires_at <= excluded.created_at
      or (${isSameRequest(tx, use)} and idempotency_keys.status_code is null)`;
  return insertKey(tx, use, waitMs, isFreeOrUnanswered);
}

function isSameRequest(db: Db, { fingerprints }: KeyUse): postgres.Fragment {
  const known = fingerprints.map((fingerprint) => fingerprint.toString('hex'));
  return db`encode(idempotency_keys.fingerprint, 'hex') = any(${known})`;
}

async function insertKey(tx: Db, use: KeyUse, waitMs: number, mayReplace: postgres.Fragment) {
  try {
    // One round trip: the subquery sets the limit before the insert can wait, RETURNING lifts it for what follows.
    const rows = await tx`
      insert into idempotency_keys (biller_id, livemode, key, fingerprint, fingerprint_key, created_at, expires_at)
      select ${use.billerId}, ${use.livemode}, ${use.key}, ${use.fingerprints[0]}, ${use.fingerprintKey}, ${use.createdAt},
        ${use.expiresAt}
      from (select set_config('lock_timeout', ${timeoutOf(waitMs)}, true)) as limited
      on conflict (biller_id, livemode, key) do update
        set fingerprint = excluded.fingerprint, fingerprint_key = excluded.fingerprint_key, status_code = null, sealed_response = null,
          created_at = excluded.created_at, expires_at = excluded.expires_at
        where ${mayReplace}
      returning set_config('lock_timeout', '0', true)`;
    return rows.length > 0 ? 'claimed' : 'taken';
  } catch (error) {
    if (isKeyBusy(error)) return 'busy';
    throw error;
  }
}

/** A statement has not written what it was to write, because a request has its key already. */
export class KeyTaken extends Error {
  override name = 'KeyTaken';
}

/**
 * The key together with its answer, as part of the statement that does what is answered: if another request has the key, that
 * does nothing. The statement fails (`isKeyBusy`) when the other one does not end within `waitMs`.
 */
export function keyWithAnswer(
  use: KeyUse,
  answer: { status: number; sealed: Buffer },
  waitMs: number,
): InsertCondition {
  return (db, given) => db`
    insert into idempotency_keys
      (biller_id, livemode, key, fingerprint, fingerprint_key, status_code, sealed_response, created_at, expires_at)
    select ${use.billerId}, ${use.livemode}, ${use.key}, ${use.fingerprints[0]}, ${use.fingerprintKey}, ${answer.status}, ${answer.sealed},
      ${use.createdAt}, ${use.expiresAt}
    from (select set_config('lock_timeout', ${timeoutOf(waitMs)}, true)) as limited
    where ${given}
    on conflict (biller_id, livemode, key) do update
      set fingerprint = excluded.fingerprint, fingerprint_key = excluded.fingerprint_key, status_code = excluded.status_code,
        sealed_response = excluded.sealed_response, created_at = excluded.created_at, expires_at = excluded.expires_at
      where idempotency_keys.expires_at <= excluded.created_at
    returning set_config('lock_timeout', '0', true)`;
}

/** Whether a statement failed because another transaction had a lock, such as that of a key, for too long. */
export function isKeyBusy(error: unknown): boolean {
  return error instanceof postgres.PostgresError && error.code === lockNotAvailable;
}

function timeoutOf(waitMs: number): string {
  return `${Math.max(1, Math.round(waitMs))}ms`;
}

/** The request that has the key at this instant, or null. */
export async function findKey(db: Db, use: KeyUse): Promise<HeldKey | null> {
  const [row] = await db<{ fingerprint: Buffer; status_code: number | null; sealed_response: Buffer | null }[]>`
    select fingerprint, status_code, sealed_response from idempotency_keys
    where biller_id = ${use.billerId} and livemode = ${use.livemode} and key = ${use.key}
      and expires_at > ${use.createdAt}`;
  if (row === undefined) return null;
  const { fingerprint, status_code: status, sealed_response: sealed } = row;
  return { fingerprint, answer: status === null || sealed === null ? null : { status, sealed } };
}

/** Writes the answer to the key that this transaction has claimed. */
export async function storeAnswer(tx: Db, use: KeyUse, status: number, sealed: Buffer): Promise<void> {
  await tx`
    update idempotency_keys set status_code = ${status}, sealed_response = ${sealed}
    where biller_id = ${use.billerId} and livemode = ${use.livemode} and key = ${use.key}`;
}

/** Writes key and answer in one, unless the key has an answer already, or is another request's: the first one stays. */
export async function insertAnswer(tx: Db, use: KeyUse, status: number, sealed: Buffer): Promise<void> {
  await tx`
    insert into idempotency_keys
      (biller_id, livemode, key, fingerprint, fingerprint_key, status_code, sealed_response, created_at, expires_at)
    values (${use.billerId}, ${use.livemode}, ${use.key}, ${use.fingerprints[0]}, ${use.fingerprintKey}, ${status}, ${sealed}, ${use.createdAt},
      ${use.expiresAt})
    on conflict (biller_id, livemode, key) do update
      set fingerprint = excluded.fingerprint, fingerprint_key = excluded.fingerprint_key, status_code = excluded.status_code,
        sealed_response = excluded.sealed_response, created_at = excluded.created_at, expires_at = excluded.expires_at
      where idempotency_keys.expires_at <= excluded.created_at
        or (idempotency_keys.status_code is null and ${isSameRequest(tx, use)})`;
}

/** By encryption key, how many requests may still be repeated that are known by a fingerprint of it; '' for those of none. */
export async function countFingerprints(db: Db, now: Date): Promise<{ key_id: string; requests: number }[]> {
  return db<{ key_id: string; requests: number }[]>`
    select coalesce(fingerprint_key, '') as key_id, count(*)::integer as requests
    from idempotency_keys where expires_at > ${now} group by 1 order by 1`;
}

/** Deletes the keys whose time is over, 1,000 in a statement, and says how many. Several sweepers do not disturb each other. */
export async function sweepIdempotencyKeys(sql: Db, now: Date): Promise<number> {
  for (let swept = 0; ; ) {
    const { count } = await sql`
      delete from idempotency_keys where ctid in (
        select ctid from idempotency_keys where expires_at <= ${now}
        order by expires_at limit ${sweptAtOnce} for update skip locked
      )`;
    swept += count;
    if (count < sweptAtOnce) return swept;
  }
}
