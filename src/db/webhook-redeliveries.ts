import type { Fragment } from 'postgres';
import { signals } from '../messages/signals.ts';
import { workflowIdOf } from '../messages/workflow-types.ts';
import type { Db, Tx } from '../platform/postgres/connection.ts';
import { noteEnqueued } from '../platform/postgres/outbox.ts';
import type { RealInstant } from '../platform/real-time.ts';
import { carrierOf, deliveryId, subscribes } from './events.ts';
import { type TenantKey, tenantOf } from './tenant.ts';
import type { WebhookEndpointRow } from './webhook-endpoints.ts';

/**
 * The `set` list of an update that makes a delivery due now. A delivery that had ended starts a new series of attempts.
 */
function dueNow(db: Db, now: RealInstant) {
  return db`
    status = 'pending', next_attempt_at = least(${now}, now()), failure_reason = null, finished_at = null,
    series_start = case when d.status = 'pending' then d.series_start else d.attempt_count end`;
}

/** Makes a delivery due now, whatever its status, and adds an outbox entry that starts or signals its workflow. */
export async function redeliver(tx: Tx, id: string, now: RealInstant): Promise<void> {
  noteEnqueued(tx, 'deliveries');
  await tx`
    with due as (
      update webhook_deliveries d set ${dueNow(tx, now)} where d.id = ${id} returning d.id, d.livemode
    )
    ${enqueueRetries(tx, now, tx`select * from due`)}`;
}

interface ReplayRange {
  since: RealInstant;
  /** Null for everything that is recorded so far: another process's clock may have been ahead when it recorded it. */
  until: RealInstant | null;
  /** Whether to repeat deliveries that were already delivered. */
  deliveredToo: boolean;
  /** Only events with a greater sequence number. Null for the whole range. */
  afterSequence: number | null;
  limit: number;
}

/**
 * Makes deliveries of a range's events to an endpoint due now. Takes the oldest `limit` events whose delivery failed,
 * waits for its next attempt, or was never made because the endpoint was disabled, was not subscribed or did not exist.
 * Returns the number of deliveries and the id of their last event.
 */
export async function replayDeliveries(
  tx: Tx,
  endpoint: WebhookEndpointRow,
  range: ReplayRange,
  now: RealInstant,
): Promise<{ enqueued: number; lastEventId: string | null }> {
  noteEnqueued(tx, 'deliveries');
  const [row] = await tx<[{ enqueued: number; last_event_id: string | null }]>`
    with due as (
      insert into webhook_deliveries as d (
        id, biller_id, livemode, endpoint_id, event_id, status, next_attempt_at, created_at
      )
      select ${deliveryId(tx)}, w.biller_id, w.livemode, w.id, e.id, 'pending', least(${now}, now()), ${now}
      from webhook_endpoints w
      join events e on e.biller_id = w.biller_id and e.livemode = w.livemode
      left join webhook_deliveries made on made.event_id = e.id and made.endpoint_id = w.id
      where w.id = ${endpoint.id}
        and e.recorded_at >= ${range.since} ${range.until === null ? tx`` : tx`and e.recorded_at <= ${range.until}`}
        and e.sequence > ${range.afterSequence ?? 0}
        and case when e.event_type = 'webhook_endpoint.ping' then e.subject_id = w.id else ${subscribes(tx)} end
        and (made.id is null or made.status = 'failed' or made.next_attempt_at > ${now}
          or (made.status = 'delivered' and ${range.deliveredToo}))
      order by e.sequence
      limit ${range.limit}
      on conflict (event_id, endpoint_id) do update set ${dueNow(tx, now)}
      returning d.id, d.livemode, d.event_id, d.endpoint_id, d.attempt_count = d.series_start as begins
    ), again as (
      ${enqueueRetries(tx, now, tx`select * from due where not begins`)}
    ), anew as (
      ${enqueueFirst(tx, tenantOf(endpoint), now, tx`select * from due where begins`)}
    )
    select
      (select count(*)::integer from due) as enqueued,
      (select e.id from events e join due on due.event_id = e.id order by e.sequence desc limit 1) as last_event_id`;
  return { enqueued: row.enqueued, lastEventId: row.last_event_id };
}

/** Adds an outbox entry for each delivery of a query: start its workflow, or signal it if it runs. */
function enqueueRetries(tx: Tx, now: RealInstant, deliveries: Fragment) {
  return tx`
    insert into workflow_intents (
      workflow_id, workflow_type, subject_id, livemode, start, signal, created_at, available_at
    )
    select ${workflowIdOf('webhookDelivery', '')} || r.id, 'webhookDelivery', r.id, r.livemode, true,
      ${signals.retryNow.name}, ${now}, now()
    from (${deliveries}) r`;
}

/** Adds an outbox entry for each delivery of a query that begins a series of attempts, in the order of their events. */
function enqueueFirst(tx: Tx, tenant: TenantKey, now: RealInstant, deliveries: Fragment) {
  return tx`
    insert into workflow_intents (
      workflow_id, workflow_type, subject_id, livemode, start, signal, created_at, available_at
    )
    select ${carrierOf(tx, tenant)}, d.id, d.livemode, true, ${signals.retryNow.name}, ${now}, now()
    from (${deliveries}) d join webhook_endpoints w on w.id = d.endpoint_id join events e on e.id = d.event_id
    order by e.sequence`;
}
