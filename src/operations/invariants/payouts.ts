import { type Invariant, type Offender, restore } from './invariant.ts';

/** A part of promise 3: what is paid out is what the ledger has, each row of it once. */
export const payoutInvariants: Invariant[] = [
  {
    name: 'a payout is the sum of its items in the ledger',
    promise: 3,
    remedy: restore,
    offenders: (db) => db<Offender[]>`
      select p.id, format('it is %s, and its %s items are %s', p.amount, items.count, items.sum) as detail
      from payouts p
      cross join lateral (
        select count(*) as count, coalesce(sum(e.amount), 0) as sum
        from payout_items i
        join ledger_transactions t on t.id = i.transaction_id and t.currency = p.currency
          and t.biller_id = p.biller_id and t.livemode = p.livemode
          and t.test_clock_id is not distinct from p.test_clock_id
        join ledger_entries e on e.transaction_id = t.id and e.account = 'processor'
        where i.payout_id = p.id
      ) items
      where items.sum <> p.amount and p.reconciliation_status = 'completed' limit 100`,
  },
  {
    name: 'a row of the ledger of the sandbox waits for a payout, or is in one that has not failed',
    promise: 3,
    remedy: restore,
    offenders: (db) => db<Offender[]>`
      select t.id, format('%s of %s: in %s payouts, %s', t.kind, t.source_id, coalesce(paid.count, 0),
        case when w.transaction_id is null then 'and it does not wait for one' else 'and it waits for one with '
          || w.amount || ' in ' || w.currency end) as detail
      from ledger_transactions t
      join ledger_entries e on e.transaction_id = t.id and e.account = 'processor'
      left join payable_transactions w on w.transaction_id = t.id
      left join (
        select transaction_id, count(*) as count from payout_items where not released group by transaction_id
      ) paid on paid.transaction_id = t.id
      where not t.livemode and t.kind not in ('payout', 'payout_failure') and (
        coalesce(paid.count, 0) + case when w.transaction_id is null then 0 else 1 end <> 1
        or w.amount <> e.amount or w.currency <> t.currency or w.biller_id <> t.biller_id
        or w.test_clock_id is distinct from t.test_clock_id and w.transaction_id is not null
      ) limit 100`,
  },
  {
    name: 'the items of a payout are released if it has failed, and only then',
    promise: 3,
    remedy: restore,
    offenders: (db) => db<Offender[]>`
      select distinct p.id, format('it is %s, and its item %s is %s', p.status, i.transaction_id,
        case when i.released then 'released' else 'not released' end) as detail
      from payouts p join payout_items i on i.payout_id = p.id
      where i.released <> (p.status = 'failed' and not p.livemode) limit 100`,
  },
  {
    name: 'the ledger has at the bank what payouts have paid or have on the way',
    promise: 3,
    remedy: 'Compare payout ID with its rows in the ledger and its events, and restore what was changed.',
    offenders: (db) => db<Offender[]>`
      select coalesce(p.id, posted.id) as id, format('%s of %s: the ledger has %s', coalesce(p.status, 'lost'),
        coalesce(p.amount::text, 'what it was'), coalesce(posted.sum, 0)) as detail
      from payouts p
      full join (
        select t.source_id as id, t.currency, sum(e.amount) as sum
        from ledger_transactions t join ledger_entries e on e.transaction_id = t.id and e.account = 'bank'
        group by t.source_id, t.currency
      ) posted on posted.id = p.id and posted.currency = p.currency
      where coalesce(posted.sum, 0) <> case when p.id is null or p.status = 'failed' then 0 else p.amount end
        and not exists (
          select from events e
          left join ledger_positions n on n.biller_id = e.biller_id and n.livemode = e.livemode
          where e.subject_id = p.id and e.sequence > coalesce(n.last_sequence, 0)
        ) limit 100`,
  },
  {
    name: 'a payout in real time ends within an hour after its arrival',
    promise: 3,
    isDoubt: true,
    remedy: 'Is a worker running? Its log says "make payouts" and why payout ID cannot be ended.',
    offenders: (db) => db<Offender[]>`
      select id, format('it is in transit, and should have arrived at %s', arrives_at) as detail
      from payouts
      where test_clock_id is null and status = 'in_transit' and arrives_at < now() - interval '1 hour'
        and not livemode limit 100`,
  },
];
