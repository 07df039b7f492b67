import { setTimeout as pause } from 'node:timers/promises';
import { countFingerprints } from '../../db/idempotency-keys.ts';
import {
  countPages,
  countSealed,
  listSealed,
  lockSealedOtherwise,
  type Pages,
  replaceSealed,
  type SealedColumn,
  type SealedValue,
  sealedColumns,
} from '../../db/sealed-values.ts';
import type { Pool } from '../../platform/postgres/connection.ts';
import { atomically } from '../../platform/postgres/transaction.ts';
import { realNow } from '../../platform/real-time.ts';
import { type ChangeOrigin, recordAudit } from './audit.ts';
import { type Vault, VaultError } from './vault.ts';

/**
 * What depends on one encryption key.
 * - `role`: `encrypts` for the first configured key, `decrypts` for the other configured keys, `missing` for a key that
 *   is not configured.
 * - `values`: how many values are sealed with the key; `other_format`: how many of them are in a format that is not
 *   written any more.
 * - `requests`: how many unexpired Idempotency-Keys identify their request by a fingerprint under this key. A
 *   fingerprint cannot be recomputed under another key. Without the key, repetitions of these requests are refused
 *   until they expire.
 */
export type KeyUsage = {
  key: string;
  role: 'encrypts' | 'decrypts' | 'missing';
  values: number;
  other_format: number;
  requests: number;
} & Record<SealedColumn, number>;

/** A value that cannot be decrypted. */
export interface Unreadable {
  column: string;
  /** Page and line in the table, as in `where ctid = '(0,1)'`. */
  place: string;
  problem: string;
}

export interface Rotation {
  /** Values that this rotation has sealed with the first key, in the first format. */
  resealed: number;
  /** Values that no key opens. They are unchanged; `findUnreadable` lists them. */
  unreadable: number;
}

/** Pages per transaction. Their rows are locked while they are sealed again, for some milliseconds. */
const pagesAtOnce = 16;
/**
 * A pass skips rows that other transactions have locked. So there are up to this many passes, with a pause (in ms)
 * between.
 */
const maxPasses = 5;
const pauseBetweenPasses = 250;

const columns = Object.keys(sealedColumns) as SealedColumn[];

/**
 * Returns how many values are sealed with each key, and in which format. Lists the configured keys and the keys found
 * in the database.
 */
export async function keyUsage(sql: Pool, vault: Vault): Promise<KeyUsage[]> {
  const [first, ...others] = vault.keyIds;
  const none = {
    values: 0,
    other_format: 0,
    requests: 0,
    account_numbers: 0,
    webhook_secrets: 0,
    previous_webhook_secrets: 0,
    payment_link_tokens: 0,
    checkout_session_tokens: 0,
    idempotent_answers: 0,
  };
  const usage = new Map<string, KeyUsage>([[first, { key: first, role: 'encrypts', ...none }]]);
  for (const key of others) usage.set(key, { key, role: 'decrypts', ...none });
  for (const column of columns) {
    for (const { key_id: key, format, values } of await countSealed(sql, column, vault.formats)) {
      const row = usage.get(key) ?? { key, role: 'missing', ...none };
      row[column] += values;
      row.values += values;
      if (format !== vault.formats[0]) row.other_format += values;
      usage.set(key, row);
    }
  }
  for (const { key_id: key, requests } of await countFingerprints(sql, realNow())) {
    const row = usage.get(key);
    if (row !== undefined) row.requests = requests;
  }
  return [...usage.values()];
}

/** Returns how many values in this row of `keyUsage` a rotation must still seal again. */
export function countLeft({ role, values, other_format: inOtherFormat }: KeyUsage): number {
  return role === 'encrypts' ? inOtherFormat : values;
}

/**
 * Seals every value with the vault's first key and in its first format, unless it already is. The service keeps
 * running: a transaction covers a few pages, and each value is opened, sealed, and opened again before it is written.
 * If a rotation is interrupted, run it again. Afterwards, `keyUsage` shows what is left, such as values that an API
 * process with the old configuration still writes.
 */
