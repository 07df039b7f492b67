import type { PlainDate } from '../domain/calendar.ts';
import type { Currency } from '../domain/currencies.ts';
import type { Id } from '../domain/ids.ts';
import type { CustomerInstant, Instant } from '../domain/instants.ts';
import type { MinorUnits } from '../domain/units.ts';
import type { Db } from '../platform/postgres/connection.ts';
import type { RealInstant } from '../platform/real-time.ts';
import type { TenantKey } from './tenant.ts';
import type { ClockAdvanceRow } from './test-clocks.ts';
import { type AttemptedDelivery, withAttempts } from './webhook-deliveries.ts';

/** An event with the number of its deliveries, by status. */
export interface TimelineEventRow {
  id: string;
  sequence: number;
  event_type: string;
  test_clock_id: Id<'test_clock'> | null;
  customer_id: Id<'customer'> | null;
  customer_name: string | null;
  subject_id: string;
  data: Record<string, unknown>;
  /** Of a payment or refund: the name of the plan, subscription, link or session, or the description. */
  paid_for: string | null;
  /** Of a payment or refund: "payment 3" of a plan, or "period 2" of a subscription. */
  paid_part: string | null;
  created_at: Instant;
  recorded_at: RealInstant;
  pending: number;
  delivered: number;
  /** Without those to endpoints that were deleted since: there is nothing to be done about them. */
  failed: number;
}

/** Something that the timeline of a clock has a lane for. */
export interface SubjectRow {
  kind: 'customer' | 'plan' | 'subscription' | 'link';
  id: string;
  customer_id: Id<'customer'> | null;
  name: string;
  status: string;
  created_at: CustomerInstant;
}

/** A bank debit with its payment. Instants are the clock's time. */
export interface TimelineDebitRow {
  payment_intent_id: Id<'payment_intent'>;
  customer_id: Id<'customer'> | null;
  amount: MinorUnits;
  currency: Currency;
  charge_date: PlainDate;
  hand_over_at: CustomerInstant;
  expected_result_at: CustomerInstant;
  result_at: CustomerInstant | null;
  returned_at: CustomerInstant | null;
}

/** Which events: all of the biller, those of a clock, or those about a customer. */
export interface TimelineFilter {
  testClock?: Id<'test_clock'> | undefined;
  customer?: string | undefined;
  /** Only events before this number of the sequence. */
  before?: number | undefined;
}

const eventsWithDeliveries = (db: Db) => db`
  select e.id, e.sequence, e.event_type, e.test_clock_id, e.customer_id, c.name as customer_name, e.subject_id, e.data,
    coalesce(p.name, s.name, l.name, i.description, k.name) as paid_for,
    coalesce('payment ' || (i.payment_plan_slot + 1), 'period ' || i.subscription_period) as paid_part,
    e.created_at, e.recorded_at, d.pending, d.delivered, d.failed
  from events e left join customers c on c.id = e.customer_id
  left join payment_intents i on (starts_with(e.event_type, 'payment_intent.') or starts_with(e.event_type, 'refund.'))
    and i.id = coalesce(e.data ->> 'payment_intent_id', e.subject_id)
  left join payment_plans p on p.id = i.payment_plan_id
  left join subscriptions s on s.id = i.subscription_id
  left join payment_links l on l.id = i.payment_link_id
  left join checkout_sessions k on k.id = i.checkout_session_id
  cross join lateral (
    select (count(*) filter (where d.status = 'pending'))::integer as pending,
      (count(*) filter (where d.status = 'delivered'))::integer as delivered,
      (count(*) filter (where d.status = 'failed' and w.deleted_at is null))::integer as failed
    from webhook_deliveries d join webhook_endpoints w on w.id = d.endpoint_id
    where d.event_id = e.id
  ) d`;

/** The ids of everything that events about a customer are about. */
const subjectsOf = (db: Db, customerId: string) => db`
  select id from payment_intents where customer_id = ${customerId}
  union all select r.id from refunds r join payment_intents i on i.id = r.payment_intent_id
    where i.customer_id = ${customerId}
  union all select id from payment_plans where customer_id = ${customerId}
  union all select id from subscriptions where customer_id = ${customerId}
  union all select id from mandates where customer_id = ${customerId}
  union all select id from payment_links where customer_id = ${customerId}
  union all select id from checkout_sessions where customer_id = ${customerId}`;

