import type { Fragment } from 'postgres';
import type { Id } from '../domain/ids.ts';
import type { CustomerInstant } from '../domain/instants.ts';
import { payableEventTypes } from '../domain/ledger/postings.ts';
import type { KindAhead, SubjectKind } from '../messages/subject-kinds.ts';
import type { Db, Tx } from '../platform/postgres/connection.ts';
import type { RealInstant } from '../platform/real-time.ts';
import { withoutOwner } from './bank-debits.ts';
import { expiringOnClock, isInFlight, lateDebit, nextAndRetry, owedOnClock } from './subject-parts.ts';
import { isRunning } from './subscriptions.ts';

/** How the subjects of a kind are found, of all billers. Each part is a select, and has an index of its own. */
export interface SubjectQueries {
  /** Its table, and the column with its ids. */
  table: string;
  key: string;
  /** At the same instant of a clock, what has a lower rank comes first. */
  rank: number;
  /**
   * `id` and `at` of those that are due on a test clock up to `target`, by the clock's time. `at` is null while a
   * charge of it is under way.
   */
  dueOnClock(db: Db, testClockId: Fragment, target: Fragment): Fragment;
  /** `id` and `livemode` of those on a test clock that still have steps, locked: they are deleted with it. */
  lockOnClock(tx: Tx, testClockId: string): Fragment;
  /** `subject_id`, `biller_id`, `livemode` and `since` of those in real time that have been due since `before`. */
  overdue(db: Db, before: RealInstant): Fragment;
  /** The columns of `WantingRow` of those that need a workflow. */
  wantingWorkflow(db: Db): Fragment;
  /** What operators see of the kinds that charge a customer by date. The others have none. */
  charges?: ChargeQueries;
}

/** How charges by date are found, of all billers. */
interface ChargeQueries {
  /** The column of a payment intent that has the id of the subject. */
  intentColumn: 'payment_plan_id' | 'subscription_id' | 'id';
  /** Its table, or the rows of it that are subjects. */
  rows(db: Db): Fragment;
  /** `at`, `is_retry` and `livemode` of what is due in real time before `until`, and of more that is due later. */
  dueBefore(db: Db, until: RealInstant): Fragment;
}

/** An object that needs a workflow, and what that workflow should show. */
export interface WantingRow {
  id: string;
  livemode: boolean;
  /** Null where the workflow shows none. */
  state: string | null;
  next_due_at: CustomerInstant | null;
  /** When its workflow acts next; null if that is not known or it waits for something else. */
  due_at: CustomerInstant | null;
  failed_attempts: number;
  /** Its clock is advancing: what the workflow shows is compared only once the advance has ended. */
  advancing: boolean;
}

/** What comes first at an instant of a clock: a bank speaks before anything is collected. */
export const bankFirst = 1;
const thenTheRest = 2;

