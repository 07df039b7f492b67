import type { Currency } from '../domain/currencies.ts';
import type { Id } from '../domain/ids.ts';
import type { CustomerInstant } from '../domain/instants.ts';
import type { MinorUnits } from '../domain/units.ts';
import type { Db, Tx } from '../platform/postgres/connection.ts';
import { jsonb } from '../platform/postgres/types.ts';
import type { RealInstant } from '../platform/real-time.ts';
import { isOnPage, orderOf, type Page, type TenantKey } from './tenant.ts';

type Wanted = 'required' | 'optional' | 'no';

/** What a payer is asked for: the columns that a link and a session have in common. */
export interface OfferColumns {
  mode: 'payment' | 'setup';
  name: string | null;
  description: string | null;
  amount: MinorUnits | null;
  /** With `amount_max`: the payer chooses the amount. */
  amount_min: MinorUnits | null;
  amount_max: MinorUnits | null;
  amount_suggested: MinorUnits[];
  currency: Currency | null;
  /** What the payer is asked for about the person, if the customer is not known. */
  collect: { email: Wanted; name: Wanted; phone: Wanted };
  payment_method_types: ('card' | 'au_becs_debit')[];
  save_payment_method: 'no' | 'offer' | 'always';
  /** Whether a method that is saved becomes the customer's default: never, if the payer ticks a box, or always. */
  makes_default: 'no' | 'offer' | 'always';
  /** The plan that a completed payment or setup resumes. */
  apply_to_payment_plan_id: Id<'payment_plan'> | null;
  /** The subscription that a completed payment or setup starts or resumes. */
  apply_to_subscription_id: Id<'subscription'> | null;
  /** What the subscription has served unpaid is let go when it is resumed. */
  apply_to_waives_unpaid: boolean;
  surcharge_applied: boolean;
  /** Whether the amount includes the tax of the biller. */
  tax_included: boolean;
  statement_descriptor: string | null;
  metadata: Record<string, string>;
  success_url: string | null;
  cancel_url: string | null;
  /** In live mode: whether its page can take cards, as far as was known when it was made, or opened last. */
  takes_cards: boolean;
}

export type PaymentLinkStatus = 'open' | 'completed' | 'expired' | 'deactivated';

export interface PaymentLinkRow extends OfferColumns {
  id: Id<'payment_link'>;
  biller_id: Id<'biller'>;
  livemode: boolean;
  test_clock_id: Id<'test_clock'> | null;
  customer_id: Id<'customer'> | null;
  name: string;
  reference: string | null;
  max_payments: number | null;
  token_hash: Buffer;
  sealed_token: Buffer;
  status: PaymentLinkStatus;
  status_reason: string | null;
  payments_count: number;
  collected_amount: MinorUnits;
  expires_at: CustomerInstant | null;
  /** When it expires. Null while it waits for a payment that was begun before. */
  wake_at: CustomerInstant | null;
  completed_at: CustomerInstant | null;
  expired_at: CustomerInstant | null;
  /** Until when payers are asked to try later; null: that has never happened. */
  throttled_until: RealInstant | null;
  /** How often that has happened. */
  throttlings: number;
  created_at: CustomerInstant;
  updated_at: CustomerInstant;
}

/** The JSON columns of an offer as parameters of a statement. */
export function offerParameters<T extends Partial<OfferColumns>>(db: Db, row: T) {
  const { collect, metadata } = row;
  return {
    ...row,
    ...(collect === undefined ? {} : { collect: jsonb(db, collect) }),
    ...(metadata === undefined ? {} : { metadata: jsonb(db, metadata) }),
  };
}

/** Stores a new link. */
export async function insertPaymentLink(tx: Tx, row: PaymentLinkRow): Promise<void> {
  await tx`insert into payment_links ${tx(offerParameters(tx, row))}`;
}

/** The columns of a link that change. */
export type PaymentLinkChange = Partial<Omit<PaymentLinkRow, 'id' | 'biller_id' | 'livemode' | 'test_clock_id'>>;

