import type { PlainDate } from '../domain/calendar.ts';
import type { Currency } from '../domain/currencies.ts';
import type { Id } from '../domain/ids.ts';
import { type CustomerInstant, customerInstant } from '../domain/instants.ts';
import type { ProcessorEntry, ProcessorPayout } from '../domain/ledger/processor-entries.ts';
import type { MinorUnits } from '../domain/units.ts';
import type { Db, Tx } from '../platform/postgres/connection.ts';
import { jsonb } from '../platform/postgres/types.ts';
import type { PayoutRow } from './payouts.ts';
import type { TenantKey } from './tenant.ts';

/**
 * Adds what the live processor has said of its books. What it said first of an entry stays. Entries of an account that
 * is no biller are left out.
 */
export async function insertEntries(tx: Tx, entries: readonly ProcessorEntry[]): Promise<void> {
  const rows = entries.map(({ id, billerId, idempotencyKey, availableOn, at, ...entry }) => ({
    ...{ ...entry, processor_id: id, biller_id: billerId, idempotency_key: idempotencyKey },
    ...{ available_on: availableOn, occurred_at: at.toISOString() },
  }));
  await tx`
    with told as (
      select distinct on (biller_id, processor_id) * from jsonb_to_recordset(${jsonb(tx, rows)}) as t (
        processor_id text, biller_id text, kind text, idempotency_key text, reference text, amount bigint, fee bigint,
        currency text, available_on date, occurred_at timestamptz, description text)
      where exists (select from billers b where b.id = t.biller_id)
    ), added as (
      insert into processor_entries (biller_id, livemode, processor_id, kind, idempotency_key, reference, amount, fee,
        currency, available_on, occurred_at, description)
      select biller_id, true, processor_id, kind, idempotency_key, reference, amount, fee, currency, available_on,
        occurred_at, description
      from told order by occurred_at, processor_id
      on conflict (biller_id, livemode, processor_id) do nothing
      returning id, biller_id, livemode
    )
    insert into entries_to_post (entry, biller_id, livemode) select id, biller_id, livemode from added`;
  const paid = rows.flatMap(({ biller_id, processor_id, payout }) =>
    payout ? { biller_id, processor_id, payout } : [],
  );
  if (paid.length === 0) return;
  await tx`
    insert into processor_entry_payouts (entry, payout)
    select e.id, t.payout
    from jsonb_to_recordset(${jsonb(tx, paid)}) as t (biller_id text, processor_id text, payout text)
    join processor_entries e on e.biller_id = t.biller_id and e.livemode and e.processor_id = t.processor_id
    on conflict (entry) do nothing`;
}

/** An entry that is to be posted, and the transaction of the ledger that it is about, if there is one. */
export interface EntryToPost {
  /** Our number of it. */
  id: number;
  kind: ProcessorEntry['kind'];
  amount: MinorUnits;
  fee: MinorUnits;
  currency: Currency;
  available_on: PlainDate | null;
  occurred_at: CustomerInstant;
  /** Of the charge that it names, if the biller has it. */
  payment_intent_id: string | null;
  customer_id: Id<'customer'> | null;
  /** For a settlement and a payout that has come back: the transaction that an event has posted. */
  transaction_id: Id<'balance_transaction'> | null;
  transaction_source: string | null;
  transaction_at: CustomerInstant | null;
}

/** An entry `e`, with the refund `f` and the payment `i` that it is about, if the biller has them. */
const aboutPayment = (db: Db) => db`
  left join payment_reservations r on r.livemode and r.reference = e.reference and e.kind <> 'payout_failure'
  left join payment_attempts a on a.id = r.attempt_id
  left join refunds f on e.kind = 'settlement' and f.id = e.idempotency_key
    and f.biller_id = e.biller_id and f.livemode = e.livemode
  left join payment_intents i on i.id = coalesce(f.payment_intent_id, a.payment_intent_id)
    and i.biller_id = e.biller_id and i.livemode = e.livemode`;

/** The billers and modes with entries that are not posted. */
export async function listTenantsToPost(db: Db): Promise<TenantKey[]> {
  return db<TenantKey[]>`
    select distinct biller_id as "billerId", livemode from entries_to_post order by biller_id, livemode`;
}

/**
 * The entries of a biller that are to be posted, after a number, oldest first. A settlement finds the first transaction
 * of its payment, its return or its refund that has none; a payout that has come back finds that of its failure.
 * Without it, the entry waits.
 */
