import type { Currency } from '../domain/currencies.ts';
import type { Id } from '../domain/ids.ts';
import type { CustomerInstant } from '../domain/instants.ts';
import {
  type LedgerAccount,
  moneyEventTypes,
  type PostedEventType,
  type TransactionKind,
} from '../domain/ledger/postings.ts';
import type { MinorUnits } from '../domain/units.ts';
import type { Db, Tx } from '../platform/postgres/connection.ts';
import type { TenantKey } from './tenant.ts';

export interface LedgerTransactionRow {
  id: Id<'balance_transaction'>;
  test_clock_id: Id<'test_clock'> | null;
  kind: TransactionKind;
  currency: Currency;
  /** The payment intent, the refund, the dispute, the payout or the subscription. */
  source_id: string;
  /** Null for a payout, and for credit. */
  payment_intent_id: string | null;
  customer_id: Id<'customer'> | null;
  source_key: string;
  rule_version: number;
  sequence: number;
  /** A date in the biller's zone. Null if only the live processor knows it, and for credit. */
  available_on: string | null;
  occurred_at: CustomerInstant;
  /** When a payout may pay it; null if none of the sandbox does. */
  payable_at: CustomerInstant | null;
  entries: { account: LedgerAccount; amount: MinorUnits }[];
}

/** An event as the ledger reads it. */
export interface FollowedEventRow {
  id: Id<'event'>;
  sequence: number;
  /** Null if it posts nothing; then what follows is null too, or of no use. */
  type: PostedEventType | null;
  test_clock_id: Id<'test_clock'> | null;
  customer_id: Id<'customer'> | null;
  subject_id: string;
  occurred_at: CustomerInstant;
  payment_intent_id: string | null;
  currency: Currency | null;
  /** Of a subscription its credit. */
  amount: MinorUnits | null;
  fee: MinorUnits | null;
}

/** The billers and modes that have events which are not posted yet. */
export async function listLedgersBehind(db: Db): Promise<TenantKey[]> {
  return db<TenantKey[]>`
    select s.biller_id as "billerId", s.livemode
    from event_sequences s left join ledger_positions p using (biller_id, livemode)
    where s.last_sequence > coalesce(p.last_sequence, 0)
    order by s.biller_id, s.livemode`;
}

/** The number of the last event of a biller and mode, and of the last one that is posted. 0 if there is none. */
export async function selectPosition(db: Db, tenant: TenantKey): Promise<{ last: number; posted: number }> {
  const [row] = await db<[{ last: number; posted: number }?]>`
    select s.last_sequence as last, coalesce(p.last_sequence, 0) as posted
    from event_sequences s left join ledger_positions p using (biller_id, livemode)
    where s.biller_id = ${tenant.billerId} and s.livemode = ${tenant.livemode}`;
  return row ?? { last: 0, posted: 0 };
}

/** Locks the position of a ledger until the transaction ends, and returns it. One process at a time posts. */
export async function lockPosition(tx: Tx, { billerId, livemode }: TenantKey): Promise<number> {
  await tx`
    insert into ledger_positions (biller_id, livemode, last_sequence) values (${billerId}, ${livemode}, 0)
    on conflict do nothing`;
  const [row] = await tx<[{ last_sequence: number }]>`
    select last_sequence from ledger_positions where biller_id = ${billerId} and livemode = ${livemode} for update`;
  return row.last_sequence;
}

/** Moves the position of a ledger, which is locked. The next event can be posted. */
export async function updatePosition(tx: Tx, { billerId, livemode }: TenantKey, sequence: number): Promise<void> {
  await tx`
    update ledger_positions set last_sequence = ${sequence}, stopped_at = null, stopped_by = null
    where biller_id = ${billerId} and livemode = ${livemode}`;
}

/** Notes that the next event of a ledger cannot be posted, and why, until the position moves on. */
export async function noteStopped(db: Db, { billerId, livemode }: TenantKey, why: string): Promise<void> {
  await db`
    insert into ledger_positions as p (biller_id, livemode, last_sequence, stopped_at, stopped_by)
    values (${billerId}, ${livemode}, 0, now(), ${why.slice(0, 1000)})
    on conflict (biller_id, livemode) do update
      set stopped_at = coalesce(p.stopped_at, excluded.stopped_at), stopped_by = excluded.stopped_by`;
}

