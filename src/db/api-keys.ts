import type { Db } from '../platform/postgres/connection.ts';

export type ApiKeyKind = 'secret' | 'publishable';

/** A row of `api_keys`. */
export interface ApiKeyRow {
  id: string;
  biller_id: string;
  livemode: boolean;
  kind: ApiKeyKind;
  scopes: string[];
  hash: Buffer;
  hint: string;
  created_at: Date;
  revoked_at: Date | null;
}

/** A key with what a request needs to know of its biller. */
export interface CredentialRow extends Omit<ApiKeyRow, 'hint' | 'created_at'> {
  time_zone: string;
  statement_descriptor: string | null;
  fee_basis_points: number;
  fee_fixed: number;
}

/** Writes a key that is valid at once. */
export async function insertApiKey(db: Db, key: Omit<ApiKeyRow, 'revoked_at'>): Promise<ApiKeyRow> {
  const [row] = await db<ApiKeyRow[]>`
    insert into api_keys (id, biller_id, livemode, kind, scopes, hash, hint, created_at)
    values (${key.id}, ${key.biller_id}, ${key.livemode}, ${key.kind}, ${key.scopes}, ${key.hash}, ${key.hint},
      ${key.created_at})
    returning *`;
  if (!row) throw new Error('an insert returned no row');
  return row;
}

/** The key with this SHA-256 and its biller, revoked or not, in one statement; null when there is none. */
export async function findCredential(db: Db, hash: Buffer): Promise<CredentialRow | null> {
  const [row] = await db<CredentialRow[]>`
    select api_keys.id, biller_id, livemode, kind, scopes, hash, revoked_at,
      time_zone, statement_descriptor, fee_basis_points, fee_fixed
    from api_keys join billers on billers.id = biller_id
    where hash = ${hash}`;
  return row ?? null;
}

/** The key, locked until the transaction ends, or null. */
export async function lockApiKey(tx: Db, id: string): Promise<ApiKeyRow | null> {
  const [row] = await tx<ApiKeyRow[]>`select * from api_keys where id = ${id} for no key update`;
  return row ?? null;
}

/** Lets the key end at `at`, or earlier if it was to end earlier; null when there is no such key. */
export async function endApiKey(db: Db, id: string, at: Date): Promise<ApiKeyRow | null> {
  const [row] = await db<ApiKeyRow[]>`
    update api_keys set revoked_at = least(revoked_at, ${at}) where id = ${id} returning *`;
  return row ?? null;
}

/** The keys of one biller, or of all of them, oldest first. */
export async function selectApiKeys(db: Db, billerId: string | null): Promise<ApiKeyRow[]> {
  return db<ApiKeyRow[]>`
    select * from api_keys where ${billerId}::text is null or biller_id = ${billerId} order by id`;
}