export const subjectQueries = {
  paymentPlan: {
    table: 'payment_plans',
    key: 'id',
    rank: thenTheRest,
    dueOnClock: (db, clock, target) =>
      owedOnClock(
        db,
        'payment_plans',
        isInFlight(
          db,
          'plan',
          db`join payment_plan_slots p on p.payment_intent_id = a.payment_intent_id
            where p.payment_plan_id = s.id and p.status = 'processing'`,
        ),
        { clock, target },
      ),
    lockOnClock: (tx, clock) => tx`
      select id, livemode from payment_plans
      where test_clock_id = ${clock} and (state in ('active', 'suspended') or next_debit_at is not null)
      order by id for update`,
    // What had passed before activation counts from the activation.
    overdue: (db, before) => db`
      select id as subject_id, biller_id, livemode, greatest(wake_at, activated_at) as since
      from payment_plans
      where wake_at <= ${before} and activated_at <= ${before} and test_clock_id is null`,
    // The failed attempts are the ones that the workflow reads in `subject-statuses.ts`.
    wantingWorkflow: (db) => db`
      select p.id, p.livemode, p.state || ${lateDebit(db, 'p')} as state, p.next_due_at,
        least(p.wake_at, p.next_debit_at) as due_at,
        coalesce(s.failures, 0) as failed_attempts,
        coalesce(k.status = 'advancing', false) as advancing
      from payment_plans p
      left join test_clocks k on k.id = p.test_clock_id
      left join lateral (
        select failures from payment_plan_slots
        where payment_plan_id = p.id and status in ('processing', 'retrying', 'failed', 'returned')
        order by next_attempt_at nulls last, slot
        limit 1
      ) s on true
      where p.state in ('active', 'suspended') or p.next_debit_at is not null`,
    charges: {
      intentColumn: 'payment_plan_id',
      rows: (db) => db`payment_plans`,
      dueBefore: (db, until) => nextAndRetry(db, 'payment_plans', 'next_due_at', until),
    },
  },
  paymentLink: {
    table: 'payment_links',
    key: 'id',
    rank: thenTheRest,
    dueOnClock: (db, clock, target) => expiringOnClock(db, 'payment_links', { clock, target }),
    lockOnClock: (tx, clock) => tx`
      select id, livemode from payment_links where test_clock_id = ${clock} and status = 'open'
      order by id for update`,
    overdue: (db, before) => db`
      select id as subject_id, biller_id, livemode, wake_at as since
      from payment_links where wake_at <= ${before} and test_clock_id is null
      union all
      select l.id, l.biller_id, l.livemode, l.expires_at
      from payment_links l
      where l.status = 'open' and l.wake_at is null and l.expires_at <= ${before} and l.test_clock_id is null
        and not exists (select from checkout_sessions s where s.payment_link_id = l.id and s.status = 'processing')`,
    wantingWorkflow: (db) => db`
      select id, livemode, status as state, wake_at as next_due_at, wake_at as due_at, 0 as failed_attempts,
        false as advancing
      from payment_links where status = 'open' and expires_at is not null and test_clock_id is null`,
  },
  checkoutSession: {
    table: 'checkout_sessions',
    key: 'id',
    rank: thenTheRest,
    dueOnClock: (db, clock, target) => expiringOnClock(db, 'checkout_sessions', { clock, target }),
    lockOnClock: (tx, clock) => tx`
      select id, livemode from checkout_sessions
      where test_clock_id = ${clock} and status in ('open', 'processing')
      order by id for update`,
    overdue: (db, before) => db`
      select id as subject_id, biller_id, livemode, wake_at as since
      from checkout_sessions where wake_at <= ${before} and test_clock_id is null`,
    wantingWorkflow: (db) => db`
      select id, livemode, null as state, null::timestamptz as next_due_at, wake_at as due_at, 0 as failed_attempts,
        false as advancing
      from checkout_sessions where status in ('open', 'processing') and test_clock_id is null`,
  },
  scheduledPayment: {
    table: 'payment_intents',
    key: 'id',
    rank: thenTheRest,
    dueOnClock: (db, clock, target) => db`
      select i.id, i.scheduled_at as at from customers c
      join payment_intents i on i.customer_id = c.id
      where c.test_clock_id = ${clock} and (
        i.scheduled_at <= ${target}
        or i.status = 'processing' and ${isInFlight(db, 'schedule', db`where a.payment_intent_id = i.id`)}
      )`,
    lockOnClock: (tx, clock) => tx`
      select i.id, i.livemode from payment_intents i
      join customers c on c.id = i.customer_id
      where c.test_clock_id = ${clock} and i.scheduled_at is not null
      order by i.id for update of i`,
    // If its instant had passed before the payment was made, it counts from then.
    overdue: (db, before) => db`
      select i.id as subject_id, i.biller_id, i.livemode, greatest(i.scheduled_at, i.created_at) as since
      from payment_intents i
      left join customers c on c.id = i.customer_id
      where i.scheduled_at <= ${before} and i.created_at <= ${before} and c.test_clock_id is null`,
    wantingWorkflow: (db) => db`
      select id, livemode, null as state, null::timestamptz as next_due_at, scheduled_at as due_at,
        0 as failed_attempts, false as advancing
      from payment_intents where scheduled_at is not null`,
    charges: {
      intentColumn: 'id',
      rows: (db) => db`(select * from payment_intents where scheduled_at is not null)`,
      dueBefore: (db, until) => db`
        select i.scheduled_at as at, false as is_retry, i.livemode
        from payment_intents i
        left join customers c on c.id = i.customer_id
        where i.scheduled_at < ${until} and c.test_clock_id is null`,
    },
  },
  bankDebit: {
    table: 'bank_debits',
    key: 'attempt_id',
    rank: bankFirst,
    dueOnClock: (db, clock, target) => db`
      select attempt_id as id, next_at as at from bank_debits d
      where test_clock_id = ${clock} and ${withoutOwner(db)} and next_at <= ${target}`,
    lockOnClock: (tx, clock) => tx`
      select d.attempt_id as id, d.livemode from bank_debits d
      join payment_intents i on i.id = d.payment_intent_id
      where d.test_clock_id = ${clock} and ${withoutOwner(tx)} and d.next_at is not null
      order by d.attempt_id for update of i`,
    // Those of plans and subscriptions included, although their workflows take the steps.
    overdue: (db, before) => db`
      select attempt_id as subject_id, biller_id, livemode, next_at as since
      from bank_debits where next_at <= ${before} and test_clock_id is null`,
    wantingWorkflow: (db) => db`
      select d.attempt_id as id, d.livemode, a.outcome as state, d.next_at as next_due_at, d.next_at as due_at,
        0 as failed_attempts, coalesce(k.status = 'advancing', false) as advancing
      from bank_debits d
      join payment_attempts a on a.id = d.attempt_id
      left join test_clocks k on k.id = d.test_clock_id
      where ${withoutOwner(db)} and d.next_at is not null`,
  },
  subscription: {
    table: 'subscriptions',
    key: 'id',
    rank: thenTheRest,
    dueOnClock: (db, clock, target) =>
      owedOnClock(
        db,
        'subscriptions',
        isInFlight(
          db,
          'subscription',
          db`join subscription_periods p on p.payment_intent_id = a.payment_intent_id
            where p.subscription_id = s.id and p.status = 'processing'`,
        ),
        { clock, target },
      ),
    lockOnClock: (tx, clock) => tx`
      select id, livemode from subscriptions where test_clock_id = ${clock} and ${isRunning(tx)}
      order by id for update`,
    overdue: (db, before) => db`
      select id as subject_id, biller_id, livemode, wake_at as since
      from subscriptions
      where wake_at <= ${before} and test_clock_id is null and updated_at <= ${before}`,
    wantingWorkflow: (db) => db`
      select s.id, s.livemode, s.state || ${lateDebit(db, 's')} as state, s.next_period_at as next_due_at,
        least(s.wake_at, s.next_debit_at) as due_at,
        coalesce(p.failures, 0) as failed_attempts, coalesce(k.status = 'advancing', false) as advancing
      from subscriptions s
      left join test_clocks k on k.id = s.test_clock_id
      left join lateral (
        select failures from subscription_periods
        where subscription_id = s.id and status in ('processing', 'retrying', 'unpaid')
        order by number
        limit 1
      ) p on true
      where ${isRunning(db)}`,
    charges: {
      intentColumn: 'subscription_id',
      rows: (db) => db`subscriptions`,
      dueBefore: (db, until) => nextAndRetry(db, 'subscriptions', 'next_period_at', until),
    },
  },
} satisfies Record<SubjectKind, SubjectQueries>;

