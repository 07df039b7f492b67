import type { Fragment } from 'postgres';
import type { AttemptOutcome } from '../db/payment-attempts.ts';
import { unionAll } from '../db/subject-parts.ts';
import { chargingSubjects } from '../db/subject-queries.ts';
import type { Id } from '../domain/ids.ts';
import type { CustomerInstant } from '../domain/instants.ts';
import type { Db } from '../platform/postgres/connection.ts';
import type { RealInstant } from '../platform/real-time.ts';
import { originOf } from '../platform/redact.ts';
import { lastAttempt } from './stuck/kinds/webhooks.ts';

/** Which objects to include, over all billers: those of live mode (true), of the sandbox (false), or all (null). */
export type Mode = boolean | null;

/** Attempts of one day (UTC), with the same outcome and code. */
export interface AttemptCount {
  date: string;
  outcome: AttemptOutcome;
  code: string | null;
  /** First attempts of payments by the calendar: one for each payment that came due. */
  due: number;
  /** Later attempts of payments by the calendar. */
  retries: number;
  /** All attempts: single payments and those of pages too. */
  count: number;
}

/**
 * Counts the attempts since `since`. Attempts of test clocks are left out: their `at` is the
 * time of their clock. The mode is read from the prefix of the intent's id.
 */
export async function countAttempts(db: Db, since: RealInstant, mode: Mode): Promise<AttemptCount[]> {
  return db<AttemptCount[]>`
    select (opened_at at time zone 'UTC')::date as date, outcome, code,
      count(*) filter (where number = 1 and source <> 'confirm')::integer as due,
      count(*) filter (where number > 1 and source <> 'confirm')::integer as retries,
      count(*)::integer as count
    from payment_attempts
    where opened_at >= ${since}
      and at between opened_at - interval '1 hour' and opened_at + interval '1 hour'
      and ${mode === null ? db`true` : db`starts_with(payment_intent_id, 'pi_sandbox_') = ${!mode}`}
    group by 1, 2, 3`;
}

/** What is due on a day (UTC): payments by the calendar, and retries of failed ones. */
export interface DueCount {
  date: string;
  due: number;
  retries: number;
}

/** What is due in real time from `now` until `until`. Overdue items count as due now. */
export async function countDue(db: Db, now: RealInstant, until: RealInstant, mode: Mode): Promise<DueCount[]> {
  const due = chargingSubjects.map(({ dueBefore }) => dueBefore(db, until));
  return db<DueCount[]>`
    select (greatest(d.at, ${now}) at time zone 'UTC')::date as date,
      count(*) filter (where not d.is_retry)::integer as due, count(*) filter (where d.is_retry)::integer as retries
    from (${unionAll(db, due)}) d
    where d.at < ${until} ${ofMode(db, mode, 'd')}
    group by 1`;
}

/** Plans or subscriptions in real time whose payments fail. */
type UnpaidCount<Stopped extends string> = Record<'retrying' | Stopped, number> & {
  /** When the next retry is of those that are `retrying`. */
  next_retry_at: CustomerInstant | null;
};

/** `suspended`: plans whose retries have ended, and which wait to be resumed or closed. */
export type DunningCount = UnpaidCount<'suspended'>;

/** `paused`: subscriptions of which no retry is left. */
export type UnpaidSubscriptionCount = UnpaidCount<'paused'>;

export async function countDunning(db: Db, mode: Mode): Promise<DunningCount> {
  const isStopped = db`state = 'suspended' and state_reason in ('payment_failed', 'payment_returned')`;
  return countUnpaid(db, 'payment_plans', mode, 'suspended', isStopped);
}

export async function countUnpaidSubscriptions(db: Db, mode: Mode): Promise<UnpaidSubscriptionCount> {
  return countUnpaid(db, 'subscriptions', mode, 'paused', db`state = 'paused' and state_reason = 'payment_failed'`);
}