/** Sets all positions to the beginning, or those of one biller, so that everything is posted again. */
export async function resetPositions(db: Db, billerId: string | null): Promise<void> {
  await db`
    update ledger_positions set last_sequence = 0
    where ${billerId === null ? db`true` : db`biller_id = ${billerId}`}`;
}

/** How many transactions the ledgers of all billers have. */
export async function countLedgerTransactions(db: Db): Promise<number> {
  const [row] = await db<[{ count: number }]>`select count(*)::bigint as count from ledger_transactions`;
  return row.count;
}

/**
 * The events after a number, in their order, at most `limit`, or only those of a test clock. Their data is read only if
 * they are posted: the return of a payment whose dispute was lost is not.
 */
export async function listFollowedEvents(
  db: Db,
  { billerId, livemode }: TenantKey,
  after: number,
  { limit, testClockId }: { limit: number | null; testClockId?: string },
): Promise<FollowedEventRow[]> {
  return db<FollowedEventRow[]>`
    select e.id, e.sequence, e.test_clock_id, e.customer_id, e.subject_id, e.created_at as occurred_at,
      case when d is null or d->>'dispute_id' is not null then null
        when e.event_type like 'subscription.%' then 'subscription' else e.event_type end as type,
      coalesce(d->>'payment_intent_id', case when e.event_type like 'payment_intent.%' then e.subject_id end)
        as payment_intent_id, d->>'currency' as currency,
      coalesce(d->>'total_amount', d->>'amount', d->>'credit_balance_cents')::bigint as amount,
      coalesce(d->>'fee_amount', '0')::bigint as fee
    from (
      select * from events
      where biller_id = ${billerId} and livemode = ${livemode} and sequence > ${after}
        ${testClockId === undefined ? db`` : db`and test_clock_id = ${testClockId}`}
      order by sequence limit ${limit}
    ) e
    cross join lateral (
      select case when e.event_type = any(${[...moneyEventTypes]}) or e.event_type like 'subscription.%'
        then e.data::jsonb end as d
    ) posted
    order by e.sequence`;
}

/**
 * What the ledger has in flight of each payment, and as credit of each subscription, up to the event `upTo`, minor
 * units. Others have nothing.
 */
export async function listPosted(
  db: Db,
  { paymentIntentIds, subscriptionIds }: { paymentIntentIds: readonly string[]; subscriptionIds: readonly string[] },
  upTo: number,
): Promise<{ id: string; amount: MinorUnits }[]> {
  return db`
    select t.payment_intent_id as id, sum(e.amount)::bigint as amount
    from ledger_transactions t join ledger_entries e on e.transaction_id = t.id and e.account = 'in_flight'
    where t.payment_intent_id = any(${[...paymentIntentIds]}) and t.sequence <= ${upTo}
    group by t.payment_intent_id having sum(e.amount) <> 0
    union all
    select t.source_id, (0 - sum(e.amount))::bigint
    from ledger_transactions t join ledger_entries e on e.transaction_id = t.id and e.account = 'credit'
    where t.source_id = any(${[...subscriptionIds]}) and t.sequence <= ${upTo}
    group by t.source_id having sum(e.amount) <> 0`;
}

/** Keeps test clocks from being deleted until the transaction ends. Returns those that are there. */
export async function lockExistingClocks(tx: Tx, ids: readonly string[]): Promise<Set<string>> {
  const rows = await tx<{ id: string }[]>`
    select id from test_clocks where id = any(${[...ids]}) order by id for key share`;
  return new Set(rows.map(({ id }) => id));
}

/**
 * Adds transactions with their entries, adds these to the balances, and notes what payouts are to pay. What is there
 * already stays as it is. Returns how many transactions were added.
 */
