import type { Fragment } from 'postgres';
import type { PlainDate } from '../domain/calendar.ts';
import type { Currency } from '../domain/currencies.ts';
import type { Id } from '../domain/ids.ts';
import type { CustomerInstant } from '../domain/instants.ts';
import type { PayoutStatus } from '../domain/ledger/payouts.ts';
import type { MinorUnits } from '../domain/units.ts';
import type { Db, Tx } from '../platform/postgres/connection.ts';
import type { RealInstant } from '../platform/real-time.ts';
import { isOn } from './balance.ts';
import type { Page, TenantKey } from './tenant.ts';

/** A row of `payouts`. */
export interface PayoutRow {
  id: Id<'payout'>;
  biller_id: Id<'biller'>;
  livemode: boolean;
  test_clock_id: Id<'test_clock'> | null;
  currency: Currency;
  amount: MinorUnits;
  status: PayoutStatus;
  reconciliation_status: 'in_progress' | 'completed';
  /** The business day whose available money it is, and the next one. Biller-local dates. */
  paid_out_on: PlainDate;
  arrives_on: PlainDate;
  arrives_at: CustomerInstant;
  ended_at: CustomerInstant | null;
  failure_code: string | null;
  created_at: CustomerInstant;
  updated_at: CustomerInstant;
}

/** Where money is paid out of: the books of a biller in one currency, in real time or on a test clock. */
export interface PayoutBooks extends TenantKey {
  testClock: Id<'test_clock'> | null;
  currency: Currency;
}

/** The books in real time that have something to pay out at `now`: the sum of what may be paid out is above 0. */
export async function listPayableInRealTime(db: Db, now: RealInstant): Promise<PayoutBooks[]> {
  return db<PayoutBooks[]>`
    select biller_id as "billerId", livemode, null as "testClock", currency
    from payable_transactions where test_clock_id is null and payable_at <= ${now}
    group by biller_id, livemode, currency having sum(amount) > 0
    order by biller_id, livemode, currency`;
}

/**
 * `id`, with clock and currency, and `at` of the payouts that are due on a test clock up to `target`: each currency at
 * the first business day on which the sum of what may be paid out is above 0.
 */
export function payoutsDueOnClock(db: Db, testClockId: Fragment, target: Fragment): Fragment {
  return db`
    select test_clock_id || '/' || currency as id, min(payable_at) as at
    from (
      select test_clock_id, currency, payable_at,
        sum(amount) over (partition by currency order by payable_at) as total
      from payable_transactions where test_clock_id = ${testClockId} and payable_at <= ${target}
    ) coming
    where total > 0 group by test_clock_id, currency`;
}

/** `id` and `at` of the payouts on a test clock that arrive up to `target`. */
export function payoutsArrivingOnClock(db: Db, testClockId: Fragment, target: Fragment): Fragment {
  return db`
    select id, arrives_at as at from payouts
    where test_clock_id = ${testClockId} and status = 'in_transit' and arrives_at <= ${target}`;
}

/** A step of a payout on a test clock: it arrives, or one is made. */
export interface PayoutStep {
  kind: 'payout' | 'payoutArrival';
  id: string;
  at: CustomerInstant;
}

/** The first step of payouts that is due on a test clock up to `until`, or null. What arrives comes first. */
export async function selectFirstPayoutStep(
  db: Db,
  testClockId: string,
  until: CustomerInstant,
): Promise<PayoutStep | null> {
  const [clock, target] = [db`${testClockId}`, db`${until}::timestamptz`];
  const [step] = await db<PayoutStep[]>`
    select 'payoutArrival' as kind, id, at from (${payoutsArrivingOnClock(db, clock, target)}) arriving
    union all
    select 'payout', id, at from (${payoutsDueOnClock(db, clock, target)}) due
    order by at, kind desc, id limit 1`;
  return step ?? null;
}

/** Waits until no other transaction makes payouts of these books, until the transaction ends. */
export async function lockPayoutBooks(tx: Tx, { billerId, livemode, testClock, currency }: PayoutBooks): Promise<void> {
  const name = `payouts/${billerId}/${livemode}/${testClock ?? ''}/${currency}`;
  await tx`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`;
}

/**
 * Makes a payout of all that may be paid out when it is created, if the sum is above 0, with its items. The books must
 * be locked. It is reconciled if the rows of the ledger add up to it. Returns null if there is nothing to pay out.
 */
