import type { Id } from '../domain/ids.ts';
import type { Instant } from '../domain/instants.ts';
import { batchIdOf, workflowIdOf } from '../messages/workflow-types.ts';
import { type InsertCondition, insertWhere } from '../platform/postgres/conditional-insert.ts';
import type { Db } from '../platform/postgres/connection.ts';
import { fittingPage, jsonBytes } from '../platform/postgres/fitting-page.ts';
import type { RealInstant } from '../platform/real-time.ts';
import { currentTrace } from '../platform/tracing.ts';
import type { Page, TenantKey } from './tenant.ts';

export interface EventRow {
  id: Id<'event'>;
  biller_id: Id<'biller'>;
  livemode: boolean;
  sequence: number;
  event_type: string;
  test_clock_id: Id<'test_clock'> | null;
  customer_id: Id<'customer'> | null;
  subject_id: string;
  request_id: string | null;
  /** JSON text. The API and webhooks send the stored text byte for byte. */
  data: string;
  created_at: Instant;
  recorded_at: RealInstant;
}

export interface InsertedEvent {
  id: Id<'event'>;
  event_type: string;
  subject_id: string;
  customer_id: Id<'customer'> | null;
  test_clock_id: Id<'test_clock'> | null;
  data: string;
  created_at: Instant;
  /** Deliver to this endpoint only, and ignore all subscriptions. Null: deliver to every subscribed endpoint. */
  only_endpoint_id: Id<'webhook_endpoint'> | null;
}

/** The columns of an `EventRow`. The table's alias must be `e`. */
function eventColumns(db: Db) {
  return db`e.id, e.biller_id, e.livemode, e.sequence, e.event_type, e.test_clock_id, e.customer_id, e.subject_id,
    e.request_id, e.data::text as data, e.created_at, e.recorded_at`;
}

/** SQL condition: the endpoint `w` subscribes to the event `e`. */
export function subscribes(db: Db) {
  return db`w.event_types && array['*', e.event_type, split_part(e.event_type, '.', 1) || '.*']`;
}

/**
 * The id of the delivery of event `e` to endpoint `w`. The time, the counter and half of the random part come from the
 * event; the other half comes from the endpoint. So the ids need no earlier read of the endpoints, deliveries sort by
 * the creation of their events, and a second row for the same pair would have the same id.
 */
export function deliveryId(db: Db) {
  return db`'whd_' || substr(e.id, 5, 12) || right(e.id, 10) || right(w.id, 10)`;
}

/** How many deliveries events have, and how many of them have workflows of their own. The others are for the batch. */
export interface EnqueuedDeliveries {
  deliveries: number;
  alone: number;
}

/**
 * SQL: the workflow id and type that the outbox has for a first attempt at the endpoint `w`. One that responds promptly
 * and does not fail gets it by the batch of its biller and mode, any other by the workflow of the delivery `d`.
 */
export function carrierOf(db: Db, tenant: TenantKey) {
  const isPrompt = db`w.responds_promptly and w.failing_since is null`;
  return db`
    case when ${isPrompt} then ${batchIdOf(tenant)} else ${workflowIdOf('webhookDelivery', '')} || d.id end,
    case when ${isPrompt} then 'webhookBatch' else 'webhookDelivery' end`;
}

/**
 * Writes events of one biller and mode under the next numbers of its sequence, if all conditions hold. Also writes a
 * pending delivery for each endpoint that receives them, and an outbox entry for each delivery. Returns how many, or
 * null if a condition does not hold. It is one statement, because every charge runs it. The lock on the
 * sequence lasts until the transaction ends, so take it last; the conditions come before it. The outbox is the table
 * `workflow_intents`.
 */
