import type { Currency } from '../domain/currencies.ts';
import type { Id } from '../domain/ids.ts';
import type { CustomerInstant } from '../domain/instants.ts';
import type { MinorUnits } from '../domain/units.ts';
import type { Db, Tx } from '../platform/postgres/connection.ts';
import { fittingPage, jsonBytes } from '../platform/postgres/fitting-page.ts';
import { jsonb } from '../platform/postgres/types.ts';
import type { RealInstant } from '../platform/real-time.ts';
import { isSinceLost, isUnderDispute } from './disputes.ts';
import { isPaymentOf, type PaymentFilter } from './payment-intents.ts';
import { isOnPage, orderOf, type Page, type TenantKey } from './tenant.ts';

export interface RefundRow {
  id: Id<'refund'>;
  biller_id: Id<'biller'>;
  livemode: boolean;
  payment_intent_id: Id<'payment_intent'>;
  amount: MinorUnits;
  /** How much of it is surcharge. */
  surcharge_amount: MinorUnits;
  /** How much of it is tax. */
  tax_amount: MinorUnits;
  currency: Currency;
  reason: string | null;
  metadata: Record<string, string>;
  status: 'processing' | 'succeeded' | 'failed';
  /** Whether the payment was a debit that could still come back when the refund was opened. */
  at_risk: boolean;
  /** How much of the amount pays credit of the payment's subscription out. */
  credit_cents: MinorUnits;
  request_key: string | null;
  /** Null if the key lasts as long as the refund. */
  request_key_expires_at: RealInstant | null;
  opened_at: RealInstant;
  /** When the live processor's list was seen to have it. Null: not seen, or in the sandbox. */
  listed_at: RealInstant | null;
  /** When the processor last said that it has not decided. Null: it has not said so. */
  pending_at: RealInstant | null;
  created_at: CustomerInstant;
  updated_at: CustomerInstant;
}

/** Opens a refund. Once this is committed, the processor may be called, with the refund's id as the key. */
export async function insertRefund(tx: Tx, row: RefundRow): Promise<void> {
  await tx`insert into refunds ${tx({ ...row, metadata: jsonb(tx, row.metadata) })}`;
}

/** The refund of this biller and mode, or null. */
export async function selectRefund(db: Db, tenant: TenantKey, id: string): Promise<RefundRow | null> {
  const [row] = await db<RefundRow[]>`
    select * from refunds where id = ${id} and biller_id = ${tenant.billerId} and livemode = ${tenant.livemode}`;
  return row ?? null;
}

/**
 * The newest refund of an intent that was opened under this Idempotency-Key. Returns null if there is none, or if the
 * key has expired by `now`.
 */
export async function selectRefundOfRequest(
  db: Db,
  intentId: string,
  requestKey: string,
  now: RealInstant,
): Promise<RefundRow | null> {
  const [row] = await db<RefundRow[]>`
    select * from refunds
    where payment_intent_id = ${intentId} and request_key = ${requestKey}
      and (request_key_expires_at is null or request_key_expires_at > ${now})
    order by id desc
    limit 1`;
  return row ?? null;
}

/** The refunds of a subscription's credit under this Idempotency-Key, that of the newest payment first. */
export async function listCreditRefundsOfRequest(
  db: Db,
  subscriptionId: string,
  requestKey: string,
  now: RealInstant,
): Promise<RefundRow[]> {
  return db<RefundRow[]>`
    select r.* from refunds r
    join payment_intents i on i.id = r.payment_intent_id
    where i.subscription_id = ${subscriptionId} and r.credit_cents > 0 and r.request_key = ${requestKey}
      and (r.request_key_expires_at is null or r.request_key_expires_at > ${now})
    order by i.subscription_charge desc`;
}

/** The payments of a subscription that can be refunded, newest first. Refunds under way count as made. */
export async function listRefundable(
  db: Db,
  subscriptionId: string,
): Promise<{ id: Id<'payment_intent'>; remaining: MinorUnits }[]> {
  return db<{ id: Id<'payment_intent'>; remaining: MinorUnits }[]>`
    select id, remaining from (
      select i.id, i.subscription_charge, ${remaining(db)} as remaining from payment_intents i
      where i.subscription_id = ${subscriptionId} and ${isRefundable(db)}
    ) i
    where remaining > 0
    order by subscription_charge desc`;
}

/** The column `refundable_credit_cents` of the subscription `s`: as much of its credit as its payments can pay out. */
export function refundableCredit(db: Db) {
  return db`
    case s.credit_balance_cents when 0 then 0 else least(s.credit_balance_cents, (
      select coalesce(sum(${remaining(db)}), 0) from payment_intents i
      where i.subscription_id = s.id and ${isRefundable(db)}
    )) end::bigint as refundable_credit_cents`;
}

/** Condition: the payment `i` has succeeded and is under no dispute. */
function isRefundable(db: Db) {
  return db`i.status = 'succeeded' and not ${isUnderDispute(db)}`;
}

/** What remains to be refunded of the payment `i` that has succeeded: `amountLeft`. */
function remaining(db: Db) {
  return db`(least(i.total_amount, i.total_amount - i.total_refunded_amount + i.refunded_before_dispute) - (
      select coalesce(sum(r.amount), 0) from refunds r where r.payment_intent_id = i.id and r.status = 'processing'
    ))::bigint`;
}