export async function insertLedgerTransactions(
  tx: Tx,
  { billerId, livemode }: TenantKey,
  rows: readonly LedgerTransactionRow[],
): Promise<number> {
  const column = <K extends keyof LedgerTransactionRow>(name: K) => rows.map((row) => row[name]);
  const payable = rows.filter(({ payable_at: at }) => at !== null);
  const entries = rows.flatMap(({ id, entries: own }) => own.map((entry) => ({ id, ...entry })));
  const [counted] = await tx<[{ added: number }]>`
    with added as (
      insert into ledger_transactions (
        id, biller_id, livemode, test_clock_id, kind, currency, source_id, payment_intent_id, customer_id, source_key,
        rule_version, sequence, available_on, occurred_at, recorded_at
      )
      select id, ${billerId}, ${livemode}, test_clock_id, kind, currency, source_id, payment_intent_id, customer_id,
        source_key, rule_version, sequence, available_on, occurred_at, clock_timestamp()
      from unnest(
        ${column('id')}::text[], ${column('test_clock_id')}::text[], ${column('kind')}::text[],
        ${column('currency')}::text[], ${column('source_id')}::text[], ${column('payment_intent_id')}::text[],
        ${column('customer_id')}::text[], ${column('source_key')}::text[], ${column('rule_version')}::smallint[],
        ${column('sequence').map(String)}::bigint[], ${column('available_on')}::date[],
        ${column('occurred_at').map((at) => at.toISOString())}::timestamptz[]
      ) as given (
        id, test_clock_id, kind, currency, source_id, payment_intent_id, customer_id, source_key, rule_version,
        sequence, available_on, occurred_at
      )
      on conflict (source_key) do nothing
      returning id, test_clock_id, currency, available_on
    ), moved as (
      select added.*, e.account, e.amount
      from unnest(
        ${entries.map(({ id }) => id)}::text[], ${entries.map(({ account }) => account)}::text[],
        ${entries.map(({ amount }) => String(amount))}::bigint[]
      ) as e (id, account, amount)
      join added on added.id = e.id
    ), entries as (
      insert into ledger_entries (transaction_id, account, amount) select id, account, amount from moved
    ), balances as (
      insert into ledger_balances as b (biller_id, livemode, test_clock_id, currency, account, available_on, amount)
      select ${billerId}, ${livemode}, test_clock_id, currency, account, available_on, sum(amount)
      from moved group by test_clock_id, currency, account, available_on
      on conflict (biller_id, livemode, test_clock_id, currency, account, available_on)
        do update set amount = b.amount + excluded.amount
    ), payable as (
      insert into payable_transactions (
        transaction_id, biller_id, livemode, test_clock_id, currency, amount, payable_at
      )
      select moved.id, ${billerId}, ${livemode}, moved.test_clock_id, moved.currency, moved.amount, p.payable_at
      from unnest(
        ${payable.map(({ id }) => id)}::text[], ${payable.map(({ payable_at: at }) => String(at?.toISOString()))}::timestamptz[]
      ) as p (id, payable_at)
      join moved on moved.id = p.id and moved.account = 'processor'
      where not exists (select from payout_items i where i.transaction_id = moved.id and not i.released)
      on conflict do nothing
    )
    select count(*)::integer as added from added`;
  return counted.added;
}

/** The billers and modes that have a ledger, or those of one biller. */
export async function listLedgers(db: Db, billerId: string | null): Promise<TenantKey[]> {
  return db<TenantKey[]>`
    select biller_id as "billerId", livemode from ledger_positions
    where ${billerId === null ? db`true` : db`biller_id = ${billerId}`} order by biller_id, livemode`;
}

/**
 * Makes the balances of a ledger again from its entries. The position must be locked. Keeps the test clocks of the
 * biller from being deleted until the transaction ends.
 */
export async function remakeBalances(tx: Tx, { billerId, livemode }: TenantKey): Promise<void> {
  await tx`
    select from test_clocks where biller_id = ${billerId} and livemode = ${livemode} order by id for key share`;
  await tx`delete from ledger_balances where biller_id = ${billerId} and livemode = ${livemode}`;
  await tx`
    insert into ledger_balances (biller_id, livemode, test_clock_id, currency, account, available_on, amount)
    select t.biller_id, t.livemode, t.test_clock_id, t.currency, e.account, coalesce(p.available_on, t.available_on),
      sum(e.amount)
    from ledger_transactions t join ledger_entries e on e.transaction_id = t.id
    left join posted_entries p on p.transaction_id = t.id
    where t.biller_id = ${billerId} and t.livemode = ${livemode}
    group by t.biller_id, t.livemode, t.test_clock_id, t.currency, e.account, coalesce(p.available_on, t.available_on)`;
}