export async function insertPayout(
  tx: Tx,
  { billerId, livemode, testClock, currency }: PayoutBooks,
  {
    id,
    paid_out_on,
    arrives_on,
    arrives_at,
    created_at,
  }: Pick<PayoutRow, 'id' | 'paid_out_on' | 'arrives_on' | 'arrives_at' | 'created_at'>,
): Promise<PayoutRow | null> {
  const [row] = await tx<PayoutRow[]>`
    with due as materialized (
      select transaction_id, amount from payable_transactions
      where biller_id = ${billerId} and livemode = ${livemode} and currency = ${currency}
        and ${isOn(tx, testClock)} and payable_at <= ${created_at}
    ), total as (
      select sum(due.amount)::bigint as amount, sum(e.amount)::bigint as posted
      from due left join ledger_entries e on e.transaction_id = due.transaction_id and e.account = 'processor'
    ), made as (
      insert into payouts (
        id, biller_id, livemode, test_clock_id, currency, amount, status, reconciliation_status, paid_out_on, arrives_on,
        arrives_at, created_at, updated_at
      )
      select ${id}, ${billerId}, ${livemode}, ${testClock}, ${currency}, amount, 'in_transit',
        case when posted = amount then 'completed' else 'in_progress' end, ${paid_out_on}::date, ${arrives_on}::date,
        ${arrives_at}::timestamptz, ${created_at}::timestamptz, ${created_at}::timestamptz
      from total where amount > 0
      returning *
    ), items as (
      insert into payout_items (payout_id, transaction_id) select made.id, due.transaction_id from made, due
    ), taken as (
      delete from payable_transactions p using made, due where p.transaction_id = due.transaction_id
    )
    select * from made`;
  return row ?? null;
}

/** The payouts of the sandbox in real time that have arrived at `now` and have not ended. */
export async function listArrivedInRealTime(db: Db, now: RealInstant): Promise<Id<'payout'>[]> {
  const rows = await db<{ id: Id<'payout'> }[]>`
    select id from payouts
    where test_clock_id is null and status = 'in_transit' and arrives_at <= ${now} and not livemode
    order by arrives_at, id`;
  return rows.map(({ id }) => id);
}

/** Locks a payout that is in transit, and returns it. Null if it has ended, or was deleted. */
export async function lockPayoutInTransit(tx: Tx, id: string): Promise<PayoutRow | null> {
  const [row] = await tx<PayoutRow[]>`select * from payouts where id = ${id} and status = 'in_transit' for update`;
  return row ?? null;
}

/** The `_sandbox_payout` of the payments of a payout that have one, and in how many payouts they were before. */
export async function listPayoutWords(db: Db, payoutId: string): Promise<{ words: string; before: number }[]> {
  return db<{ words: string; before: number }[]>`
    select i.metadata->>'_sandbox_payout' as words, (
      select count(distinct o.payout_id) from ledger_transactions t join payout_items o on o.transaction_id = t.id
      where t.payment_intent_id = i.id and o.payout_id < ${payoutId}
    )::integer as before
    from payment_intents i
    where i.metadata ? '_sandbox_payout' and i.id in (
      select t.payment_intent_id from payout_items o join ledger_transactions t on t.id = o.transaction_id
      where o.payout_id = ${payoutId}
    )`;
}

/** Ends a locked payout, at its arrival. */
export async function endPayout(
  tx: Tx,
  id: string,
  { status, failure_code, ended_at }: Pick<PayoutRow, 'status' | 'failure_code'> & { ended_at: CustomerInstant },
): Promise<PayoutRow> {
  const [row] = await tx<PayoutRow[]>`
    update payouts set ${tx({ status, failure_code, ended_at, updated_at: ended_at })} where id = ${id} returning *`;
  if (row === undefined) throw new Error(`payout ${id} is gone`);
  return row;
}

/** Makes the items of a payout that has failed payable again, from `payableAt` on. */
export async function releaseItems(tx: Tx, payout: PayoutRow, payableAt: CustomerInstant): Promise<void> {
  await tx`
    with released as (
      update payout_items set released = true where payout_id = ${payout.id} returning transaction_id
    )
    insert into payable_transactions (
      transaction_id, biller_id, livemode, test_clock_id, currency, amount, payable_at
    )
    select released.transaction_id, ${payout.biller_id}, ${payout.livemode}, ${payout.test_clock_id},
      ${payout.currency}, e.amount, ${payableAt}
    from released join ledger_entries e on e.transaction_id = released.transaction_id and e.account = 'processor'`;
}

export interface PayoutFilter {
  status?: PayoutStatus | undefined;
  currency?: Currency | undefined;
  /** Without it, only what is on no test clock. */
  testClock?: Id<'test_clock'> | undefined;
}

/** The payout of this biller and mode, on any test clock or none, or null. */
export async function selectPayout(db: Db, { billerId, livemode }: TenantKey, id: string): Promise<PayoutRow | null> {
  const [row] = await db<PayoutRow[]>`
    select * from payouts where id = ${id} and biller_id = ${billerId} and livemode = ${livemode}`;
  return row ?? null;
}

/** A page of payouts, newest first by `created_at`, with one extra row if more follow. */
export async function listPayoutRows(
  db: Db,
  { billerId, livemode }: TenantKey,
  { status, currency, testClock }: PayoutFilter,
  { limit, after }: Page,
): Promise<PayoutRow[]> {
  return db<PayoutRow[]>`
    select * from payouts
    where biller_id = ${billerId} and livemode = ${livemode} and ${isOn(db, testClock ?? null)}
      ${status === undefined ? db`` : db`and status = ${status}`}
      ${currency === undefined ? db`` : db`and currency = ${currency}`}
      ${
        after === undefined
          ? db``
          : db`and (created_at, id) < (
              select c.created_at, c.id from payouts c
              where c.id = ${after} and c.biller_id = ${billerId} and c.livemode = ${livemode}
            )`
      }
    order by created_at desc, id desc
    limit ${limit + 1}`;
}
