import type { StuckQuery } from './query.ts';

/** A session of PostgreSQL that others wait for. */
export interface HoldingSession {
  pid: number;
  /** The name that its program has given. Empty if it has none. */
  name: string;
  /** Such as "idle in transaction". Null if PostgreSQL does not show it to this role. */
  state: string | null;
  /** How many sessions of this database wait for a lock, of this one or of each other. */
  waiting: number;
}

/**
 * The sessions that hold a lock for which another one waits, if it has waited since before `before`, or the
 * transaction of the holder is older than that. A statement of the service gives up after 30 s and is repeated, so the
 * wait alone may look short.
 */
export const holdingSessions: StuckQuery<HoldingSession> = {
  rows: (db, { before }) => db`
    select null as subject_id, null as biller_id, null::boolean as livemode,
      least(min(waiter.query_start), min(holder.xact_start)) as since, holder.pid
    from pg_stat_activity waiter
    cross join lateral unnest(pg_blocking_pids(waiter.pid)) as blocking (pid)
    join pg_stat_activity holder on holder.pid = blocking.pid
    where waiter.datname = current_database() and waiter.wait_event_type = 'Lock'
      and not exists (select from unnest(pg_blocking_pids(holder.pid)))
    group by holder.pid
    having least(min(waiter.query_start), min(holder.xact_start)) <= ${before}`,
  facts: (db) => db`
    select holder.pid, coalesce(holder.application_name, '') as name, holder.state,
      (
        select count(*)::integer from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'
      ) as waiting
    from pg_stat_activity holder
    where holder.pid = f.pid`,
};
