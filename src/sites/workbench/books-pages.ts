import { html } from '../../platform/html.ts';
import { getMonth } from '../../services/ledger/month.ts';
import { monthInWords, monthOfBooks } from '../books/month-page.ts';
import { booksQueryIn, booksQueryOf, readRows } from '../books/read-books.ts';
import { rowsOfBooks } from '../books/rows-page.ts';
import { figuresStyle } from '../look/figures-style.ts';
import { pageStyle } from '../look/page-style.ts';
import type { Answer, WorkbenchRequest } from './workbench-request.ts';

/** The style of these pages: that of all pages, and tables of figures. */
export const booksStyle = `${pageStyle}${figuresStyle}`;

/** A month of the account's books, or of those of a clock. */
export async function showBooks({ sql, context, query }: WorkbenchRequest): Promise<Answer> {
  const { month: name, testClock: clock } = booksQueryIn(query);
  const month = await getMonth(sql, { ...context, testClock: clock }, name);
  const links = {
    month: (other: string) => `books?${booksQueryOf({ month: other, clock })}`,
    rows: (of: string, currency: string, type: string | null) =>
      `rows?${booksQueryOf({ month: of, currency, type, clock })}`,
  };
  const whose =
    clock === undefined
      ? 'Without what is on clocks.'
      : html`Of <a href="clocks/${clock}">this clock</a>, in its time.`;
  return {
    status: 200,
    title: `The books of ${monthInWords(month.month)}`,
    style: 'books.css',
    state: `${month.completeUpTo}`,
    main: monthOfBooks(month, links, whose),
  };
}

/** The rows of a month. */
export async function showRows({ sql, context, query }: WorkbenchRequest): Promise<Answer> {
  const asked = booksQueryIn(query);
  const { testClock: clock, type, currency } = asked;
  const { month, rows } = await readRows(sql, { ...context, testClock: clock }, asked);
  const shown = rows.rows.slice(0, rows.limit);
  const after = rows.rows.length > shown.length ? shown.at(-1)?.id : undefined;
  const title = `Rows of ${monthInWords(month.month)}`;
  const main = rowsOfBooks(title, shown, {
    month: `books?${booksQueryOf({ month: month.month, clock })}`,
    older: after === undefined ? null : `rows?${booksQueryOf({ month: month.month, clock, type, currency, after })}`,
    customer: (id) => `customers/${id}`,
  });
  return { status: 200, title, style: 'books.css', main };
}
