import type { Fragment } from 'postgres';
import type { PlainDate } from '../domain/calendar.ts';
import type { DeclineCode } from '../domain/charge-outcome.ts';
import type { Currency } from '../domain/currencies.ts';
import type { Id } from '../domain/ids.ts';
import type { CustomerInstant } from '../domain/instants.ts';
import type { Costs } from '../domain/surcharges/costs.ts';
import type { Means, MethodType } from '../domain/surcharges/means.ts';
import type { SurchargeReason } from '../domain/surcharges/surcharge.ts';
import type { TaxBasis } from '../domain/tax/tax.ts';
import type { MinorUnits, PeriodNumber, SlotNumber } from '../domain/units.ts';
import { type InsertCondition, insertWhere } from '../platform/postgres/conditional-insert.ts';
import type { Db, Tx } from '../platform/postgres/connection.ts';
import { fittingPage, jsonBytes } from '../platform/postgres/fitting-page.ts';
import { jsonb } from '../platform/postgres/types.ts';
import { isAfter, isOnPage, orderOf, type Page, type TenantKey } from './tenant.ts';

export type PaymentIntentStatus =
  | 'requires_payment_method'
  | 'processing'
  | 'requires_action'
  | 'succeeded'
  | 'failed'
  | 'canceled'
  | 'returned';

/** What a surcharge was decided on: the country of the biller, how the payer paid, and the costs that were stated. */
export interface SurchargeBasis extends Means {
  country: string | null;
  costs: Costs;
}

export interface PaymentIntentRow {
  id: Id<'payment_intent'>;
  biller_id: Id<'biller'>;
  livemode: boolean;
  customer_id: Id<'customer'> | null;
  payment_method_id: Id<'payment_method'> | null;
  payment_plan_id: Id<'payment_plan'> | null;
  payment_plan_slot: SlotNumber | null;
  payment_link_id: Id<'payment_link'> | null;
  /** The last session in which a payer could pay it. */
  checkout_session_id: Id<'checkout_session'> | null;
  subscription_id: Id<'subscription'> | null;
  /** The number of the charge among those of its subscription, from 1. */
  subscription_charge: number | null;
  /** The period that it pays, or in which the change was made that it pays. */
  subscription_period: PeriodNumber | null;
  amount: MinorUnits;
  /** The amount that it was made with. Nothing changes it. */
  agreed_amount: MinorUnits;
  fee_amount: MinorUnits;
  surcharge_amount: MinorUnits;
  surcharge_applied: boolean;
  /** Whether the fee is asked of the payer. */
  surcharge_asked: boolean;
  surcharge_reason: SurchargeReason | null;
  /** Of the last attempt. Null if no rule was asked. */
  surcharge_basis: SurchargeBasis | null;
  total_amount: MinorUnits;
  /** The tax that the biller's prices included when the payment was made. Null if it includes none. */
  tax_basis: TaxBasis | null;
  /** How much of the total is tax. */
  tax_amount: MinorUnits;
  currency: Currency;
  status: PaymentIntentStatus;
  metadata: Record<string, string>;
  statement_descriptor: string | null;
  /** What is paid for, as the payer reads it. */
  description: string | null;
  scheduled_payment_date: string | null;
  scheduled_at: CustomerInstant | null;
  attempt_count: number;
  /** How many attempts of payers have failed. */
  payer_failures: number;
  total_refunded_amount: MinorUnits;
  /** The authority of the last debit, with the four columns below. Null if the payment is no debit under a mandate. */
  mandate_id: Id<'mandate'> | null;
  /** Dates on the scheme's clock. */
  expected_result_date: PlainDate | null;
  returnable_until: PlainDate | null;
  total_returned_amount: MinorUnits;
  /** What disputes that were lost did not take: it had been refunded before. */
  refunded_before_dispute: MinorUnits;
  /** Shown on the payer's statement. */
  lodgement_reference: string | null;
  /** When the money was last collected; a bank debit: when it settled. A return or refund leaves it. */
  collected_at: CustomerInstant | null;
  last_error_code: DeclineCode | null;
  last_error_message: string | null;
  /** Where the payer goes on from the page of a challenge. */
  return_url: string | null;
  created_at: CustomerInstant;
  updated_at: CustomerInstant;
}

/** Inserts an intent if all conditions hold. Returns whether it was inserted. */
export async function insertPaymentIntent(
  db: Db,
  row: PaymentIntentRow,
  conditions: readonly InsertCondition[] = [],
): Promise<boolean> {
  const { clauses, condition } = insertWhere(db, conditions);
  const { count } = await db`${clauses} ${intentInsert(db, row, condition)}`;
  return count > 0;
}