/** Sets when the Idempotency-Key of a refund expires. */
export async function updateRefundKeyExpiry(tx: Tx, id: string, expiresAt: RealInstant): Promise<void> {
  await tx`update refunds set request_key_expires_at = ${expiresAt} where id = ${id}`;
}

/** A refund that the processor has not decided takes days. This is the pause if no notice tells of it. */
const pendingIsAskedAgainAfter = '1 hour';

/**
 * The 100 oldest refunds that are still `processing` and were opened before this instant, and those of a process whose
 * clock was ahead. One that the processor has not decided is among them every hour.
 */
export async function listAbandonedRefunds(db: Db, openedBefore: RealInstant): Promise<RefundRow[]> {
  return db<RefundRow[]>`
    select * from refunds
    where status = 'processing' and (opened_at < ${openedBefore} or opened_at > now() + interval '1 minute')
      and (pending_at is null or pending_at < clock_timestamp() - ${pendingIsAskedAgainAfter}::interval)
    order by opened_at
    limit 100`;
}

/** The sum of an intent's refunds that are still `processing`. */
export async function amountBeingRefunded(tx: Tx, intentId: string): Promise<MinorUnits> {
  const [row] = await tx<{ amount: MinorUnits }[]>`
    select coalesce(sum(amount), 0)::bigint as amount from refunds
    where payment_intent_id = ${intentId} and status = 'processing'`;
  return row?.amount ?? 0;
}

/** What was given back, minor units, and how much of that is surcharge and tax. */
export interface RefundSums {
  amount: MinorUnits;
  surcharge: MinorUnits;
  tax: MinorUnits;
}

/** The sums of an intent's refunds that have not failed since a dispute of it was lost last, and of their parts. */
export async function sumsOfRefunds(tx: Tx, intentId: string): Promise<RefundSums> {
  const [row] = await tx<RefundSums[]>`
    select coalesce(sum(r.amount), 0)::bigint as amount, coalesce(sum(r.surcharge_amount), 0)::bigint as surcharge,
      coalesce(sum(r.tax_amount), 0)::bigint as tax
    from refunds r where r.payment_intent_id = ${intentId} and r.status <> 'failed' and ${isSinceLost(tx)}`;
  return row ?? { amount: 0, surcharge: 0, tax: 0 };
}

/** Records the outcome of a refund, once. Returns null if its outcome was already recorded. */
export async function completeRefund(
  tx: Tx,
  id: string,
  status: 'succeeded' | 'failed',
  at: CustomerInstant,
): Promise<RefundRow | null> {
  const [row] = await tx<RefundRow[]>`
    update refunds set status = ${status}, updated_at = ${at}
    where id = ${id} and status = 'processing'
    returning *`;
  return row ?? null;
}

/** Notes that the processor has a refund and has not decided. Returns null if its outcome was already recorded. */
export async function markPending(tx: Tx, id: string): Promise<RefundRow | null> {
  const [row] = await tx<RefundRow[]>`
    update refunds set pending_at = clock_timestamp() where id = ${id} and status = 'processing' returning *`;
  return row ?? null;
}

/** The refunds without an outcome of the payment that has this reference at the live processor, oldest first. */
export async function listOpenRefundsOf(db: Db, reference: string): Promise<RefundRow[]> {
  return db<RefundRow[]>`
    select f.* from payment_reservations r
    join payment_attempts a on a.id = r.attempt_id
    join refunds f on f.payment_intent_id = a.payment_intent_id
    where r.livemode and r.reference = ${reference} and f.status = 'processing'
    order by f.id`;
}

export interface RefundFilter {
  status?: string | undefined;
  paymentIntentId?: Id<'payment_intent'> | undefined;
  /** Only refunds of these payments. */
  payments: PaymentFilter;
}

/** A page of the refunds of a biller, newest first, with one extra row if more follow. */
export async function listTenantRefunds(
  db: Db,
  tenant: TenantKey,
  filter: RefundFilter,
  page: Page,
): Promise<RefundRow[]> {
  const { status, paymentIntentId, payments } = filter;
  const isUnfiltered = Object.values(payments).every((value) => value === undefined);
  const isOfPayments = db`
    payment_intent_id in (select id from payment_intents where ${isPaymentOf(db, tenant, payments)})`;
  return db<RefundRow[]>`${fittingPage(
    db,
    jsonBytes(db, 'metadata'),
    db`
      select * from refunds
      where biller_id = ${tenant.billerId} and livemode = ${tenant.livemode}
        ${status === undefined ? db`` : db`and status = ${status}`}
        ${paymentIntentId === undefined ? db`` : db`and payment_intent_id = ${paymentIntentId}`}
        ${isUnfiltered ? db`` : db`and ${isOfPayments}`}
        and ${isOnPage(db, 'refunds', tenant, page)}
      order by ${orderOf(db, page)}
      limit ${page.limit + 1}`,
  )}`;
}

/** A page of an intent's refunds, newest first, with one extra row if more follow. */
export async function listRefunds(db: Db, intentId: string, { limit, after }: Page): Promise<RefundRow[]> {
  return db<RefundRow[]>`${fittingPage(
    db,
    jsonBytes(db, 'metadata'),
    db`
      select * from refunds
      where payment_intent_id = ${intentId} ${after === undefined ? db`` : db`and id < ${after}`}
      order by id desc
      limit ${limit + 1}`,
  )}`;
}
