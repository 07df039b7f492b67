import { type Invariant, type Offender, restore } from './invariant.ts';

/** What payment links and their sessions promise. */
export const linkInvariants: Invariant[] = [
  {
    name: 'a payment link has taken at most the payments that it takes',
    promise: 1,
    remedy: 'Ask its biller to refund what was paid too often: GET /payment_links/ID/payments.',
    offenders: (db) => db<Offender[]>`
      select l.id, format('takes %s, paid %s times', l.max_payments, count(*)) as detail
      from payment_links l join payment_intents i on i.payment_link_id = l.id and i.status = 'succeeded'
      where l.max_payments is not null
      group by l.id having count(*) > l.max_payments limit 100`,
  },
  {
    name: 'no attempt is made on a payment of a link once the link has expired',
    promise: 1,
    remedy: 'Ask its biller whether to refund the payment: GET /payment_links/ID/payments.',
    offenders: (db) => db<Offender[]>`
      select l.id, format('expires at %s, attempt %s at %s', l.expires_at, a.id, a.at) as detail
      from payment_links l
      join payment_intents i on i.payment_link_id = l.id
      join payment_attempts a on a.payment_intent_id = i.id
      where a.at >= l.expires_at limit 100`,
  },
  {
    name: 'a payment link counts its payments that have succeeded, and their sum',
    promise: 3,
    remedy: restore,
    offenders: (db) => db<Offender[]>`
      select l.id,
        format('says %s and %s, its payments %s and %s', l.payments_count, l.collected_amount, paid.count, paid.sum)
          as detail
      from payment_links l
      cross join lateral (
        select count(*), coalesce(sum(amount), 0) as sum from payment_intents
        where payment_link_id = l.id and status = 'succeeded' and l.mode = 'payment'
      ) paid
      cross join lateral (
        select count(*) from checkout_sessions
        where payment_link_id = l.id and status = 'completed' and l.mode = 'setup'
      ) saved
      where l.payments_count <> paid.count + saved.count or l.collected_amount <> paid.sum limit 100`,
  },
  {
    name: 'a checkout session is processing exactly while its payment is',
    promise: 1,
    remedy: restore,
    offenders: (db) => db<Offender[]>`
      select s.id, format('is %s, its payment %s', s.status, coalesce(i.status, 'none')) as detail
      from checkout_sessions s
      left join payment_intents i on i.id = s.payment_intent_id
      where s.status in ('open', 'processing')
        and (s.status = 'processing') <> coalesce(i.status in ('processing', 'requires_action'), false) limit 100`,
  },
];