/** The insert of an intent as a part of a statement. Nothing is inserted unless `condition` is true. */
export function intentInsert(db: Db, row: PaymentIntentRow, condition: Fragment): Fragment {
  return db`
    insert into payment_intents (
      id, biller_id, livemode, customer_id, payment_method_id, payment_plan_id, payment_plan_slot, amount, fee_amount,
      surcharge_amount, surcharge_applied, currency, status, metadata, statement_descriptor,
      scheduled_payment_date, scheduled_at, attempt_count, payment_link_id, checkout_session_id, created_at, updated_at,
      subscription_id, subscription_charge, subscription_period, surcharge_asked, surcharge_reason, surcharge_basis,
      description, agreed_amount, tax_basis, tax_amount
    ) select
      ${row.id}, ${row.biller_id}, ${row.livemode}, ${row.customer_id}, ${row.payment_method_id},
      ${row.payment_plan_id}, ${row.payment_plan_slot}, ${row.amount}, ${row.fee_amount}, ${row.surcharge_amount},
      ${row.surcharge_applied}, ${row.currency}, ${row.status}, ${jsonb(db, row.metadata)},
      ${row.statement_descriptor}, ${row.scheduled_payment_date}, ${row.scheduled_at}, ${row.attempt_count},
      ${row.payment_link_id}, ${row.checkout_session_id}, ${row.created_at}, ${row.updated_at},
      ${row.subscription_id}, ${row.subscription_charge}, ${row.subscription_period}, ${row.surcharge_asked},
      ${row.surcharge_reason}, ${jsonb(db, row.surcharge_basis)}, ${row.description}, ${row.agreed_amount},
      ${jsonb(db, row.tax_basis)}, ${row.tax_amount}
    where ${condition}`;
}

/** The intent of this biller and mode, or null. */
export async function selectPaymentIntent(db: Db, tenant: TenantKey, id: string): Promise<PaymentIntentRow | null> {
  const [row] = await db<PaymentIntentRow[]>`
    select * from payment_intents
    where id = ${id} and biller_id = ${tenant.billerId} and livemode = ${tenant.livemode}`;
  return row ?? null;
}

/** The intents of a plan, one for each slot that was ever charged, in the order of the slots. */
export async function listIntentsOfPlan(db: Db, planId: string): Promise<PaymentIntentRow[]> {
  return db<PaymentIntentRow[]>`
    select * from payment_intents where payment_plan_id = ${planId} order by payment_plan_slot`;
}

/** An intent with the test clock of its customer. */
export interface LockedIntentRow extends PaymentIntentRow {
  test_clock_id: Id<'test_clock'> | null;
}

/** Locks an intent for update until the transaction ends. If the intent belongs to a plan, lock the plan first. */
export async function lockPaymentIntent(tx: Tx, id: string): Promise<LockedIntentRow | null> {
  const [row] = await tx<LockedIntentRow[]>`
    select i.*, c.test_clock_id
    from payment_intents i
    left join customers c on c.id = i.customer_id
    where i.id = ${id}
    for no key update of i`;
  return row ?? null;
}

/** Which payments, by their payer and by what created them. */
export interface PaymentFilter {
  customerId?: Id<'customer'> | undefined;
  paymentPlanId?: Id<'payment_plan'> | undefined;
  subscriptionId?: Id<'subscription'> | undefined;
  paymentLinkId?: Id<'payment_link'> | undefined;
  /** `none`: only payments that are on no test clock. */
  testClock?: Id<'test_clock'> | 'none' | undefined;
}

export interface PaymentIntentFilter extends PaymentFilter {
  status?: string | undefined;
  /** Of the method that it has. */
  methodType?: MethodType | undefined;
  currency?: Currency | undefined;
  totalAmount?: MinorUnits | undefined;
}

/** SQL condition: the payment intent of biller and mode passes the filter. */
export function isPaymentOf(db: Db, tenant: TenantKey, filter: PaymentFilter): Fragment {
  return db`
    biller_id = ${tenant.billerId} and livemode = ${tenant.livemode}
    ${filter.customerId === undefined ? db`` : db`and customer_id = ${filter.customerId}`}
    ${filter.paymentPlanId === undefined ? db`` : db`and payment_plan_id = ${filter.paymentPlanId}`}
    ${filter.subscriptionId === undefined ? db`` : db`and subscription_id = ${filter.subscriptionId}`}
    ${filter.paymentLinkId === undefined ? db`` : db`and payment_link_id = ${filter.paymentLinkId}`}
    ${filter.testClock === undefined ? db`` : db`and ${isOnClock(db, tenant, filter.testClock)}`}`;
}

