import type { ReportScope } from '../../db/reports/report-rows.ts';
import {
  listReportCustomers,
  listSubjects,
  type ReportCustomerRow,
  type SubjectRow,
} from '../../db/reports/subjects.ts';
import { dateIn, daysBetween, type PlainDate } from '../../domain/calendar.ts';
import {
  type Accounts,
  balanceOf,
  type Debt,
  emptyAccounts,
  type Movement,
  owedOf,
} from '../../domain/statements/account.ts';
import type { Days } from '../../domain/units.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import { moveAccounts } from './customer-accounts.ts';

/** The events of so many customers are read together. Memory has what is open of them, not their history. */
const customersAtOnce = 100;

/** Later than every event: a clock may be far ahead of real time. */
const endOfTime = new Date('9999-12-31T00:00:00Z');

/** The customers of a report whose accounts are to be read, with their plans and subscriptions. */
interface Batch {
  customers: ReadonlyMap<string, ReportCustomerRow>;
  subjects: SubjectRow[];
}

async function* batchesOf(db: Db, scope: ReportScope, owing: boolean): AsyncGenerator<Batch> {
  for (let after = ''; ; ) {
    const rows = await listReportCustomers(db, scope, { after, limit: customersAtOnce, owing });
    const customers = new Map(rows.map((row) => [row.customer_id, row]));
    const last = rows.at(-1);
    if (last === undefined) return;
    yield { customers, subjects: await listSubjects(db, [...customers.keys()]) };
    after = last.customer_id;
  }
}

/** What moved of a plan or a subscription. Minor units. */
const nothing = { charged: 0, waived: 0, collected: 0, refunded: 0, returned: 0, tax: 0 };
type Sums = typeof nothing;

/**
 * Yields a row for each plan and subscription that has moved in the range, owes at its end or has not ended, by
 * customer: what was charged, waived, collected, refunded and returned in the range, the tax in that, and what was owed
 * at its end.
 */
export async function* planRows(db: Db, scope: ReportScope) {
  const { tenant, from, to = endOfTime, timeZone } = scope;
  for await (const { customers, subjects } of batchesOf(db, scope, false)) {
    const accounts = emptyAccounts();
    const moved = new Map<string, Sums>();
    const all = { accounts, before: to, timeZone };
    for await (const movement of moveAccounts(db, tenant, [...customers.keys()], all)) {
      if (from === undefined || movement.at >= from) add(moved, movement);
    }
    yield subjects
      .map((subject) => ({
        ...subject,
        ...customers.get(subject.customer_id),
        ...(moved.get(subject.id) ?? nothing),
        owed: balanceOf(accounts, (debt) => subjectIdOf(debt) === subject.id),
      }))
      .filter(({ id, owed, has_ended }) => moved.has(id) || owed !== 0 || !has_ended);
  }
}

function add(moved: Map<string, Sums>, movement: Movement): void {
  const id = subjectIdOf(movement.debt);
  const sums = { ...(moved.get(id) ?? nothing) };
  const names = Object.keys(nothing) as (keyof Sums)[];
  // What has moved its credit alone has moved no money.
  if (names.every((name) => movement[name] === 0)) return;
  for (const name of names) sums[name] += movement[name];
  moved.set(id, sums);
}

function subjectIdOf({ payment_plan_id, subscription_id, payment_intent_id }: Debt): string {
  return payment_plan_id ?? subscription_id ?? payment_intent_id ?? '';
}

/**
 * Yields a row for each plan, subscription and single payment of which something is owed now, by customer: how much,
 * and for how many days. What is late since before `from`, or from `to` on, is left out.
 */
export async function* agingRows(db: Db, scope: ReportScope) {
  const { tenant, today, timeZone } = scope;
  for await (const { customers, subjects } of batchesOf(db, scope, true)) {
    const accounts = emptyAccounts();
    const all = { accounts, before: endOfTime, timeZone };
    for await (const _movement of moveAccounts(db, tenant, [...customers.keys()], all));
    yield agesOf(accounts, scope, today).map((row) => ({
      ...{ name: null, state: null, next_attempt_at: null },
      ...subjects.find(({ id }) => id === row.id),
      ...customers.get(row.customer_id),
      ...row,
    }));
  }
}

/** What is owed by age. Minor units. */
interface Ages {
  days_0_to_30: number;
  days_31_to_60: number;
  days_61_to_90: number;
  days_over_90: number;
}

function agesOf(accounts: Accounts, { from, to, timeZone }: ReportScope, today: PlainDate) {
  const [first, end] = [from, to].map((at) => (at === undefined ? undefined : dateIn(at, timeZone)));
  const debts = owedOf(accounts).filter(
    ({ since }) => (first === undefined || since >= first) && (end === undefined || since < end),
  );
  const keys = new Set(debts.map(({ debt }) => subjectIdOf(debt)));
  return [...keys].toSorted().map((id) => {
    const own = debts.filter(({ debt }) => subjectIdOf(debt) === id);
    const ages: Ages = { days_0_to_30: 0, days_31_to_60: 0, days_61_to_90: 0, days_over_90: 0 };
    for (const { amount, since } of own) ages[ageOf(daysBetween(since, today))] += amount;
    const [oldest = today] = own.map(({ since }) => since).toSorted();
    const debt = own[0]?.debt;
    return {
      id,
      type: debt?.payment_plan_id ? 'payment_plan' : debt?.subscription_id ? 'subscription' : 'payment_intent',
      customer_id: debt?.customer_id ?? '',
      currency: debt?.currency,
      owed: own.reduce((sum, { amount }) => sum + amount, 0),
      ...ages,
      late_since: oldest,
      days_late: daysBetween(oldest, today),
    };
  });
}

function ageOf(days: Days): keyof Ages {
  if (days <= 30) return 'days_0_to_30';
  if (days <= 60) return 'days_31_to_60';
  return days <= 90 ? 'days_61_to_90' : 'days_over_90';
}
