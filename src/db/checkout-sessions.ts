import type { Currency } from '../domain/currencies.ts';
import type { Id } from '../domain/ids.ts';
import type { CustomerInstant } from '../domain/instants.ts';
import type { Db, Tx } from '../platform/postgres/connection.ts';
import { jsonb } from '../platform/postgres/types.ts';
import { type OfferColumns, offerParameters } from './payment-links.ts';
import { isOnPage, orderOf, type Page, type TenantKey } from './tenant.ts';

type CheckoutSessionStatus = 'open' | 'processing' | 'completed' | 'expired';

/** What a payer agreed to: that the method is kept, and what is taken with it. */
export interface Consent {
  text: string;
  /** ISO 8601, the customer's time. */
  accepted_at: string;
  ip_address: string;
  user_agent: string | null;
}

export interface CheckoutSessionRow extends OfferColumns {
  id: Id<'checkout_session'>;
  biller_id: Id<'biller'>;
  livemode: boolean;
  test_clock_id: Id<'test_clock'> | null;
  payment_link_id: Id<'payment_link'> | null;
  /** Its link takes one payment. */
  single_use: boolean;
  customer_id: Id<'customer'> | null;
  payment_intent_id: Id<'payment_intent'> | null;
  /** The session makes its payment intent; otherwise it was made for an intent of the biller. */
  has_own_intent: boolean;
  payment_method_id: Id<'payment_method'> | null;
  /** Methods that the payer has entered for this payment only. */
  unkept_methods: Id<'payment_method'>[];
  /** The method that the payer has entered in the last form, without a mandate. It is not kept if its payment fails. */
  entered_method: Id<'payment_method'> | null;
  /** A keyed hash of the form that was taken last, if a way to pay was entered in it, and the method saved from it. */
  taken_form: Buffer | null;
  taken_method: Id<'payment_method'> | null;
  /** What the payer agreed to in the form that was accepted last. Null if nothing is kept. */
  consent: Consent | null;
  /** The payer has made the saved method the customer's default. */
  made_default: boolean;
  token_hash: Buffer;
  sealed_token: Buffer;
  status: CheckoutSessionStatus;
  status_reason: string | null;
  /** How often the form was accepted. */
  submissions: number;
  failed_attempts: number;
  expires_at: CustomerInstant;
  /** When it expires, or when its challenge has taken too long. Null while it waits for a payment begun before. */
  wake_at: CustomerInstant | null;
  completed_at: CustomerInstant | null;
  expired_at: CustomerInstant | null;
  created_at: CustomerInstant;
  updated_at: CustomerInstant;
}

/** Stores a new session. */
export async function insertCheckoutSession(tx: Tx, row: CheckoutSessionRow): Promise<void> {
  await tx`insert into checkout_sessions ${tx(parametersOf(tx, row))}`;
}

/** The JSON columns of a session as parameters of a statement. */
function parametersOf<T extends Partial<CheckoutSessionRow>>(tx: Tx, row: T) {
  const { consent } = row;
  return { ...offerParameters(tx, row), ...(consent == null ? {} : { consent: jsonb(tx, consent) }) };
}

/** The columns of a session that change. */
export type CheckoutSessionChange = Partial<Omit<CheckoutSessionRow, 'id' | 'biller_id' | 'livemode' | 'metadata'>>;

/**
 * Changes a locked session and returns the new row.
 * @throws if the session does not exist.
 */
export async function updateCheckoutSession(
  tx: Tx,
  id: string,
  change: CheckoutSessionChange,
): Promise<CheckoutSessionRow> {
  const [row] = await tx<CheckoutSessionRow[]>`
    update checkout_sessions set ${tx(parametersOf(tx, change))} where id = ${id} returning *`;
  if (row === undefined) throw new Error(`checkout session ${id} does not exist`);
  return row;
}

/** The session of this biller and mode, or null. */
export async function selectCheckoutSession(db: Db, tenant: TenantKey, id: string): Promise<CheckoutSessionRow | null> {
  const [row] = await db<CheckoutSessionRow[]>`
    select * from checkout_sessions
    where id = ${id} and biller_id = ${tenant.billerId} and livemode = ${tenant.livemode}`;
  return row ?? null;
}

/** The session of any biller whose URL has the token with this SHA-256, or null. */
export async function selectSessionByToken(db: Db, hash: Buffer): Promise<CheckoutSessionRow | null> {
  const [row] = await db<CheckoutSessionRow[]>`select * from checkout_sessions where token_hash = ${hash}`;
  return row ?? null;
}

/** What the payment of a session is for, or null if the session has no payment yet. */
export async function selectIntentOfSession(
  db: Db,
  id: string,
): Promise<{
  id: Id<'payment_intent'>;
  payment_plan_id: Id<'payment_plan'> | null;
  subscription_id: Id<'subscription'> | null;
} | null> {
  const [row] = await db<
    {
      id: Id<'payment_intent'>;
      payment_plan_id: Id<'payment_plan'> | null;
      subscription_id: Id<'subscription'> | null;
    }[]
  >`
    select i.id, i.payment_plan_id, i.subscription_id
    from checkout_sessions s join payment_intents i on i.id = s.payment_intent_id
    where s.id = ${id}`;
  return row ?? null;
}

