// What the pages for payers read of a payment. The token of a page has named the payment, so it is found by its id.
import type { PlainDate } from '../domain/calendar.ts';
import type { Currency } from '../domain/currencies.ts';
import type { PeriodLine } from '../domain/subscriptions/lines.ts';
import type { Db } from '../platform/postgres/connection.ts';
import { isSinceLost } from './disputes.ts';
import type { PaymentIntentRow } from './payment-intents.ts';
import type { RefundRow } from './refunds.ts';
import type { TenantKey } from './tenant.ts';

/** The intent of this id, of whatever biller and mode, or null. */
export async function selectIntentOfPage(db: Db, id: string): Promise<PaymentIntentRow | null> {
  const [row] = await db<PaymentIntentRow[]>`select * from payment_intents where id = ${id}`;
  return row ?? null;
}

/** What a payment is for, in the biller's words. Null where nothing names it. */
export interface PurposeRow {
  name: string | null;
  description: string | null;
  /** The biller's reference of the link. */
  reference: string | null;
}

/** What an intent is for: by the session in which it was paid, its link, its plan or its subscription. */
export async function selectPurpose(db: Db, intentId: string): Promise<PurposeRow> {
  const [row] = await db<PurposeRow[]>`
    select coalesce(s.name, l.name, p.name, u.name) as name,
      coalesce(case when s.id is null then l.description else s.description end, i.description) as description,
      l.reference
    from payment_intents i
    left join checkout_sessions s on s.id = i.checkout_session_id
    left join payment_links l on l.id = i.payment_link_id
    left join payment_plans p on p.id = i.payment_plan_id
    left join subscriptions u on u.id = i.subscription_id
    where i.id = ${intentId}`;
  return row ?? { name: null, description: null, reference: null };
}

/** The statement of the period that an intent pays; empty if it pays none. */
export async function selectStatement(db: Db, intentId: string): Promise<PeriodLine[]> {
  const [row] = await db<{ lines: PeriodLine[] }[]>`
    select lines from subscription_periods where payment_intent_id = ${intentId}`;
  return row?.lines ?? [];
}

/**
 * The dates that an intent of a plan or a subscription is for: its period, from its first day to the day after it, or
 * when it was due (`to` is null). Null for any other intent.
 */
export async function selectDatesPaid(
  db: Db,
  intentId: string,
): Promise<{ from: PlainDate; to: PlainDate | null } | null> {
  const [row] = await db<{ from: PlainDate; to: PlainDate | null }[]>`
    select start_date as "from", end_date as "to" from subscription_periods where payment_intent_id = ${intentId}
    union all select due_date, null from payment_plan_slots where payment_intent_id = ${intentId}`;
  return row ?? null;
}

/** The name of a customer, for an invoice: that of its business, if it has one. Null if there is no such customer. */
export async function selectBuyer(db: Db, tenant: TenantKey, customerId: string): Promise<string | null> {
  const [row] = await db<{ name: string | null }[]>`
    select coalesce(business_name, name) as name from customers
    where id = ${customerId} and biller_id = ${tenant.billerId} and livemode = ${tenant.livemode}`;
  return row?.name ?? null;
}

/** A refund as a receipt shows it. */
export interface RefundOfPage extends Pick<RefundRow, 'id' | 'amount' | 'tax_amount' | 'updated_at'> {
  /** Whether it gave back money that was collected last: no dispute was lost after it. */
  is_since_lost: boolean;
}

/** The refunds of an intent that succeeded, oldest first. */
export async function listRefundsOfPage(db: Db, intentId: string): Promise<RefundOfPage[]> {
  return db<RefundOfPage[]>`
    select r.id, r.amount, r.tax_amount, r.updated_at, ${isSinceLost(db)} as is_since_lost from refunds r
    where r.payment_intent_id = ${intentId} and r.status = 'succeeded' order by r.id`;
}

/** A plan or a subscription that has not ended, as a payer knows it. */
export interface PaidSubject {
  name: string;
  currency: Currency;
}

/**
 * The plans and subscriptions of a customer that have not ended and are paid by this method, because they name it or
 * because it is the default; oldest first. Null: those that name no method, and so are paid by the default.
 */
export async function listSubjectsPaidBy(
  db: Db,
  tenant: TenantKey,
  customerId: string,
  methodId: string | null,
): Promise<PaidSubject[]> {
  const isOfCustomer = db`
    s.customer_id = ${customerId} and s.biller_id = ${tenant.billerId} and s.livemode = ${tenant.livemode}`;
  const isPaidBy =
    methodId === null
      ? db`s.payment_instrument_id is null`
      : db`coalesce(s.payment_instrument_id, c.default_payment_method_id) = ${methodId}`;
  return db<PaidSubject[]>`
    select name, currency from (
      select s.name, s.currency, s.created_at, s.id
      from payment_plans s join customers c on c.id = s.customer_id
      where ${isOfCustomer} and ${isPaidBy} and s.state in ('pending', 'active', 'suspended')
      union all
      select s.name, s.currency, s.created_at, s.id
      from subscriptions s join customers c on c.id = s.customer_id
      where ${isOfCustomer} and ${isPaidBy} and s.state <> 'canceled'
    ) s
    order by created_at, id`;
}
