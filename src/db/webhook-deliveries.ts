import type { Fragment } from 'postgres';
import type { Id } from '../domain/ids.ts';
import type { Instant } from '../domain/instants.ts';
import type { Db, Tx } from '../platform/postgres/connection.ts';
import { fittingPage } from '../platform/postgres/fitting-page.ts';
import type { RealInstant } from '../platform/real-time.ts';
import type { EventRow } from './events.ts';
import type { Page, TenantKey } from './tenant.ts';
import type { WebhookEndpointRow } from './webhook-endpoints.ts';

export type DeliveryStatus = 'pending' | 'delivered' | 'failed';

export interface WebhookDeliveryRow {
  id: Id<'webhook_delivery'>;
  biller_id: Id<'biller'>;
  livemode: boolean;
  endpoint_id: Id<'webhook_endpoint'>;
  event_id: Id<'event'>;
  event_type: string;
  status: DeliveryStatus;
  attempt_count: number;
  /** The number of attempts made before the current series. */
  series_start: number;
  next_attempt_at: RealInstant | null;
  failure_reason: string | null;
  created_at: RealInstant;
  finished_at: RealInstant | null;
}

export interface WebhookAttemptRow {
  delivery_id: Id<'webhook_delivery'>;
  number: number;
  at: RealInstant;
  status_code: number | null;
  error: string | null;
  duration_ms: number;
  response_excerpt: string | null;
}

/** A delivery with everything that its next attempt needs. The endpoint may be disabled or deleted. */
export interface DeliveryToMake extends WebhookDeliveryRow {
  event: EventRow;
  endpoint: Pick<
    WebhookEndpointRow,
    | 'url'
    | 'status'
    | 'sealed_secret'
    | 'sealed_previous_secret'
    | 'previous_secret_expires_at'
    | 'failing_since'
    | 'responds_promptly'
    | 'deleted_at'
  >;
}

/** A delivery with its attempts in order, from one consistent read. */
export interface AttemptedDelivery extends WebhookDeliveryRow {
  attempts: WebhookAttemptRow[];
}

/** The delivery of this biller and mode, or null. */
export async function selectDelivery(db: Db, tenant: TenantKey, id: string): Promise<AttemptedDelivery | null> {
  const [found] = await withAttempts(
    db,
    db`
      select * from webhook_deliveries
      where id = ${id} and biller_id = ${tenant.billerId} and livemode = ${tenant.livemode}`,
  );
  return found ?? null;
}

/** The type of the event of a delivery of this biller and mode, or null. */
export async function selectEventTypeOfDelivery(db: Db, tenant: TenantKey, id: string): Promise<string | null> {
  const [row] = await db<{ event_type: string }[]>`
    select event_type
    from webhook_deliveries join events on events.id = webhook_deliveries.event_id
    where webhook_deliveries.id = ${id}
      and webhook_deliveries.biller_id = ${tenant.billerId} and webhook_deliveries.livemode = ${tenant.livemode}`;
  return row?.event_type ?? null;
}

/** The types of the events that wait to be delivered to an endpoint of this biller and mode. */
export async function selectPendingEventTypes(db: Db, tenant: TenantKey, endpointId: string): Promise<string[]> {
  const rows = await db<{ event_type: string }[]>`
    select distinct event_type
    from webhook_deliveries join events on events.id = webhook_deliveries.event_id
    where webhook_deliveries.endpoint_id = ${endpointId} and webhook_deliveries.status = 'pending'
      and webhook_deliveries.biller_id = ${tenant.billerId} and webhook_deliveries.livemode = ${tenant.livemode}
    order by event_type`;
  return rows.map((row) => row.event_type);
}

/** A page of an endpoint's deliveries, newest first, with one extra row if more follow. */
export async function listDeliveries(
  db: Db,
  endpointId: string,
  filter: { status?: DeliveryStatus | undefined },
  { limit, after }: Page,
): Promise<AttemptedDelivery[]> {
  return withAttempts(
    db,
    fittingPage(
      db,
      db`(select sum(octet_length(response_excerpt)) from webhook_delivery_attempts where delivery_id = page.id)`,
      db`
      select * from webhook_deliveries
      where endpoint_id = ${endpointId}
        ${filter.status === undefined ? db`` : db`and status = ${filter.status}`}
        ${after === undefined ? db`` : db`and id < ${after}`}
      order by id desc
      limit ${limit + 1}`,
    ),
  );
}

