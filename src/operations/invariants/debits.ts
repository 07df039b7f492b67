import { type Invariant, type Offender, recalculate, restore } from './invariant.ts';

const compareWithBank =
  'Compare the debit with the processor’s account, by its reference in bank_debits. Then restore the row that differs from ' +
  'a back-up.';
const withoutAuthority = 'The payer had not allowed this debit. Refund it, and find out what has charged it.';

/** The same promises for bank debits: their outcome comes days later and is not the end. */
export const debitInvariants: Invariant[] = [
  {
    name: 'a debit is of the payment, the plan, the account and the customer of its mandate',
    promise: 1,
    remedy: restore,
    offenders: (db) => db<Offender[]>`
      select d.attempt_id as id, format('payment %s of plan %s, mandate %s of method %s', a.payment_intent_id,
        coalesce(i.payment_plan_id, 'none'), m.id, m.payment_method_id) as detail
      from bank_debits d
      join payment_attempts a on a.id = d.attempt_id
      join payment_intents i on i.id = a.payment_intent_id
      join mandates m on m.id = d.mandate_id
      where d.payment_intent_id <> a.payment_intent_id
        or d.payment_plan_id is distinct from i.payment_plan_id::text
        or d.subscription_id <> i.subscription_id
        or d.test_clock_id is distinct from m.test_clock_id::text
        or a.payment_method_id is distinct from m.payment_method_id::text
        or i.customer_id is distinct from m.customer_id::text
      limit 100`,
  },
  {
    name: 'an attempt waits for a bank exactly while it is a debit with a next step',
    promise: 1,
    remedy: compareWithBank,
    offenders: (db) => db<Offender[]>`
      select a.id, format('is %s, its next step is at %s', a.outcome, coalesce(d.next_at::text, 'no time')) as detail
      from payment_attempts a left join bank_debits d on d.attempt_id = a.id
      where a.outcome in ('accepted', 'submitted') and d.next_at is null
        or d.next_at is not null and a.outcome not in ('accepted', 'submitted', 'succeeded')
      limit 100`,
  },
  wakesForFirstStep('a plan', recalculate, {
    subjects: 'payment_plans',
    units: 'payment_plan_slots',
    key: 'payment_plan_id',
  }),
  wakesForFirstStep('a subscription', restore, {
    subjects: 'subscriptions',
    units: 'subscription_periods',
    key: 'subscription_id',
  }),
  {
    // A challenge at a live processor has its end on the attempt: `challenge_ends_at` of payment_attempts.
    name: 'a challenge of a payment of a plan or a subscription has an end, and only while it waits for the payer',
    promise: 1,
    remedy: restore,
    offenders: (db) => db<Offender[]>`
      select o.id, format('payment %s is %s, its challenge ends at %s', i.id, i.status, o.ends_at) as detail
      from (
        select payment_plan_id as id, payment_intent_id, challenge_ends_at as ends_at from payment_plan_slots
        where status = 'processing'
        union all select subscription_id, payment_intent_id, challenge_ends_at from subscription_periods
        where status = 'processing'
      ) o
      join payment_intents i on i.id = o.payment_intent_id
      where (i.status = 'requires_action') <> (o.ends_at is not null) and not (i.livemode and o.ends_at is null)
      limit 100`,
  },
  {
    // What the bank has runs on after the mandate has ended. The two times may come from two clocks.
    name: 'a debit goes to the bank only under a mandate that is active then',
    promise: 1,
    remedy: withoutAuthority,
    offenders: (db) => db<Offender[]>`
      select d.attempt_id as id,
        format('handed over at %s, mandate active from %s to %s', d.submitted_at, m.activated_at, m.ended_at) as detail
      from bank_debits d join mandates m on m.id = d.mandate_id
      where d.submitted_at + interval '1 minute' < m.activated_at
        or d.submitted_at - interval '1 minute' > m.ended_at
      limit 100`,
  },
  {
    name: 'a bank reports on a debit after its hand-over, and not before its charge date',
    promise: 1,
    remedy: compareWithBank,
    offenders: (db) => db<Offender[]>`
      select attempt_id as id,
        format('charged on %s, handed over at %s, reported at %s', charge_date, submitted_at, result_at) as detail
      from bank_debits
      where result_at < submitted_at
        or submitted_at is not null and (result_at at time zone 'Australia/Sydney')::date < charge_date
      limit 100`,
  },
  {
    name: 'what came back of a payment is the whole of each time, without what a dispute found refunded',
    promise: 3,
    remedy: compareWithBank,
    offenders: (db) => db<Offender[]>`
      select id,
        format('says %s, and %s refunded before; its events say %s, and %s; it came back %s times, by its events %s',
          total_returned_amount, refunded_before_dispute, returned, refunded_before, came, told) as detail
      from (
        select i.id, i.total_returned_amount, i.refunded_before_dispute, coalesce(e.returned, 0) as returned,
          coalesce(e.total - e.returned, 0) as refunded_before, coalesce(a.times, 0) as came,
          coalesce(e.times, 0) as told
        from payment_intents i
        left join (
          select payment_intent_id, count(*) as times
          from payment_attempts where outcome = 'returned' group by payment_intent_id
        ) a on a.payment_intent_id = i.id
        left join (
          select subject_id, count(*) as times, sum((data ->> 'total_amount')::bigint) as total,
            sum(coalesce(data ->> 'returned_amount', data ->> 'total_amount')::bigint) as returned
          from events where event_type = 'payment_intent.returned' group by subject_id
        ) e on e.subject_id = i.id
      ) i
      where total_returned_amount <> returned or refunded_before_dispute <> refunded_before or came <> told
      limit 100`,
  },
];

/** Tables of a kind of subject and of its slots or periods, and their column with its id. */
type Names = Record<'subjects' | 'units' | 'key', string>;

/** The same promise for both kinds of subject that collect debits. */
function wakesForFirstStep(who: string, remedy: string, { subjects, units, key }: Names): Invariant {
  return {
    name: `${who} wakes for the first step of its debits and the end of its challenges`,
    promise: 1,
    remedy,
    offenders: (db) => db<Offender[]>`
      select s.id, format('wakes at %s, first step at %s', coalesce(s.next_debit_at::text, 'no time'),
        coalesce(n.at::text, 'no time')) as detail
      from ${db(subjects)} s cross join lateral (
        select least(
          (select min(next_at) from bank_debits where ${db(key)} = s.id),
          (select min(challenge_ends_at) from ${db(units)} where ${db(key)} = s.id and status = 'processing')
        ) as at
      ) n
      where s.next_debit_at is distinct from n.at
      limit 100`,
  };
}
