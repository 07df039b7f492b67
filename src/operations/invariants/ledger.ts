import type { Db } from '../../platform/postgres/connection.ts';
import { type Invariant, type Offender, restore } from './invariant.ts';

const compare =
  'The event ID and the ledger do not agree. Compare both with the payment and with a back-up, and restore the one that ' +
  'was changed. What is missing is posted again by: npm run --silent payments -- ledger rebuild.';

/**
 * A part of promise 3: the ledger has what the events and the payments say, up to where it is posted. What is on a
 * clock that was deleted is in events alone.
 */
export const ledgerInvariants: Invariant[] = [
  {
    name: 'the entries of a ledger transaction add up to 0, and are at least two',
    promise: 3,
    remedy: restore,
    offenders: (db) => db<Offender[]>`
      select t.id, format('%s entries that add up to %s', count(e.amount), coalesce(sum(e.amount), 0)) as detail
      from ledger_transactions t left join ledger_entries e on e.transaction_id = t.id
      group by t.id having count(e.amount) < 2 or sum(e.amount) <> 0 limit 100`,
  },
  {
    name: 'an event that moves money is in the ledger once, with its amount, fee, currency, mode and clock',
    promise: 3,
    remedy: compare,
    offenders: findWronglyPosted,
  },
  {
    name: 'a transaction of the ledger comes from an event',
    promise: 3,
    remedy: restore,
    offenders: (db) => db<Offender[]>`
      select t.id, format('%s of %s has no event %s', t.kind, t.source_id, t.source_key) as detail
      from ledger_transactions t
      left join events e on t.source_key = e.id || '.' || t.kind and e.sequence = t.sequence
        and e.biller_id = t.biller_id and e.livemode = t.livemode
      left join processor_entries n on t.source_key = 'entry.' || n.id || '.' || t.kind
        and n.biller_id = t.biller_id and n.livemode = t.livemode
      where e.id is null and n.id is null limit 100`,
  },
  {
    name: 'the ledger has of a payment what its biller holds of it',
    promise: 3,
    remedy: 'Compare the payment ID with its events and its rows in the ledger, and restore what was changed.',
    offenders: (db) => db<Offender[]>`
      select i.id, format('the payment says %s, the ledger %s', held.amount, posted.amount) as detail
      from payment_intents i
      join event_sequences s on s.biller_id = i.biller_id and s.livemode = i.livemode
      join ledger_positions p on p.biller_id = s.biller_id and p.livemode = s.livemode
        and p.last_sequence = s.last_sequence
      cross join lateral (
        select case when i.status = 'succeeded' then i.total_amount else 0 end - i.total_refunded_amount
          + i.refunded_before_dispute as amount
      ) held
      cross join lateral (
        select coalesce(sum(e.amount), 0) as amount
        from ledger_transactions t join ledger_entries e on e.transaction_id = t.id
        where t.payment_intent_id = i.id and e.account in ('processor', 'held', 'fees')
          and t.source_key not like 'entry.%'
      ) posted
      where held.amount <> posted.amount limit 100`,
  },
  {
    name: 'the ledger has of a subscription the credit that its events have told',
    promise: 3,
    remedy: compare,
    offenders: findWronglyPostedCredit,
  },
  {
    name: 'the ledger owes to subscribers the credit of their subscriptions',
    promise: 3,
    remedy: 'Compare subscription ID with its events and its rows in the ledger, and restore what was changed.',
    offenders: (db) => db<Offender[]>`
      select id, format('the subscription has %s of credit, the ledger %s in %s', sum(had), sum(posted), currency)
        as detail
      from (
        select id, biller_id, livemode, test_clock_id, currency, credit_balance_cents as had, 0 as posted
        from subscriptions where credit_balance_cents > 0
        union all
        select t.source_id, t.biller_id, t.livemode, t.test_clock_id, t.currency, 0, 0 - e.amount
        from ledger_transactions t join ledger_entries e on e.transaction_id = t.id and e.account = 'credit'
      ) both_sides
      where exists (
        select from event_sequences s join ledger_positions p using (biller_id, livemode)
        where s.biller_id = both_sides.biller_id and s.livemode = both_sides.livemode
          and p.last_sequence = s.last_sequence
      )
      group by id, biller_id, livemode, test_clock_id, currency having sum(had) <> sum(posted) limit 100`,
  },
  {
    name: 'the balances of the ledger are the sums of its entries',
    promise: 3,
    remedy: 'Sum them up anew: npm run --silent payments -- ledger rebuild --biller ID.',
    offenders: (db) => db<Offender[]>`
      select biller_id as id, format('%s %s, available on %s: the balance is %s, the sum of the entries %s', currency,
        account, coalesce(available_on::text, 'no date'), sum(balance), sum(entries)) as detail
      from (
        select biller_id, livemode, test_clock_id, currency, account, available_on, amount as balance, 0 as entries
        from ledger_balances
        union all
        select t.biller_id, t.livemode, t.test_clock_id, t.currency, e.account,
          coalesce(p.available_on, t.available_on), 0, e.amount
        from ledger_transactions t join ledger_entries e on e.transaction_id = t.id
        left join posted_entries p on p.transaction_id = t.id
      ) both_sides
      group by biller_id, livemode, test_clock_id, currency, account, available_on
      having sum(balance) <> sum(entries) limit 100`,
  },
  {
    name: 'the ledger is at most ten minutes behind the events',
    promise: 3,
    isDoubt: true,
    remedy:
      'Is a worker running? Its log says "post to the ledger" and names an event that cannot be posted. After an upgrade, ' +
      'the history of ID takes its time.',
    offenders: (db) => db<Offender[]>`
      select s.biller_id as id, format('%s: posted up to event %s of %s', case when s.livemode then 'live mode'
        else 'sandbox' end, coalesce(p.last_sequence, 0), s.last_sequence) as detail
      from event_sequences s
      left join ledger_positions p on p.biller_id = s.biller_id and p.livemode = s.livemode
      join events e on e.biller_id = s.biller_id and e.livemode = s.livemode
        and e.sequence = coalesce(p.last_sequence, 0) + 1
      where e.recorded_at < now() - interval '10 minutes' limit 100`,
  },
];

