import type { Fragment } from 'postgres';
import type { PlainDate } from '../domain/calendar.ts';
import type { Currency } from '../domain/currencies.ts';
import type { Id } from '../domain/ids.ts';
import type { CustomerInstant } from '../domain/instants.ts';
import type { BalanceTransactionType } from '../domain/ledger/balance-transactions.ts';
import type { MinorUnits } from '../domain/units.ts';
import type { Db } from '../platform/postgres/connection.ts';
import type { Page, TenantKey } from './tenant.ts';

/** What a biller has in one currency, minor units. */
export interface BalanceRow {
  currency: Currency;
  in_flight: MinorUnits;
  pending: MinorUnits;
  available: MinorUnits;
  held: MinorUnits;
  /** What subscriptions owe back. */
  credit: MinorUnits;
}

/** The balances of a biller in real time, or on a test clock, by currency. `today` is a date in the biller's zone. */
export async function listBalances(
  db: Db,
  { billerId, livemode }: TenantKey,
  { testClock, today }: { testClock: Id<'test_clock'> | null; today: PlainDate },
): Promise<BalanceRow[]> {
  return db<BalanceRow[]>`
    select currency,
      coalesce(sum(amount) filter (where account = 'in_flight'), 0)::bigint as in_flight,
      coalesce(sum(amount) filter (
        where account = 'processor' and (available_on is null or available_on > ${today})), 0)::bigint as pending,
      coalesce(sum(amount) filter (where account = 'processor' and available_on <= ${today}), 0)::bigint as available,
      coalesce(sum(amount) filter (where account = 'held'), 0)::bigint as held,
      coalesce(0 - sum(amount) filter (where account = 'credit'), 0)::bigint as credit
    from ledger_balances
    where biller_id = ${billerId} and livemode = ${livemode} and ${isOn(db, testClock)}
    group by currency order by currency`;
}

/** A movement of money as finance reads it. */
export interface BalanceTransactionRow {
  id: Id<'balance_transaction'>;
  biller_id: Id<'biller'>;
  livemode: boolean;
  test_clock: Id<'test_clock'> | null;
  type: BalanceTransactionType;
  currency: Currency;
  gross: MinorUnits;
  fee: MinorUnits;
  net: MinorUnits;
  source: string;
  payment_intent_id: string | null;
  /** The payout that pays it; null if none does, or if it failed. */
  payout_id: Id<'payout'> | null;
  customer_id: string | null;
  available_on: PlainDate | null;
  description: string | null;
  metadata: Record<string, string>;
  payment_plan_id: string | null;
  subscription_id: string | null;
  created_at: CustomerInstant;
  /** The order of rows at one instant. */
  position: number;
}

export interface BalanceTransactionFilter {
  type?: BalanceTransactionType | undefined;
  currency?: Currency | undefined;
  source?: string | undefined;
  customerId?: Id<'customer'> | undefined;
  paymentIntentId?: Id<'payment_intent'> | undefined;
  /** Without it, only what is on no test clock. */
  payoutId?: Id<'payout'> | undefined;
  testClock?: Id<'test_clock'> | undefined;
  /** `created_at`: this or later, and earlier than the second. */
  from?: Date | undefined;
  to?: Date | undefined;
}

/** Condition: the row is on this test clock, or in real time. Two conditions, because an index serves each of them. */
export function isOn(db: Db, testClock: Id<'test_clock'> | null) {
  return testClock === null ? db`test_clock_id is null` : db`test_clock_id = ${testClock}`;
}

/**
 * The rows as finance reads them. `rows` are those of the view, narrowed before the others are read: each by its key,
 * since a batch of a report is much shorter than these tables (`limit 1` keeps PostgreSQL from reading them whole).
 */
export function presented(db: Db, rows: Fragment) {
  return db`
    select t.id, t.biller_id, t.livemode, t.test_clock_id as test_clock, t.kind as type, t.currency,
      t.gross, t.fee, t.net, t.source_id as source, t.payment_intent_id, o.payout_id, t.customer_id, t.available_on,
      coalesce(i.description, t.told_description) as description, coalesce(r.metadata, i.metadata, '{}') as metadata,
      t.occurred_at as created_at, t.position, i.payment_plan_id, i.subscription_id
    from (${rows}) t
    left join lateral (
      select payout_id from payout_items where transaction_id = t.id and not released limit 1
    ) o on true
    left join lateral (
      select description, metadata, payment_plan_id, subscription_id from payment_intents
      where id = t.payment_intent_id and biller_id = t.biller_id and livemode = t.livemode limit 1
    ) i on true
    left join lateral (
      select metadata from refunds
      where id = t.source_id and biller_id = t.biller_id and livemode = t.livemode limit 1
    ) r on t.kind = 'refund'`;
}

/** Condition: the payout pays the row, or was to pay it. */
function isItemOf(db: Db, payoutId: Id<'payout'>) {
  return db`id in (select transaction_id from payout_items where payout_id = ${payoutId})`;
}

/** The rows of this biller and mode. */
export function rowsOf(db: Db, { billerId, livemode }: TenantKey) {
  return db`select * from balance_transactions where biller_id = ${billerId} and livemode = ${livemode}`;
}

/** The row of this biller and mode, on any test clock or none, or null. */
export async function selectBalanceTransaction(
  db: Db,
  tenant: TenantKey,
  id: string,
): Promise<BalanceTransactionRow | null> {
  const [row] = await db<BalanceTransactionRow[]>`${presented(db, db`${rowsOf(db, tenant)} and id = ${id}`)}`;
  return row ?? null;
}

/** A page of rows, newest first by `created_at`, with one extra row if more follow. */
export async function listBalanceTransactionRows(
  db: Db,
  tenant: TenantKey,
  filter: BalanceTransactionFilter,
  { limit, after }: Page,
): Promise<BalanceTransactionRow[]> {
  const rows = db`
    ${rowsOf(db, tenant)} and ${isOn(db, filter.testClock ?? null)}
      ${filter.type === undefined ? db`` : db`and kind = ${filter.type}`}
      ${filter.currency === undefined ? db`` : db`and currency = ${filter.currency}`}
      ${filter.source === undefined ? db`` : db`and source_id = ${filter.source}`}
      ${filter.customerId === undefined ? db`` : db`and customer_id = ${filter.customerId}`}
      ${filter.paymentIntentId === undefined ? db`` : db`and payment_intent_id = ${filter.paymentIntentId}`}
      ${filter.payoutId === undefined ? db`` : db`and ${isItemOf(db, filter.payoutId)}`}
      ${filter.from === undefined ? db`` : db`and occurred_at >= ${filter.from}`}
      ${filter.to === undefined ? db`` : db`and occurred_at < ${filter.to}`}
      ${
        after === undefined
          ? db``
          : db`and (occurred_at, position, id) < (
              select c.occurred_at, c.position, c.id from balance_transactions c
              where c.id = ${after} and c.biller_id = ${tenant.billerId} and c.livemode = ${tenant.livemode}
            )`
      }
    order by occurred_at desc, position desc, id desc
    limit ${limit + 1}`;
  return db<BalanceTransactionRow[]>`${presented(db, rows)} order by t.occurred_at desc, t.position desc, t.id desc`;
}
