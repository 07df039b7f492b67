import type { Id } from '../../../domain/ids.ts';
import { workflowIdOf } from '../../../messages/workflow-types.ts';
import type { Db } from '../../../platform/postgres/connection.ts';
import type { RealInstant } from '../../../platform/real-time.ts';
import { originOf } from '../../../platform/redact.ts';
import { day, minute, type StuckKind } from '../reading/find-stuck.ts';
import { opsCommand } from '../reading/ops-command.ts';

/** Where an endpoint's deliveries go, what came back from there last, and when the next attempt is. Real time. */
interface EndpointNews {
  url: string;
  /** Null if nothing was sent there yet. */
  last_at: RealInstant | null;
  /** Why the last attempt failed. Null if it succeeded. */
  last_error: string | null;
  /** The next attempt of any delivery. Null if no delivery is pending. */
  next_at: RealInstant | null;
}

/** The deliveries of an endpoint that are due and not attempted. */
interface Backlog extends EndpointNews {
  waiting: number;
  oldest_id: string | null;
  /** The workflow of the batch that is to send the oldest. Null if it has a workflow of its own. */
  batch_id: string | null;
}

/** Endpoints with a delivery that is due and was not attempted. */
export const deliveryBacklog: StuckKind<Backlog> = {
  kind: 'delivery_backlog',
  meaning: 'Deliveries to an endpoint are due and were not attempted.',
  after: 5 * minute,
  asksWorkflow: true,
  waitsForWrites: true,
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
    select q.waiting, q.oldest_id, q.next_at, w.url, a.at as last_at, a.error as last_error,
      (
        select workflow_id from workflow_intents i
        where i.workflow_type = 'webhookBatch' and i.subject_id = q.oldest_id limit 1
      ) as batch_id
    from webhook_endpoints w
    cross join lateral (
      select count(*)::integer as waiting, (array_agg(id order by next_attempt_at, id))[1] as oldest_id,
        min(next_attempt_at) as next_at
      from webhook_deliveries
      where endpoint_id = w.id and status = 'pending' and next_attempt_at <= ${before}
    ) q
    ${lastAttempt(db)}
    where w.id = f.subject_id`,
  say: ({ waiting, oldest_id: oldest, batch_id: batchId, ...news }) => ({
    why: `${waiting} due and not attempted, the oldest is ${oldest}; they go ${wordsAboutEndpoint(news)}`,
    remedy:
      'Remove the reason that is named last. If no worker takes deliveries, start one: npm run worker (npm start does so ' +
      `automatically). They are then sent automatically; to send the oldest now: ${opsCommand('retry-delivery', oldest)}, ` +
      'or give-up-delivery (Web UI: Updates retryNow, giveUp).',
    ...(oldest === null ? {} : { workflowId: batchId ?? workflowIdOf('webhookDelivery', oldest) }),
  }),
};

/**
 * Deliveries that had a workflow when their row was gone, and have none since. One whose endpoint was deleted too is
 * left out: nothing can be sent there.
 */
export const deliveryLost: StuckKind<{ endpoint_id: string }> = {
  kind: 'delivery_lost',
  meaning: 'The row of a webhook delivery was deleted before the delivery had ended.',
  after: 0,
  rows: (db) => db`
    select l.id as subject_id, w.biller_id, w.livemode, l.noted_at as since
    from lost_deliveries l
    join webhook_endpoints w on right(w.id, 10) = right(l.id, 10) and w.deleted_at is null -- see deliveryId
    where not exists (select from webhook_deliveries d where d.id = l.id)`,
  facts: (db) => db`
    select id as endpoint_id from webhook_endpoints
    where biller_id = f.biller_id and right(id, 10) = right(f.subject_id, 10)`,
  say: ({ endpoint_id: endpointId }) => ({
    why: 'its workflow found no row, so its event is no longer sent. The service deletes no such row: a person or a program did',
    remedy: `Find out who deleted it. ${opsCommand('retry-delivery', endpointId)} makes the row anew, and sends the event.`,
  }),
};

/** The status of an endpoint that fails. */
interface FailingEndpoint extends EndpointNews {
  status: 'enabled' | 'disabled';
  pending: number;
}

const reportedDays = 30;
/** Only then an endpoint that fails is stuck: most receivers come back on their own. */
export const endpointFailsForSeconds = day;

/**
 * Endpoints that have only failed since `before`, and those that were disabled for failing in the last thirty days.
 * Endpoints that a receiver (410) or a biller has ended need no operator, and are left out.
 */
export const endpointFailing: StuckKind<FailingEndpoint> = {
  kind: 'endpoint_failing',
  meaning: 'A webhook endpoint has only failed for a day, or was disabled for that in the last thirty days.',
  after: endpointFailsForSeconds,
  rows: (db, { before, now }) => db`
    select id as subject_id, biller_id, livemode, coalesce(failing_since, updated_at) as since
    from webhook_endpoints
    where deleted_at is null and (
      (status = 'enabled' and failing_since <= ${before})
      or (disabled_reason = 'failing' and updated_at > ${now}::timestamptz - make_interval(days => ${reportedDays}))
    )`,
  facts: (db) => db`
    select w.status, p.pending, p.next_at, w.url, a.at as last_at, a.error as last_error
    from webhook_endpoints w
    ${pendingDeliveries(db)}
    ${lastAttempt(db)}
    where w.id = f.subject_id`,
  say: ({ subject_id: id, status, pending, ...news }) => ({
    why: `${status === 'disabled' ? 'disabled after days of failure' : `${pending} waiting`}: ${wordsAboutEndpoint(news)}`,
    remedy:
      status === 'disabled'
        ? `When the receiver works again: ${opsCommand('enable-endpoint', id)}, which sends what it has missed.`
        : `Inform its biller; when the receiver works again: ${opsCommand('retry-delivery', id)}.`,
  }),
};

/** An endpoint that has only failed lately. */
export interface LatelyFailing extends Omit<EndpointNews, 'url'> {
  id: string;
  biller_id: Id<'biller'>;
  livemode: boolean;
  since: RealInstant;
  pending: number;
  /** Scheme, host and port of its URL. */
  origin: string;
}

/** The enabled endpoints that have only failed since some time after `after`, those that fail longest first. */
export async function listLatelyFailing(db: Db, after: RealInstant, limit: number): Promise<LatelyFailing[]> {
  const rows = await db<(Omit<LatelyFailing, 'origin'> & { url: string })[]>`
    select w.id, w.biller_id, w.livemode, w.failing_since as since, p.pending, p.next_at, w.url, a.at as last_at,
      a.error as last_error
    from webhook_endpoints w
    ${pendingDeliveries(db)}
    ${lastAttempt(db)}
    where w.deleted_at is null and w.status = 'enabled' and w.failing_since > ${after}
    order by w.failing_since
    limit ${limit}`;
  return rows.map(({ url, ...row }) => ({ ...row, origin: originOf(url) }));
}

/** Of the endpoint `w`: how many deliveries are pending, as `p.pending`, and when the next is due, as `p.next_at`. */
function pendingDeliveries(db: Db) {
  return db`cross join lateral (
      select count(*)::integer as pending, min(next_attempt_at) as next_at
      from webhook_deliveries where endpoint_id = w.id and status = 'pending'
    ) p`;
}

/** The last attempt at the endpoint `w`, as `a.at` and `a.error`; both null if there was none. */
export function lastAttempt(db: Db) {
  return db`left join lateral (
      select id from webhook_deliveries
      where endpoint_id = w.id and attempt_count > 0
      order by id desc
      limit 1
    ) d on true
    left join lateral (
      select at, error from webhook_delivery_attempts where delivery_id = d.id order by number desc limit 1
    ) a on true`;
}

/** Where deliveries go, what came back from there last, and when the next attempt is; in words for an operator. */
export function wordsAboutEndpoint({ last_at, last_error, next_at, ...endpoint }: EndpointNews | Shown): string {
  const origin = 'origin' in endpoint ? endpoint.origin : originOf(endpoint.url);
  const next = next_at === null ? 'no attempt follows' : `the next attempt is at ${next_at.toISOString()}`;
  return `to ${origin}; ${inWords(last_at, last_error)}; ${next}`;
}

/** The same for an endpoint of which only the origin is known. */
type Shown = Omit<EndpointNews, 'url'> & { origin: string };

function inWords(at: RealInstant | null, error: string | null): string {
  if (at === null) return 'nothing was sent there yet';
  return `the last attempt, at ${at.toISOString()}: ${error ?? 'accepted'}`;
}