interface AttemptPart {
  attempt_number: number | null;
  attempt_at: RealInstant;
  status_code: number | null;
  error: string | null;
  duration_ms: number;
  response_excerpt: string | null;
}

/**
 * Deliveries with their attempts, newest first. It is one statement, so the status always matches the attempts.
 * The aliases `attempt_number` and `attempt_at` are the columns `number` and `at` of `webhook_delivery_attempts`.
 */
export async function withAttempts(db: Db, deliveries: Fragment): Promise<AttemptedDelivery[]> {
  const rows = await db<(WebhookDeliveryRow & AttemptPart)[]>`
    select d.*, e.event_type, a.number as attempt_number, a.at as attempt_at, a.status_code, a.error, a.duration_ms,
      a.response_excerpt
    from (${deliveries}) d
    join events e on e.id = d.event_id
    left join webhook_delivery_attempts a on a.delivery_id = d.id
    order by d.id desc, a.number`;
  const found = new Map<string, AttemptedDelivery>();
  for (const {
    attempt_number: number,
    attempt_at: at,
    status_code,
    error,
    duration_ms,
    response_excerpt,
    ...row
  } of rows) {
    const delivery = found.get(row.id) ?? { ...row, attempts: [] };
    found.set(row.id, delivery);
    if (number === null) continue;
    delivery.attempts.push({ delivery_id: row.id, number, at, status_code, error, duration_ms, response_excerpt });
  }
  return [...found.values()];
}

/** The id of the delivery of an event to an endpoint, or null. */
export async function selectDeliveryOfEvent(
  db: Db,
  eventId: Id<'event'>,
  endpointId: Id<'webhook_endpoint'>,
): Promise<string | null> {
  const [row] = await db<{ id: string }[]>`
    select id from webhook_deliveries where event_id = ${eventId} and endpoint_id = ${endpointId}`;
  return row?.id ?? null;
}

type EventPart = Omit<EventRow, 'id' | 'created_at'> & { event_created_at: Instant };
type EndpointPart = Omit<DeliveryToMake['endpoint'], 'status'> & { endpoint_status: 'enabled' | 'disabled' };

/** A row of `toMake`. `event_created_at` is of the event, `endpoint_status` of the endpoint. */
export type DeliveryToMakeRow = WebhookDeliveryRow & EventPart & EndpointPart;

/** SQL query: everything that the next attempts of deliveries need. */
export function toMake(db: Db): Fragment {
  return db`
    select d.*, e.sequence, e.event_type, e.test_clock_id, e.customer_id, e.subject_id, e.request_id,
      e.data::text as data, e.created_at as event_created_at, e.recorded_at,
      w.url, w.status as endpoint_status, w.sealed_secret, w.sealed_previous_secret, w.previous_secret_expires_at,
      w.failing_since, w.responds_promptly, w.deleted_at
    from webhook_deliveries d
    join events e on e.id = d.event_id
    join webhook_endpoints w on w.id = d.endpoint_id`;
}

/** Returns the delivery of a row of `toMake`. */
export function deliveryToMake(row: DeliveryToMakeRow): DeliveryToMake {
  return {
    ...row,
    event: { ...row, id: row.event_id, created_at: row.event_created_at },
    endpoint: { ...row, status: row.endpoint_status },
  };
}

/** Returns everything that the next attempt of a delivery needs, or null if there is no such delivery. */
export async function selectDeliveryToMake(db: Db, id: string): Promise<DeliveryToMake | null> {
  const [row] = await db<DeliveryToMakeRow[]>`${toMake(db)} where d.id = ${id}`;
  return row === undefined ? null : deliveryToMake(row);
}

export interface SendingOutcome {
  status: DeliveryStatus;
  nextAttemptAt: RealInstant | null;
  failureReason: string | null;
}

