import type { DeclineCode } from '../domain/charge-outcome.ts';
import type { Currency } from '../domain/currencies.ts';
import type { Id } from '../domain/ids.ts';
import type { CustomerInstant } from '../domain/instants.ts';
import { amountEntry } from '../domain/subscriptions/account.ts';
import type { Derived } from '../domain/subscriptions/derive.ts';
import type { Period, SubscriptionTerms } from '../domain/subscriptions/subscription.ts';
import type { Costs } from '../domain/surcharges/costs.ts';
import type { FeeColumns } from '../domain/surcharges/fees.ts';
import type { Tax } from '../domain/tax/tax.ts';
import type { MinorUnits } from '../domain/units.ts';
import type { Db, Tx } from '../platform/postgres/connection.ts';
import { fittingPage, jsonBytes } from '../platform/postgres/fitting-page.ts';
import { jsonb } from '../platform/postgres/types.ts';
import { payerColumns } from './customers.ts';
import { refundableCredit } from './refunds.ts';
import { insertEntries } from './subscription-entries.ts';
import { isOnPage, orderOf, type Page, type TenantKey } from './tenant.ts';

export interface SubscriptionRow extends SubscriptionTerms, Derived {
  id: Id<'subscription'>;
  biller_id: Id<'biller'>;
  livemode: boolean;
  customer_id: Id<'customer'>;
  test_clock_id: Id<'test_clock'> | null;
  name: string;
  currency: Currency;
  payment_instrument_id: Id<'payment_method'> | null;
  metadata: Record<string, string>;
  /** The payment intents that were made for it. */
  charges: number;
  credit_balance_cents: MinorUnits;
  latest_payment_intent_id: Id<'payment_intent'> | null;
  /** When the next step of one of its debits is due. Written by `db/bank-debits.ts` alone. */
  next_debit_at: CustomerInstant | null;
  /** The payments that were under way when the subscription was canceled, and still are. */
  in_flight_cents: MinorUnits;
  /** Why its last charge failed; null if it did not. */
  last_error_code: DeclineCode | null;
  last_error_message: string | null;
  created_at: CustomerInstant;
  updated_at: CustomerInstant;
}

/** The period that has begun last, as the API shows it with its subscription. */
type CurrentPeriod = Pick<Period, 'number' | 'start_date' | 'end_date' | 'kind' | 'status'>;

export interface ShownSubscriptionRow extends SubscriptionRow {
  current_period: CurrentPeriod | null;
  /** How much of the credit can be paid out now. */
  refundable_credit_cents: MinorUnits;
}

/** A subscription with what its collection needs from the biller, the customer and the test clock. */
export interface CollectingSubscriptionRow extends SubscriptionRow, FeeColumns {
  refundable_credit_cents: MinorUnits;
  time_zone: string;
  statement_descriptor: string | null;
  default_payment_method_id: Id<'payment_method'> | null;
  customer_pays_fees: boolean;
  country: string | null;
  cost_of_acceptance: Costs;
  tax: Tax | null;
  customer_deleted_at: CustomerInstant | null;
}

/** Inserts a new subscription. */
export async function insertSubscription(tx: Tx, row: SubscriptionRow): Promise<void> {
  await tx`insert into subscriptions ${tx(storedColumns(tx, row))}`;
}

/** The subscription of this biller and mode, or null. */
export async function selectSubscription(db: Db, tenant: TenantKey, id: string): Promise<ShownSubscriptionRow | null> {
  const [row] = await db<ShownSubscriptionRow[]>`
    select s.*, ${currentPeriod(db)}, ${refundableCredit(db)} from subscriptions s
    where id = ${id} and biller_id = ${tenant.billerId} and livemode = ${tenant.livemode}`;
  return row ?? null;
}

export interface SubscriptionFilter {
  customerId?: Id<'customer'> | undefined;
  state?: string | undefined;
  inEffect?: boolean | undefined;
  testClock?: Id<'test_clock'> | undefined;
}

/** A page of subscriptions, newest first, with one extra row if more follow. */
export async function listSubscriptions(
  db: Db,
  tenant: TenantKey,
  filter: SubscriptionFilter,
  page: Page,
): Promise<ShownSubscriptionRow[]> {
  return db<ShownSubscriptionRow[]>`${fittingPage(
    db,
    db`${jsonBytes(db, 'metadata')} + ${jsonBytes(db, 'items')}`,
    db`
      select s.*, ${currentPeriod(db)}, ${refundableCredit(db)} from subscriptions s
      where biller_id = ${tenant.billerId} and livemode = ${tenant.livemode}
        ${filter.customerId === undefined ? db`` : db`and customer_id = ${filter.customerId}`}
        ${filter.state === undefined ? db`` : db`and state = ${filter.state}`}
        ${filter.inEffect === undefined ? db`` : db`and in_effect = ${filter.inEffect}`}
        ${filter.testClock === undefined ? db`` : db`and test_clock_id = ${filter.testClock}`}
        and ${isOnPage(db, 'subscriptions', tenant, page)}
      order by ${orderOf(db, page)}
      limit ${page.limit + 1}`,
  )}`;
}

