import type { TObject } from 'typebox';
import { ReportOfNow, ReportOfRange, reports, TableOf } from '../../resources/reports/report.ts';
import { BalanceReportRow, FailedPaymentReportRow, MandateReportRow } from '../../resources/reports/rows.ts';
import { type ReportName, readReport } from '../../services/reports/reports.ts';
import { type Route, route } from '../http/route.ts';

const reading = { scope: 'reports:read' } as const;

const howToRead =
  'Streamed as JSON, or as CSV if `Accept` is `text/csv` or the path ends in `.csv`. At most two reports of an account ' +
  'are read at a time.';

interface ReportPage {
  name: ReportName;
  operation: string;
  title: string;
  row: TObject;
  summary: string;
  description: string;
  query: typeof ReportOfRange | typeof ReportOfNow;
}

const pages: readonly ReportPage[] = [
  {
    name: 'balance_transactions',
    operation: 'getBalanceTransactionsReport',
    title: 'BalanceTransactionsReportRow',
    row: BalanceReportRow,
    summary: 'Report what has moved money',
    description: 'The rows of your books with this `created_at`, oldest first, each with its customer and its plan.',
    query: ReportOfRange,
  },
  {
    name: 'failed_payments',
    operation: 'getFailedPaymentsReport',
    title: 'FailedPaymentsReportRow',
    row: FailedPaymentReportRow,
    summary: 'Report the payments that failed or came back',
    description:
      'One row for each attempt that failed and each debit that came back, oldest first: why, when it was to be tried ' +
      'again, and what has become of the payment.',
    query: ReportOfRange,
  },
  {
    name: 'mandates',
    operation: 'getMandatesReport',
    title: 'MandatesReportRow',
    row: MandateReportRow,
    summary: 'Report your mandates',
    description: 'Each mandate as it is now, oldest first. `from` and `to` narrow by `created_at`.',
    query: ReportOfNow,
  },
];

/** The route of a report, and the same under `.csv`. */
function routesOf({ name, operation, title, row, summary, description, query }: ReportPage): Route[] {
  const definition = {
    method: 'GET',
    path: `/api/v1/reports/${name}`,
    operation,
    tag: reports,
    summary,
    description: `${description} ${howToRead}`,
    access: reading,
    invalid: 400,
    query,
    response: { status: 200, schema: TableOf(row, title), isTable: true },
    errors: { 429: 'The key has exceeded its rate limit, or too many reports are being read.' },
  } as const;
  const own = route({
    ...definition,
    handle: async ({ context, query, deps }) => readReport(deps.db, context, deps.reportSlots, name, query),
  });
  return [own, { ...own, path: `${own.path}.csv`, operation: `${operation}AsCsv`, undocumented: true }];
}

export const reportRoutes: Route[] = pages.flatMap(routesOf);
