import { type DateRange, hasRow, listDates, type Page } from '../db/tenant.ts';
import type { Collection } from '../domain/ids.ts';
import type { Db } from '../platform/postgres/connection.ts';
import { defaultLimit } from '../resources/common.ts';
import { fieldError } from '../resources/field-errors.ts';
import { BadParameters } from './errors.ts';
import type { Tenant } from './request-context.ts';

/** The part of a list's query that says which page. */
export interface PageQuery {
  limit?: number | undefined;
  starting_after?: string | undefined;
  created_from?: string | undefined;
  created_to?: string | undefined;
  updated_from?: string | undefined;
  updated_to?: string | undefined;
  collected_from?: string | undefined;
  collected_to?: string | undefined;
}

/** The rows of a page, with one extra row if more follow. */
export interface Rows<Row> {
  rows: Row[];
  limit: number;
}

/**
 * Returns the page that a list's query asks for. Validates the cursor.
 * @throws BadParameters when `starting_after` does not exist for this biller and mode.
 */
export async function pageOf(
  db: Db,
  table: Collection,
  tenant: Tenant,
  query: PageQuery,
  limitIfNotGiven: number = defaultLimit,
): Promise<Page> {
  const after = query.starting_after;
  if (after !== undefined) await assertCursor(db, table, tenant, after);
  return { limit: query.limit ?? limitIfNotGiven, after, ...datesOf(query) };
}

/** Returns the dates that a list's query narrows by. */
export function datesOf(query: PageQuery): { dates: DateRange[] } {
  const at = (text: string | undefined) => (text === undefined ? undefined : new Date(text));
  const dates = listDates
    .map((date) => ({ date, from: at(query[`${date}_from`]), to: at(query[`${date}_to`]) }))
    .filter(({ from, to }) => from !== undefined || to !== undefined);
  return { dates };
}

/**
 * Returns the rows of a page. `select` looks the cursor up itself (`isOnPage`) and finds no rows when it is unknown. So
 * the cursor is validated only when the page is empty.
 * @throws BadParameters when `starting_after` does not exist for this biller and mode.
 */
export async function rowsOfPage<R>(
  db: Db,
  table: Collection,
  tenant: Tenant,
  query: PageQuery,
  select: (page: Page) => Promise<R[]>,
): Promise<Rows<R>> {
  const { limit = defaultLimit, starting_after: after } = query;
  const rows = await select({ limit, after, ...datesOf(query) });
  if (rows.length === 0 && after !== undefined) await assertCursor(db, table, tenant, after);
  return { rows, limit };
}

/**
 * Returns the rows of a page of a list whose items are numbered, newest first. The cursor is a number. `list` returns
 * the items before one, and `numberOf` the number of an item.
 * @throws BadParameters when the list has no item of this number.
 */
export async function rowsByNumber<Row>(
  query: PageQuery,
  numberOf: (row: Row) => number,
  list: (page: { limit: number; before?: number | undefined }) => Promise<Row[]>,
): Promise<Rows<Row>> {
  const { limit = defaultLimit, starting_after: text } = query;
  if (text === undefined) return { rows: await list({ limit }), limit };
  const before = /^\d{1,9}$/.test(text) ? Number(text) : null;
  const [found] = before === null ? [] : await list({ limit: 1, before: before + 1 });
  if (before !== null && found !== undefined && numberOf(found) === before) {
    return { rows: await list({ limit, before }), limit };
  }
  const message = `starting_after must be the number of an item in this list: ${text}.`;
  throw new BadParameters([fieldError('query/starting_after', 'invalid_value', message)]);
}

async function assertCursor(db: Db, table: Collection, tenant: Tenant, id: string): Promise<void> {
  if (await hasRow(db, table, tenant, id)) return;
  const message = `starting_after is not the id of an item in this list: ${id}.`;
  throw new BadParameters([fieldError('query/starting_after', 'resource_missing', message)]);
}