function isOnClock(db: Db, tenant: TenantKey, clock: Id<'test_clock'> | 'none'): Fragment {
  if (clock !== 'none') return db`customer_id in (select id from customers where test_clock_id = ${clock})`;
  if (tenant.livemode) return db`true`;
  return db`(
    customer_id is null or customer_id not in (
      select c.id from test_clocks t join customers c on c.test_clock_id = t.id where t.biller_id = ${tenant.billerId}
    )
  )`;
}

/** SQL condition: the payment intent of biller and mode passes the filter of a list of them. */
export function isListed(db: Db, tenant: TenantKey, filter: PaymentIntentFilter): Fragment {
  const { status, methodType, currency, totalAmount } = filter;
  return db`
    ${isPaymentOf(db, tenant, filter)}
    ${status === undefined ? db`` : db`and status = ${status}`}
    ${currency === undefined ? db`` : db`and currency = ${currency}`}
    ${totalAmount === undefined ? db`` : db`and total_amount = ${totalAmount}`}
    ${
      methodType === undefined
        ? db``
        : db`and exists (
      select from payment_methods m
      where m.id = payment_method_id and m.type = ${methodType}
        and m.biller_id = ${tenant.billerId} and m.livemode = ${tenant.livemode}
    )`
    }`;
}

/** A page of intents, newest first, with one extra row if more follow. */
export async function listPaymentIntents(
  db: Db,
  tenant: TenantKey,
  filter: PaymentIntentFilter,
  page: Page,
): Promise<PaymentIntentRow[]> {
  return db<PaymentIntentRow[]>`${fittingPage(
    db,
    jsonBytes(db, 'metadata'),
    db`
      select * from payment_intents
      where ${isListed(db, tenant, filter)}
        and ${isOnPage(db, 'payment_intents', tenant, page)}
      order by ${orderOf(db, page)}
      limit ${page.limit + 1}`,
  )}`;
}

/**
 * Marks an intent as being charged, and ends its schedule. `attempt.number` becomes `attempt_count`. The attempt's
 * method replaces the intent's, if the attempt has one. The attempt's customer is set only if the intent has none. The
 * surcharge is that of `intent`, decided for this attempt.
 */
export async function markProcessing(
  tx: Tx,
  intent: PaymentIntentRow,
  attempt: {
    number: number;
    paymentMethodId: Id<'payment_method'> | null;
    customerId: Id<'customer'> | null;
    at: CustomerInstant;
  },
): Promise<void> {
  await tx`
    update payment_intents
    set status = 'processing', attempt_count = ${attempt.number},
      payment_method_id = coalesce(${attempt.paymentMethodId}, payment_method_id),
      customer_id = coalesce(customer_id, ${attempt.customerId}), scheduled_at = null, updated_at = ${attempt.at},
      ${surchargeAssignments(tx, intent)}
    where id = ${intent.id}`;
}

/** The columns that an attempt decides, as a part of an update. */
export function surchargeAssignments(
  db: Db,
  row: Pick<
    PaymentIntentRow,
    | 'fee_amount'
    | 'surcharge_asked'
    | 'surcharge_amount'
    | 'surcharge_applied'
    | 'surcharge_reason'
    | 'surcharge_basis'
    | 'tax_amount'
  >,
): Fragment {
  return db`
    fee_amount = ${row.fee_amount}, surcharge_asked = ${row.surcharge_asked}, surcharge_amount = ${row.surcharge_amount},
    surcharge_applied = ${row.surcharge_applied}, surcharge_reason = ${row.surcharge_reason}, surcharge_basis = ${jsonb(db, row.surcharge_basis)},
    tax_amount = ${row.tax_amount}`;
}

/** Stores where the payer of a locked intent goes on from the page of a challenge. */
export async function updateReturnUrl(tx: Tx, id: string, returnUrl: string): Promise<void> {
  await tx`update payment_intents set return_url = ${returnUrl} where id = ${id}`;
}

/** Stores the outcome of an attempt on its locked intent: the status, and the last error or nulls. */
export async function updateIntentOutcome(tx: Tx, intent: IntentOutcome): Promise<void> {
  await tx`${intentOutcome(intent)(tx, tx`true`)}`;
}

type IntentOutcome = Pick<
  PaymentIntentRow,
  'id' | 'status' | 'payer_failures' | 'collected_at' | 'last_error_code' | 'last_error_message' | 'updated_at'
>;

/** As `updateIntentOutcome`, as a condition of the statement that records the event. */
export function intentOutcome(intent: IntentOutcome): InsertCondition {
  return (db, met) => db`
    update payment_intents
    set status = ${intent.status}, payer_failures = ${intent.payer_failures}, collected_at = ${intent.collected_at},
      last_error_code = ${intent.last_error_code}, last_error_message = ${intent.last_error_message},
      updated_at = ${intent.updated_at}
    where id = ${intent.id} and ${met}
    returning id`;
}

