import { unionAll } from '../db/subject-parts.ts';
import { chargingSubjects } from '../db/subject-queries.ts';
import type { Id } from '../domain/ids.ts';
import type { CustomerInstant } from '../domain/instants.ts';
import type { MinorUnits } from '../domain/units.ts';
import type { SubjectKind } from '../messages/subject-kinds.ts';
import { workflowIdOf } from '../messages/workflow-types.ts';
import type { Db, Pool, Tx } from '../platform/postgres/connection.ts';
import { subjects } from '../services/subjects/kinds.ts';
import type { Mode } from './overview-queries.ts';
import { readBounded } from './stuck/reading/bounded-reading.ts';

/** An attempt to charge: when it was opened (real time), and what it came to. */
export interface FoundAttempt {
  payment_intent_id: string;
  number: number;
  outcome: string;
  code: string | null;
  opened_at: Date;
  total_amount: MinorUnits;
  currency: string;
}

/** Bank debits that were accepted or handed over, and whose result is not known. */
export interface WithTheBank {
  amount: MinorUnits;
  currency: string;
  /** The earliest result that is expected: customer time. */
  result_at: CustomerInstant;
}

/**
 * Something that is charged, and why it was charged or not. It has no personal data. A `payment` is one that no plan or
 * subscription makes: a single one, one of a page, or a scheduled one whose date has come.
 */
export interface FoundSubject {
  kind: SubjectKind | 'payment';
  id: string;
  biller_id: Id<'biller'>;
  livemode: boolean;
  customer_id: string | null;
  test_clock_id: string | null;
  /** Of the workflow that collects it. Null if it has none. */
  workflow_id: string | null;
  state: string;
  /** When something is due next: real time, or that of its clock. Null: nothing will be. */
  next_at: Date | null;
  /** What is due then, such as "slot 3, attempt 2". Empty if nothing is. */
  next: string;
  /** What it waits for, as a sentence. Null if that is not known. */
  waits_for: string | null;
  last_error: string | null;
  with_the_bank: WithTheBank[];
  /** The last attempts, the newest first. */
  attempts: FoundAttempt[];
}

/** What was found. `customers` are those that the text names. */
export interface Found {
  customers: string[];
  subjects: FoundSubject[];
  /** There are more than are shown. */
  has_more: boolean;
}

const customersShown = 20;
const subjectsShown = 20;
const paymentsShown = 20;
const attemptsShown = 5;

interface FoundRow extends Pick<FoundSubject, 'kind' | 'id' | 'biller_id' | 'livemode' | 'customer_id'> {
  /** Of a payment that is no subject. */
  status: string | null;
  /** Of a payment: the debit of which a step is to come. */
  debit_id: Id<'payment_attempt'> | null;
}

/**
 * Finds customers, plans, subscriptions and payments of all billers by id, and customers also by their whole reference
 * or e-mail address; with a customer, all of its plans, subscriptions and payments. What will be charged comes first,
 * then the payments, each with the newest first.
 * @throws when PostgreSQL does not respond in time.
 */
export async function findByText(sql: Pool, text: string, mode: Mode): Promise<Found> {
  const { named, rows, payments } = await readBounded(sql, async (tx) => {
    const named = await listCustomers(tx, text, mode);
    const customers = named.slice(0, customersShown);
    const rows = await listSubjects(tx, text, customers, mode);
    return { named, rows, payments: await listPayments(tx, text, customers, mode) };
  });
  const shown = [...rows.slice(0, subjectsShown), ...payments.slice(0, paymentsShown)];
  return {
    customers: named.slice(0, customersShown),
    subjects: await Promise.all(shown.map((row) => describe(sql, row))),
    has_more: rows.length > subjectsShown || payments.length > paymentsShown || named.length > customersShown,
  };
}

/** By the indexes of each biller and mode. One more than are shown, if there are more. */
async function listCustomers(db: Db, text: string, mode: Mode): Promise<string[]> {
  const modes = mode === null ? [true, false] : [mode];
  const rows = await db<{ id: string }[]>`
    select id from customers where id = ${text} ${mode === null ? db`` : db`and livemode = ${mode}`}
    union
    select c.id from billers b
    cross join unnest(${modes.map(String)}::text[]::boolean[]) as m (livemode)
    cross join lateral (
      select id from customers where biller_id = b.id and livemode = m.livemode and lower(email) = lower(${text})
      union all
      select id from customers where biller_id = b.id and livemode = m.livemode and reference = ${text}
    ) c
    limit ${customersShown + 1}`;
  return rows.map(({ id }) => id);
}

