import type { BalanceTransactionRow } from '../../db/balance.ts';
import { startOfDay } from '../../domain/calendar.ts';
import { type Currency, currencies } from '../../domain/currencies.ts';
import { isId } from '../../domain/ids.ts';
import { type BalanceTransactionType, balanceTransactionTypes } from '../../domain/ledger/balance-transactions.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import { listBalanceTransactions } from '../../services/ledger/balance.ts';
import { type Books, getMonth, type Month } from '../../services/ledger/month.ts';
import type { Rows } from '../../services/paging.ts';

const rowsListed = 50;

/** What an address of the books asks for. What it does not have, or what is none, is left out. */
export interface BooksQuery {
  month: string | null;
  testClock: Books['testClock'];
  type: BalanceTransactionType | null;
  currency: Currency | null;
  after: string | undefined;
}

/** Reads the query of an address of the books. */
export function booksQueryIn(query: URLSearchParams): BooksQuery {
  const clock = query.get('clock');
  const after = query.get('after');
  return {
    month: query.get('month'),
    testClock: clock !== null && isId('test_clock', clock) ? clock : undefined,
    type: balanceTransactionTypes.find((known) => known === query.get('type')) ?? null,
    currency: currencies.find((known) => known === query.get('currency')) ?? null,
    after: after !== null && isId('balance_transaction', after) ? after : undefined,
  };
}

/** Writes the query of an address of the books. */
export function booksQueryOf(parts: Readonly<Record<string, string | null | undefined>>): string {
  const given = Object.entries(parts).filter((part): part is [string, string] => part[1] != null);
  return new URLSearchParams(given).toString();
}

/**
 * Returns the rows of a month, newest first, at most 50.
 * @throws BadParameters as `getMonth`, and for an unknown row to begin after.
 */
export async function readRows(
  db: Db,
  books: Books,
  query: BooksQuery,
): Promise<{ month: Month; rows: Rows<BalanceTransactionRow> }> {
  const month = await getMonth(db, books, query.month);
  const filter = {
    type: query.type ?? undefined,
    currency: query.currency ?? undefined,
    testClock: books.testClock,
    from: startOfDay(month.from, books.timeZone),
    to: startOfDay(month.to, books.timeZone),
  };
  const page = { limit: rowsListed, starting_after: query.after };
  return { month, rows: await listBalanceTransactions(db, books, filter, page) };
}