/** Stores what an accepted debit makes of its locked intent, and ends the intent's schedule. */
export async function markAccepted(tx: Tx, intent: PaymentIntentRow): Promise<void> {
  const { attempt_count, payment_method_id, customer_id, mandate_id, lodgement_reference, updated_at } = intent;
  const { expected_result_date } = intent;
  const debit = { mandate_id, lodgement_reference, expected_result_date };
  const change = { attempt_count, payment_method_id, customer_id, ...debit, updated_at };
  await tx`
    update payment_intents
    set ${tx(change)}, status = 'processing', scheduled_at = null, returnable_until = null, last_error_code = null,
      last_error_message = null, ${surchargeAssignments(tx, intent)}
    where id = ${intent.id}`;
}

/** Stores what the course of a debit, or a lost dispute, makes of its locked intent. */
export async function updateDebitedIntent(tx: Tx, intent: PaymentIntentRow): Promise<void> {
  const { status, payer_failures, expected_result_date, returnable_until, total_returned_amount } = intent;
  const { refunded_before_dispute, collected_at, last_error_code, last_error_message, updated_at } = intent;
  const money = { total_returned_amount, refunded_before_dispute };
  const change = { status, payer_failures, expected_result_date, returnable_until, ...money };
  await tx`
    update payment_intents set ${tx({ ...change, collected_at, last_error_code, last_error_message, updated_at })}
    where id = ${intent.id}`;
}

/** Notes the session in which a payer may pay a locked intent. */
export async function noteSession(
  tx: Tx,
  id: Id<'payment_intent'>,
  checkoutSessionId: Id<'checkout_session'>,
): Promise<void> {
  await tx`update payment_intents set checkout_session_id = ${checkoutSessionId} where id = ${id}`;
}

/** A page of the intents of a link on which an attempt was made, newest first, with one extra row if more follow. */
export async function listIntentsOfLink(
  db: Db,
  tenant: TenantKey,
  paymentLinkId: string,
  { limit, after }: Page,
): Promise<PaymentIntentRow[]> {
  return db<PaymentIntentRow[]>`
    select * from payment_intents
    where payment_link_id = ${paymentLinkId} and attempt_count > 0 and ${isAfter(db, 'payment_intents', tenant, after)}
    order by id desc
    limit ${limit + 1}`;
}

/** Whether the last of the payments of a link that have succeeded has come back. */
export async function hasLastOfLinkReturned(db: Db, paymentLinkId: string): Promise<boolean> {
  const [row] = await db<{ status: PaymentIntentRow['status'] }[]>`
    select status from payment_intents
    where payment_link_id = ${paymentLinkId} and status in ('succeeded', 'returned')
    order by updated_at desc, id desc
    limit 1`;
  return row?.status === 'returned';
}

/**
 * Cancels the scheduled payments of a customer, and returns the new rows. This includes payments without a customer
 * that use one of the customer's methods.
 */
export async function cancelScheduledIntents(
  tx: Tx,
  customerId: string,
  at: CustomerInstant,
): Promise<PaymentIntentRow[]> {
  return tx<PaymentIntentRow[]>`
    update payment_intents set status = 'canceled', scheduled_at = null, updated_at = ${at}
    where scheduled_at is not null and (
      customer_id = ${customerId} or customer_id is null and payment_method_id in (
        select id from payment_methods where customer_id = ${customerId}
      )
    )
    returning *`;
}

/**
 * Cancels a locked intent and returns the new row.
 * @throws if the intent does not exist.
 */
export async function markCanceled(tx: Tx, id: string, at: CustomerInstant): Promise<PaymentIntentRow> {
  const [row] = await tx<PaymentIntentRow[]>`
    update payment_intents set status = 'canceled', scheduled_at = null, updated_at = ${at}
    where id = ${id}
    returning *`;
  if (row === undefined) throw new Error(`payment intent ${id} is gone`);
  return row;
}

/** Changes what an intent takes that no attempt is under way for, before its next attempt. */
export async function updateIntentAmounts(tx: Tx, intent: PaymentIntentRow, at: CustomerInstant): Promise<void> {
  await tx`
    update payment_intents
    set amount = ${intent.amount}, agreed_amount = ${intent.amount}, tax_basis = ${jsonb(tx, intent.tax_basis)},
      ${surchargeAssignments(tx, intent)}, updated_at = ${at}
    where id = ${intent.id}`;
}

/** Adds a succeeded refund to the intent's total. If it completes late, `updated_at` does not go backwards. */
export async function addRefunded(tx: Tx, id: string, amount: MinorUnits, at: CustomerInstant): Promise<void> {
  await tx`
    update payment_intents
    set total_refunded_amount = total_refunded_amount + ${amount}, updated_at = greatest(updated_at, ${at})
    where id = ${id}`;
}