/** The newest events of this biller and mode, newest first. */
export async function listTimelineEvents(
  db: Db,
  tenant: TenantKey,
  { testClock, customer, before }: TimelineFilter,
  limit: number,
): Promise<TimelineEventRow[]> {
  return db<TimelineEventRow[]>`
    ${eventsWithDeliveries(db)}
    where e.biller_id = ${tenant.billerId} and e.livemode = ${tenant.livemode}
      ${testClock === undefined ? db`` : db`and e.test_clock_id = ${testClock}`}
      ${customer === undefined ? db`` : db`and e.subject_id in (${subjectsOf(db, customer)})`}
      ${before === undefined ? db`` : db`and e.sequence < ${before}`}
    order by e.sequence desc
    limit ${limit}`;
}

/** The event of this biller and mode, or null. */
export async function selectTimelineEvent(db: Db, tenant: TenantKey, id: string): Promise<TimelineEventRow | null> {
  const [row] = await db<TimelineEventRow[]>`
    ${eventsWithDeliveries(db)}
    where e.id = ${id} and e.biller_id = ${tenant.billerId} and e.livemode = ${tenant.livemode}`;
  return row ?? null;
}

/** The deliveries of an event of this biller and mode, with their attempts and the URL of their endpoint. */
export async function listDeliveriesOfEvent(
  db: Db,
  tenant: TenantKey,
  eventId: string,
): Promise<(AttemptedDelivery & { url: string })[]> {
  const deliveries = await withAttempts(
    db,
    db`
      select * from webhook_deliveries
      where event_id = ${eventId} and biller_id = ${tenant.billerId} and livemode = ${tenant.livemode}`,
  );
  const endpoints = await db<{ id: string; url: string }[]>`
    select id, url from webhook_endpoints where id = any(${deliveries.map(({ endpoint_id }) => endpoint_id)}::text[])`;
  const urls = new Map(endpoints.map(({ id, url }) => [id, url]));
  return deliveries.map((delivery) => ({ ...delivery, url: urls.get(delivery.endpoint_id) ?? '' }));
}

/** The customers of a clock, with their plans, subscriptions and links, the oldest first. Deleted customers too. */
export async function listSubjectsOnClock(db: Db, testClockId: string): Promise<SubjectRow[]> {
  return db<SubjectRow[]>`
    select 'customer' as kind, id, id as customer_id, name,
      case when deleted_at is null then status else 'deleted' end as status, created_at
    from customers where test_clock_id = ${testClockId}
    union all
    select 'plan', id, customer_id, name, state, created_at from payment_plans where test_clock_id = ${testClockId}
    union all
    select 'subscription', id, customer_id, name, state, created_at
    from subscriptions where test_clock_id = ${testClockId}
    union all
    select 'link', id, customer_id, name, status, created_at from payment_links where test_clock_id = ${testClockId}
    order by id`;
}

/** The plans, subscriptions and links of a customer, the oldest first. */
export async function listSubjectsOfCustomer(db: Db, customerId: string): Promise<SubjectRow[]> {
  return db<SubjectRow[]>`
    select 'plan' as kind, id, customer_id, name, state as status, created_at
    from payment_plans where customer_id = ${customerId}
    union all
    select 'subscription', id, customer_id, name, state, created_at from subscriptions where customer_id = ${customerId}
    union all
    select 'link', id, customer_id, name, status, created_at from payment_links where customer_id = ${customerId}
    order by id`;
}

/** The advances of a clock, the oldest first. */
export async function listAdvances(
  db: Db,
  testClockId: string,
): Promise<Pick<ClockAdvanceRow, 'id' | 'from_time' | 'target_time' | 'status'>[]> {
  return db<Pick<ClockAdvanceRow, 'id' | 'from_time' | 'target_time' | 'status'>[]>`
    select id, from_time, target_time, status from clock_advances
    where test_clock_id = ${testClockId}
    order by target_time`;
}

/** The newest bank debits of a clock, at most `limit`, the oldest of them first. */
export async function listTimelineDebits(db: Db, testClockId: string, limit: number): Promise<TimelineDebitRow[]> {
  const rows = await db<TimelineDebitRow[]>`
    select i.id as payment_intent_id, i.customer_id, i.total_amount as amount, i.currency, d.charge_date,
      d.hand_over_at, d.expected_result_at, d.result_at, d.returned_at
    from bank_debits d join payment_intents i on i.id = d.payment_intent_id
    where d.test_clock_id = ${testClockId}
    order by d.hand_over_at desc, d.attempt_id desc
    limit ${limit}`;
  return rows.reverse();
}