export async function listEntriesToPost(
  db: Db,
  { billerId, livemode }: TenantKey,
  { after, limit }: { after: number; limit: number },
): Promise<(EntryToPost & { waits: boolean })[]> {
  return db<(EntryToPost & { waits: boolean })[]>`
    with due as materialized (
      select e.*, i.id as payment_intent_id, i.customer_id,
        case when e.kind = 'payout_failure' then 'payout_failure' when e.kind <> 'settlement' then null
          when f.id is not null then 'refund' when e.amount < 0 then 'return' else 'payment' end as due_kind,
        case when e.kind = 'payout_failure' then o.payout_id when f.id is not null then f.id else i.id end as due_source
      from entries_to_post q
      join processor_entries e on e.id = q.entry
      ${aboutPayment(db)}
      left join processor_payouts o on e.kind = 'payout_failure' and o.reference = e.reference
        and o.biller_id = e.biller_id and o.livemode = e.livemode
      where q.biller_id = ${billerId} and q.livemode = ${livemode} and q.entry > ${after}
      order by q.entry limit ${limit}
    ), numbered as (
      select *, row_number() over (partition by due_kind, due_source order by id) as turn from due
    ), open as (
      select t.*, row_number() over (partition by t.kind, t.source_id order by t.sequence) as turn
      from ledger_transactions t
      where t.source_id in (select due_source from due where due_kind is not null)
        and t.biller_id = ${billerId} and t.livemode = ${livemode}
        and t.kind in ('payment', 'return', 'refund', 'payout_failure')
        and not exists (select from posted_entries p where p.transaction_id = t.id)
    )
    select n.id, n.kind, n.amount, n.fee, n.currency, n.available_on, n.occurred_at, n.payment_intent_id,
      n.customer_id, t.id as transaction_id, t.source_id as transaction_source, t.occurred_at as transaction_at,
      n.due_kind is not null and t.id is null as waits
    from numbered n
    left join open t on t.kind = n.due_kind and t.source_id = n.due_source and t.turn = n.turn
      and t.currency = n.currency
    order by n.id`;
}

/** A transaction of the ledger that has an entry of the processor. */
export interface PostedEntryRow {
  entry: number;
  transaction_id: Id<'balance_transaction'>;
  own: boolean;
  sequence: number;
  fee: MinorUnits;
  available_on: PlainDate | null;
}

/**
 * Notes which transaction each entry is in. What a transaction of an event has moved is then available on the date that
 * the processor has said: its balance moves there from no date. The position of the ledger must be locked.
 */
export async function insertPostedEntries(
  tx: Tx,
  { billerId, livemode }: TenantKey,
  rows: readonly PostedEntryRow[],
): Promise<void> {
  await tx`
    with posted as (
      insert into posted_entries (entry, transaction_id, own, sequence, fee, available_on)
      select * from jsonb_to_recordset(${jsonb(tx, rows)}) as p (
        entry bigint, transaction_id text, own boolean, sequence bigint, fee bigint, available_on date)
      returning *
    ), done as (
      delete from entries_to_post q using posted where q.entry = posted.entry
    )
    insert into ledger_balances as b (biller_id, livemode, test_clock_id, currency, account, available_on, amount)
    select ${billerId}, ${livemode}, null, t.currency, e.account, d.available_on, sum(d.sign * e.amount)
    from posted p
    join ledger_transactions t on t.id = p.transaction_id and t.available_on is null
    join ledger_entries e on e.transaction_id = t.id
    cross join lateral (values (null::date, -1), (p.available_on, 1)) as d (available_on, sign)
    where p.available_on is not null
    group by t.currency, e.account, d.available_on
    on conflict (biller_id, livemode, test_clock_id, currency, account, available_on)
      do update set amount = b.amount + excluded.amount`;
}

/** The entries of a biller that are posted, with what they were posted from, for a ledger that is made again. */
export async function listPostedEntries(
  db: Db,
  { billerId, livemode }: TenantKey,
  after: number,
  limit: number,
): Promise<(EntryToPost & Pick<PostedEntryRow, 'own' | 'sequence'>)[]> {
  return db`
    select e.id, e.kind, e.amount, e.fee, e.currency, e.available_on, e.occurred_at, i.id as payment_intent_id,
      i.customer_id, p.own, p.sequence, case when not p.own then p.transaction_id end as transaction_id,
      t.source_id as transaction_source, t.occurred_at as transaction_at
    from processor_entries e
    join posted_entries p on p.entry = e.id
    left join ledger_transactions t on t.id = p.transaction_id and not p.own
    ${aboutPayment(db)}
    where e.biller_id = ${billerId} and e.livemode = ${livemode} and e.id > ${after}
    order by e.id limit ${limit}`;
}

/** Keeps what the live processor has said of its payouts, until it is recorded. That of no biller is left out. */
export async function insertPayoutsTold(tx: Tx, payouts: readonly ProcessorPayout[]): Promise<void> {
  const rows = payouts.map((told) => ({ biller_id: told.billerId, told }));
  await tx`
    insert into processor_payouts_told (biller_id, livemode, told)
    select t.biller_id, true, t.told
    from rows from (jsonb_to_recordset(${jsonb(tx, rows)}) as (biller_id text, told jsonb)) with ordinality
      as t (biller_id, told, nth)
    where exists (select from billers b where b.id = t.biller_id) order by nth`;
}

