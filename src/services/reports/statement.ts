import type { CustomerRow } from '../../db/customers.ts';
import { listSubjects } from '../../db/reports/subjects.ts';
import { addDays, dateIn, startOfDay } from '../../domain/calendar.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import { emptyAccounts } from '../../domain/statements/account.ts';
import {
  addToStatement,
  closeStatement,
  emptyStatement,
  type StatementLine,
  type StatementTotals,
} from '../../domain/statements/statement.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import { instant, present } from '../../resources/common.ts';
import { fieldError } from '../../resources/field-errors.ts';
import type { StatementQuery, Table } from '../../resources/reports/report.ts';
import { StatementLineRow } from '../../resources/reports/statement.ts';
import { type BillerProfile, getBillerProfile } from '../accounts/biller-profile.ts';
import { timeNow } from '../customer-time.ts';
import { getCustomer } from '../customers/customers.ts';
import { BadParameters } from '../errors.ts';
import type { RequestContext } from '../request-context.ts';
import { moveAccounts } from './customer-accounts.ts';
import { rangeOf } from './range.ts';
import type { ReportSlots } from './report-slots.ts';

/** A statement is read by a person, and is whole or refused. */
const mostLines = 10_000;

/** A line of a statement with the name of its plan or subscription, as that is now. Null for a payment by itself. */
export type NamedLine = StatementLine & { name: string | null };

/** What a customer was charged, has paid and owes in a range. */
interface CustomerStatement {
  customer: Pick<CustomerRow, 'id' | 'name' | 'reference'>;
  from: CustomerInstant;
  to: CustomerInstant;
  timeZone: string;
  totals: StatementTotals[];
  lines: NamedLine[];
}

/**
 * Returns what a customer was charged, has paid and owes in a range, with its lines in their order. The range is by
 * default from the first day of the customer to the end of today, in its time.
 * @throws NotFound for an unknown customer; BadParameters for a range that cannot be, or that has more than 10,000
 * lines; TooManyReports.
 */
export async function readStatement(...asked: Parameters<typeof statementOf>): Promise<Table> {
  const { customer, from, to, timeZone, totals, lines } = await statementOf(...asked);
  const about = { customer_id: customer.id, customer_name: customer.name, customer_reference: customer.reference };
  return {
    name: `statement-${customer.id}`,
    columns: Object.keys(StatementLineRow.properties),
    members: { ...about, from: instant(from), to: instant(to), timezone: timeZone, totals },
    batches: once(lines.map((line) => present(StatementLineRow, line))),
  };
}

/** A statement with the one who gives it, for printing. */
export interface StatementDocument extends CustomerStatement {
  livemode: boolean;
  biller: BillerProfile;
}

/** Returns a statement to be printed. For errors see `readStatement`. */
export async function readStatementDocument(...asked: Parameters<typeof statementOf>): Promise<StatementDocument> {
  const [db, { billerId, livemode }] = asked;
  return { ...(await statementOf(...asked)), livemode, biller: await getBillerProfile(db, billerId) };
}

async function statementOf(
  db: Db,
  context: RequestContext,
  slots: ReportSlots,
  customerId: string,
  query: StatementQuery,
): Promise<CustomerStatement> {
  const customer = await getCustomer(db, context, customerId);
  const { from: first, to: end, timeZone } = rangeOf(query, context.timeZone);
  const tomorrow = addDays(dateIn(await timeNow(db, context, customer), timeZone), 1);
  const begin = startOfDay(dateIn(customer.created_at, timeZone), timeZone);
  const to = end ?? later(first, startOfDay(tomorrow, timeZone));
  const from = first ?? earlier(begin, to);
  const statement = emptyStatement();
  const all = { accounts: emptyAccounts(), before: to, timeZone };
  for await (const movement of slots.inSlot(context.billerId, () => moveAccounts(db, context, [customer.id], all))) {
    addToStatement(statement, movement, { from, timeZone });
    if (statement.lines.length > mostLines) throw tooLong();
  }
  const { totals, lines } = closeStatement(statement, { from: dateIn(from, timeZone), to: dateIn(to, timeZone) });
  const names = new Map((await listSubjects(db, [customer.id])).map(({ id, name }) => [id, name]));
  const named = lines.map((line) => ({ ...line, name: names.get(subjectOf(line)) ?? null }));
  return { customer, from, to, timeZone, totals, lines: named };
}

function subjectOf({ payment_plan_id: plan, subscription_id: subscription }: StatementLine): string {
  return plan ?? subscription ?? '';
}

/** An end that is not given is not before the begin, and a begin that is not given is not after the end. */
const later = (first: CustomerInstant | undefined, other: CustomerInstant) =>
  first !== undefined && first > other ? first : other;
const earlier = (one: CustomerInstant, other: CustomerInstant) => (one < other ? one : other);

async function* once(rows: object[]): AsyncGenerator<object[]> {
  yield rows;
}

function tooLong(): BadParameters {
  const message = `The statement has more than ${mostLines} lines. Ask for a shorter time.`;
  return new BadParameters([fieldError('query/to', 'out_of_range', message)]);
}
