import type { StuckKind } from '../reading/find-stuck.ts';

/** Tables with a lower number are PostgreSQL's own. */
const firstOfUsers = 16_384;

/** A session of PostgreSQL that others wait for. */
interface HoldingSession {
  pid: number;
  /** The name that its program has given. Empty if it has none. */
  name: string;
  /** Such as "idle in transaction". Null if PostgreSQL does not show it to this role. */
  state: string | null;
  /** The tables on which it holds a lock. Null if none is known. */
  tables: string | null;
  /** How many sessions of this database wait for a lock, of this one or of each other. */
  waiting: number;
}

/**
 * The sessions that hold a lock for which another one waits, if it has waited since before `before`, or the
 * transaction of the holder is older than that. A statement of the service gives up after 30 s and is repeated, so the
 * wait alone may look short. Also those that hold a whole table for as long, whether or not one waits just now. Nothing
 * of this reads a table of the service, so it is read whatever is locked.
 */
export const databaseLocked: StuckKind<HoldingSession> = {
  kind: 'database_locked',
  meaning: 'A session in PostgreSQL holds a lock that others wait for.',
  after: 5,
  rows: (db, { before }) => db`
    select null as subject_id, null as biller_id, null::boolean as livemode,
      least(min(held.waiting_since), min(holder.xact_start)) as since, holder.pid
    from (
      select blocking.pid, waiter.query_start as waiting_since
      from pg_stat_activity waiter
      cross join lateral unnest(pg_blocking_pids(waiter.pid)) as blocking (pid)
      where waiter.datname = current_database() and waiter.wait_event_type = 'Lock'
      union all
      select l.pid, null from pg_locks l
      where l.locktype = 'relation' and l.granted and l.relation >= ${firstOfUsers}
        and l.mode in ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
        and l.database = (select oid from pg_database where datname = current_database())
    ) held
    join pg_stat_activity holder on holder.pid = held.pid
    where not exists (select from unnest(pg_blocking_pids(holder.pid)))
    group by holder.pid
    having least(min(held.waiting_since), min(holder.xact_start)) <= ${before}`,
  facts: (db) => db`
    select holder.pid, coalesce(holder.application_name, '') as name, holder.state,
      (
        select string_agg(distinct c.relname, ', ' order by c.relname)
        from pg_locks l join pg_class c on c.oid = l.relation
        where l.pid = holder.pid and l.granted and c.relkind in ('r', 'p') and c.oid >= ${firstOfUsers}
          and l.mode <> 'AccessShareLock'
      ) as tables,
      (
        select count(*)::integer from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'
      ) as waiting
    from pg_stat_activity holder
    where holder.pid = f.pid`,
  say: ({ pid, name, state, tables, waiting }) => ({
    why:
      `session ${pid} (${name || 'its program has no name'}${state === null ? '' : `, ${state}`}) holds a lock${tables === null ? '' : ` on ${tables}`}; ` +
      `${waiting} wait for it or for each other`,
    remedy:
      'Find out whose session it is. Then end it, in PostgreSQL: ' +
      `select pg_terminate_backend(${pid}). What it has not committed is undone; the service then continues.`,
  }),
};

/** How the connections of PostgreSQL are used. */
interface TakenConnections {
  taken: number;
  allowed: number;
  /** The programs, those with the most connections first: how many, and the oldest of each. */
  users: string;
  /** The program with the most connections. Empty if it has no name. */
  name: string;
  /** Its oldest session. */
  pid: number;
}

/** From this share on, a process that starts may find none. */
const nearlyAll = 0.9;
const programsShown = 5;

/** All connections, if nearly all that may be opened are. Those of other databases count too. */
export const connectionsUsedUp: StuckKind<TakenConnections> = {
  kind: 'connections_used_up',
  meaning: 'Nearly all connections that PostgreSQL allows are taken.',
  after: 0,
  rows: (db) => db`
    select null as subject_id, null as biller_id, null::boolean as livemode, null::timestamptz as since
    from pg_stat_activity where backend_type = 'client backend'
    having count(*) >= ${nearlyAll}::double precision * current_setting('max_connections')::integer`,
  facts: (db) => db`
    select sum(u.count)::integer as taken, current_setting('max_connections')::integer as allowed,
      string_agg(
        format('%s %s (process %s since %s, %s)', u.count, coalesce(nullif(u.name, ''), 'without a name'), u.pid,
          to_char(u.since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), coalesce(u.state, 'its state is hidden')),
        ', ' order by u.count desc, u.name) filter (where u.position <= ${programsShown}) as users,
      (array_agg(u.name order by u.position))[1] as name, (array_agg(u.pid order by u.position))[1] as pid
    from (
      select coalesce(application_name, '') as name, count(*) as count, min(backend_start) as since,
        (array_agg(pid order by backend_start))[1] as pid, (array_agg(state order by backend_start))[1] as state,
        row_number() over (order by count(*) desc, application_name) as position
      from pg_stat_activity where backend_type = 'client backend'
      group by application_name
    ) u`,
  say: ({ taken, allowed, users, name, pid }) => ({
    why: `${taken} of ${allowed} are taken: ${users}`,
    remedy:
      `Find out what opens them. Sessions that are not needed are ended in PostgreSQL: select pg_terminate_backend(${pid}), ` +
      `or all that ${name || 'programs without a name'} has: select pg_terminate_backend(pid) from pg_stat_activity where ` +
      `application_name = ${literal(name)}. If the service itself needs more, raise max_connections.`,
  }),
};

/** A process of the service that has shown no sign of life, although its session is still there. */
interface HangingProcess {
  /** Such as "worker 4123@host". */
  process: string;
  /** Its process id on its host. */
  process_id: string;
}

/** How the session is named that only shows that a process runs (`processes/self-watch.ts`). */
const ofHeartbeats = 'payments heartbeat ';

/** Returns the name of the session in which this process, such as "worker 4123@host", shows that it runs. */
export function heartbeatName(process: string): string {
  return ofHeartbeats + process;
}

/**
 * The processes whose session waits for their next sign of life since before `before`. If a process has ended, its
 * session is gone; if PostgreSQL is slow, the session does not wait for its client.
 */
export const processHangs: StuckKind<HangingProcess> = {
  kind: 'process_hangs',
  meaning: 'A worker, an API or the pages are there and do nothing: the event loop of the process stands still.',
  after: 10, // five signs of life
  rows: (db, { before }) => db`
    select null as subject_id, null as biller_id, null::boolean as livemode, state_change as since, pid
    from pg_stat_activity
    where datname = current_database() and starts_with(application_name, ${ofHeartbeats})
      and wait_event_type = 'Client' and state_change <= ${before}`,
  facts: (db) => db`
    select named.process, substring(named.process from '(\\d+)@') as process_id
    from (
      select substr(application_name, length(${ofHeartbeats}) + 1) as process from pg_stat_activity where pid = f.pid
    ) named`,
  say: ({ process, process_id: id }) => ({
    why: `${process} shows no sign of life: it was stopped (ps says T), or its code never comes to an end`,
    remedy:
      `On its host: kill -9 ${id}. Then start another one (npm start does so automatically). Nothing is lost: others take ` +
      'over what it had begun, within seconds. Its log says what it did last.',
  }),
};

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