export async function rotateEncryption(sql: Pool, vault: Vault, { by, now }: ChangeOrigin): Promise<Rotation> {
  const entry = { by, tenant: null, subjectId: null };
  const before = await valuesLeft(sql, vault);
  await recordAudit(sql, {
    ...entry,
    action: 'encryption.rotation_begun',
    at: now,
    changes: { keys: { from: [...before.keys()], to: vault.keyIds } },
  });
  const rotation = { resealed: 0, unreadable: 0 };
  for (let passes = 0; passes < maxPasses; passes++) {
    const pass = await sealEverythingAnew(sql, vault);
    rotation.resealed += pass.resealed;
    rotation.unreadable = pass.unreadable;
    if (sum(await valuesLeft(sql, vault)) <= pass.unreadable) break;
    await pause(pauseBetweenPasses);
  }
  const after = await valuesLeft(sql, vault);
  const keys = [...new Set([...before.keys(), ...after.keys()])];
  await recordAudit(sql, {
    ...entry,
    action: 'encryption.rotation_finished',
    at: realNow(),
    changes: Object.fromEntries(keys.map((key) => [key, { from: before.get(key) ?? 0, to: after.get(key) ?? 0 }])),
  });
  return rotation;
}

/** Returns every value that no configured key opens. Changes nothing. */
export async function findUnreadable(sql: Pool, vault: Vault): Promise<Unreadable[]> {
  const found: Unreadable[] = [];
  for (const column of columns) {
    for await (const pages of pagesOf(sql, column)) {
      for (const value of await listSealed(sql, column, pages)) {
        const problem = problemWith(vault, value);
        if (problem !== null) found.push({ column, place: value.place, problem });
      }
    }
  }
  return found;
}

async function sealEverythingAnew(sql: Pool, vault: Vault): Promise<Rotation> {
  const rotation = { resealed: 0, unreadable: 0 };
  const wanted = { keyId: vault.keyIds[0], formats: vault.formats };
  for (const column of columns) {
    for await (const pages of pagesOf(sql, column)) {
      const [found, resealed] = await atomically(sql, async (tx) => {
        const values = await lockSealedOtherwise(tx, column, wanted, pages);
        const readable = values.filter((value) => problemWith(vault, value) === null);
        const anew = readable.map((value) => sealedAnew(vault, value));
        if (anew.length > 0) await replaceSealed(tx, column, anew);
        return [values.length, anew.length] as const;
      });
      rotation.resealed += resealed;
      rotation.unreadable += found - resealed;
    }
  }
  return rotation;
}

function sealedAnew(vault: Vault, { place, field, sealed }: SealedValue): SealedValue {
  const plain = vault.open(sealed, field);
  const anew = vault.seal(plain, field);
  if (vault.open(anew, field) !== plain) throw new VaultError('a value does not open to what was sealed');
  return { place, field, sealed: anew };
}

/**
 * Returns how many values must still be sealed again, by key. For the first key, these are the values in another
 * format.
 */
async function valuesLeft(sql: Pool, vault: Vault): Promise<Map<string, number>> {
  const usage = await keyUsage(sql, vault);
  const left = usage.map((row) => {
    return [row.role === 'encrypts' ? `${row.key}, another format` : row.key, countLeft(row)] as const;
  });
  return new Map(left.filter(([, values]) => values > 0));
}

function sum(values: ReadonlyMap<string, number>): number {
  return [...values.values()].reduce((total, value) => total + value, 0);
}

async function* pagesOf(sql: Pool, column: SealedColumn): AsyncGenerator<Pages> {
  const count = await countPages(sql, column);
  for (let from = 0; from < count; from += pagesAtOnce) yield { from, to: from + pagesAtOnce };
}

function problemWith(vault: Vault, { sealed, field }: SealedValue): string | null {
  try {
    vault.open(sealed, field);
    return null;
  } catch (error) {
    if (error instanceof VaultError) return error.message;
    throw error;
  }
}