/** How much of the credit of a subscription can be paid out now. */
export async function selectRefundableCredit(db: Db, id: string): Promise<MinorUnits> {
  const [row] = await db<{ refundable_credit_cents: MinorUnits }[]>`
    select ${refundableCredit(db)} from subscriptions s where s.id = ${id}`;
  return row?.refundable_credit_cents ?? 0;
}

/** The column `current_period` of the subscription `s`. */
function currentPeriod(db: Db) {
  return db`(
      select jsonb_build_object('number', number, 'start_date', p.start_date, 'end_date', end_date, 'kind', kind,
        'status', status)
      from subscription_periods p where p.subscription_id = s.id and p.number = s.current_number
    ) as current_period`;
}

/**
 * Locks a subscription for update until the transaction ends, so that collecting, changing and ending it never overlap.
 * Returns null if it was deleted.
 */
export async function lockSubscription(tx: Tx, id: string): Promise<CollectingSubscriptionRow | null> {
  const [row] = await tx<CollectingSubscriptionRow[]>`${collecting(tx)} where s.id = ${id} for no key update of s`;
  return row ?? null;
}

/** As `lockSubscription`, without a lock. */
export async function selectCollecting(db: Db, id: string): Promise<CollectingSubscriptionRow | null> {
  const [row] = await db<CollectingSubscriptionRow[]>`${collecting(db)} where s.id = ${id}`;
  return row ?? null;
}

/** As `lockSubscription`, for the subscription that a payment intent belongs to. Null if it belongs to none. */
export async function lockSubscriptionOfIntent(tx: Tx, intentId: string): Promise<CollectingSubscriptionRow | null> {
  const [row] = await tx<CollectingSubscriptionRow[]>`
    ${collecting(tx)} where s.id = (select subscription_id from payment_intents where id = ${intentId})
    for no key update of s`;
  return row ?? null;
}

function collecting(db: Db) {
  return db`
    select s.*, ${refundableCredit(db)}, ${payerColumns(db)}, c.deleted_at as customer_deleted_at
    from subscriptions s
    join billers b on b.id = s.biller_id
    join customers c on c.id = s.customer_id`;
}

/** The columns that can change after the creation. */
export type SubscriptionRowChange = Partial<
  Omit<
    SubscriptionRow,
    'id' | 'biller_id' | 'livemode' | 'customer_id' | 'test_clock_id' | 'next_debit_at' | 'created_at'
  >
>;

/** Changes a locked subscription. */
export async function updateSubscription(
  tx: Tx,
  id: string,
  change: SubscriptionRowChange & { updated_at: CustomerInstant },
): Promise<void> {
  await tx`update subscriptions set ${tx(storedColumns(tx, change))} where id = ${id}`;
}

/** The given columns of a row as PostgreSQL takes them: some are JSON. */
function storedColumns(
  tx: Tx,
  {
    items,
    next_items,
    billed_items,
    next_period_lines,
    discounts,
    next_discounts,
    one_off_items,
    unpaid_one_off_items,
    metadata,
    ...plain
  }: Partial<SubscriptionRow>,
) {
  const sold = { items, next_items, billed_items, next_period_lines, discounts, next_discounts };
  const json = Object.entries({ ...sold, one_off_items, unpaid_one_off_items, metadata })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, jsonb(tx, value)]);
  return { ...plain, ...(Object.fromEntries(json) as Record<string, ReturnType<typeof jsonb>>) };
}

/** Adds to the credit of a subscription what a refund of this payment gives back, or takes what it pays out. */
export async function addCredit(
  tx: Tx,
  id: string,
  paymentIntentId: Id<'payment_intent'>,
  amount: MinorUnits,
  at: CustomerInstant,
): Promise<void> {
  const entries = amountEntry('paid_out', 0, 'Credit that was paid out', 0 - amount, paymentIntentId);
  await insertEntries(tx, id, entries, at);
  await tx`
    update subscriptions set credit_balance_cents = credit_balance_cents + ${amount}, updated_at = ${at}
    where id = ${id}`;
}

/** The id of the subscription that a payment intent belongs to, or null. */
export async function selectSubscriptionOfIntent(db: Db, intentId: string): Promise<string | null> {
  const [row] = await db<{ subscription_id: Id<'subscription'> | null }[]>`
    select subscription_id from payment_intents where id = ${intentId}`;
  return row?.subscription_id ?? null;
}

/** Whether a subscription needs a workflow. */
export function isRunning(db: Db) {
  return db`(
      (state <> 'canceled' and (state <> 'pending' or started_at is not null)) or next_debit_at is not null
    )`;
}

/** Locks the subscriptions of a customer that have not ended, and returns them oldest first. */
export async function lockOpenSubscriptionsOfCustomer(
  tx: Tx,
  customerId: string,
): Promise<{ id: Id<'subscription'> }[]> {
  return tx<{ id: Id<'subscription'> }[]>`
    select id from subscriptions where customer_id = ${customerId} and state <> 'canceled'
    order by id
    for no key update`;
}
