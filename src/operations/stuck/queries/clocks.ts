import { withoutOwner } from '../../../db/bank-debits.ts';
import type { StuckQuery } from './query.ts';

/** What an advance still has to do. */
export interface SlowAdvance {
  target_time: Date;
  /**
   * How many plans, subscriptions, scheduled payments, debits, links, sessions and mandates are due up to the target.
   */
  due: number;
  /** One of them. */
  due_id: string | null;
}

/** Clocks whose advance was accepted and has not ended. */
export const slowAdvances: StuckQuery<SlowAdvance> = {
  rows: (db, { before }) => db`
    select k.id as subject_id, k.biller_id, k.livemode, a.requested_at as since
    from clock_advances a
    join test_clocks k on k.id = a.test_clock_id
    where a.status = 'advancing' and a.requested_at <= ${before}`,
  facts: (db) => db`
    select k.target_time, count(d.id)::integer as due, min(d.id) as due_id
    from test_clocks k
    left join lateral (
      select id from payment_plans
      where test_clock_id = k.id and least(wake_at, next_debit_at) <= k.target_time
      union all
      select i.id from customers c
      join payment_intents i on i.customer_id = c.id
      where c.test_clock_id = k.id and i.scheduled_at <= k.target_time
      union all
      select id from subscriptions where test_clock_id = k.id and least(wake_at, next_debit_at) <= k.target_time
      union all
      select attempt_id from bank_debits d
      where test_clock_id = k.id and ${withoutOwner(db)} and next_at <= k.target_time
      union all
      select id from mandates where test_clock_id = k.id and status = 'active' and lapses_at <= k.target_time
      union all
      select id from payment_links where test_clock_id = k.id and wake_at <= k.target_time
      union all
      select id from checkout_sessions where test_clock_id = k.id and wake_at <= k.target_time
    ) d on true
    where k.id = f.subject_id
    group by k.id`,
};

/** Why a clock has failed. */
export interface FailedClock {
  failure_reason: string | null;
}

const reportedDays = 1;

/**
 * Clocks that have failed in the last day. A failure is final: it is reported so that an operator looks at it, and then
 * dropped.
 */
export const failedClocks: StuckQuery<FailedClock> = {
  rows: (db, { now }) => db`
    select k.id as subject_id, k.biller_id, k.livemode, a.finished_at as since
    from test_clocks k
    join clock_advances a on a.test_clock_id = k.id and a.status = 'failed'
    where k.status = 'failed' and a.finished_at > ${now}::timestamptz - make_interval(days => ${reportedDays})`,
  facts: (db) => db`select failure_reason from test_clocks where id = f.subject_id`,
};
