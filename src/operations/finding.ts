import { unionAll } from '../db/subject-parts.ts';
import { chargingSubjects } from '../db/subject-queries.ts';
import type { Id } from '../domain/ids.ts';
import type { SubjectKind } from '../messages/subject-kinds.ts';
import { workflowIdOf } from '../messages/workflow-types.ts';
import type { Db, Pool } from '../platform/postgres/connection.ts';
import { subjects } from '../services/subjects/kinds.ts';
import type { Mode } from './overview-queries.ts';
import { readBounded } from './stuck/bounded-reading.ts';

/** An attempt to charge: when it was opened (real time), and what it came to. */
export interface FoundAttempt {
  payment_intent_id: string;
  number: number;
  outcome: string;
  code: string | null;
  opened_at: Date;
}

/** Something that is charged, and why it was charged or not. It has no personal data. */
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
const attemptsShown = 5;

interface FoundRow extends Pick<FoundSubject, 'kind' | 'id' | 'biller_id' | 'livemode' | 'customer_id'> {
  /** Of a payment that is no subject. */
  status: string | null;
}

/**
 * Finds customers, plans, subscriptions and payments of all billers by id, and customers also by their whole reference
 * or e-mail address; with a customer, all of its plans, subscriptions and scheduled payments.
 * @throws when PostgreSQL does not respond in time.
 */
export async function findByText(sql: Pool, text: string, mode: Mode): Promise<Found> {
  const { named, rows } = await readBounded(sql, async (tx) => {
    const named = await listCustomers(tx, text, mode);
    return { named, rows: await listRows(tx, text, named.slice(0, customersShown), mode) };
  });
  const shown = rows.slice(0, subjectsShown);
  return {
    customers: named.slice(0, customersShown),
    subjects: await Promise.all(shown.map((row) => describe(sql, row))),
    has_more: rows.length > subjectsShown || named.length > customersShown,
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

async function listRows(db: Db, text: string, customers: readonly string[], mode: Mode): Promise<FoundRow[]> {
  const subjectsFound = chargingSubjects.map(
    ({ kind, rows, intentColumn }) => db`
      select ${kind}::text as kind, id, biller_id, livemode, customer_id, null as status from ${rows(db)} s
      where id = ${text} or customer_id = any(${[...customers]}::text[])
        or id = (select ${db(intentColumn)} from payment_intents where id = ${text})`,
  );
  const payment = db`
    select 'payment', id, biller_id, livemode, customer_id, status from payment_intents
    where id = ${text} and scheduled_at is null`;
  return db<FoundRow[]>`
    select * from (${unionAll(db, [...subjectsFound, payment])}) f
    ${mode === null ? db`` : db`where livemode = ${mode}`}
    order by id desc limit ${subjectsShown + 1}`;
}

async function describe(sql: Pool, { status, ...row }: FoundRow): Promise<FoundSubject> {
  const { kind } = row;
  const column = chargingSubjects.find((one) => one.kind === kind)?.intentColumn ?? 'id';
  const attempts = await readBounded(
    sql,
    (tx) => tx<FoundAttempt[]>`
      select a.payment_intent_id, a.number, a.outcome, a.code, a.opened_at
      from payment_intents i join payment_attempts a on a.payment_intent_id = i.id
      where ${tx(`i.${column}`)} = ${row.id}
      order by a.opened_at desc, a.number desc limit ${attemptsShown}`,
  );
  const nothing = { next_at: null, next: '', waits_for: null, last_error: null };
  if (kind === 'payment') {
    return { ...row, ...nothing, test_clock_id: null, workflow_id: null, state: status ?? '', attempts };
  }
  const known = await readBounded(sql, (tx) => subjects[kind].read(tx, row.id));
  return {
    ...row,
    state: known.state,
    test_clock_id: known.testClockId,
    workflow_id: workflowIdOf(kind, row.id),
    next_at: known.nextAt === null ? null : new Date(known.nextAt),
    next: known.next,
    waits_for: known.story?.waitsFor ?? null,
    last_error: known.lastError,
    attempts,
  };
}
