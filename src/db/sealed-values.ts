import type { Fragment } from 'postgres';
import type { Id } from '../domain/ids.ts';
import type { Db, Tx } from '../platform/postgres/connection.ts';
import type { TenantKey } from './tenant.ts';

/** Every column that the vault writes, and the column that identifies the row. */
export const sealedColumns = {
  account_numbers: { table: 'payment_methods', column: 'sealed_account_number', id: 'id' },
  webhook_secrets: { table: 'webhook_endpoints', column: 'sealed_secret', id: 'id' },
  previous_webhook_secrets: { table: 'webhook_endpoints', column: 'sealed_previous_secret', id: 'id' },
  payment_link_tokens: { table: 'payment_links', column: 'sealed_token', id: 'id' },
  checkout_session_tokens: { table: 'checkout_sessions', column: 'sealed_token', id: 'id' },
  idempotent_answers: { table: 'idempotency_keys', column: 'sealed_response', id: 'key' },
} as const;

export type SealedColumn = keyof typeof sealedColumns;

/** A field of the database. A sealed value is bound to its field. */
export interface SealedField {
  table: string;
  column: string;
  billerId: string;
  livemode: boolean;
  /** Identifies the row within its table, biller and mode. */
  rowId: string;
}

/** The field of this column in a row of this biller and mode. */
export function sealedField(name: SealedColumn, { billerId, livemode }: TenantKey, rowId: string): SealedField {
  const { table, column } = sealedColumns[name];
  return { table, column, billerId, livemode, rowId };
}

/** A range of a table's pages, from `from` up to but not including `to`. */
export interface Pages {
  from: number;
  to: number;
}

/**
 * A value, its field, and the position of its row. `place` is the system column `ctid`; it is valid while the row is
 * locked.
 */
export interface SealedValue {
  place: string;
  field: SealedField;
  sealed: Buffer;
}

/**
 * The id of the key that a value is sealed with. It is at the head of the value in every format. `''` if the value is
 * in none of these formats (their numbers, see platform/sealed-bytes.ts).
 */
function keyIdIn(db: Db, column: string, formats: readonly number[]): Fragment {
  const value = db(column);
  // `escape` converts any bytes to text, even those of a damaged value.
  return db`
    case when ${formatIn(db, column)} in ${db(formats)}
      then encode(substring(${value} from 3 for get_byte(${value}, 1)), 'escape') else '' end`;
}

/** The format of a value, or 0 if the value is too short to have one. */
function formatIn(db: Db, column: string): Fragment {
  const value = db(column);
  return db`case when length(${value}) > 2 then get_byte(${value}, 0) else 0 end`;
}

export interface SealedCount {
  key_id: string;
  format: number;
  values: number;
}

/** Counts the values by key and format. A value in none of these formats counts under the id `''`. */
export async function countSealed(db: Db, name: SealedColumn, formats: readonly number[]): Promise<SealedCount[]> {
  const { table, column } = sealedColumns[name];
  return db<SealedCount[]>`
    select ${keyIdIn(db, column, formats)} as key_id, ${formatIn(db, column)} as format, count(*)::integer as values
    from ${db(table)} where ${db(column)} is not null group by 1, 2 order by 1, 2`;
}

/** The current number of pages of the column's table. */
export async function countPages(db: Db, name: SealedColumn): Promise<number> {
  const [row] = await db<[{ pages: number }]>`
    select (pg_relation_size(${sealedColumns[name].table}::regclass)
      / current_setting('block_size')::integer)::integer as pages`;
  return row.pages;
}

/**
 * Locks the values on these pages that are sealed with a key other than `keyId`, or in a format other than the first
 * one. Skips rows that another transaction has locked: neither waits for the other, and a later pass finds them.
 */
export async function lockSealedOtherwise(
  tx: Tx,
  name: SealedColumn,
  { keyId, formats }: { keyId: string; formats: readonly [number, ...number[]] },
  pages: Pages,
): Promise<SealedValue[]> {
  const { column } = sealedColumns[name];
  return selectSealed(
    tx,
    name,
    isOn(tx, pages),
    tx`
      and (${keyIdIn(tx, column, formats)} <> ${keyId} or ${formatIn(tx, column)} <> ${formats[0]})
      for no key update skip locked`,
  );
}

/** Replaces values. Lock them in this transaction first. */
export async function replaceSealed(tx: Tx, name: SealedColumn, values: readonly SealedValue[]): Promise<void> {
  const { table, column } = sealedColumns[name];
  const places = values.map(({ place }) => place);
  // The client treats a list of buffers as one buffer, so the values are sent as hex text.
  const sealed = values.map((value) => value.sealed.toString('hex'));
  await tx`
    update ${tx(table)} as t set ${tx(column)} = decode(v.sealed, 'hex')
    from unnest(${places}::text[]::tid[], ${sealed}::text[]) as v (place, sealed)
    where t.ctid = v.place`;
}

/** The sealed values on these pages. */
export async function listSealed(db: Db, name: SealedColumn, pages: Pages): Promise<SealedValue[]> {
  return selectSealed(db, name, isOn(db, pages), db``);
}

/** Whether any value is sealed with this key. Reads the table until it has found one. */
export async function isKeyUsed(
  db: Db,
  name: SealedColumn,
  { keyId, formats }: { keyId: string; formats: readonly number[] },
): Promise<boolean> {
  const { table, column } = sealedColumns[name];
  const [found] = await db`
    select 1 from ${db(table)}
    where ${db(column)} is not null and ${keyIdIn(db, column, formats)} = ${keyId} limit 1`;
  return found !== undefined;
}

async function selectSealed(
  db: Db,
  name: SealedColumn,
  condition: Fragment,
  further: Fragment,
): Promise<SealedValue[]> {
  const { table, column, id } = sealedColumns[name];
  const rows = await db<
    { place: string; biller_id: Id<'biller'>; livemode: boolean; row_id: string; sealed: Buffer }[]
  >`
    select ctid::text as place, biller_id, livemode, ${db(id)} as row_id, ${db(column)} as sealed from ${db(table)}
    where ${condition} and ${db(column)} is not null ${further}`;
  return rows.map(({ place, biller_id: billerId, livemode, row_id: rowId, sealed }) => {
    return { place, field: sealedField(name, { billerId, livemode }, rowId), sealed };
  });
}

/** SQL condition: the row is on these pages. PostgreSQL reads only those pages, however large the table is. */
function isOn(db: Db, { from, to }: Pages): Fragment {
  return db`ctid >= ${`(${from},0)`}::text::tid and ctid < ${`(${to},0)`}::text::tid`;
}
