import type { Db } from '../../../platform/postgres/connection.ts';
import type { StuckQuery } from './query.ts';

/** The deliveries of an endpoint that are due and not attempted. */
export interface Backlog {
  waiting: number;
  oldest_id: string | null;
}

/** Endpoints with a delivery that is due and was not attempted. */
export const deliveryBacklogs: StuckQuery<Backlog> = {
  rows: (db, { before }) => db`
    select w.id as subject_id, w.biller_id, w.livemode, d.since
    from webhook_endpoints w
    cross join lateral (
      select next_attempt_at as since from webhook_deliveries
      where endpoint_id = w.id and status = 'pending' and next_attempt_at <= ${before}
      order by next_attempt_at
      limit 1
    ) d`,
  facts: (db, { before }) => db`
    select count(*)::integer as waiting, (array_agg(id order by next_attempt_at, id))[1] as oldest_id
    from webhook_deliveries
    where endpoint_id = f.subject_id and status = 'pending' and next_attempt_at <= ${before}`,
};

/** The status of an endpoint that fails. */
export interface FailingEndpoint {
  status: 'enabled' | 'disabled';
  pending: number;
  last_error: string | null;
}

const reportedDays = 30;

/**
 * Endpoints that have only failed since `before`, and those that were disabled for failing in the last thirty days.
 * Endpoints that a receiver (410) or a biller has ended need no operator, and are left out.
 */
export const failingEndpoints: StuckQuery<FailingEndpoint> = {
  rows: (db, { before, now }) => db`
    select id as subject_id, biller_id, livemode, coalesce(failing_since, updated_at) as since
    from webhook_endpoints
    where deleted_at is null and (
      (status = 'enabled' and failing_since <= ${before})
      or (disabled_reason = 'failing' and updated_at > ${now}::timestamptz - make_interval(days => ${reportedDays}))
    )`,
  facts: (db) => db`
    select w.status, p.pending, a.error as last_error
    from webhook_endpoints w
    cross join lateral (
      select count(*)::integer as pending from webhook_deliveries where endpoint_id = w.id and status = 'pending'
    ) p
    ${lastErrorOf(db)}
    where w.id = f.subject_id`,
};

/** An endpoint that has only failed lately. `since` is real time. */
export interface LatelyFailing {
  id: string;
  biller_id: string;
  livemode: boolean;
  since: Date;
  pending: number;
  last_error: string | null;
}

/** The enabled endpoints that have only failed since some time after `after`, those that fail longest first. */
export async function listLatelyFailing(db: Db, after: Date, limit: number): Promise<LatelyFailing[]> {
  return db<LatelyFailing[]>`
    select w.id, w.biller_id, w.livemode, w.failing_since as since, p.pending, a.error as last_error
    from webhook_endpoints w
    cross join lateral (
      select count(*)::integer as pending from webhook_deliveries where endpoint_id = w.id and status = 'pending'
    ) p
    ${lastErrorOf(db)}
    where w.deleted_at is null and w.status = 'enabled' and w.failing_since > ${after}
    order by w.failing_since
    limit ${limit}`;
}

/** The error of the last attempt at the endpoint `w`, as `a.error`. */
function lastErrorOf(db: Db) {
  return db`left join lateral (
      select id from webhook_deliveries
      where endpoint_id = w.id and attempt_count > 0
      order by id desc
      limit 1
    ) d on true
    left join lateral (
      select error from webhook_delivery_attempts where delivery_id = d.id order by number desc limit 1
    ) a on true`;
}
