import type { Fragment } from 'postgres';
import type { Db } from '../platform/postgres/connection.ts';
import { withoutOwner } from './bank-debits.ts';

/** What can have something to do on a test clock. */
export type DueKind =
  | 'mandate'
  | 'bankDebit'
  | 'paymentPlan'
  | 'subscription'
  | 'scheduledPayment'
  | 'paymentLink'
  | 'checkoutSession';

/** Something to do on a test clock. */
export interface DueSubject<Kind extends DueKind = DueKind> {
  kind: Kind;
  id: string;
  /** When, in the clock's time. Null while a charge of it is under way. */
  at: Date | null;
}

/**
 * Returns what is due on a clock up to `target`, in the order in which it is done: what is under way, then by instant.
 * At the same instant a mandate lapses first, then a bank speaks, since both may change what else is to be done. Then
 * what was created first comes first: the random part of an id begins with the time.
 * @param limit how many to return; all, if not given.
 * @param except ids that are left out.
 */
export async function dueOnClock(
  db: Db,
  testClockId: string,
  target: Date,
  { limit = null, except = [] }: { limit?: number | null; except?: readonly string[] } = {},
): Promise<DueSubject[]> {
  const select = (kind: DueKind, rank: number, rows: Fragment) => db`(
    select ${kind} as kind, ${rank}::integer as rank, id::text collate "C" as id, at from (${rows}) due
    where id <> all(${except as string[]}::text[])
    order by at nulls first, id
    limit ${limit})`;
  const isInFlight = (source: 'plan' | 'subscription' | 'schedule', ofSubject: Fragment) => db`exists (
    select 1 from payment_attempts a ${ofSubject} and a.outcome = 'processing' and a.source = ${source}
  )`;
  const owed = (table: 'payment_plans' | 'subscriptions', underWay: Fragment) => db`
    select id, case when under_way then null else least(wake_at, next_debit_at) end as at
    from (select *, ${underWay} as under_way from ${db(table)} s where test_clock_id = ${testClockId}) s
    where under_way or wake_at <= ${target} or next_debit_at <= ${target}`;
  const expiring = (table: 'payment_links' | 'checkout_sessions') => db`
    select id, wake_at as at from ${db(table)} where test_clock_id = ${testClockId} and wake_at <= ${target}`;
  return db<DueSubject[]>`
    select kind, id, at from (
      ${select(
        'mandate',
        0,
        db`
          select id, lapses_at as at from mandates
          where test_clock_id = ${testClockId} and status = 'active' and lapses_at <= ${target}`,
      )} union all ${select(
        'bankDebit',
        1,
        db`
          select attempt_id as id, next_at as at from bank_debits d
          where test_clock_id = ${testClockId} and ${withoutOwner(db)} and next_at <= ${target}`,
      )} union all ${select(
        'paymentPlan',
        2,
        owed(
          'payment_plans',
          isInFlight(
            'plan',
            db`join payment_plan_slots p on p.payment_intent_id = a.payment_intent_id
              where p.payment_plan_id = s.id and p.status = 'processing'`,
          ),
        ),
      )} union all ${select(
        'subscription',
        2,
        owed(
          'subscriptions',
          isInFlight(
            'subscription',
            db`join subscription_periods p on p.payment_intent_id = a.payment_intent_id
              where p.subscription_id = s.id and p.status = 'processing'`,
          ),
        ),
      )} union all ${select(
        'scheduledPayment',
        2,
        db`
          select i.id, i.scheduled_at as at from customers c
          join payment_intents i on i.customer_id = c.id
          where c.test_clock_id = ${testClockId} and (i.scheduled_at <= ${target} or i.status = 'processing' and ${isInFlight('schedule', db`where a.payment_intent_id = i.id`)})`,
      )} union all ${select('paymentLink', 2, expiring('payment_links'))}
      union all ${select('checkoutSession', 2, expiring('checkout_sessions'))}
    ) due
    order by at nulls first, rank, regexp_replace(id, '^.*_', ''), id
    limit ${limit}`;
}
