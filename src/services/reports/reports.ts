import type { TObject } from 'typebox';
import { balanceReportRows } from '../../db/reports/balance-report.ts';
import { failedPaymentRows } from '../../db/reports/failed-payments-report.ts';
import { mandateReportRows } from '../../db/reports/mandates-report.ts';
import { payoutReportRows } from '../../db/reports/payouts-report.ts';
import type { ReportRows, ReportScope } from '../../db/reports/report-rows.ts';
import { dateIn } from '../../domain/calendar.ts';
import { withoutClock } from '../../domain/instants.ts';
import { reportingCategories } from '../../domain/ledger/balance-transactions.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import { present } from '../../resources/common.ts';
import { fieldError } from '../../resources/field-errors.ts';
import type { ReportQuery, Table } from '../../resources/reports/report.ts';
import {
  BalanceReportRow,
  FailedPaymentReportRow,
  MandateReportRow,
  PayoutReportRow,
} from '../../resources/reports/rows.ts';
import { AgingReportRow, PlanReportRow } from '../../resources/reports/subject-rows.ts';
import { BadParameters } from '../errors.ts';
import { frozenTimeOf } from '../ledger/balance.ts';
import type { RequestContext } from '../request-context.ts';
import { rangeOf } from './range.ts';
import type { ReportSlots } from './report-slots.ts';
import { agingRows, planRows } from './subject-reports.ts';

/** A report: what it shows of the rows that it reads. */
interface Report {
  /** Its columns, in their order. */
  schema: TObject;
  read(db: Db, scope: ReportScope): AsyncGenerator<object[]>;
}

/** A batch is small enough to be there at once, and large enough that a million rows take a minute at most. */
const rowsOfBatch = 1_000;

/** A payout adds up its items, which may be ten thousand. */
const payoutsOfBatch = 20;

const reports = {
  aging: { schema: AgingReportRow, read: presented(AgingReportRow, agingRows) },
  balance_transactions: report(BalanceReportRow, balanceReportRows, {
    shown: (row) => ({ ...row, reporting_category: reportingCategories[row.type] }),
  }),
  failed_payments: report(FailedPaymentReportRow, failedPaymentRows),
  mandates: report(MandateReportRow, mandateReportRows),
  payouts: report(PayoutReportRow, payoutReportRows, { rowsAtOnce: payoutsOfBatch }),
  plans: { schema: PlanReportRow, read: presented(PlanReportRow, planRows) },
} satisfies Record<string, Report>;

export type ReportName = keyof typeof reports;

/**
 * Returns a report of the biller and mode. Its rows are read when they are asked for, by one short query for each
 * batch: a client that reads slowly holds no connection, and memory does not grow with the rows.
 * @throws BadParameters for a range, a time zone, a column or a test clock that cannot be. TooManyReports, with the
 * first rows, while too many reports of the biller or the process are read.
 */
export async function readReport(
  db: Db,
  context: RequestContext,
  slots: ReportSlots,
  name: ReportName,
  query: ReportQuery,
): Promise<Table> {
  const { schema, read } = reports[name];
  const columns = columnsOf(schema, query.columns);
  const { from, to, timeZone } = rangeOf(query, context.timeZone);
  const { test_clock: testClock } = query;
  const now = testClock === undefined ? withoutClock(context.now) : await frozenTimeOf(db, context, testClock);
  const { billerId, livemode } = context;
  const tenant = { billerId, livemode };
  const scope = { tenant, from, to, testClock: testClock ?? null, timeZone, today: dateIn(now, timeZone) };
  return { name, columns, batches: slots.inSlot(billerId, () => read(db, scope)) };
}

/** @throws BadParameters for a column that the report does not have or that is named twice. */
function columnsOf(schema: TObject, asked: string | undefined): string[] {
  const all = Object.keys(schema.properties);
  if (asked === undefined) return all;
  const named = asked.split(',');
  const wrong = named.find((column, index) => !all.includes(column) || named.indexOf(column) !== index);
  if (wrong === undefined) return named;
  const reason = all.includes(wrong) ? `The column ${wrong} is named twice.` : `There is no column "${wrong}".`;
  throw new BadParameters([
    fieldError('query/columns', 'invalid_value', `${reason} The columns are: ${all.join(', ')}.`),
  ]);
}

/** Returns the batches with the columns of a report. */
function presented(schema: TObject, rows: (db: Db, scope: ReportScope) => AsyncIterable<object[]>): Report['read'] {
  return async function* (db, scope) {
    for await (const batch of rows(db, scope))
      if (batch.length > 0) yield batch.map((row) => present(schema, row as never));
  };
}

/** Returns a report of these rows. `shown` adds the columns that no row has. */
function report<Row extends object>(
  schema: TObject,
  rows: ReportRows<Row>,
  { shown = (row) => row, rowsAtOnce = rowsOfBatch }: { shown?: (row: Row) => object; rowsAtOnce?: number } = {},
): Report {
  async function* read(db: Db, scope: ReportScope) {
    for (let after: Row | null = null; ; ) {
      const batch: Row[] = await rows(db, scope, { after, limit: rowsAtOnce });
      yield batch.map(shown);
      after = batch.at(-1) ?? null;
      if (batch.length < rowsAtOnce) return;
    }
  }
  return { schema, read: presented(schema, read) };
}