/**
 * Changes a locked link and returns the new row.
 * @throws if the link does not exist.
 */
export async function updatePaymentLink(tx: Tx, id: string, change: PaymentLinkChange): Promise<PaymentLinkRow> {
  const [row] = await tx<PaymentLinkRow[]>`
    update payment_links set ${tx(offerParameters(tx, change))} where id = ${id} returning *`;
  if (row === undefined) throw new Error(`payment link ${id} does not exist`);
  return row;
}

/** The link of this biller and mode, or null. */
export async function selectPaymentLink(db: Db, tenant: TenantKey, id: string): Promise<PaymentLinkRow | null> {
  const [row] = await db<PaymentLinkRow[]>`
    select * from payment_links
    where id = ${id} and biller_id = ${tenant.billerId} and livemode = ${tenant.livemode}`;
  return row ?? null;
}

/** The link of any biller whose URL has the token with this SHA-256, or null. */
export async function selectLinkByToken(db: Db, hash: Buffer): Promise<PaymentLinkRow | null> {
  const [row] = await db<PaymentLinkRow[]>`select * from payment_links where token_hash = ${hash}`;
  return row ?? null;
}

/** Locks a link for update, after its customer. Returns null if it was deleted. */
export async function lockPaymentLink(tx: Tx, id: string): Promise<PaymentLinkRow | null> {
  const [row] = await tx<PaymentLinkRow[]>`select * from payment_links where id = ${id} for no key update`;
  return row ?? null;
}

export interface PaymentLinkFilter {
  status?: PaymentLinkStatus | undefined;
  customerId?: Id<'customer'> | undefined;
  reference?: string | undefined;
  /** Only links on this test clock. Without it, only links in real time. */
  testClock?: Id<'test_clock'> | undefined;
  paymentPlanId?: Id<'payment_plan'> | undefined;
  subscriptionId?: Id<'subscription'> | undefined;
}

/** A page of links, newest first, with one extra row if more follow. */
export async function listPaymentLinks(
  db: Db,
  tenant: TenantKey,
  filter: PaymentLinkFilter,
  page: Page,
): Promise<PaymentLinkRow[]> {
  return db<PaymentLinkRow[]>`
    select * from payment_links
    where biller_id = ${tenant.billerId} and livemode = ${tenant.livemode}
      ${filter.testClock === undefined ? db`and test_clock_id is null` : db`and test_clock_id = ${filter.testClock}`}
      ${filter.status === undefined ? db`` : db`and status = ${filter.status}`}
      ${filter.customerId === undefined ? db`` : db`and customer_id = ${filter.customerId}`}
      ${filter.paymentPlanId === undefined ? db`` : db`and apply_to_payment_plan_id = ${filter.paymentPlanId}`}
      ${filter.subscriptionId === undefined ? db`` : db`and apply_to_subscription_id = ${filter.subscriptionId}`}
      ${filter.reference === undefined ? db`` : db`and reference = ${filter.reference}`}
      and ${isOnPage(db, 'payment_links', tenant, page)}
    order by ${orderOf(db, page)}
    limit ${page.limit + 1}`;
}

/**
 * Locks the links of a customer that are open or completed, before they end with it. A payment of a completed one may
 * be coming back just now: the link is then open once the lock is granted.
 */
export async function lockLinksOfCustomer(tx: Tx, customerId: string): Promise<PaymentLinkRow[]> {
  return tx<PaymentLinkRow[]>`
    select * from payment_links
    where customer_id = ${customerId} and status in ('open', 'completed')
    order by id
    for no key update`;
}

/** Counts the links on a test clock that have expired after `from` up to `target` (the clock's time). */
export async function countExpiredLinks(
  db: Db,
  testClockId: string,
  from: CustomerInstant,
  target: CustomerInstant,
): Promise<number> {
  const [row] = await db<{ count: number }[]>`
    select count(*)::integer as count from payment_links
    where test_clock_id = ${testClockId} and expired_at > ${from} and expired_at <= ${target}`;
  return row?.count ?? 0;
}
