import { type Invariant, type Offender, restore } from './invariant.ts';

/** A part of promise 3: what is disputed is held, is given back to its biller, or has left with the payment. */
export const disputeInvariants: Invariant[] = [
  {
    name: 'the ledger holds of a payment what its open dispute is about',
    promise: 3,
    remedy: 'Compare dispute ID with its rows in the ledger and its events, and restore what was changed.',
    offenders: (db) => db<Offender[]>`
      select coalesce(d.id, posted.id) as id, format('%s of %s: the ledger holds %s', coalesce(d.status, 'lost'),
        coalesce(d.amount::text, 'what it was'), coalesce(posted.sum, 0)) as detail
      from disputes d
      full join (
        select t.source_id as id, t.payment_intent_id, t.currency, sum(e.amount) as sum
        from ledger_transactions t join ledger_entries e on e.transaction_id = t.id and e.account = 'held'
        group by t.source_id, t.payment_intent_id, t.currency
      ) posted on posted.id = d.id and posted.currency = d.currency and posted.payment_intent_id = d.payment_intent_id
      where coalesce(posted.sum, 0) <> case d.status when 'needs_response' then d.amount else 0 end
        and not exists (
          select from events e
          left join ledger_positions n on n.biller_id = e.biller_id and n.livemode = e.livemode
          where e.subject_id = d.id and e.sequence > coalesce(n.last_sequence, 0)
        ) limit 100`,
  },
  {
    name: 'a payment under dispute has succeeded, and one whose dispute was lost came back then',
    promise: 3,
    remedy: restore,
    offenders: (db) => db<Offender[]>`
      select d.id, format('it is %s, its payment %s is %s', d.status, i.id, i.status) as detail
      from disputes d
      join payment_intents i on i.id = d.payment_intent_id
      left join events e on e.subject_id = i.id and e.event_type = 'payment_intent.returned'
        and e.data ->> 'dispute_id' = d.id
      where d.status = 'needs_response' and i.status <> 'succeeded' or (d.status = 'lost') <> (e.id is not null)
      limit 100`,
  },
  {
    name: 'what was disputed of a payment and lost is what came back of it then',
    promise: 3,
    remedy: restore,
    offenders: (db) => db<Offender[]>`
      select d.id, format('it was about %s, its event says %s', d.amount, e.data ->> 'returned_amount') as detail
      from disputes d
      join events e on e.subject_id = d.payment_intent_id and e.event_type = 'payment_intent.returned'
        and e.data ->> 'dispute_id' = d.id
      where d.status = 'lost' and d.amount is distinct from (e.data ->> 'returned_amount')::bigint limit 100`,
  },
];