async function countUnpaid<Stopped extends string>(
  db: Db,
  table: 'payment_plans' | 'subscriptions',
  mode: Mode,
  stopped: Stopped,
  isStopped: Fragment,
): Promise<UnpaidCount<Stopped>> {
  const inRealTime = db`from ${db(table)} s where test_clock_id is null ${ofMode(db, mode, 's')}`;
  const [row] = await db<[UnpaidCount<Stopped>]>`
    select count(*)::integer as retrying, min(next_attempt_at) as next_retry_at,
      (select count(*)::integer ${inRealTime} and ${isStopped}) as ${db(stopped as string)}
    ${inRealTime} and next_attempt_at is not null`;
  return row;
}

/** The deliveries of an endpoint. */
export interface EndpointCount {
  id: string;
  biller_id: Id<'biller'>;
  livemode: boolean;
  status: 'enabled' | 'disabled';
  disabled_reason: string | null;
  failing_since: RealInstant | null;
  /** Scheme, host and port of its URL. */
  origin: string;
  /** Why the last attempt failed. Null if it succeeded, or there was none. */
  last_error: string | null;
  /** When the next attempt of any delivery is. Null if none is pending. */
  next_at: RealInstant | null;
  pending: number;
  /** The pending ones whose time has come. */
  due: number;
  /** Deliveries of events since `since`. */
  delivered: number;
  failed: number;
}

/**
 * At most `limit` endpoints: those with the most pending deliveries first, then those that fail. `count` is the number
 * of all endpoints.
 */
export async function countDeliveries(
  db: Db,
  { now, sinceId, limit }: { now: RealInstant; sinceId: string; limit: number },
  mode: Mode,
): Promise<{ count: number; endpoints: EndpointCount[] }> {
  const rows = await db<(Omit<EndpointCount, 'origin'> & { all: number; url: string })[]>`
    with waiting as (
      select endpoint_id, count(*)::integer as pending, min(next_attempt_at) as next_at,
        count(*) filter (where next_attempt_at <= ${now})::integer as due
      from webhook_deliveries where status = 'pending' group by endpoint_id
    ), shown as (
      select w.id, w.biller_id, w.livemode, w.status, w.disabled_reason, w.failing_since, w.url, q.next_at,
        coalesce(q.pending, 0) as pending, coalesce(q.due, 0) as due, count(*) over ()::integer as all
      from webhook_endpoints w
      left join waiting q on q.endpoint_id = w.id
      where w.deleted_at is null ${ofMode(db, mode, 'w')}
      order by coalesce(q.pending, 0) desc, w.disabled_reason = 'failing' desc nulls last, w.failing_since, w.id desc
      limit ${limit}
    )
    select w.*, c.delivered, c.failed, a.error as last_error
    from shown w
    cross join lateral (
      select count(*) filter (where status = 'delivered')::integer as delivered,
        count(*) filter (where status = 'failed')::integer as failed
      from webhook_deliveries where endpoint_id = w.id and id >= ${sinceId}
    ) c
    ${lastAttempt(db)}
    order by w.pending desc, w.disabled_reason = 'failing' desc nulls last, w.failing_since, w.id desc`;
  const endpoints = rows.map(({ all: _, url, ...endpoint }) => ({ ...endpoint, origin: originOf(url) }));
  return { count: rows[0]?.all ?? 0, endpoints };
}

/** A test clock that is advancing. */
export interface AdvanceUnderWay {
  test_clock_id: string;
  biller_id: Id<'biller'>;
  /** When the advance was requested. */
  since: RealInstant;
  target_time: CustomerInstant;
}

/** The advances under way, the oldest first. */
export async function listAdvances(db: Db, limit: number): Promise<{ count: number; clocks: AdvanceUnderWay[] }> {
  const rows = await db<(AdvanceUnderWay & { all: number })[]>`
    select a.test_clock_id, k.biller_id, a.requested_at as since, a.target_time, count(*) over ()::integer as all
    from clock_advances a
    join test_clocks k on k.id = a.test_clock_id
    where a.status = 'advancing'
    order by a.requested_at
    limit ${limit}`;
  return { count: rows[0]?.all ?? 0, clocks: rows.map(({ all: _, ...clock }) => clock) };
}

function ofMode(db: Db, mode: Mode, table: string) {
  return mode === null ? db`` : db`and ${db(table)}.livemode = ${mode}`;
}
