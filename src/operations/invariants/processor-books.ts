import { type Invariant, type Offender, restore } from './invariant.ts';

/** A part of promise 3: what the live processor has said of its books is in the ledger, each entry once. */
export const processorBooksInvariants: Invariant[] = [
  {
    name: 'an entry of the live processor waits, or is in exactly one transaction of the ledger',
    promise: 3,
    remedy: 'Post what is missing again: npm run --silent payments -- ledger rebuild. If ID stays, restore its row.',
    offenders: (db) => db<Offender[]>`
      select n.biller_id as id, format('%s %s of the processor: %s', n.kind, n.processor_id, case
        when p.entry is null then 'it is not posted, and does not wait' when q.entry is not null
        then 'it is posted, and still waits' else 'transaction ' || p.transaction_id || ' is missing' end) as detail
      from processor_entries n
      left join posted_entries p on p.entry = n.id
      left join entries_to_post q on q.entry = n.id
      left join ledger_transactions t on t.id = p.transaction_id
        and t.biller_id = n.biller_id and t.livemode = n.livemode and t.currency = n.currency
      where (p.entry is null) = (q.entry is null) or p.entry is not null and t.id is null limit 100`,
  },
  {
    name: 'the ledger has of an entry of the live processor its amount and its fee',
    promise: 3,
    remedy: 'Compare the transaction ID with the processor’s own list, and restore the row that was changed.',
    offenders: (db) => db<Offender[]>`
      select p.transaction_id as id, format('the processor says %s and a fee of %s (%s), the ledger %s and %s',
        n.amount, n.fee, n.processor_id, posted.gross, posted.fee) as detail
      from posted_entries p
      join processor_entries n on n.id = p.entry
      cross join lateral (
        select coalesce(sum(e.amount) filter (where e.account in ('processor', 'fees')), 0) as gross,
          coalesce(sum(e.amount) filter (where e.account = 'fees'), 0) as fee
        from ledger_transactions t join ledger_entries e on e.transaction_id = t.id
        where t.id = p.transaction_id or t.source_key = 'entry.' || p.entry || '.processing_fee'
      ) posted
      where posted.gross <> n.amount or posted.fee <> n.fee limit 100`,
  },
  {
    name: 'a payout of the live processor has only what the processor has said that it pays',
    promise: 3,
    remedy: restore,
    offenders: (db) => db<Offender[]>`
      select o.id, format('%s is in it, and the processor has not said so', i.transaction_id) as detail
      from payouts o
      join payout_items i on i.payout_id = o.id
      join processor_payouts x on x.payout_id = o.id
      where not exists (
        select from processor_entry_payouts y
        join posted_entries p on p.entry = y.entry
        left join ledger_transactions t on t.source_key = 'entry.' || y.entry || '.processing_fee'
        where y.payout = x.reference and i.transaction_id in (p.transaction_id, t.id)
      ) limit 100`,
  },
];
