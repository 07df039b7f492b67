import { subscribes } from '../../db/events.ts';
import { opsCommand } from '../stuck/reading/ops-command.ts';
import type { Invariant, Offender } from './invariant.ts';

/** Which of the two was changed, only a third account says. */
const restoreEvents =
  'The rows of ID and its events (GET /events?object_id=ID) do not agree. Find out which was changed by hand: compare both ' +
  'with the processor’s account, and with a back-up. Restore that one, and nothing else.';

/** Promise 2: a committed change has exactly one event, and every event has a delivery for each subscribed endpoint. */
export const eventInvariants: Invariant[] = [
  {
    name: 'the events of a biller and mode are numbered from 1 without gaps, up to its counter',
    promise: 2,
    remedy:
      'Find out who deleted events or changed the counter (event_sequences). Their numbers: select sequence, event_type from ' +
      "events where biller_id = 'ID' order by livemode, sequence. Restore what is missing from a back-up, and nothing else.",
    offenders: (db) => db<Offender[]>`
      select coalesce(e.biller_id, s.biller_id) as id,
        format('%s: %s, counter %s', case when coalesce(e.livemode, s.livemode) then 'live mode' else 'sandbox' end,
          case when e.count is null then 'no events' else format('%s events from %s to %s', e.count, e.first, e.last) end,
          coalesce(s.last_sequence, 0)) as detail
      from (
        select biller_id, livemode, count(distinct sequence) as count, min(sequence) as first, max(sequence) as last
        from events group by biller_id, livemode
      ) e
      full join event_sequences s on s.biller_id = e.biller_id and s.livemode = e.livemode
      where coalesce(e.count, 0) <> coalesce(s.last_sequence, 0) or coalesce(e.first, 1) <> 1
        or coalesce(e.last, 0) <> coalesce(s.last_sequence, 0) limit 100`,
  },
  {
    name: 'an attempt that succeeded or failed has exactly one event',
    promise: 2,
    remedy: restoreEvents,
    offenders: (db) => db<Offender[]>`
      select i.id,
        format('%s successes and %s failures, events report %s and %s', a.succeeded, a.failed, e.succeeded, e.failed)
          as detail
      from payment_intents i
      cross join lateral (
        select count(*) filter (where outcome in ('succeeded', 'returned')) as succeeded,
          count(*) filter (where outcome = 'failed' and code <> 'canceled') as failed
        from payment_attempts where payment_intent_id = i.id
      ) a
      cross join lateral (
        select count(*) filter (where event_type = 'payment_intent.succeeded') as succeeded,
          count(*) filter (where event_type = 'payment_intent.failed') as failed
        from events where subject_id = i.id
      ) e
      where a.succeeded <> e.succeeded or a.failed <> e.failed limit 100`,
  },
  {
    name: 'a debit has one event when it is accepted, and one when it comes back',
    promise: 2,
    remedy: restoreEvents,
    offenders: (db) => db<Offender[]>`
      select i.id,
        format('%s debits, %s came back, events report %s and %s', d.accepted, d.returned, e.accepted, e.returned)
          as detail
      from (
        select d.payment_intent_id as id, count(*) as accepted,
          count(*) filter (where a.outcome = 'returned') as returned
        from bank_debits d join payment_attempts a on a.id = d.attempt_id
        group by d.payment_intent_id
      ) d
      join payment_intents i on i.id = d.id
      cross join lateral (
        select count(*) filter (where event_type = 'payment_intent.processing') as accepted,
          count(*) filter (
            where event_type = 'payment_intent.returned' and data -> 'dispute_id' is null
          ) as returned
        from events where subject_id = i.id
      ) e
      where d.accepted <> e.accepted or d.returned <> e.returned limit 100`,
  },
  {
    name: 'no event reports a failure right after a success',
    promise: 2,
    remedy: restoreEvents,
    offenders: (db) => db<Offender[]>`
      select subject_id as id, 'failed after it had succeeded' as detail
      from (
        select subject_id, event_type, lag(event_type) over (partition by subject_id order by sequence) as before
        from events where event_type in (
          'payment_intent.succeeded', 'payment_intent.failed', 'payment_intent.returned', 'payment_intent.processing'
        )
      ) told
      where event_type = 'payment_intent.failed' and before = 'payment_intent.succeeded' limit 100`,
  },
  {
    name: 'a change of state has exactly one event',
    promise: 2,
    remedy: restoreEvents,
    offenders: (db) => db<Offender[]>`
      with changes (id, event_type, expected) as (
        select id, 'payment_plan.activated', (activated_at is not null)::integer from payment_plans
        union all select id, 'payment_plan.deactivated', (state = 'deactivated')::integer from payment_plans
        union all select id, 'payment_plan.closed', (state = 'closed')::integer from payment_plans
        union all select id, 'subscription.started', (state <> 'pending')::integer from subscriptions
          where state <> 'canceled'
        union all select id, 'subscription.trial_ending', trial_notice_sent::integer from subscriptions
        union all select s.id, 'subscription.renewed', count(p.number) from subscriptions s
          left join subscription_periods p on p.subscription_id = s.id and p.number > 1
            and (p.lines = '[]' or p.lines @? '$[*] ? (@.kind <> "owed")') group by s.id
        union all select id, 'subscription.canceled', (state = 'canceled')::integer from subscriptions
        union all select id, 'payment_intent.canceled', (status = 'canceled')::integer from payment_intents
        union all select id, 'payment_intent.restricted', (payer_failures >= 10)::integer from payment_intents
        union all select id, 'mandate.created', 1 from mandates
        union all select id, 'mandate.activated', (activated_at is not null)::integer from mandates
        union all select id, 'mandate.notice_due', (
            select count(*) from jsonb_array_elements(notices) n
            where n ->> 'kind' = 'amount_changed' and n ->> 'due_by' is not null
          ) from mandates
        union all select id, 'mandate.canceled', (status = 'canceled')::integer from mandates
        union all select id, 'mandate.failed', (status = 'failed')::integer from mandates
        union all select id, 'mandate.expired', (status = 'expired')::integer from mandates
        union all select id, 'payment_link.created', 1 from payment_links
        union all select id, 'dispute.opened', 1 from disputes
        union all select id, 'dispute.won', (status = 'won')::integer from disputes
        union all select id, 'dispute.lost', (status = 'lost')::integer from disputes
        union all select id, 'payout.created', 1 from payouts
        union all select id, 'payout.reconciled', (reconciliation_status = 'completed')::integer from payouts
        union all select id, 'payout.paid', (status = 'paid')::integer from payouts
          where not livemode or status <> 'failed'
        union all select id, 'payout.failed', (status = 'failed')::integer from payouts
        union all select l.id, 'payment_link.paid', count(a.id) from payment_links l
          left join payment_intents i on i.payment_link_id = l.id
          left join payment_attempts a on a.payment_intent_id = i.id and a.outcome in ('succeeded', 'returned')
          group by l.id
        union all select id, 'payment_link.throttled', throttlings from payment_links
        union all select id, 'checkout_session.completed', (status = 'completed')::integer from checkout_sessions
        union all select id, 'checkout_session.expired', (status = 'expired')::integer from checkout_sessions
        union all select id, 'refund.' || status, 1 from refunds where status <> 'processing'
        union all select id, 'test_clock.created', 1 from test_clocks
        union all select k.id, 'test_clock.advancing', count(a.id) from test_clocks k
          left join clock_advances a on a.test_clock_id = k.id group by k.id
        union all select k.id, 'test_clock.ready', count(a.id) from test_clocks k
          left join clock_advances a on a.test_clock_id = k.id and a.status = 'ready' group by k.id
        union all select e.subject_id, 'test_clock.deleted', (k.id is null)::integer from events e
          left join test_clocks k on k.id = e.subject_id where e.event_type = 'test_clock.created'
      )
      select c.id, format('%s reported %s times instead of %s', c.event_type, count(e.id), c.expected) as detail
      from changes c left join events e on e.subject_id = c.id and e.event_type = c.event_type
      group by c.id, c.event_type, c.expected having count(e.id) <> c.expected limit 100`,
  },
  {
    name: 'the events of a payment link say in turn what it becomes, as its row does at last',
    promise: 2,
    remedy: restoreEvents,
    offenders: (db) => db<Offender[]>`
      with said as (
        select subject_id as id, sequence, case event_type
          when 'payment_link.completed' then 'completed'
          when 'payment_link.expired' then 'expired'
          when 'payment_link.deactivated' then 'deactivated'
          else 'open' end as status
        from events where event_type in (
          'payment_link.created', 'payment_link.completed', 'payment_link.reopened', 'payment_link.expired',
          'payment_link.deactivated', 'payment_link.renewed'
        )
      )
      select l.id, format('is %s, its last event says %s', l.status, coalesce(last.status, 'nothing')) as detail
      from payment_links l
      left join lateral (select status from said where said.id = l.id order by sequence desc limit 1) last on true
      where l.status is distinct from last.status
      union all
      select id, format('two events in a row say %s', status) from (
        select id, status, lag(status) over (partition by id order by sequence) as before from said
      ) told where status = before
      limit 100`,
  },
  {
    name: 'the last event of a suspended plan reports its suspension',
    promise: 2,
    remedy: restoreEvents,
    offenders: (db) => db<Offender[]>`
      select p.id, 'is suspended, and its last event is ' || coalesce(last.event_type, 'none') as detail
      from payment_plans p
      left join lateral (
        select event_type from events where subject_id = p.id order by sequence desc limit 1
      ) last on true
      where p.state = 'suspended' and last.event_type is distinct from 'payment_plan.suspended' limit 100`,
  },
  {
    name: 'the events of a subscription say in turn that it is in effect and that it is not, as its row does at last',
    promise: 2,
    remedy: restoreEvents,
    offenders: (db) => db<Offender[]>`
      with said as (
        select subject_id as id, sequence, (data::jsonb ->> 'in_effect')::boolean as in_effect
        from events where event_type = 'subscription.in_effect_changed'
      )
      select s.id, format('is %s, its last event says %s', s.in_effect, last.in_effect) as detail
      from subscriptions s
      left join lateral (select in_effect from said where said.id = s.id order by sequence desc limit 1) last on true
      where s.in_effect <> coalesce(last.in_effect, false)
      union all
      select id, format('two events in a row say %s', in_effect) from (
        select id, in_effect, lag(in_effect, 1, false) over (partition by id order by sequence) as before from said
      ) told where in_effect = before
      limit 100`,
  },
  {
    // The state of an endpoint before its last change is unknown, and so is whether a request under way saw that
    // change. The change has the instant at which its request began; on a busy machine it commits seconds later.
    name: 'an event has a delivery for every endpoint that was enabled and subscribed before it',
    promise: 2,
    remedy: `${opsCommand('retry-delivery', 'ENDPOINT')} (the endpoint in the detail: it gets all that it has not received).`,
    offenders: (db) => db<Offender[]>`
      select e.id, format('%s is not on its way to %s', e.event_type, w.id) as detail
      from webhook_endpoints w
      join events e on e.biller_id = w.biller_id and e.livemode = w.livemode
        and e.recorded_at > w.updated_at + interval '10 seconds'
      where w.status = 'enabled' and w.deleted_at is null and ${subscribes(db)}
        and e.event_type not like 'webhook\_endpoint.%'
        and not exists (select 1 from webhook_deliveries d where d.event_id = e.id and d.endpoint_id = w.id)
      limit 100`,
  },
  {
    name: 'an event is on its way to an endpoint once',
    promise: 2,
    remedy:
      'Nothing to send: a receiver knows the second by its webhook-id. Restore the constraint that refuses such rows.',
    offenders: (db) => db<Offender[]>`
      select event_id as id, format('%s deliveries to %s', count(*), endpoint_id) as detail
      from webhook_deliveries group by event_id, endpoint_id having count(*) > 1 limit 100`,
  },
  {
    name: 'a delivery that is done had a receiver that said so, and one that was given up says why',
    promise: 2,
    remedy: `${opsCommand('retry-delivery', 'ID')} (it is sent again).`,
    offenders: (db) => db<Offender[]>`
      select d.id, format('%s after status %s', d.status, coalesce(a.status_code::text, 'none')) as detail
      from webhook_deliveries d
      left join webhook_delivery_attempts a on a.delivery_id = d.id and a.number = d.attempt_count
      where (d.status = 'delivered' and coalesce(a.status_code, 0) not between 200 and 299)
        or (d.status = 'failed' and d.failure_reason is null) limit 100`,
  },
];