/** The session in which a payer may pay this intent, or last could. Null if there never was one. */
export async function selectSessionOfIntent(db: Db, paymentIntentId: string): Promise<CheckoutSessionRow | null> {
  const [row] = await db<CheckoutSessionRow[]>`
    select s.* from payment_intents i join checkout_sessions s on s.id = i.checkout_session_id
    where i.id = ${paymentIntentId}`;
  return row ?? null;
}

/**
 * Locks the session in which a payer may pay this intent, after the link of the intent, in one statement: the statement
 * that a charge sends next locks the intent. Returns their ids, or null if there never was a session.
 */
export async function lockSessionOfIntent(
  tx: Tx,
  paymentIntentId: string,
): Promise<{ id: Id<'checkout_session'>; payment_link_id: Id<'payment_link'> | null } | null> {
  const [row] = await tx<{ id: Id<'checkout_session'>; payment_link_id: Id<'payment_link'> | null }[]>`
    with link as materialized (
      select id from payment_links
      where id = (select payment_link_id from payment_intents where id = ${paymentIntentId})
      for no key update
    )
    select s.id, s.payment_link_id
    from checkout_sessions s left join link on true
    where s.id = (select checkout_session_id from payment_intents where id = ${paymentIntentId})
    for no key update of s`;
  return row ?? null;
}

/**
 * Locks the session of its own without a link in which this payment of a plan or a subscription can be paid, if it has
 * not ended. It does not wait: null also if another transaction has locked it.
 */
export async function lockFreeSessionOfIntent(tx: Tx, paymentIntentId: string): Promise<CheckoutSessionRow | null> {
  const [row] = await tx<CheckoutSessionRow[]>`
    select * from checkout_sessions
    where id = (select checkout_session_id from payment_intents where id = ${paymentIntentId})
      and status in ('open', 'processing') and not has_own_intent
    for no key update skip locked`;
  return row ?? null;
}

/** Locks a session for update, after its link. Returns null if it was deleted. */
export async function lockCheckoutSession(tx: Tx, id: string): Promise<CheckoutSessionRow | null> {
  const [row] = await tx<CheckoutSessionRow[]>`select * from checkout_sessions where id = ${id} for no key update`;
  return row ?? null;
}

/** Locks the sessions of a locked link that have not ended, oldest first. */
export async function lockSessionsOfLink(tx: Tx, paymentLinkId: string): Promise<CheckoutSessionRow[]> {
  return tx<CheckoutSessionRow[]>`
    select * from checkout_sessions
    where payment_link_id = ${paymentLinkId} and status in ('open', 'processing')
    order by id
    for no key update`;
}

/** Counts the payments of a locked link that may still succeed: their sessions are `processing`. */
export async function countProcessing(tx: Tx, paymentLinkId: string): Promise<number> {
  const [row] = await tx<{ count: number }[]>`
    select count(*)::integer as count from checkout_sessions
    where payment_link_id = ${paymentLinkId} and status = 'processing'`;
  return row?.count ?? 0;
}

export interface CheckoutSessionFilter {
  status?: CheckoutSessionStatus | undefined;
  paymentLinkId?: Id<'payment_link'> | undefined;
  customerId?: Id<'customer'> | undefined;
  /** Only sessions on this test clock. Without it, only sessions in real time. */
  testClock?: Id<'test_clock'> | undefined;
  paymentPlanId?: Id<'payment_plan'> | undefined;
  subscriptionId?: Id<'subscription'> | undefined;
}

/** A page of sessions, newest first, with one extra row if more follow. */
export async function listCheckoutSessions(
  db: Db,
  tenant: TenantKey,
  filter: CheckoutSessionFilter,
  page: Page,
): Promise<CheckoutSessionRow[]> {
  return db<CheckoutSessionRow[]>`
    select * from checkout_sessions
    where biller_id = ${tenant.billerId} and livemode = ${tenant.livemode}
      ${filter.testClock === undefined ? db`and test_clock_id is null` : db`and test_clock_id = ${filter.testClock}`}
      ${filter.status === undefined ? db`` : db`and status = ${filter.status}`}
      ${filter.paymentLinkId === undefined ? db`` : db`and payment_link_id = ${filter.paymentLinkId}`}
      ${filter.customerId === undefined ? db`` : db`and customer_id = ${filter.customerId}`}
      ${filter.paymentPlanId === undefined ? db`` : db`and apply_to_payment_plan_id = ${filter.paymentPlanId}`}
      ${filter.subscriptionId === undefined ? db`` : db`and apply_to_subscription_id = ${filter.subscriptionId}`}
      and ${isOnPage(db, 'checkout_sessions', tenant, page)}
    order by ${orderOf(db, page)}
    limit ${page.limit + 1}`;
}

/** Locks the sessions of a customer that have no link and have not ended, before they end with the customer. */
export async function lockSessionsOfCustomer(tx: Tx, customerId: string): Promise<CheckoutSessionRow[]> {
  return tx<CheckoutSessionRow[]>`
    select * from checkout_sessions
    where customer_id = ${customerId} and payment_link_id is null and status in ('open', 'processing')
    order by id
    for no key update`;
}

/** The currency of the plan or subscription that a session names in `apply_to`. Null if it names none. */
export async function selectCurrencyOfSubject(
  db: Db,
  { apply_to_payment_plan_id: planId, apply_to_subscription_id: subscriptionId }: CheckoutSessionRow,
): Promise<Currency | null> {
  const [row] = await db<{ currency: Currency }[]>`
    select currency from payment_plans where id = ${planId}
    union all select currency from subscriptions where id = ${subscriptionId}`;
  return row?.currency ?? null;
}