/** What the live processor has said of its payouts, oldest first. */
export async function listPayoutsTold(db: Db): Promise<{ id: number; told: ProcessorPayout }[]> {
  const rows = await db<{ id: number; told: Omit<ProcessorPayout, 'at'> & { at: string } }[]>`
    select id, told from processor_payouts_told order by id limit 500`;
  return rows.map(({ id, told }) => ({ id, told: { ...told, at: customerInstant(told.at) } }));
}

/** Removes one that is recorded. Returns whether it was there: no other process has recorded it. */
export async function removePayoutTold(tx: Tx, id: number): Promise<boolean> {
  const rows = await tx`delete from processor_payouts_told where id = ${id} returning id`;
  return rows.length > 0;
}

/** Waits until no other transaction records this payout of the processor, and returns its row if there is one. */
export async function lockProcessorPayout(
  tx: Tx,
  { id, billerId }: Pick<ProcessorPayout, 'id' | 'billerId'>,
): Promise<PayoutRow | null> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${`payout/${billerId}/${id}`}, 0))`;
  const [row] = await tx<PayoutRow[]>`
    select o.* from processor_payouts x join payouts o on o.id = x.payout_id
    where x.biller_id = ${billerId} and x.livemode and x.reference = ${id} for update of o`;
  return row ?? null;
}

/** Adds a payout that the processor has made, in transit. Its items follow. */
export async function insertProcessorPayout(
  tx: Tx,
  { billerId, id: reference, currency, amount }: ProcessorPayout,
  row: Pick<PayoutRow, 'id' | 'paid_out_on' | 'arrives_on' | 'arrives_at' | 'created_at'>,
): Promise<PayoutRow> {
  const made = {
    ...{ biller_id: billerId, livemode: true, currency, amount },
    ...{ status: 'in_transit', reconciliation_status: 'in_progress', updated_at: row.created_at, ...row },
  };
  const [added] = await tx<[PayoutRow]>`insert into payouts ${tx(made)} returning *`;
  await tx`
    insert into processor_payouts ${tx({ payout_id: row.id, biller_id: billerId, livemode: true, reference })}`;
  return added;
}

/** The payouts of the live processor whose items are not known or do not add up, and that have something to add. */
export async function listPayoutsToReconcile(db: Db): Promise<Id<'payout'>[]> {
  const rows = await db<{ id: Id<'payout'> }[]>`
    select x.payout_id as id from processor_payouts x
    where not x.reconciled and exists (
      select from processor_entry_payouts y
      join processor_entries e on e.id = y.entry and e.biller_id = x.biller_id and e.livemode = x.livemode
      join posted_entries p on p.entry = e.id
      where y.payout = x.reference
        and not exists (select from payout_items i where i.transaction_id = p.transaction_id)
    )
    order by x.payout_id`;
  return rows.map(({ id }) => id);
}

/**
 * Adds to a payout what the processor has said that it pays, as far as it is posted: the transactions of its entries,
 * and what they cost. Reconciled once they add up to its amount. Returns the row if that is now, otherwise null.
 */
export async function reconcilePayout(tx: Tx, id: string, at: CustomerInstant): Promise<PayoutRow | null> {
  await tx`select from payouts where id = ${id} for update`;
  await tx`
    insert into payout_items (payout_id, transaction_id)
    select o.id, t.id
    from payouts o
    join processor_payouts x on x.payout_id = o.id
    join processor_entry_payouts y on y.payout = x.reference
    join processor_entries e on e.id = y.entry and e.biller_id = o.biller_id and e.livemode = o.livemode
      and e.currency = o.currency
    join posted_entries p on p.entry = e.id
    cross join lateral (
      select p.transaction_id as id
      union all
      select id from ledger_transactions where source_key = 'entry.' || e.id || '.processing_fee'
    ) t
    where o.id = ${id} and o.reconciliation_status = 'in_progress'
    on conflict do nothing`;
  const [row] = await tx<PayoutRow[]>`
    with added_up as (
      update processor_payouts x set reconciled = true
      where payout_id = ${id} and not reconciled and exists (
        select from payouts o where o.id = x.payout_id and o.amount = (
          select sum(e.amount) from payout_items i
          join ledger_entries e on e.transaction_id = i.transaction_id and e.account = 'processor'
          where i.payout_id = o.id))
      returning payout_id
    )
    update payouts o set reconciliation_status = 'completed', updated_at = greatest(o.updated_at, ${at}::timestamptz)
    from added_up where o.id = added_up.payout_id
    returning o.*`;
  return row ?? null;
}
