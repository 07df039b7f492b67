import type { Fragment } from 'postgres';
import type { Db } from '../platform/postgres/connection.ts';
import type { TenantKey } from './tenant.ts';

/** Where sealed values are kept: every column that the vault has written, and the column that names the row. */
export const sealedColumns = {
  account_numbers: { table: 'payment_methods', column: 'sealed_account_number', id: 'id' },
  webhook_secrets: { table: 'webhook_endpoints', column: 'sealed_secret', id: 'id' },
  previous_webhook_secrets: { table: 'webhook_endpoints', column: 'sealed_previous_secret', id: 'id' },
  idempotent_answers: { table: 'idempotency_keys', column: 'sealed_response', id: 'key' },
} as const;

export type SealedColumn = keyof typeof sealedColumns;

/** How sealed bytes are written, which is their first byte (services/accounts/sealed-bytes.ts). */
export type SealFormat = 1 | 2;

/** One field of the database: the place that a sealed value is bound to. */
export interface SealedField {
  table: string;
  column: string;
  billerId: string;
  livemode: boolean;
  /** Names the row within its table, biller and mode. */
  rowId: string;
}

/** The field of a row of this biller and mode. */
export function sealedField(name: SealedColumn, { billerId, livemode }: TenantKey, rowId: string): SealedField {
  const { table, column } = sealedColumns[name];
  return { table, column, billerId, livemode, rowId };
}

/** A part of a table: whole pages, the last one excluded. */
export interface Pages {
  from: number;
  to: number;
}

/** A value, its field, and where its row is (`ctid`) for as long as that stays locked. */
export interface SealedValue {
  place: string;
  field: SealedField;
  sealed: Buffer;
}

/** The id of the key that a value is sealed with, which stands at its head in every format; '' where no vault has made it. */
function keyIdIn(db: Db, column: string): Fragment {
  const value = db(column);
  // `escape` turns any bytes into a text, those of a damaged value too.
  return db`
    case when ${formatIn(db, column)} in (1, 2)
      then encode(substring(${value} from 3 for get_byte(${value}, 1)), 'escape') else '' end`;
}

/** The format of a value; 0 where it is too short to have one. */
function formatIn(db: Db, column: string): Fragment {
  const value = db(column);
  return db`case when length(${value}) > 2 then get_byte(${value}, 0) else 0 end`;
}

export interface SealedCount {
  key_id: string;
  format: number;
  values: number;
}

/** How many values there are of each key and format; a value that no vault has made counts under the id ''. */
export async function countSealed(db: Db, name: SealedColumn): Promise<SealedCount[]> {
  const { table, column } = sealedColumns[name];
  return db<SealedCount[]>`
    select ${keyIdIn(db, column)} as key_id, ${formatIn(db, column)} as format, count(*)::integer as values
    from ${db(table)} where ${db(column)} is not null group by 1, 2 order by 1, 2`;
}

/** How many pages the table of a column has now. */
export async function countPages(db: Db, name: SealedColumn): Promise<number> {
  const [row] = await db<[{ pages: number }]>`
    select (pg_relation_size(${sealedColumns[name].table}::regclass) / current_setting('block_size')::integer)::integer as pages`;
  return row.pages;
}

/**
 * Locks the values on these pages that are sealed with another key than `keyId`, or in another format. One that is locked by
 * somebody else is left out: nobody waits for the other, and a later look finds it.
 */
export async function lockSealedOtherwise(
  tx: Db,
  name: SealedColumn,
  { keyId, format }: { keyId: string; format: SealFormat },
  pages: Pages,
): Promise<SealedValue[]> {
  const { column } = sealedColumns[name];
  return selectSealed(
    tx,
    name,
    pages,
    tx`
      and (${keyIdIn(tx, column)} <> ${keyId} or ${formatIn(tx, column)} <> ${format})
      for no key update skip locked`,
  );
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
  return selectSealed(db, name, pages, db``);
}

async function selectSealed(db: Db, name: SealedColumn, pages: Pages, further: Fragment): Promise<SealedValue[]> {
  const { table, column, id } = sealedColumns[name];
  const rows = await db<{ place: string; biller_id: string; livemode: boolean; row_id: string; sealed: Buffer }[]>`
    select ctid::text as place, biller_id, livemode, ${db(id)} as row_id, ${db(column)} as sealed from ${db(table)}
    where ${isOn(db, pages)} and ${db(column)} is not null ${further}`;
  return rows.map(({ place, biller_id: billerId, livemode, row_id: rowId, sealed }) => {
    return { place, field: sealedField(name, { billerId, livemode }, rowId), sealed };
  });
}

/** PostgreSQL goes straight to the pages, however large the table is. */
function isOn(db: Db, { from, to }: Pages): Fragment {
  return db`ctid >= ${`(${from},0)`}::text::tid and ctid < ${`(${to},0)`}::text::tid`;
}
