import {
  deleteRecordedKeys,
  insertRecordedKeys,
  listRecordedKeys,
  lockRecordedKeys,
  type RecordedKey,
} from '../../db/encryption-keys.ts';
import { isKeyUsed, type SealedColumn, sealedColumns } from '../../db/sealed-values.ts';
import type { Db, Tx } from '../../platform/postgres/connection.ts';
import { databaseNow } from '../../platform/postgres/database-clock.ts';
import { atomically } from '../../platform/postgres/transaction.ts';
import type { Vault } from './vault.ts';

/**
 * Why the service must not work with its encryption keys.
 * - `missing`: the database has values that only this key opens, and it is not configured.
 * - `wrong`: another key than this one was used under this id.
 */
export interface KeyProblem {
  keyId: string;
  kind: 'missing' | 'wrong';
}

/** In milliseconds. Without values of a key, a whole table is read. This happens once for each key. */
const scanTimeoutMs = 600_000;

const columns = Object.keys(sealedColumns) as SealedColumn[];

/**
 * Compares the keys of this process with those that other processes have started with, and records them. A recorded key
 * that is not configured is missing while the database has values of it; then its record is removed, unless it is newer
 * than all keys of this process: then another process is about to seal with it, and this one has an old list. `lost`
 * names keys that may be missing. Returns the problems; then nothing is recorded. One statement if nothing has changed
 * since the last start.
 */
export async function findKeyProblems(db: Db, vault: Vault, lost: readonly string[] = []): Promise<KeyProblem[]> {
  const recorded = await listRecordedKeys(db);
  const isAsBefore = recorded.length === vault.keyIds.length && vault.keyIds.every((id) => isRecorded(recorded, id));
  if (isAsBefore) return findWrong(recorded, vault);
  return atomically(db, (tx) => compareAndRecord(tx, vault, lost));
}

/**
 * Returns the ids of the recorded keys that are newer than all keys of this vault. If there are any, other processes
 * have a newer list of keys, and this one may not open what they seal.
 */
export async function findNewerKeys(db: Db, vault: Pick<Vault, 'keyChecks'>): Promise<string[]> {
  return newerKeys(await listRecordedKeys(db), vault);
}

function newerKeys(recorded: readonly RecordedKey[], { keyChecks }: Pick<Vault, 'keyChecks'>): string[] {
  const newestOwn = recorded.findLastIndex(({ id }) => keyChecks.has(id));
  return recorded.slice(newestOwn + 1).map(({ id }) => id);
}

/**
 * Whether a process has started on the database with a key. `tx` then excludes all others that would record a key,
 * until it ends.
 */
export async function isAnyKeyInUse(tx: Tx): Promise<boolean> {
  await lockRecordedKeys(tx);
  return (await listRecordedKeys(tx)).length > 0;
}

async function compareAndRecord(tx: Tx, vault: Vault, lost: readonly string[]): Promise<KeyProblem[]> {
  await lockRecordedKeys(tx);
  await tx`select set_config('statement_timeout', ${String(scanTimeoutMs)}, true)`;
  const recorded = await listRecordedKeys(tx);
  const problems = findWrong(recorded, vault);
  const added = vault.keyIds.filter((id) => !isRecorded(recorded, id));
  const newer = added.length > 0 ? [] : newerKeys(recorded, vault);
  const unneeded: string[] = [];
  for (const { id } of recorded) {
    if (vault.keyChecks.has(id)) continue;
    const isNeeded = await isAnyValueOf(tx, vault, id);
    if (isNeeded && !lost.includes(id)) problems.push({ keyId: id, kind: 'missing' });
    if (!isNeeded && (lost.includes(id) || !newer.includes(id))) unneeded.push(id);
  }
  if (problems.length > 0) return problems;
  const checks = added.map((id) => ({ id, key_check: vault.keyChecks.get(id) ?? Buffer.alloc(0) }));
  await insertRecordedKeys(tx, checks, await databaseNow(tx));
  await deleteRecordedKeys(tx, unneeded);
  return [];
}

function isRecorded(recorded: readonly RecordedKey[], id: string): boolean {
  return recorded.some((key) => key.id === id);
}

function findWrong(recorded: readonly RecordedKey[], vault: Vault): KeyProblem[] {
  return recorded
    .filter(({ id, key_check }) => vault.keyChecks.get(id)?.equals(key_check) === false)
    .map(({ id }) => ({ keyId: id, kind: 'wrong' }));
}

async function isAnyValueOf(tx: Tx, { formats }: Vault, keyId: string): Promise<boolean> {
  for (const column of columns) if (await isKeyUsed(tx, column, { keyId, formats })) return true;
  return false;
}
