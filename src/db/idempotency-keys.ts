import postgres from 'postgres';
import type { Db } from './connection.ts';

const lockNotAvailable = '55P03';
const sweptAtOnce = 1_000;

/** One use of an Idempotency-Key. All times are real. */
export interface KeyUse {
  billerId: string;
  livemode: boolean;
  key: string;
  /** SHA-256 of method, path and body. */
  fingerprint: Buffer;
  createdAt: Date;
  expiresAt: Date;
}

/** The first answer to a key. */
export interface StoredAnswer {
  fingerprint: Buffer;
  status_code: number;
  sealed_response: Buffer;
}

/**
 * Takes the key for the caller's transaction, whose first statement this has to be: nobody else has it until that ends.
 * Waits up to `waitMs` for a transaction that has taken it before. A key whose time is over counts as free.
 * @returns `claimed`; `answered` when the key has an answer; `busy` when the other one did not end in time (the
 *   transaction is then of no more use).
 */
export async function claimKey(tx: Db, use: KeyUse, waitMs: number): Promise<'claimed' | 'answered' | 'busy'> {
  const timeout = `${Math.max(1, Math.round(waitMs))}ms`;
  try {
    // One round trip: the subquery sets the limit before the insert can wait, RETURNING lifts it for what follows.
    const rows = await tx`
      insert into idempotency_keys (biller_id, livemode, key, fingerprint, created_at, expires_at)
      select ${use.billerId}, ${use.livemode}, ${use.key}, ${use.fingerprint}, ${use.createdAt}, ${use.expiresAt}
      from (select set_config('lock_timeout', ${timeout}, true)) as limited
      on conflict (biller_id, livemode, key) do update
        set fingerprint = excluded.fingerprint, status_code = null, sealed_response = null,
          created_at = excluded.created_at, expires_at = excluded.expires_at
        where idempotency_keys.expires_at <= excluded.created_at
      returning set_config('lock_timeout', '0', true)`;
    return rows.length > 0 ? 'claimed' : 'answered';
  } catch (error) {
    if (error instanceof postgres.PostgresError && error.code === lockNotAvailable) return 'busy';
    throw error;
  }
}

/** The answer that the key has at this instant, or null. */
export async function findAnswer(db: Db, use: KeyUse): Promise<StoredAnswer | null> {
  const [row] = await db<StoredAnswer[]>`
    select fingerprint, status_code, sealed_response from idempotency_keys
    where biller_id = ${use.billerId} and livemode = ${use.livemode} and key = ${use.key}
      and expires_at > ${use.createdAt} and status_code is not null`;
  return row ?? null;
}

/** Writes the answer to the key that this transaction has claimed. */
export async function storeAnswer(tx: Db, use: KeyUse, status: number, sealed: Buffer): Promise<void> {
  await tx`
    update idempotency_keys set status_code = ${status}, sealed_response = ${sealed}
    where biller_id = ${use.billerId} and livemode = ${use.livemode} and key = ${use.key}`;
}

/** Writes key and answer in one, unless the key has an answer already: the first one stays. */
export async function insertAnswer(tx: Db, use: KeyUse, status: number, sealed: Buffer): Promise<void> {
  await tx`
    insert into idempotency_keys
      (biller_id, livemode, key, fingerprint, status_code, sealed_response, created_at, expires_at)
    values (${use.billerId}, ${use.livemode}, ${use.key}, ${use.fingerprint}, ${status}, ${sealed}, ${use.createdAt},
      ${use.expiresAt})
    on conflict (biller_id, livemode, key) do update
      set fingerprint = excluded.fingerprint, status_code = excluded.status_code,
        sealed_response = excluded.sealed_response, created_at = excluded.created_at, expires_at = excluded.expires_at
      where idempotency_keys.expires_at <= excluded.created_at`;
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
