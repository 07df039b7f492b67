import { addMs } from '../domain/instants.ts';
import type { Db, Tx } from '../platform/postgres/connection.ts';
import type { RealInstant } from '../platform/real-time.ts';

/** A key that processes have started with. `key_check` shows whether another key is the same one. */
export interface RecordedKey {
  id: string;
  key_check: Buffer;
}

/** All keys that are recorded, in the order in which they were. */
export async function listRecordedKeys(db: Db): Promise<RecordedKey[]> {
  return db<RecordedKey[]>`select id, key_check from encryption_keys order by recorded_at, id`;
}

/** Excludes all others that record keys, until the transaction ends. */
export async function lockRecordedKeys(tx: Tx): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended('encryption keys', 0))`;
}

/** Records keys, the first one as the latest. Take the lock in this transaction first. */
export async function insertRecordedKeys(tx: Tx, keys: readonly RecordedKey[], now: RealInstant): Promise<void> {
  const rows = keys.map((key, position) => ({ ...key, recorded_at: addMs(now, -position) }));
  if (rows.length > 0) await tx`insert into encryption_keys ${tx(rows, 'id', 'key_check', 'recorded_at')}`;
}

/** Removes keys that are no longer needed. */
export async function deleteRecordedKeys(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await tx`delete from encryption_keys where id = any(${[...ids]})`;
}
