import type { Currency } from '../domain/currencies.ts';
import type { Id } from '../domain/ids.ts';
import type { CustomerInstant, Instant } from '../domain/instants.ts';
import type { MinorUnits } from '../domain/units.ts';
import type { Db } from '../platform/postgres/connection.ts';
import type { PaymentIntentRow } from './payment-intents.ts';
import type { TenantKey } from './tenant.ts';

/** An event of a customer, with what a payment or refund was for. */
export interface HistoryRow {
  id: string;
  sequence: number;
  event_type: string;
  subject_id: string;
  /** Of an event of a payment or refund. */
  payment_intent_id: Id<'payment_intent'> | null;
  request_id: string | null;
  data: Record<string, unknown>;
  paid_for: string | null;
  paid_part: string | null;
  created_at: Instant;
}

/** Where a page of a history ends: the next one begins with what happened before. */
export interface HistoryCursor {
  at: Date;
  sequence: number;
}

/** The groups of events by which a history can be narrowed, as their types begin. */
export type HistoryGroup = 'payment_intent' | 'refund' | 'payment_plan' | 'subscription' | 'mandate' | 'payment_link';

/** The events of a customer, newest first by the customer's time, at most `limit`. */
export async function listHistory(
  db: Db,
  tenant: TenantKey,
  customerId: string,
  { group, before, limit }: { group: HistoryGroup | null; before: HistoryCursor | null; limit: number },
): Promise<HistoryRow[]> {
  return db<HistoryRow[]>`
    select e.id, e.sequence, e.event_type, e.subject_id, e.request_id, e.data, e.created_at, i.id as payment_intent_id,
      coalesce(p.name, s.name, l.name, i.description, k.name) as paid_for,
      coalesce('payment ' || (i.payment_plan_slot + 1), 'period ' || i.subscription_period) as paid_part
    from (
      select * from events
      where customer_id = ${customerId} and biller_id = ${tenant.billerId} and livemode = ${tenant.livemode}
        ${group === null ? db`` : db`and starts_with(event_type, ${`${group}.`})`}
        ${before === null ? db`` : db`and (created_at, sequence) < (${before.at}, ${before.sequence})`}
      order by created_at desc, sequence desc
      limit ${limit}
    ) e
    left join payment_intents i on (starts_with(e.event_type, 'payment_intent.') or starts_with(e.event_type, 'refund.'))
      and i.id = coalesce(e.data ->> 'payment_intent_id', e.subject_id)
    left join payment_plans p on p.id = i.payment_plan_id
    left join subscriptions s on s.id = i.subscription_id
    left join payment_links l on l.id = i.payment_link_id
    left join checkout_sessions k on k.id = i.checkout_session_id
    order by e.created_at desc, e.sequence desc`;
}

/** Payments of a customer over the same total on the same day of the biller. */
export interface AlikePayments {
  total_amount: MinorUnits;
  currency: Currency;
  ids: Id<'payment_intent'>[];
  first_at: CustomerInstant;
}

/** Groups of two or more payments that look alike, the newest first. Canceled and never charged ones are left out. */
export async function listAlikeOfCustomer(
  db: Db,
  customerId: string,
  timeZone: string,
  limit: number,
): Promise<AlikePayments[]> {
  return db<AlikePayments[]>`
    select total_amount, currency, array_agg(id order by id) as ids, min(created_at) as first_at
    from payment_intents
    where customer_id = ${customerId} and status not in ('canceled', 'requires_payment_method')
    group by total_amount, currency, (created_at at time zone ${timeZone})::date
    having count(*) > 1
    order by first_at desc
    limit ${limit}`;
}

/**
 * Payments of a customer that belong to no plan or subscription, and that have failed, came back or are scheduled, at
 * most `limit`: scheduled ones first, then the newest.
 */
export async function listOpenSingles(
  db: Db,
  tenant: TenantKey,
  customerId: string,
  limit: number,
): Promise<PaymentIntentRow[]> {
  return db<PaymentIntentRow[]>`
    select * from payment_intents
    where customer_id = ${customerId} and biller_id = ${tenant.billerId} and livemode = ${tenant.livemode}
      and payment_plan_id is null and subscription_id is null
      and (status in ('failed', 'returned') or scheduled_at is not null)
    order by scheduled_at, id desc
    limit ${limit}`;
}
