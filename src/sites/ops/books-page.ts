import { selectBiller } from '../../db/billers.ts';
import { isId } from '../../domain/ids.ts';
import { type Html, html, isolated } from '../../platform/html.ts';
import type { Pool } from '../../platform/postgres/connection.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import { orNotFound } from '../../services/errors.ts';
import { getMonth } from '../../services/ledger/month.ts';
import { monthInWords, monthOfBooks } from '../books/month-page.ts';
import { booksQueryIn, booksQueryOf, readRows } from '../books/read-books.ts';
import { rowsOfBooks } from '../books/rows-page.ts';
import { barOfSites, sitePage } from '../look/page.ts';
import { style } from './style.ts';

/** The path of a month of a biller's books, and that of its rows. */
export const booksPath = '/ops/books';
export const rowsPath = '/ops/books/rows';

/** The field to open the books of a biller with. */
export const booksForm: Html = html`<section class="card" aria-labelledby="books"><h2 id="books">The books of a biller</h2>
<form action="${booksPath}"><label>Its id <input name="biller" maxlength="60" autocomplete="off" required></label>
<button name="mode" value="live">In live mode</button> <button name="mode" value="sandbox">In the sandbox</button></form>
</section>`;

/**
 * Writes a month of the books of a biller, or its rows.
 * @throws NotFound for an unknown biller; BadParameters as `getMonth`.
 */
export async function booksPage(
  db: Pool,
  path: string,
  query: URLSearchParams,
  { livemode, now, isHere }: { livemode: boolean; now: RealInstant; isHere: boolean },
): Promise<string> {
  const id = query.get('biller') ?? '';
  const biller = orNotFound(isId('biller', id) ? await selectBiller(db, id) : null, 'biller', id);
  const asked = booksQueryIn(query);
  const { testClock: clock } = asked;
  const books = { billerId: biller.id, livemode, now, timeZone: biller.time_zone, testClock: clock };
  const of = { biller: biller.id, mode: livemode ? 'live' : 'sandbox', clock };
  const monthLink = (month: string) => `${booksPath}?${booksQueryOf({ ...of, month })}`;
  const rowsLink = (parts: Parameters<typeof booksQueryOf>[0]) => `${rowsPath}?${booksQueryOf({ ...of, ...parts })}`;
  if (path === booksPath) {
    const month = await getMonth(db, books, asked.month);
    const whose = html`${isolated(biller.name)} <code>${biller.id}</code>, ${of.mode}. ${clock === undefined ? 'Without what is on clocks.' : html`Of the clock <code>${clock}</code>, in its time.`}`;
    const rows = (name: string, currency: string, type: string | null) => rowsLink({ month: name, currency, type });
    return shown(
      `The books of ${monthInWords(month.month)}`,
      monthOfBooks(month, { month: monthLink, rows }, whose),
      isHere,
    );
  }
  const { month, rows } = await readRows(db, books, asked);
  const listed = rows.rows.slice(0, rows.limit);
  const after = rows.rows.length > listed.length ? listed.at(-1)?.id : undefined;
  const { type, currency } = asked;
  const older = after === undefined ? null : rowsLink({ month: month.month, type, currency, after });
  const title = `Rows of ${monthInWords(month.month)}`;
  const main = rowsOfBooks(title, listed, { month: monthLink(month.month), older, customer: null });
  return shown(title, main, isHere);
}

function shown(title: string, main: Html, isHere: boolean): string {
  const withWayBack = html`<p><a href="/ops">Operations</a></p>${main}`;
  return sitePage({ title: `${title}: payments`, style, bar: barOfSites(isHere), main: withWayBack });
}