/** The second calculation of what events post: in SQL, from the events as they are. */
function findWronglyPosted(db: Db): PromiseLike<Offender[]> {
  return db<Offender[]>`
    select e.id, case when t.id is null then format('%s of %s is missing', due.kind, e.subject_id)
      else format('%s of %s has gross %s and fee %s in %s, its event %s and %s in %s', due.kind, e.subject_id,
        posted.gross, posted.fee, t.currency, due.gross, due.fee, d.data ->> 'currency') end as detail
    from events e
    join ledger_positions p on p.biller_id = e.biller_id and p.livemode = e.livemode
      and e.sequence <= p.last_sequence
    cross join lateral (
      select e.data::jsonb as data, case when e.livemode then 0 else (e.data ->> 'fee_amount')::bigint end as fee
    ) d
    cross join lateral (
      select 'payment' as kind, (d.data ->> 'total_amount')::bigint as gross, d.fee
      where e.event_type = 'payment_intent.succeeded'
      union all
      select 'return', 0 - (d.data ->> 'total_amount')::bigint, 0
      where e.event_type = 'payment_intent.returned' and d.data -> 'dispute_id' is null
      union all
      select 'adjustment', 0, 0 - d.fee
      where e.event_type = 'payment_intent.returned' and d.data -> 'dispute_id' is null and d.fee > 0
      union all
      select 'refund', 0 - (d.data ->> 'amount')::bigint, 0 where e.event_type = 'refund.succeeded'
      union all
      select 'dispute', 0 - (d.data ->> 'amount')::bigint, 0 where e.event_type = 'dispute.opened'
      union all
      select 'dispute_reversal', (d.data ->> 'amount')::bigint, 0 where e.event_type = 'dispute.won'
      union all
      select 'dispute_lost', 0, 0 where e.event_type = 'dispute.lost'
      union all
      select 'payout', 0 - (d.data ->> 'amount')::bigint, 0 where e.event_type = 'payout.created'
      union all
      select 'payout_failure', (d.data ->> 'amount')::bigint, 0 where e.event_type = 'payout.failed'
    ) due
    left join ledger_transactions t on t.source_key = e.id || '.' || due.kind
    cross join lateral (
      select coalesce(sum(amount) filter (where account in ('processor', 'fees')), 0) as gross,
        coalesce(sum(amount) filter (where account = 'fees'), 0) as fee
      from ledger_entries where transaction_id = t.id
    ) posted
    where e.event_type in ('payment_intent.succeeded', 'payment_intent.returned', 'refund.succeeded',
        'dispute.opened', 'dispute.won', 'dispute.lost', 'payout.created', 'payout.failed')
      and (e.test_clock_id is null or exists (select from test_clocks c where c.id = e.test_clock_id))
      and (
        t.id is null or posted.gross <> due.gross or posted.fee <> due.fee or t.currency <> d.data ->> 'currency'
        or t.biller_id <> e.biller_id or t.livemode <> e.livemode
        or t.test_clock_id is distinct from e.test_clock_id
      )
    limit 100`;
}

/** The second calculation of credit: an event of a subscription posts what its credit changed since the one before. */
function findWronglyPostedCredit(db: Db): PromiseLike<Offender[]> {
  return db<Offender[]>`
    select e.id, format('credit of %s: the event changes it by %s %s, the ledger by %s %s', e.subject_id, e.changed,
      e.currency, coalesce(posted.amount, 0), coalesce(t.currency, e.currency)) as detail
    from (
      select id, biller_id, livemode, test_clock_id, subject_id, sequence, data ->> 'currency' as currency,
        (data ->> 'credit_balance_cents')::bigint - coalesce(lag((data ->> 'credit_balance_cents')::bigint)
          over (partition by subject_id order by sequence), 0) as changed
      from events where event_type like 'subscription.%'
    ) e
    join ledger_positions p on p.biller_id = e.biller_id and p.livemode = e.livemode
      and e.sequence <= p.last_sequence
    left join ledger_transactions t on t.source_key = e.id || '.credit'
    left join lateral (
      select 0 - sum(amount) as amount from ledger_entries where transaction_id = t.id and account = 'credit'
    ) posted on true
    where (e.test_clock_id is null or exists (select from test_clocks c where c.id = e.test_clock_id))
      and (e.changed <> coalesce(posted.amount, 0) or t.id is not null and (
        t.currency <> e.currency or t.source_id <> e.subject_id or t.biller_id <> e.biller_id
        or t.livemode <> e.livemode or t.test_clock_id is distinct from e.test_clock_id
      ))
    limit 100`;
}