/**
 * Records attempts of several deliveries, each under its number, and their outcome. Returns the deliveries. If a number
 * is already recorded, another worker has made the attempt: nothing changes, and the delivery is left out. A delivery
 * that was ended while the attempt was in progress stays ended, unless the attempt succeeded. Their `entries` in the
 * outbox, if a batch has made the attempts, are deleted. Lock the endpoint first,
 * if it changes too.
 */
export async function recordAttempts(
  db: Db,
  attempts: readonly WebhookAttemptRow[],
  outcome: SendingOutcome,
  now: RealInstant,
  entries: readonly number[] = [],
): Promise<Omit<WebhookDeliveryRow, 'event_type'>[]> {
  const column = <K extends keyof WebhookAttemptRow>(name: K) => attempts.map((attempt) => attempt[name]);
  const applies = db`(d.status = 'pending' or ${outcome.status} = 'delivered')`;
  return db<Omit<WebhookDeliveryRow, 'event_type'>[]>`
    with made as (
      select * from unnest(
        ${column('delivery_id')}::text[], ${column('number')}::integer[],
        ${attempts.map(({ at }) => at.toISOString())}::timestamptz[], ${column('status_code')}::integer[],
        ${column('error')}::text[], ${column('duration_ms')}::integer[], ${column('response_excerpt')}::text[]
      ) as made (delivery_id, number, at, status_code, error, duration_ms, response_excerpt)
    ), recorded as (
      update webhook_deliveries d
      set attempt_count = m.number,
        status = case when ${applies} then ${outcome.status} else d.status end,
        next_attempt_at = case when ${applies} then ${outcome.nextAttemptAt}::timestamptz end,
        failure_reason = case when ${applies} then ${outcome.failureReason} else d.failure_reason end,
        finished_at = case
          when not ${applies} then d.finished_at
          when ${outcome.status} <> 'pending' then ${now}::timestamptz
        end
      from made m
      where d.id = m.delivery_id and d.attempt_count = m.number - 1
      returning d.*
    ), attempted as (
      insert into webhook_delivery_attempts (
        delivery_id, number, at, status_code, error, duration_ms, response_excerpt
      )
      select m.* from made m where m.delivery_id in (select id from recorded)
    ), done as (
      delete from workflow_intents
      where id = any(${entries as number[]}::bigint[]) and workflow_type = 'webhookBatch'
    )
    select * from recorded`;
}

/** Sets the instant of the next attempt, if the delivery is pending and has had no attempt since it was read. */
export async function postponeDelivery(
  db: Db,
  { id, attempt_count }: Pick<WebhookDeliveryRow, 'id' | 'attempt_count'>,
  nextAttemptAt: RealInstant,
): Promise<void> {
  await db`
    update webhook_deliveries set next_attempt_at = ${nextAttemptAt}
    where id = ${id} and status = 'pending' and attempt_count = ${attempt_count}`;
}

/** Ends those of these deliveries that are pending as failed, and returns them. */
export async function failDeliveries(
  db: Db,
  ids: readonly string[],
  reason: string,
  now: RealInstant,
): Promise<Omit<WebhookDeliveryRow, 'event_type'>[]> {
  return db<Omit<WebhookDeliveryRow, 'event_type'>[]>`
    update webhook_deliveries
    set status = 'failed', failure_reason = ${reason}, next_attempt_at = null, finished_at = ${now}
    where id = any(${ids as string[]}::text[]) and status = 'pending'
    returning *`;
}

/** Locks a delivery of any biller, or returns null. Only for its own workflow and for operators. */
export async function lockDelivery(tx: Tx, id: string): Promise<Omit<WebhookDeliveryRow, 'event_type'> | null> {
  const [row] = await tx<Omit<WebhookDeliveryRow, 'event_type'>[]>`
    select * from webhook_deliveries where id = ${id} for no key update`;
  return row ?? null;
}

/** Ends all pending deliveries to an endpoint as failed. Lock the endpoint first. */
export async function failPendingDeliveries(
  tx: Tx,
  endpointId: string,
  reason: string,
  now: RealInstant,
): Promise<void> {
  await tx`
    update webhook_deliveries
    set status = 'failed', failure_reason = ${reason}, next_attempt_at = null, finished_at = ${now}
    where endpoint_id = ${endpointId} and status = 'pending'`;
}
