import { subjectQueries } from '../db/subject-queries.ts';
import { isUndispatched } from '../db/webhook-batches.ts';
import { allSubjectKinds, endsOnClock } from '../messages/subject-kinds.ts';
import type { Db } from '../platform/postgres/connection.ts';
import type { RealInstant } from '../platform/real-time.ts';

/** What collects. Links and sessions only end. */
const collecting = allSubjectKinds.filter((kind) => !endsOnClock(kind));

/** Work that waits, and for how long. Covers all billers. */
export interface BacklogSample {
  outbox_entries: number;
  oldest_outbox_entry_at: RealInstant | null;
  /**
   * The earliest instant that has passed without an attempt, of plans, subscriptions and scheduled payments in real
   * time, or without the step of a bank debit. A date that had passed before activation or creation counts from then
   * on.
   */
  oldest_due_at: RealInstant | null;
  /** Deliveries that wait for their next attempt, and those of them whose time has come. */
  deliveries: number;
  deliveries_due: number;
}

/** The backlogs at `now`. Each is read by an index of its own. */
export async function sampleBacklogs(db: Db, now: RealInstant): Promise<BacklogSample> {
  const [row] = await db<[BacklogSample]>`
    select w.outbox_entries, w.oldest_outbox_entry_at, d.deliveries, d.deliveries_due, least(
      ${collecting.map((kind, index) => {
        const oldest = db`(select min(since) from (${subjectQueries[kind].overdue(db, now)}) due)`;
        return index === 0 ? oldest : db`, ${oldest}`;
      })}
    ) as oldest_due_at
    from (
      select count(*)::integer as outbox_entries, min(created_at) as oldest_outbox_entry_at
      from workflow_intents i where ${isUndispatched(db)}
    ) w, (
      select count(*)::integer as deliveries,
        count(*) filter (where next_attempt_at <= ${now})::integer as deliveries_due
      from webhook_deliveries where status = 'pending'
    ) d`;
  return row;
}

/** Connections to this database, by pool name and state. `other` are connections of other programs. */
export interface ConnectionSample {
  pool: string;
  state: string;
  count: number;
}

/** Without the right to see another user's connections, PostgreSQL hides their state: it is then `unknown`. */
export async function sampleConnections(db: Db): Promise<ConnectionSample[]> {
  return db<ConnectionSample[]>`
    select case when application_name like 'payments %' then split_part(application_name, ' ', 2) else 'other' end as pool,
      coalesce(state, 'unknown') as state, count(*)::integer as count
    from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend'
    group by 1, 2`;
}
