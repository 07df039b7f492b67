import type { Fragment } from 'postgres';
import type { Collection } from '../domain/ids.ts';
import type { Db } from '../platform/postgres/connection.ts';
import type { RealInstant } from '../platform/real-time.ts';
import type { AttemptSource } from './payment-attempts.ts';

/** Returns one select with the rows of all of these, which have the same columns. */
export function unionAll(db: Db, [first = db`select`, ...others]: readonly Fragment[]): Fragment {
  return others.reduce((union, rows) => db`${union} union all ${rows}`, db`${first}`);
}

/** What is due next of plans or subscriptions in real time, and their next retries: see `dueBefore`. */
export function nextAndRetry(db: Db, table: Collection, next: string, until: RealInstant): Fragment {
  return db`
    select v.at, v.is_retry, s.livemode
    from ${db(table)} s
    cross join lateral (values (${db(`s.${next}`)}, false), (s.next_attempt_at, true)) v (at, is_retry)
    where s.wake_at < ${until} and s.test_clock_id is null`;
}

interface DueUpTo {
  clock: Fragment;
  target: Fragment;
}

/** Plans or subscriptions that are due on a clock. `underWay`: condition that one of their charges is. */
export function owedOnClock(
  db: Db,
  table: 'payment_plans' | 'subscriptions',
  underWay: Fragment,
  { clock, target }: DueUpTo,
): Fragment {
  return db`
    select id, case when under_way then null else least(wake_at, next_debit_at) end as at
    from (select *, ${underWay} as under_way from ${db(table)} s where test_clock_id = ${clock}) s
    where under_way or wake_at <= ${target} or next_debit_at <= ${target}`;
}

/** What ends on a clock at an instant of its own. */
export function expiringOnClock(db: Db, table: Collection, { clock, target }: DueUpTo): Fragment {
  return db`select id, wake_at as at from ${db(table)} where test_clock_id = ${clock} and wake_at <= ${target}`;
}

/** Condition: a charge of the subject is under way. */
export function isInFlight(db: Db, source: AttemptSource, ofSubject: Fragment): Fragment {
  return db`exists (
    select 1 from payment_attempts a ${ofSubject} and a.outcome = 'processing' and a.source = ${source}
  )`;
}

/**
 * No workflow shows the steps of the debits of its plan or subscription. If one is late in real time, the subject is
 * described as no workflow shows it, and so is woken.
 */
export function lateDebit(db: Db, alias: 'p' | 's'): Fragment {
  const column = (name: string) => db(`${alias}.${name}`);
  return db`case
      when ${column('test_clock_id')} is null and ${column('next_debit_at')} < now() - interval '5 minutes'
      then ' with a late debit' else '' end`;
}
