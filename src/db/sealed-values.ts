import type { Fragment } from 'postgres';
import type { Db } from './connection.ts';

/** Where sealed values are kept: every column that the vault has written. */
export const sealedColumns = {
  account_numbers: { table: 'payment_methods', column: 'sealed_account_number' },
  webhook_secrets: { table: 'webhook_endpoints', column: 'sealed_secret' },
  previous_webhook_secrets: { table: 'webhook_endpoints', column: 'sealed_previous_secret' },
  idempotent_answers: { table: 'idempotency_keys', column: 'sealed_response' },
} as const;

export type SealedColumn = keyof typeof sealedColumns;

/** A part of a table: whole pages, the last one excluded. */
export interface Pages {
  from: number;
  to: number;
}

/** A value and the place where it is, as long as its row stays locked. */
export interface SealedValue {
  place: string;
  sealed: Buffer;
}

/** The id of the key that a value is sealed with, which stands at its head (services/vault.ts says how). */
function keyIdIn(db: Db, column: string): Fragment {
  const value = db(column);
  // `escape` turns any bytes into a text, those of a damaged value too.
  return db`
    case when length(${value}) > 2 and get_byte(${value}, 0) = 1
      then encode(substring(${value} from 3 for get_byte(${value}, 1)), 'escape') else '' end`;
}

/** How many values there are of each key; a value that no vault has made counts under the id ''. */
export async function countSealed(db: Db, name: SealedColumn): Promise<{ key_id: string; values: number }[]> {
  const { table, column } = sealedColumns[name];
  return db<{ key_id: string; values: number }[]>`
    select ${keyIdIn(db, column)} as key_id, count(*)::integer as values
    from ${db(table)} where ${db(column)} is not null group by 1 order by 1`;
}

/** How many pages the table of a column has now. */
export async function countPages(db: Db, name: SealedColumn): Promise<number> {
  const [row] = await db<[{ pages: number }]>`
    select (pg_relation_size(${sealedColumns[name].table}::regclass) / current_setting('block_size')::integer)::integer as pages`;
  return row.pages;
}

/**
 * Locks the values on these pages that are sealed with another key than `keyId`. One that is locked by somebody else is
 * left out: nobody waits for the other, and a later look finds it.
 */
export async function lockSealedOtherwise(tx: Db, name: SealedColumn, keyId: string, pages: Pages) {
  const { table, column } = sealedColumns[name];
  return tx<SealedValue[]>`
    select ctid::text as place, ${tx(column)} as sealed from ${tx(table)}
    where ${isOn(tx, pages)} and ${tx(column)} is not null and ${keyIdIn(tx, column)} <> ${keyId}
    for no key update skip locked`;
}

/** Replaces values that this transaction has locked. */
export async function replaceSealed(tx: Db, name: SealedColumn, values: readonly SealedValue[]): Promise<void> {
  const { table, column } = sealedColumns[name];
  const places = values.map(({ place }) => place);
  // The client takes a list of buffers for one.
  const sealed = values.map((value) => value.sealed.toString('hex'));
  await tx`
    update ${tx(table)} as t set ${tx(column)} = decode(v.sealed, 'hex')
    from unnest(${places}::text[]::tid[], ${sealed}::text[]) as v (place, sealed)
    where t.ctid = v.place`;
}

/** The values on these pages. */
export async function readSealed(db: Db, name: SealedColumn, pages: Pages): Promise<SealedValue[]> {
  const { table, column } = sealedColumns[name];
  return db<SealedValue[]>`
    select ctid::text as place, ${db(column)} as sealed from ${db(table)}
    where ${isOn(db, pages)} and ${db(column)} is not null`;
}

/** PostgreSQL goes straight to the pages, however large the table is. */
function isOn(db: Db, { from, to }: Pages): Fragment {
  return db`ctid >= ${`(${from},0)`}::text::tid and ctid < ${`(${to},0)`}::text::tid`;
}
