import { stringify } from 'csv-stringify/sync';
import type { Table } from '../../resources/reports/report.ts';
import type { Context } from './context.ts';

/** How a table is written: what comes before, between and after its rows. */
interface Writer {
  contentType: string;
  begin: string;
  /** The text of a batch that is not empty. `isFirst`: nothing was written before it. */
  rows(batch: readonly object[], isFirst: boolean): string;
  end: string;
}

/**
 * Streams a table: as CSV if the path ends in `.csv` or `Accept` prefers it, otherwise as JSON. Resolves when the
 * client has all of it, or has hung up: then the table is left at once. An error before the first rows is thrown before
 * anything is sent. A later one is thrown when the response has begun, so that it must be cut off.
 */
export async function sendTable(ctx: Context, table: Table): Promise<void> {
  const isCsv = ctx.path.endsWith('.csv') || ctx.accepts('json', 'text/csv') === 'text/csv';
  const { contentType, begin, rows, end } = isCsv ? csv(table) : json(table);
  const { res } = ctx;
  let isFirst = true;
  const start = () => {
    res.setHeader('Content-Type', contentType);
    if (isCsv) res.setHeader('Content-Disposition', `attachment; filename="${table.name}.csv"`);
    ctx.respond = false;
    res.writeHead(200);
    res.write(begin);
  };
  for await (const batch of table.batches) {
    if (isFirst) start();
    if (!isGone(ctx) && !res.write(rows(batch, isFirst))) await untilDrained(ctx);
    if (isGone(ctx)) return;
    isFirst = false;
  }
  if (isFirst) start();
  res.end(end);
}

function isGone({ res }: Context): boolean {
  return res.destroyed || res.closed;
}

/** Resolves when the client has read on, or has gone. A socket that is idle for too long is closed by the server. */
function untilDrained({ res }: Context): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      res.off('drain', done);
      res.off('close', done);
      resolve();
    };
    res.on('drain', done);
    res.on('close', done);
  });
}

/**
 * CSV as RFC 4180 has it: a header row, CRLF. A text that a spreadsheet would read as a formula gets an apostrophe in
 * front. Numbers stay numbers. An object is one cell of JSON, null an empty one.
 */
function csv({ columns }: Table): Writer {
  const lines = (values: unknown[][]) =>
    stringify(values, {
      record_delimiter: '\r\n',
      escape_formulas: true,
      // By itself it quotes a line break only if it is CRLF.
      quoted_match: /[\r\n]/,
      cast: { boolean: String, object: (value) => JSON.stringify(value) },
    });
  return {
    contentType: 'text/csv; charset=utf-8; header=present',
    begin: lines([[...columns]]),
    rows: (batch) => lines(batch.map((row) => columns.map((column) => Reflect.get(row, column)))),
    end: '',
  };
}

function json({ columns, members = {} }: Table): Writer {
  const picked = (row: object) =>
    JSON.stringify(Object.fromEntries(columns.map((column) => [column, Reflect.get(row, column)])));
  return {
    contentType: 'application/json; charset=utf-8',
    begin: JSON.stringify({ ...members, data: [] }).slice(0, -']}'.length),
    rows: (batch, isFirst) => `${isFirst ? '' : ','}${batch.map(picked).join(',')}`,
    end: ']}',
  };
}
