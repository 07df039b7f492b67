import {
  deleteRecordedKeys,
  insertRecordedKeys,
  listRecordedKeys,
  lockRecordedKeys,
  type RecordedKey,
} from '../../db/encryption-keys.ts';
import { type SealedColumn, type SealedValue, sampleSealed, sealedColumns } from '../../db/sealed-values.ts';
import type { Db, Tx } from '../../platform/postgres/connection.ts';
import { databaseNow } from '../../platform/postgres/database-clock.ts';
import { atomically } from '../../platform/postgres/transaction.ts';
import { partsOf } from './sealed-bytes.ts';
import { type Vault, VaultError } from './vault.ts';

/**
 * Why the service must not work with its encryption keys.
 * - `missing`: the database has values that only this key opens, and it is not configured.
 * - `wrong`: another key than this one was used under this id.
 */
export interface KeyProblem {
  keyId: string;
  kind: 'missing' | 'wrong';
}

/** How many values are opened where a key is not recorded. A few may be damaged; not one of them opens: a wrong key. */
const sampleSize = 20;
/** In milliseconds. Without values of a key, a whole table is read. This happens once for each key. */
const scanTimeoutMs = 600_000;

const columns = Object.keys(sealedColumns) as SealedColumn[];

/**
 * Compares the keys of this process with those that other processes have started with, and records them. A key that is
 * not recorded yet, as with a former version, is tried on values that carry its id. A recorded key that is not
 * configured is missing while the database has values of it; then its record is removed, unless it is newer than all
 * keys of this process: then another process is about to seal with it, and this one has an old list. `lost` names keys
 * that may be missing. Returns the problems; then nothing is recorded. One statement if nothing has changed since the
 * last start.
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
 * Whether any value of the database is sealed, or a process has started on it with a key. `tx` then excludes all others
 * that would record a key, until it ends.
 */
export async function isAnyKeyInUse(tx: Tx): Promise<boolean> {
  await lockRecordedKeys(tx);
  if ((await listRecordedKeys(tx)).length > 0) return true;
  return (await sample(tx, null, 1)).length > 0;
}

async function compareAndRecord(tx: Tx, vault: Vault, lost: readonly string[]): Promise<KeyProblem[]> {
  await lockRecordedKeys(tx);
  await tx`select set_config('statement_timeout', ${String(scanTimeoutMs)}, true)`;
  const recorded = await listRecordedKeys(tx);
  const problems = findWrong(recorded, vault);
  const added = vault.keyIds.filter((id) => !isRecorded(recorded, id));
  for (const id of added) if (await opensNothing(tx, vault, id)) problems.push({ keyId: id, kind: 'wrong' });

  const newer = added.length > 0 ? [] : newerKeys(recorded, vault);
  const unneeded: string[] = [];
  for (const id of await foreignKeys(tx, recorded, vault)) {
    const isNeeded = (await sample(tx, id, 1)).length > 0;
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

/** Ids of keys that are not configured: recorded ones and, as long as nothing is recorded, those in a sample. */
async function foreignKeys(tx: Tx, recorded: readonly RecordedKey[], vault: Vault): Promise<string[]> {
  const sampled = recorded.length > 0 ? [] : await sample(tx, null, sampleSize);
  const ids = [...recorded.map(({ id }) => id), ...sampled.flatMap(({ sealed }) => partsOf(sealed)?.keyId ?? [])];
  return [...new Set(ids)].filter((id) => !vault.keyChecks.has(id));
}

/** Whether there are values of this key, and the vault opens none of a sample. */
async function opensNothing(tx: Tx, vault: Vault, keyId: string): Promise<boolean> {
  const values = await sample(tx, keyId, sampleSize);
  return values.length > 0 && !values.some((value) => opens(vault, value));
}

function opens(vault: Vault, { sealed, field }: SealedValue): boolean {
  try {
    vault.open(sealed, field);
    return true;
  } catch (error) {
    if (error instanceof VaultError) return false;
    throw error;
  }
}

async function sample(tx: Tx, keyId: string | null, limit: number): Promise<SealedValue[]> {
  const values: SealedValue[] = [];
  for (const column of columns) values.push(...(await sampleSealed(tx, column, { keyId, limit })));
  return values;
}
