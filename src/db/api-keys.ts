import type { Id } from '../domain/ids.ts';
import type { Costs } from '../domain/surcharges/costs.ts';
import type { FeeColumns } from '../domain/surcharges/fees.ts';
import type { Tax } from '../domain/tax/tax.ts';
import type { Db, Tx } from '../platform/postgres/connection.ts';
import type { RealInstant } from '../platform/real-time.ts';

export type ApiKeyKind = 'secret' | 'publishable';

/** A row of `api_keys`. */
export interface ApiKeyRow {
  id: Id<'api_key'>;
  biller_id: Id<'biller'>;
  livemode: boolean;
  kind: ApiKeyKind;
  scopes: string[];
  hash: Buffer;
  hint: string;
  created_at: RealInstant;
  revoked_at: RealInstant | null;
}

/** A key with what a request needs from its biller. */
export interface CredentialRow extends Omit<ApiKeyRow, 'hint' | 'created_at'>, FeeColumns {
  time_zone: string;
  statement_descriptor: string | null;
  country: string | null;
  cost_of_acceptance: Costs;
  tax: Tax | null;
}

/** Inserts a key. It is valid at once. */
export async function insertApiKey(db: Db, key: Omit<ApiKeyRow, 'revoked_at'>): Promise<ApiKeyRow> {
  const [row] = await db<ApiKeyRow[]>`
    insert into api_keys ${db(key, 'id', 'biller_id', 'livemode', 'kind', 'scopes', 'hash', 'hint', 'created_at')}
    returning *`;
  if (!row) throw new Error('an insert returned no row');
  return row;
}

/**
 * The key with this SHA-256 hash and its biller, in one statement. Revoked keys are included. Null if there is none.
 */
export async function selectCredential(db: Db, hash: Buffer): Promise<CredentialRow | null> {
  const [row] = await db<CredentialRow[]>`${credentials(db)} where hash = ${hash}`;
  return row ?? null;
}

/** The columns of a key with its biller, for a condition to follow. */
export function credentials(db: Db) {
  return db`
    select api_keys.id, biller_id, livemode, kind, scopes, hash, revoked_at,
      time_zone, statement_descriptor, fee_basis_points, fee_fixed, fees_by_method, country, cost_of_acceptance, tax
    from api_keys join billers on billers.id = biller_id`;
}

/** Locks the key for update until the transaction ends. Returns null if it does not exist. */
export async function lockApiKey(tx: Tx, id: string): Promise<ApiKeyRow | null> {
  const [row] = await tx<ApiKeyRow[]>`select * from api_keys where id = ${id} for no key update`;
  return row ?? null;
}

/**
 * Ends the key at `at`, unless it ends earlier already. The column `revoked_at` stores the end. Returns null if the key
 * does not exist.
 */
export async function endApiKey(db: Db, id: string, at: RealInstant): Promise<ApiKeyRow | null> {
  const [row] = await db<ApiKeyRow[]>`
    update api_keys set revoked_at = least(revoked_at, ${at}) where id = ${id} returning *`;
  return row ?? null;
}

/** The keys of one biller, oldest first. A null `billerId` means all billers. */
export async function listApiKeys(db: Db, billerId: Id<'biller'> | null): Promise<ApiKeyRow[]> {
  return db<ApiKeyRow[]>`
    select * from api_keys where ${billerId}::text is null or biller_id = ${billerId} order by id`;
}
