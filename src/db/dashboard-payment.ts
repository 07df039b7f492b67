import type { Id } from '../domain/ids.ts';
import type { PeriodNumber, SlotNumber } from '../domain/units.ts';
import type { Db } from '../platform/postgres/connection.ts';
import type { PaymentAttemptRow } from './payment-attempts.ts';
import type { PaymentIntentRow } from './payment-intents.ts';
import type { TenantKey } from './tenant.ts';

/** What a payment is for: the name of a plan, subscription, link or session, and which part of it. */
export interface PurposeOfPayment {
  payment_plan_id: Id<'payment_plan'> | null;
  subscription_id: Id<'subscription'> | null;
  payment_link_id: Id<'payment_link'> | null;
  name: string | null;
  slot: SlotNumber | null;
  /** When the slot was due, or the period began and ended. Dates of the biller. */
  due_date: string | null;
  period: PeriodNumber | null;
  start_date: string | null;
  end_date: string | null;
}

/** What these payments are for, by their id. */
export async function purposesOf(
  db: Db,
  tenant: TenantKey,
  ids: readonly string[],
): Promise<Map<string, PurposeOfPayment>> {
  const rows = await db<(PurposeOfPayment & { id: Id<'payment_intent'> })[]>`
    select i.id, i.payment_plan_id, i.subscription_id, i.payment_link_id,
      coalesce(p.name, s.name, l.name, i.description, k.name) as name, i.payment_plan_slot as slot,
      ps.due_date, i.subscription_period as period, sp.start_date, sp.end_date
    from payment_intents i
    left join payment_plans p on p.id = i.payment_plan_id
    left join payment_plan_slots ps on ps.payment_plan_id = i.payment_plan_id and ps.slot = i.payment_plan_slot
    left join subscriptions s on s.id = i.subscription_id
    left join subscription_periods sp on sp.subscription_id = i.subscription_id and sp.number = i.subscription_period
    left join payment_links l on l.id = i.payment_link_id
    left join checkout_sessions k on k.id = i.checkout_session_id
    where i.id = any(${ids}::text[]) and i.biller_id = ${tenant.billerId} and i.livemode = ${tenant.livemode}`;
  return new Map(rows.map(({ id, ...purpose }) => [id, purpose]));
}

/** Each try to collect a payment, the first one first. */
export async function listAttempts(db: Db, paymentIntentId: string): Promise<PaymentAttemptRow[]> {
  return db<PaymentAttemptRow[]>`
    select * from payment_attempts where payment_intent_id = ${paymentIntentId} order by number`;
}

/**
 * Other payments of the same customer over the same total on the same day of the biller, at most `limit`: somebody may
 * ask whether the payer was charged twice. Canceled ones and those that were never charged are left out.
 */
export async function listAlike(
  db: Db,
  { id, customer_id: customerId, total_amount: total, currency, created_at: at }: PaymentIntentRow,
  timeZone: string,
  limit: number,
): Promise<PaymentIntentRow[]> {
  if (customerId === null) return [];
  return db<PaymentIntentRow[]>`
    select * from payment_intents
    where customer_id = ${customerId} and id <> ${id} and total_amount = ${total} and currency = ${currency}
      and status not in ('canceled', 'requires_payment_method')
      and (created_at at time zone ${timeZone})::date = (${at}::timestamptz at time zone ${timeZone})::date
    order by id desc limit ${limit}`;
}