export async function insertEvents(
  db: Db,
  tenant: TenantKey,
  events: InsertedEvent[],
  { requestId, now }: { requestId: string | null; now: RealInstant },
  conditions: readonly InsertCondition[] = [],
): Promise<EnqueuedDeliveries | null> {
  const { clauses, next, condition } = insertWhere(db, conditions);
  const column = <K extends keyof InsertedEvent>(name: K) => events.map((event) => event[name]);
  const [row] = await db<({ recorded: number } & EnqueuedDeliveries)[]>`
    ${clauses} ${next} e as (
      select * from unnest(
        ${column('id')}::text[], ${column('event_type')}::text[], ${column('subject_id')}::text[],
        ${column('customer_id')}::text[], ${column('test_clock_id')}::text[], ${column('data')}::text[],
        ${events.map((event) => event.created_at.toISOString())}::timestamptz[], ${column('only_endpoint_id')}::text[]
      ) with ordinality as given (
        id, event_type, subject_id, customer_id, test_clock_id, data, created_at, only_endpoint_id, position
      )
    ), counter as (
      insert into event_sequences as s (biller_id, livemode, last_sequence)
      select ${tenant.billerId}, ${tenant.livemode}, ${events.length} where ${condition}
      on conflict (biller_id, livemode) do update set last_sequence = s.last_sequence + excluded.last_sequence
      returning s.last_sequence - ${events.length} as before
    ), inserted as (
      insert into events (
        id, biller_id, livemode, sequence, event_type, test_clock_id, customer_id, subject_id, request_id, data,
        created_at, recorded_at
      )
      select e.id, ${tenant.billerId}, ${tenant.livemode}, counter.before + e.position, e.event_type, e.test_clock_id,
        e.customer_id, e.subject_id, ${requestId}, e.data::json, e.created_at, ${now}
      from e, counter
    ), deliveries as (
      insert into webhook_deliveries (
        id, biller_id, livemode, endpoint_id, event_id, status, next_attempt_at, created_at
      )
      select ${deliveryId(db)}, w.biller_id, w.livemode, w.id, e.id, 'pending', least(${now}, now()), ${now}
      from webhook_endpoints w, e, counter
      where w.biller_id = ${tenant.billerId} and w.livemode = ${tenant.livemode}
        and w.status = 'enabled' and w.deleted_at is null
        and case when e.only_endpoint_id is null then ${subscribes(db)} else w.id = e.only_endpoint_id end
      returning id, endpoint_id, event_id
    ), intents as (
      insert into workflow_intents (
        workflow_id, workflow_type, subject_id, livemode, start, created_at, available_at, traceparent
      )
      select ${carrierOf(db, tenant)}, d.id, ${tenant.livemode}, true, ${now}, now(), ${currentTrace()?.traceparent ?? null}
      from deliveries d join webhook_endpoints w on w.id = d.endpoint_id join e on e.id = d.event_id
      order by e.position -- batches send in this order
      returning workflow_type
    )
    select (select count(*) from counter)::integer as recorded, count(*)::integer as deliveries,
      count(*) filter (where workflow_type = 'webhookDelivery')::integer as alone
    from intents`;
  return row?.recorded ? row : null;
}

/** The event of this biller and mode, or null. */
export async function selectEvent(db: Db, tenant: TenantKey, id: string): Promise<EventRow | null> {
  const [row] = await db<EventRow[]>`
    select ${eventColumns(db)} from events e
    where e.id = ${id} and e.biller_id = ${tenant.billerId} and e.livemode = ${tenant.livemode}`;
  return row ?? null;
}

export interface EventFilter {
  eventType?: string | undefined;
  testClock?: Id<'test_clock'> | undefined;
  objectId?: string | undefined;
  customerId?: Id<'customer'> | undefined;
  /** `created_at` of the event: this or later, and earlier than the second. */
  createdFrom?: Date | undefined;
  createdTo?: Date | undefined;
}

/**
 * A page of events, newest or oldest first, with one extra row if more follow. The order is that of `sequence`, which
 * is the order of the commits: the lock on the counter is held until the commit, so a reader that has seen a number has
 * seen every smaller one. Ids are drawn before that: a client that reads by id could miss an event that commits later
 * with a smaller id.
 */
export async function listEvents(
  db: Db,
  tenant: TenantKey,
  filter: EventFilter,
  { limit, after, order }: Page & { order: 'asc' | 'desc' },
): Promise<EventRow[]> {
  const isRising = order === 'asc';
  return db<EventRow[]>`${fittingPage(
    db,
    jsonBytes(db, 'data'),
    db`
      select ${eventColumns(db)} from events e
      where e.biller_id = ${tenant.billerId} and e.livemode = ${tenant.livemode}
        ${filter.eventType === undefined ? db`` : db`and e.event_type = ${filter.eventType}`}
        ${filter.testClock === undefined ? db`` : db`and e.test_clock_id = ${filter.testClock}`}
        ${filter.objectId === undefined ? db`` : db`and e.subject_id = ${filter.objectId}`}
        ${filter.customerId === undefined ? db`` : db`and e.customer_id = ${filter.customerId}`}
        ${filter.createdFrom === undefined ? db`` : db`and e.created_at >= ${filter.createdFrom}`}
        ${filter.createdTo === undefined ? db`` : db`and e.created_at < ${filter.createdTo}`}
        ${
          after === undefined
            ? db``
            : db`and e.sequence ${isRising ? db`>` : db`<`} (select sequence from events where id = ${after})`
        }
      order by e.sequence ${isRising ? db`` : db`desc`}
      limit ${limit + 1}`,
  )}`;
}
