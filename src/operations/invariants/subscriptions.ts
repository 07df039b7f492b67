import { opsCommand } from '../stuck/reading/ops-command.ts';
import { type Invariant, type Offender, restore } from './invariant.ts';

/** What holds of subscriptions: their periods, what was paid for them, and what their events say. */
export const subscriptionInvariants: Invariant[] = [
  {
    name: 'the periods of a subscription do not overlap, unless they are void',
    promise: 1,
    remedy: restore,
    offenders: (db) => db<Offender[]>`
      select p.subscription_id as id,
        format('period %s from %s and period %s until %s', o.number, o.start_date, p.number, p.end_date) as detail
      from subscription_periods p
      join subscription_periods o on o.subscription_id = p.subscription_id and o.number > p.number
      where p.status <> 'void' and o.status <> 'void' and o.start_date < p.end_date and p.start_date < o.end_date
      limit 100`,
  },
  {
    name: 'the amount of a period is the sum of its lines, and that of its payment intent',
    promise: 1,
    remedy: restore,
    offenders: (db) => db<Offender[]>`
      select p.subscription_id as id,
        format('period %s: %s, lines %s, payment %s', p.number, p.amount_cents, l.sum, i.amount) as detail
      from subscription_periods p
      cross join lateral (
        select coalesce(sum((line ->> 'amount_cents')::bigint), 0) as sum from jsonb_array_elements(p.lines) line
      ) l
      left join payment_intents i on i.id = p.payment_intent_id
      where p.amount_cents <> l.sum or i.amount <> p.amount_cents limit 100`,
  },
  {
    name: 'the discounts of a period take off at most what its items cost: its one-off items are paid in full',
    promise: 1,
    remedy: restore,
    offenders: (db) => db<Offender[]>`
      select p.subscription_id as id,
        format('period %s: %s, of which %s from the account, with fees of %s', p.number, p.amount_cents,
        p.carried_cents, l.fees) as detail
      from subscription_periods p
      cross join lateral (
        select coalesce(sum((line ->> 'amount_cents')::bigint), 0) as fees
        from jsonb_array_elements(p.lines) line where line ->> 'kind' = 'one_off'
      ) l
      where p.amount_cents - p.carried_cents < l.fees limit 100`,
  },
  {
    name: 'a period is paid exactly when its payment intent has succeeded',
    promise: 1,
    remedy: restore,
    offenders: (db) => db<Offender[]>`
      select p.subscription_id as id,
        format('period %s is %s, its payment is %s', p.number, p.status, i.status) as detail
      from subscription_periods p
      join payment_intents i on i.id = p.payment_intent_id
      join subscriptions s on s.id = p.subscription_id
      where case i.status
          when 'succeeded' then p.status <> 'paid'
          when 'processing' then p.status <> 'processing'
          when 'requires_action' then p.status <> 'processing'
          when 'canceled' then p.status <> 'void'
            and not (p.status = 'unpaid' and (s.state = 'canceled' or p.lapsed_at is not null))
          else p.status not in ('retrying', 'unpaid', 'void') end
      limit 100`,
  },
  {
    name: 'a payment intent of a subscription is of its customer, and the last of them is the one that it names',
    promise: 1,
    remedy: restore,
    offenders: (db) => db<Offender[]>`
      select s.id, format('%s charges, the last is %s of customer %s', s.charges, coalesce(i.id, 'none'),
        coalesce(i.customer_id, 'none')) as detail
      from subscriptions s
      left join payment_intents i on i.subscription_id = s.id and i.subscription_charge = s.charges
      where s.charges > 0
        and (i.id is distinct from s.latest_payment_intent_id::text or i.customer_id is distinct from s.customer_id)
      limit 100`,
  },
  {
    name: 'a subscription has as many paid periods as it counts',
    promise: 1,
    remedy: restore,
    offenders: (db) => db<Offender[]>`
      select s.id, format('counts %s and has %s', s.paid_periods, count(p.number)) as detail
      from subscriptions s
      left join subscription_periods p on p.subscription_id = s.id and p.kind = 'paid' and p.status = 'paid'
      group by s.id having s.paid_periods <> count(p.number) limit 100`,
  },
  {
    name: 'what waits on the account of a subscription, less its credit, is the sum of its entries',
    promise: 1,
    remedy: restore,
    offenders: (db) => db<Offender[]>`
      select s.id,
        format('credit %s, left for the next period %s, but entries %s', s.credit_balance_cents, l.sum, e.sum) as detail
      from subscriptions s
      cross join lateral (
        select coalesce(sum((line ->> 'amount_cents')::bigint), 0) as sum
        from jsonb_array_elements(s.next_period_lines) line
      ) l
      cross join lateral (
        select coalesce(sum(amount_cents), 0) as sum from subscription_entries where subscription_id = s.id
      ) e
      where l.sum - s.credit_balance_cents <> e.sum limit 100`,
  },
  {
    name: 'a period takes from the account what its statement says, and gives back no more than that',
    promise: 1,
    remedy: restore,
    offenders: (db) => db<Offender[]>`
      select p.subscription_id as id,
        format('period %s: carries %s, taken %s, given back %s', p.number, p.carried_cents, e.taken, e.back) as detail
      from subscription_periods p
      cross join lateral (
        select coalesce(sum(amount_cents) filter (where kind = 'taken'), 0) as taken,
          coalesce(sum(amount_cents) filter (where kind = 'given_back'), 0) as back
        from subscription_entries e where e.subscription_id = p.subscription_id and e.period = p.number
      ) e
      where p.kind = 'paid' and not exists (
          select from subscription_entries e
          where e.subscription_id = p.subscription_id and e.period = p.number and e.kind = 'taken'
          group by e.period having count(*) > 1
        )
        and case when not p.is_given_back then p.carried_cents + e.taken + e.back <> 0
          else e.back not between least(0 - e.taken, 0 - p.credit_used_cents)
            and greatest(0 - e.taken, 0 - p.credit_used_cents) end
      limit 100`,
  },
  {
    name: 'the changes of a period that were made have the lines that it counts, and credit no more than was paid for it',
    promise: 1,
    remedy: restore,
    offenders: (db) => db<Offender[]>`
      select p.subscription_id as id,
        format('period %s: counts %s, lines %s, items %s', p.number, p.changed_cents, c.sum,
        p.amount_cents - p.carried_cents) as detail
      from subscription_periods p
      cross join lateral (
        select coalesce(sum((line ->> 'amount_cents')::bigint), 0) as sum
        from subscription_changes c cross join jsonb_array_elements(c.lines) line
        where c.subscription_id = p.subscription_id and c.period = p.number and c.status = 'made'
      ) c
      where p.changed_cents <> c.sum or p.amount_cents - p.carried_cents + p.changed_cents < 0 limit 100`,
  },
  {
    name: 'the credit of a period does not exceed what its payments hold after refunds and returns: the rest is withheld',
    promise: 1,
    remedy: `${opsCommand('recheck', 'ID')}: that withholds what is missing, or gives back what is too much.`,
    offenders: (db) => db<Offender[]>`
      select p.subscription_id as id,
        format('period %s: lost %s of its changes, %s of its own payment, withheld %s', p.number, c.lost, o.lost,
        p.withheld_cents) as detail
      from subscription_periods p
      cross join lateral (
        select coalesce(sum(greatest(0, x.part - x.held)), 0) as lost
        from (
          select least(ci.amount, ci.total_amount - (
            select coalesce(sum(cr.amount - cr.credit_cents), 0) from refunds cr
            where cr.payment_intent_id = ci.id and cr.status <> 'failed' and not exists (
              select from disputes d
              where d.payment_intent_id = cr.payment_intent_id and d.status = 'lost' and d.closed_at > cr.created_at
            )
          )) as held, case when c.status = 'credited' then c.amount_cents else greatest(0, least(c.amount_cents,
            sum(c.amount_cents) filter (where c.status = 'made') over (order by ci.subscription_charge)
              - case p.status when 'void' then 0 else p.changed_cents end)) end as part
          from subscription_changes c join payment_intents ci on ci.id = c.payment_intent_id and ci.status = 'succeeded'
          where c.subscription_id = p.subscription_id and c.period = p.number and c.status in ('made', 'credited')
        ) x
      ) c
      cross join lateral (
        select greatest(0, case p.status when 'void' then 0 else 0 - p.changed_cents end
          - greatest(0, coalesce(sum(least(i.amount, i.total_amount - (
            select coalesce(sum(r.amount - r.credit_cents), 0) from refunds r
            where r.payment_intent_id = i.id and r.status <> 'failed' and not exists (
              select from disputes d
              where d.payment_intent_id = r.payment_intent_id and d.status = 'lost' and d.closed_at > r.created_at
            )
          ))), 0) - p.carried_cents)) as lost
        from payment_intents i where i.id = p.payment_intent_id and i.status = 'succeeded'
      ) o
      where p.withheld_cents <> c.lost + o.lost limit 100`,
  },
  {
    name: 'a change is made or credited exactly when its payment has succeeded, and its subscription waits for no other',
    promise: 1,
    remedy: restore,
    offenders: (db) => db<Offender[]>`
      select c.subscription_id as id,
        format('change %s is %s, its payment of %s is %s of %s, it waits for %s', c.number,
        c.status, c.amount_cents, i.status, i.amount, coalesce(s.change_payment_intent_id, 'none')) as detail
      from subscription_changes c
      join subscriptions s on s.id = c.subscription_id
      join payment_intents i on i.id = c.payment_intent_id
      where i.amount <> c.amount_cents
        or (s.change_payment_intent_id is not distinct from i.id::text) <> (c.status = 'processing')
        or case i.status
          when 'succeeded' then c.status not in ('made', 'credited')
          when 'returned' then c.status not in ('made', 'credited')
          when 'processing' then c.status <> 'processing'
          when 'requires_action' then c.status <> 'processing'
          else c.status <> 'failed' end
      limit 100`,
  },
  {
    name: 'a subscription wakes for the retry of its unpaid period, and for no other',
    promise: 1,
    remedy: `${opsCommand('recheck', 'ID')}; if that does not help, restore its rows from a back-up.`,
    offenders: (db) => db<Offender[]>`
      select s.id,
        format('%s, next attempt at %s, retries at %s', s.state, coalesce(s.next_attempt_at::text, 'no time'),
          coalesce(min(p.next_attempt_at)::text, 'no time')) as detail
      from subscriptions s left join subscription_periods p on p.subscription_id = s.id and p.status = 'retrying'
      group by s.id having s.next_attempt_at is distinct from min(p.next_attempt_at) limit 100`,
  },
];
