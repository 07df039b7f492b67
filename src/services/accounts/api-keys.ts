import { createHash } from 'node:crypto';
import {
  type ApiKeyKind,
  type ApiKeyRow,
  endApiKey,
  insertApiKey,
  listApiKeys,
  lockApiKey,
} from '../../db/api-keys.ts';
import { tenantOf } from '../../db/tenant.ts';
import { randomBase62 } from '../../domain/base62.ts';
import { type Id, newId } from '../../domain/ids.ts';
import { addMs } from '../../domain/instants.ts';
import type { Db, Tx } from '../../platform/postgres/connection.ts';
import { atomically, violates } from '../../platform/postgres/transaction.ts';
import { type FieldError, fieldError } from '../../resources/field-errors.ts';
import { assertNoErrors, InvalidState, NotFound, ValidationFailed } from '../errors.ts';
import { type ChangeOrigin, changesBetween, recordAudit } from './audit.ts';
import { allScopes, isScope } from './scopes.ts';

/** What a key is for. Its prefix shows it. */
export interface KeyTraits {
  livemode: boolean;
  kind: ApiKeyKind;
}

export interface NewKey extends KeyTraits, ChangeOrigin {
  billerId: Id<'biller'>;
  /** The scopes of a secret key; all by default. A publishable key has none. */
  scopes?: readonly string[] | undefined;
}

/** What can be shown of a key at any time. `hint` is the last four characters of the key. */
export type ApiKey = Omit<ApiKeyRow, 'hash'>;

/** A new key. `key` itself is shown only here, and is not stored. */
export type IssuedKey = ApiKey & { key: string };

/** 43 base62 characters hold 256 bits. That is too much to guess, so one fast SHA-256 protects the key. */
const secretLength = 43;
const keyPattern = new RegExp(`^(sk|pk)_(sandbox|live)_[0-9A-Za-z]{${secretLength}}$`);
const hourMs = 3_600_000;
/** One year. A longer overlap would not be a roll. */
const maxOverlapHours = 8_760;

/** Whether the text has the form of a key. Does not check whether the key exists. */
export function isKeyShaped(text: string): boolean {
  return keyPattern.test(text);
}

/** Returns the SHA-256 of a key: what the database stores of it. */
export function hashKey(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/**
 * Creates a key.
 * @throws ValidationFailed for an unknown scope, for scopes on a publishable key, and for an unknown biller.
 */
export async function createKey(sql: Db, { billerId, livemode, kind, scopes, by, now }: NewKey): Promise<IssuedKey> {
  assertNoErrors(scopeErrors(kind, scopes));
  const key = `${kind === 'secret' ? 'sk' : 'pk'}_${livemode ? 'live' : 'sandbox'}_${randomBase62(secretLength)}`;
  try {
    const row = await atomically(sql, async (tx) => {
      const inserted = await insertApiKey(tx, {
        id: newId('api_key'),
        biller_id: billerId,
        livemode,
        kind,
        scopes: kind === 'secret' ? [...new Set(scopes ?? allScopes)] : [],
        hash: hashKey(key),
        hint: key.slice(-4),
        created_at: now,
      });
      await recordChange(tx, 'api_key.created', null, inserted, { by, now });
      return inserted;
    });
    const { id, ...rest } = withoutHash(row);
    return { id, key, ...rest };
  } catch (error) {
    if (violates(error, 'api_keys_biller_id_fkey')) throw ValidationFailed.missing('/biller_id', 'biller', billerId);
    throw error;
  }
}

/** Returns the keys of a biller, or all keys when `billerId` is null. Oldest first, including revoked keys. */
export async function listKeys(sql: Db, billerId: Id<'biller'> | null): Promise<ApiKey[]> {
  return (await listApiKeys(sql, billerId)).map(withoutHash);
}

/**
 * Revokes a key. Running API processes refuse it within 5 s. Revoking it again changes nothing.
 * @throws NotFound
 */
export async function revokeKey(sql: Db, id: string, origin: ChangeOrigin): Promise<ApiKey> {
  return atomically(sql, async (tx) => {
    const before = await lockApiKey(tx, id);
    const after = before && (await endApiKey(tx, id, origin.now));
    if (!after) throw new NotFound('API key', id);
    if (before.revoked_at === null || before.revoked_at > origin.now) {
      await recordChange(tx, 'api_key.revoked', before, after, origin);
    }
    return withoutHash(after);
  });
}

/**
 * Creates a successor with the same biller, mode, kind and scopes. The old key ends `overlapHours` from now.
 * @throws NotFound
 * @throws InvalidState when the key has already ended.
 * @throws ValidationFailed when `overlapHours` is not a number from 0 to 8,760.
 */
export async function rollKey(sql: Db, id: string, { overlapHours, by, now }: { overlapHours: number } & ChangeOrigin) {
  if (!(overlapHours >= 0 && overlapHours <= maxOverlapHours)) {
    const message = `overlap_hours must be a number from 0 to ${maxOverlapHours}.`;
    throw ValidationFailed.of('/overlap_hours', 'out_of_range', message);
  }
  return atomically(sql, async (tx): Promise<IssuedKey> => {
    const old = await lockApiKey(tx, id);
    if (!old) throw new NotFound('API key', id);
    if (old.revoked_at && old.revoked_at <= now) {
      throw new InvalidState(`API key ${id} was revoked at ${old.revoked_at.toISOString()}. Create a new one.`);
    }
    const ended = await endApiKey(tx, id, addMs(now, overlapHours * hourMs));
    await recordChange(tx, 'api_key.rolled', old, ended, { by, now });
    const { biller_id: billerId, livemode, kind, scopes } = old;
    return createKey(tx, { billerId, livemode, kind, scopes: kind === 'secret' ? scopes : undefined, by, now });
  });
}

type KeyAction = 'api_key.created' | 'api_key.rolled' | 'api_key.revoked';

async function recordChange(
  tx: Tx,
  action: KeyAction,
  before: ApiKeyRow | null,
  after: ApiKeyRow | null,
  origin: ChangeOrigin,
) {
  const row = after ?? before;
  if (row === null) return;
  const shown = (key: ApiKeyRow | null) => key && { kind: key.kind, scopes: key.scopes, revoked_at: key.revoked_at };
  await recordAudit(tx, {
    action,
    by: origin.by,
    at: origin.now,
    tenant: tenantOf(row),
    subjectId: row.id,
    changes: changesBetween(shown(before), shown(after)),
  });
}

function scopeErrors(kind: ApiKeyKind, scopes: readonly string[] | undefined): FieldError[] {
  if (scopes === undefined) return [];
  if (kind === 'publishable') {
    return [fieldError('/scopes', 'invalid_value', 'A publishable key cannot have scopes.')];
  }
  if (scopes.length === 0) return [fieldError('/scopes', 'invalid_value', 'scopes must name at least one scope.')];
  return scopes.flatMap((scope, index) => {
    if (isScope(scope)) return [];
    const message = `"${scope}" is not a scope. The scopes are: ${allScopes.join(', ')}.`;
    return [fieldError(`/scopes/${index}`, 'invalid_value', message)];
  });
}

function withoutHash({ hash: _, ...shown }: ApiKeyRow): ApiKey {
  return shown;
}