/** The kinds that charge a customer by date, by their names. */
export const chargingSubjects = Object.entries<SubjectQueries>(subjectQueries).flatMap(([kind, { table, charges }]) =>
  charges === undefined ? [] : [{ kind: kind as SubjectKind, table, ...charges }],
);

/**
 * The test clock of a subject that an advance lets run ahead, if something may be paid out there up to `until`: it
 * waits or arrives by then, or moved before and is not in the ledger yet. Otherwise null.
 */
export async function selectClockToPayOut(
  db: Db,
  kind: KindAhead,
  id: string,
  until: CustomerInstant,
): Promise<Id<'test_clock'> | null> {
  const [row] = await db<{ id: Id<'test_clock'> }[]>`
    select k.id from ${db(subjectQueries[kind].table)} s join test_clocks k on k.id = s.test_clock_id
    where s.id = ${id} and (
      exists (select from payable_transactions p where p.test_clock_id = k.id and p.payable_at <= ${until})
      or exists (
        select from payouts p where p.test_clock_id = k.id and p.status = 'in_transit' and p.arrives_at <= ${until}
      )
      or exists (
        select from events e
        where e.biller_id = k.biller_id and e.livemode = k.livemode and e.test_clock_id = k.id and e.created_at < ${until}
          and e.event_type = any(${[...payableEventTypes]}) and e.sequence > coalesce((
            select l.last_sequence from ledger_positions l where l.biller_id = k.biller_id and l.livemode = k.livemode
          ), 0)
      )
    )`;
  return row?.id ?? null;
}