/** One more than are shown, if there are more. */
async function listSubjects(db: Db, text: string, customers: readonly string[], mode: Mode): Promise<FoundRow[]> {
  const found = chargingSubjects.map(
    ({ kind, rows, intentColumn }) => db`
      select ${kind}::text as kind, id, biller_id, livemode, customer_id, null as status, null as debit_id
      from ${rows(db)} s
      where id = ${text} or customer_id = any(${[...customers]}::text[])
        or id = (select ${db(intentColumn)} from payment_intents where id = ${text})`,
  );
  return db<FoundRow[]>`
    select * from (${unionAll(db, found)}) f
    ${mode === null ? db`` : db`where livemode = ${mode}`}
    order by id desc limit ${subjectsShown + 1}`;
}

/** One more than are shown, if there are more. A payment of a plan or subscription is found by its own id only. */
async function listPayments(db: Db, text: string, customers: readonly string[], mode: Mode): Promise<FoundRow[]> {
  return db<FoundRow[]>`
    select 'payment' as kind, i.id, i.biller_id, i.livemode, i.customer_id, i.status, d.attempt_id as debit_id
    from payment_intents i
    left join bank_debits d on d.payment_intent_id = i.id and d.next_at is not null
      and i.payment_plan_id is null and i.subscription_id is null
    where i.scheduled_at is null ${mode === null ? db`` : db`and i.livemode = ${mode}`} and (
      i.id = ${text}
      or i.customer_id = any(${[...customers]}::text[]) and i.payment_plan_id is null and i.subscription_id is null
    )
    order by i.id desc limit ${paymentsShown + 1}`;
}

async function describe(sql: Pool, { status, debit_id: debitId, ...row }: FoundRow): Promise<FoundSubject> {
  const { kind } = row;
  const column = chargingSubjects.find((one) => one.kind === kind)?.intentColumn ?? 'id';
  const happened = await readBounded(sql, (tx) => readAttempts(tx, column, row.id));
  if (kind !== 'payment') return { ...row, ...(await readSubject(sql, kind, row.id)), ...happened };
  if (debitId !== null) {
    return { ...row, ...(await readSubject(sql, 'bankDebit', debitId)), state: status ?? '', ...happened };
  }
  const nothing = {
    next_at: null,
    next: '',
    waits_for: null,
    last_error: null,
    test_clock_id: null,
    workflow_id: null,
  };
  return { ...row, ...nothing, state: status ?? '', ...happened };
}

/** What happened to the payments whose `column` is this id. */
async function readAttempts(
  tx: Tx,
  column: string,
  id: string,
): Promise<Pick<FoundSubject, 'attempts' | 'with_the_bank'>> {
  const attempts = await tx<FoundAttempt[]>`
      select a.payment_intent_id, a.number, a.outcome, a.code, a.opened_at, i.total_amount, i.currency
      from payment_intents i join payment_attempts a on a.payment_intent_id = i.id
      where ${tx(`i.${column}`)} = ${id}
      order by a.opened_at desc, a.number desc limit ${attemptsShown}`;
  const with_the_bank = await tx<WithTheBank[]>`
      select sum(i.total_amount)::integer as amount, i.currency, min(d.expected_result_at) as result_at
      from payment_intents i
      join bank_debits d on d.payment_intent_id = i.id
      join payment_attempts a on a.id = d.attempt_id
      where ${tx(`i.${column}`)} = ${id} and a.outcome in ('accepted', 'submitted')
      group by i.currency order by i.currency`;
  return { attempts, with_the_bank };
}

async function readSubject(sql: Pool, kind: SubjectKind, id: string) {
  const known = await readBounded(sql, (tx) => subjects[kind].read(tx, id));
  return {
    state: known.state,
    test_clock_id: known.testClockId,
    workflow_id: workflowIdOf(kind, id),
    next_at: known.nextAt === null ? null : new Date(known.nextAt),
    next: known.next,
    waits_for: known.story?.waitsFor ?? null,
    last_error: known.lastError,
  };
}
