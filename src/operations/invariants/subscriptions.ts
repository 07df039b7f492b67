import { opsCommand } from '../stuck/definitions.ts';
import { type Invariant, type Offender, restore } from './invariant.ts';

/** What holds of subscriptions: their periods, what was paid for them, and what their events say. */
export const subscriptionInvariants: Invariant[] = [
  {
    name: 'the periods of a subscription do not overlap, unless they are void',
    promise: 1,
    remedy: restore,
    offenders: (db) => db<Offender[]>`
      select p.subscription_id as id, format('period %s from %s and period %s until %s', o.number, o.start_date, p.number, p.end_date) as detail
      from subscription_periods p
      join subscription_periods o on o.subscription_id = p.subscription_id and o.number > p.number
      where p.status <> 'void' and o.status <> 'void' and o.start_date < p.end_date limit 100`,
  },
  {
    name: 'the amount of a period is the sum of its lines, and that of its payment intent',
    promise: 1,
    remedy: restore,
    offenders: (db) => db<Offender[]>`
      select p.subscription_id as id, format('period %s: %s, lines %s, payment %s', p.number, p.amount_cents, l.sum, i.amount) as detail
      from subscription_periods p
      cross join lateral (
        select coalesce(sum((line ->> 'amount_cents')::bigint), 0) as sum from jsonb_array_elements(p.lines) line
      ) l
      left join payment_intents i on i.id = p.payment_intent_id
      where p.amount_cents <> l.sum or i.amount <> p.amount_cents limit 100`,
  },
  {
    name: 'a period is paid exactly when its payment intent has succeeded',
    promise: 1,
    remedy: restore,
    offenders: (db) => db<Offender[]>`
      select p.subscription_id as id, format('period %s is %s, its payment is %s', p.number, p.status, i.status) as detail
      from subscription_periods p join payment_intents i on i.id = p.payment_intent_id
      where case i.status
          when 'succeeded' then p.status <> 'paid'
          when 'processing' then p.status <> 'processing'
          when 'requires_action' then p.status <> 'processing'
          when 'canceled' then p.status <> 'void'
          else p.status not in ('retrying', 'unpaid', 'void') end
      limit 100`,
  },
  {
    name: 'a payment intent of a subscription is of its customer, and the last of them is the one that it names',
    promise: 1,
    remedy: restore,
    offenders: (db) => db<Offender[]>`
      select s.id, format('%s charges, the last is %s of customer %s', s.charges, i.id, i.customer_id) as detail
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
    name: 'a subscription wakes for the retry of its unpaid period, and for no other',
    promise: 1,
    remedy: `${opsCommand('recheck', 'ID')}; if that does not help, restore its rows from a back-up.`,
    offenders: (db) => db<Offender[]>`
      select s.id, format('%s, next attempt at %s, retries at %s', s.state, s.next_attempt_at, min(p.next_attempt_at)) as detail
      from subscriptions s left join subscription_periods p on p.subscription_id = s.id and p.status = 'retrying'
      group by s.id having s.next_attempt_at is distinct from min(p.next_attempt_at) limit 100`,
  },
];
