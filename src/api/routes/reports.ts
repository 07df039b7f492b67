import Type from 'typebox';
import { ReportOfNow, ReportOfRange, reports, StatementQuery } from '../../resources/reports/report.ts';
import { BalanceReport, FailedPaymentReport, MandateReport, PayoutReport } from '../../resources/reports/rows.ts';
import { Statement } from '../../resources/reports/statement.ts';
import { AgingReport, PlanReport } from '../../resources/reports/subject-rows.ts';
import { type ReportName, readReport } from '../../services/reports/reports.ts';
import { readStatement, readStatementDocument } from '../../services/reports/statement.ts';
import { documentPolicy } from '../documents/paper.ts';
import { statementDocument } from '../documents/statement.ts';
import { type Route, route } from '../http/route.ts';

const reading = { scope: 'reports:read' } as const;

const howToRead =
  'Streamed as JSON, or as CSV if `Accept` is `text/csv` or the path ends in `.csv`. At most two reports of an account ' +
  'are read at a time.';

interface ReportPage {
  name: ReportName;
  operation: string;
  schema: typeof BalanceReport;
  summary: string;
  description: string;
  query: typeof ReportOfRange | typeof ReportOfNow;
}

const pages: readonly ReportPage[] = [
  {
    name: 'balance_transactions',
    operation: 'getReportBalanceTransactions',
    schema: BalanceReport,
    summary: 'Report what has moved money',
    description: 'The rows of your books with this `created_at`, oldest first, each with its customer and its plan.',
    query: ReportOfRange,
  },
  {
    name: 'payouts',
    operation: 'getReportPayouts',
    schema: PayoutReport,
    summary: 'Report your payouts, each with what it is made of',
    description:
      'One row for each payout with this `created_at`, oldest first: what was paid, refunded and taken back, and the fees, ' +
      'which add up to it. `GET /balance_transactions?payout_id=` has its items.',
    query: ReportOfRange,
  },
  {
    name: 'plans',
    operation: 'getReportPlans',
    schema: PlanReport,
    summary: 'Report what plans and subscriptions charged and collected',
    description:
      'One row for each plan and each subscription, by customer: what moved in the range, and what was owed at its end. ' +
      'One that had ended, and neither moved nor owed anything, is left out.',
    query: ReportOfRange,
  },
  {
    name: 'aging',
    operation: 'getReportAging',
    schema: AgingReport,
    summary: 'Report what is owed, by how many days it is late',
    description:
      'One row for each plan, subscription and payment by itself of which something is owed now, by customer. `from` and ' +
      '`to` narrow by the date since which it is late.',
    query: ReportOfNow,
  },
  {
    name: 'failed_payments',
    operation: 'getReportFailedPayments',
    schema: FailedPaymentReport,
    summary: 'Report the payments that failed or came back',
    description:
      'One row for each attempt that failed and each debit that came back, oldest first: why, when it was to be tried ' +
      'again, and what has become of the payment.',
    query: ReportOfRange,
  },
  {
    name: 'mandates',
    operation: 'getReportMandates',
    schema: MandateReport,
    summary: 'Report your mandates',
    description: 'Each mandate as it is now, oldest first. `from` and `to` narrow by `created_at`.',
    query: ReportOfNow,
  },
];

const tooMany = { 429: 'The key has exceeded its rate limit, or too many reports are being read.' };

/** The route of a report, and the same under `.csv`. */
function routesOf({ name, operation, schema, summary, description, query }: ReportPage): Route[] {
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
    response: { status: 200, schema, isTable: true },
    errors: tooMany,
  } as const;
  const own = route({
    ...definition,
    handle: async ({ context, query, deps }) => readReport(deps.db, context, deps.reportSlots, name, query),
  });
  return [own, asCsv(own)];
}

/** The same route for those who cannot choose `Accept`, such as a browser or a spreadsheet. */
function asCsv(own: Route): Route {
  return { ...own, path: `${own.path}.csv`, operation: `${own.operation}AsCsv`, undocumented: true };
}

const statementRoute = route({
  method: 'GET',
  path: '/api/v1/customers/:customer_id/statement',
  operation: 'getCustomerStatement',
  tag: reports,
  summary: 'Report what a customer was charged, has paid and owes',
  description:
    'The account of a customer in a range: totals by currency, and the lines between them. Without `from`, from the ' +
    `first day of the customer on; without \`to\`, to the end of today. ${howToRead}`,
  access: reading,
  invalid: 400,
  query: StatementQuery,
  response: { status: 200, schema: Statement, isTable: true },
  errors: tooMany,
  handle: async ({ context, params, query, deps }) =>
    readStatement(deps.db, context, deps.reportSlots, params.customer_id, query),
});

const documentRoute = route({
  method: 'GET',
  path: '/api/v1/customers/:customer_id/statement/document',
  operation: 'getCustomerStatementDocument',
  tag: reports,
  summary: 'Print what a customer was charged, has paid and owes',
  description: 'The statement as a page to print, for the customer: the same range, totals and lines.',
  access: reading,
  invalid: 400,
  query: StatementQuery,
  response: {
    status: 200,
    schema: Type.String(),
    contentType: 'text/html; charset=utf-8',
    headers: { 'Content-Security-Policy': documentPolicy },
  },
  errors: tooMany,
  handle: async ({ context, params, query, deps }) =>
    statementDocument(await readStatementDocument(deps.db, context, deps.reportSlots, params.customer_id, query)),
});

export const reportRoutes: Route[] = [...pages.flatMap(routesOf), statementRoute, asCsv(statementRoute), documentRoute];
