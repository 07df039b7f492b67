import { opsCommand } from '../stuck/reading/ops-command.ts';
import { type Invariant, type Offender, recalculate } from './invariant.ts';

const compareAttempts =
  'Compare the attempts of ID with the processor’s account. Then restore the row that differs from a back-up.';
const takenTwice =
  'Compare the attempts of ID with the processor’s account. Refund what was taken twice: POST /payment_intents/ID/refunds.';

/** Promise 1: one charge per slot and attempt, whatever crashes and however often anything is repeated. */
export const chargeInvariants: Invariant[] = [
  {
    name: 'a payment intent succeeds at most once',
    promise: 1,
    remedy: takenTwice,
    offenders: (db) => db<Offender[]>`
      select payment_intent_id as id, count(*) || ' successful attempts' as detail
      from payment_attempts where outcome = 'succeeded'
      group by payment_intent_id having count(*) > 1 limit 100`,
  },
  {
    name: 'a payment intent has at most one attempt under way',
    promise: 1,
    remedy: compareAttempts,
    offenders: (db) => db<Offender[]>`
      select payment_intent_id as id, count(*) || ' attempts under way' as detail
      from payment_attempts where outcome in ('processing', 'accepted', 'submitted', 'requires_action')
      group by payment_intent_id having count(*) > 1 limit 100`,
  },
  {
    name: 'at most ten attempts of payers on a payment intent fail, and it counts none that did not',
    promise: 1,
    remedy: compareAttempts,
    offenders: (db) => db<Offender[]>`
      select i.id, format('counts %s failures of payers and has %s', i.payer_failures, a.failed) as detail
      from payment_intents i
      cross join lateral (
        select count(*) filter (where code not in ('canceled', 'debit_withdrawn')) as failed
        from payment_attempts where payment_intent_id = i.id and by_payer and outcome = 'failed'
      ) a
      where i.payer_failures > a.failed or a.failed > 10 limit 100`,
  },
  {
    name: 'the attempts of a payment intent are numbered from 1 without gaps, as many as it counts',
    promise: 1,
    remedy: compareAttempts,
    offenders: (db) => db<Offender[]>`
      select i.id,
        format('counts %s attempts and has %s', i.attempt_count,
          coalesce(nullif(count(a.id), 0) || ', numbered up to ' || max(a.number), 'none')) as detail
      from payment_intents i left join payment_attempts a on a.payment_intent_id = i.id
      group by i.id
      having count(a.id) <> i.attempt_count or coalesce(max(a.number), 0) <> i.attempt_count
      limit 100`,
  },
  {
    name: 'a payment intent says when it was collected exactly if it ever was, and not before the attempt that did it',
    promise: 1,
    remedy: compareAttempts,
    offenders: (db) => db<Offender[]>`
      select i.id, format('says %s, its last collection was attempted at %s', coalesce(i.collected_at::text, 'never'),
        coalesce(a.at::text, 'no time')) as detail
      from payment_intents i
      left join lateral (
        select at from payment_attempts
        where payment_intent_id = i.id and outcome in ('succeeded', 'returned')
        order by number desc limit 1
      ) a on true
      where (a.at is null) <> (i.collected_at is null) or i.collected_at < a.at limit 100`,
  },
  {
    name: 'a payment intent that is processing has its last attempt',
    promise: 1,
    remedy: `Find out who deleted it. ${opsCommand('settle', 'ID', '--as', 'OUTCOME', '--evidence', 'TEXT')} records what the processor has of it, and charges nothing.`,
    offenders: (db) => db<Offender[]>`
      select i.id, format('has no row of attempt %s', i.attempt_count) as detail
      from payment_intents i
      where i.status = 'processing' and i.attempt_count > 0 and not exists (
        select from payment_attempts a where a.payment_intent_id = i.id and a.number = i.attempt_count
      )
      limit 100`,
  },
  {
    name: 'the status of a payment intent is what its last attempt came to',
    promise: 1,
    remedy: compareAttempts,
    offenders: (db) => db<Offender[]>`
      select i.id, format('is %s, its last attempt %s', i.status, coalesce(a.outcome, 'was never made')) as detail
      from payment_intents i
      left join payment_attempts a on a.payment_intent_id = i.id and a.number = i.attempt_count
      where i.status <> case
          when a.outcome is null then 'requires_payment_method'
          when a.outcome in ('accepted', 'submitted') then 'processing'
          else a.outcome end
        and (i.status <> 'processing' or i.attempt_count = 0 or a.id is not null)
        and (i.status <> 'canceled' or a.outcome in ('processing', 'accepted', 'submitted', 'succeeded', 'returned'))
      limit 100`,
  },
  {
    name: 'no attempt follows a successful one',
    promise: 1,
    remedy: takenTwice,
    offenders: (db) => db<Offender[]>`
      select a.payment_intent_id as id, format('attempt %s after success with attempt %s', a.number, s.number) as detail
      from payment_attempts s
      join payment_attempts a on a.payment_intent_id = s.payment_intent_id and a.number > s.number
      where s.outcome = 'succeeded' limit 100`,
  },
  {
    name: 'a slot of a plan has one payment intent, and no other slot has it',
    promise: 1,
    remedy: recalculate,
    offenders: (db) => db<Offender[]>`
      select coalesce(i.payment_plan_id, s.payment_plan_id) as id,
        format('slot %s: its payment is %s, and its row has %s', coalesce(i.payment_plan_slot, s.slot),
          coalesce(i.id, 'none'), coalesce(s.payment_intent_id, 'none')) as detail
      from (select * from payment_intents where payment_plan_id is not null) i
      full join (select * from payment_plan_slots where status <> 'skipped') s
        on s.payment_plan_id = i.payment_plan_id and s.slot = i.payment_plan_slot and s.payment_intent_id = i.id
      where i.id is null or s.payment_intent_id is null limit 100`,
  },
  {
    name: 'a slot is paid exactly when its payment intent has succeeded, and has its amount',
    promise: 1,
    remedy: recalculate,
    offenders: (db) => db<Offender[]>`
      select s.payment_plan_id as id,
        format('slot %s of %s is %s, its payment of %s is %s', s.slot, s.amount, s.status, i.amount, i.status) as detail
      from payment_plan_slots s join payment_intents i on i.id = s.payment_intent_id
      where s.amount <> i.amount
        or s.status not in (
          case i.status when 'succeeded' then 'paid' when 'processing' then 'processing'
            when 'requires_action' then 'processing' when 'canceled' then 'given_up' when 'returned' then 'returned'
            else 'failed' end,
          case when i.status in ('failed', 'returned') then 'retrying' else '' end)
      limit 100`,
  },
  {
    name: 'the payment of a slot is canceled exactly when the slot was given up, and so is never charged again',
    promise: 1,
    remedy: recalculate,
    offenders: (db) => db<Offender[]>`
      select s.payment_plan_id as id,
        format('slot %s is %s, its payment is %s', s.slot, s.status, i.status) as detail
      from payment_plan_slots s join payment_intents i on i.id = s.payment_intent_id
      where (i.status = 'canceled') <> (s.status = 'given_up') limit 100`,
  },
  {
    name: 'every slot that has come has a row, and none that has not',
    promise: 1,
    remedy: recalculate,
    offenders: (db) => db<Offender[]>`
      select p.id, format('next slot is %s, with %s rows up to slot %s', p.next_slot, count(s.slot),
          coalesce(max(s.slot)::text, 'none')) as detail
      from payment_plans p left join payment_plan_slots s on s.payment_plan_id = p.id
      group by p.id
      having count(s.slot) <> p.next_slot or coalesce(max(s.slot), -1) <> p.next_slot - 1
      limit 100`,
  },
  {
    name: 'an active plan wakes for its earliest retry, and one that is not active for nothing',
    promise: 1,
    remedy: recalculate,
    offenders: (db) => db<Offender[]>`
      select p.id,
        format('%s, next attempt at %s, earliest retry at %s', p.state, coalesce(p.next_attempt_at::text, 'no time'),
          coalesce(min(s.next_attempt_at)::text, 'no time')) as detail
      from payment_plans p left join payment_plan_slots s on s.payment_plan_id = p.id and s.status = 'retrying'
      group by p.id
      having p.next_attempt_at is distinct from min(s.next_attempt_at)
      limit 100`,
  },
  {
    name: 'a mandate that has not ended is for an account that is not detached, of a customer that is not deleted',
    promise: 1,
    remedy: 'Ask its biller to cancel the mandate: POST /mandates/ID/cancel.',
    offenders: (db) => db<Offender[]>`
      select m.id,
        format('is %s, account detached at %s, customer deleted at %s', m.status,
          coalesce(p.detached_at::text, 'no time'), coalesce(c.deleted_at::text, 'no time')) as detail
      from mandates m
      join payment_methods p on p.id = m.payment_method_id
      join customers c on c.id = m.customer_id
      where m.ended_at is null and (p.detached_at is not null or c.deleted_at is not null) limit 100`,
  },
  {
    // Two requests may get their locks in another order than their times. None lives for a minute.
    name: 'a bank account that has a mandate is debited only while one is active',
    promise: 1,
    remedy: 'The payer had not allowed this debit. Refund ID, and find out what has charged it.',
    offenders: (db) => db<Offender[]>`
      select a.payment_intent_id as id, format('attempt %s succeeded at %s without a mandate', a.number, a.at) as detail
      from payment_attempts a
      where a.outcome = 'succeeded'
        and exists (
          select from mandates
          where payment_method_id = a.payment_method_id and created_at < a.at - interval '1 minute'
        )
        and not exists (
          select from mandates
          where payment_method_id = a.payment_method_id and activated_at <= a.at + interval '1 minute'
            and coalesce(ended_at, 'infinity') >= a.at - interval '1 minute'
        )
      limit 100`,
  },
];
