-- What `isNearSlot` in src/domain/calendar.ts returns, for indexes and constraints. Dates are counted from start_date.
create function is_near_slot(
  frequency_type text, frequency_period integer, start_date date, first_date date, slot integer, due_at timestamptz
) returns boolean language sql immutable parallel safe as $$
  select abs(extract(epoch from (due_at at time zone 'UTC') - case
    when slot = 0 then coalesce(first_date, start_date)::timestamp
    when frequency_type = 'weekly' then (start_date + 7 * frequency_period * slot)::timestamp
    else start_date + make_interval(months => frequency_period * slot)
  end)) <= 2 * 86400
$$;
comment on function is_near_slot is 'Whether an instant is within two days of the date of a plan''s slot. It knows no time zone; no two slots are nearer than a week';

create table payment_plans (
  id object_id primary key,
  biller_id object_id not null references billers,
  livemode boolean not null,
  customer_id object_id not null,
  test_clock_id object_id,
  name text not null,
  state text not null check (state in ('pending', 'active', 'suspended', 'deactivated', 'closed')),
  state_reason text,
  frequency_type text not null check (frequency_type in ('weekly', 'monthly')),
  frequency_period integer not null check (frequency_period >= 1),
  recurring_amount_cents minor_units not null check (recurring_amount_cents >= 1),
  first_amount_cents minor_units check (first_amount_cents >= 1),
  total_amount_cents minor_units check (total_amount_cents >= 1),
  until_further_notice boolean not null,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  start_date date not null,
  first_date date,
  payment_instrument_id object_id,
  failure_behaviour text not null check (failure_behaviour in ('retry', 'stop')),
  metadata jsonb not null default '{}',
  collected_amount_cents minor_units not null default 0,
  next_slot integer not null default 0 check (next_slot >= 0),
  next_due_at timestamptz,
  next_attempt_at timestamptz,
  wake_at timestamptz generated always as (least(next_due_at, next_attempt_at)) stored,
  activated_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  next_debit_at timestamptz,
  in_flight_cents bigint not null default 0,
  agreed_recurring_cents minor_units not null,
  agreed_first_cents minor_units,
  agreed_total_cents minor_units,
  ended_as text check (ended_as in ('deactivated', 'closed')),
  unique (biller_id, livemode, id),
  foreign key (biller_id, livemode, customer_id) references customers (biller_id, livemode, id) on delete cascade,
  foreign key (biller_id, livemode, test_clock_id) references test_clocks (biller_id, livemode, id) on delete cascade,
  foreign key (biller_id, livemode, payment_instrument_id) references payment_methods (biller_id, livemode, id)
    on delete set null (payment_instrument_id),
  check (until_further_notice = (total_amount_cents is null)),
  check (collected_amount_cents <= total_amount_cents),
  check (state = 'active' or (next_due_at is null and next_attempt_at is null)),
  check ((activated_at is null) <= (state in ('pending', 'closed'))),
  -- Rows that no plan can have are refused.
  constraint payment_plans_has_next_date
    check (state <> 'active' or next_due_at is not null or (total_amount_cents is not null and next_slot > 0)),
  constraint payment_plans_next_date_of_calendar
    check (is_near_slot(frequency_type, frequency_period, start_date, first_date, next_slot, next_due_at))
);
comment on table payment_plans is 'Recurring schedules: the terms, and how far the collection has come';
comment on column payment_plans.next_slot is 'The next slot of the calendar that has not come yet';
comment on column payment_plans.next_due_at is 'The instant of next_slot while the plan is active and something remains to collect';
comment on column payment_plans.next_attempt_at is 'The earliest retry of a slot that has failed';
comment on column payment_plans.wake_at is 'When the plan has something to do next; null when it waits for somebody';
comment on column payment_plans.next_debit_at is 'When a payment that is under way takes its next step: the earliest next_at of the plan''s debits, or challenge_ends_at of its slots. Also once the plan has ended: what the bank has, runs on';
comment on column payment_plans.in_flight_cents is 'The payments that were under way when the plan was suspended or ended, and still are, minor units';
comment on column payment_plans.agreed_recurring_cents is 'recurring_amount_cents as the service has written it, with first and total beside it. An amount that was changed by hand differs from it';
comment on column payment_plans.agreed_first_cents is 'The same of first_amount_cents';
comment on column payment_plans.agreed_total_cents is 'The same of total_amount_cents';
comment on column payment_plans.ended_as is 'The state in which the plan has ended. It is never left: with another state, the row was changed by hand';
create index payment_plans_of_customer on payment_plans (customer_id, id);
create index payment_plans_by_state on payment_plans (biller_id, livemode, state, id);
create index payment_plans_of_clock on payment_plans (test_clock_id, wake_at) where test_clock_id is not null;
create index payment_plans_due on payment_plans (wake_at) where wake_at is not null;
create index payment_plans_by_instrument on payment_plans (payment_instrument_id)
  where payment_instrument_id is not null;
-- The page of operators counts the plans that are in dunning.
create index payment_plans_retrying on payment_plans (next_attempt_at) where next_attempt_at is not null;
create index payment_plans_suspended on payment_plans (state_reason) where state = 'suspended';
-- What is stuck is counted every thirty seconds. The indexes of what should not be are nearly always empty.
create index payment_plans_without_date on payment_plans (id) where state = 'active' and next_due_at is null;
create index payment_plans_with_wrong_date on payment_plans (id)
  where state = 'active'
    and not is_near_slot(frequency_type, frequency_period, start_date, first_date, next_slot, next_due_at);
-- wake_at does not know debits and challenges.
create index payment_plans_debits_due on payment_plans (next_debit_at) where next_debit_at is not null;
-- A comparison reads the plans that need a workflow in slices, the soonest due first. Without this index each slice of
-- 500 sorts all plans: 1.3 s of a million instead of 7 ms.
create index payment_plans_wanting_workflow on payment_plans (least(wake_at, next_debit_at), id)
  where state in ('active', 'suspended') or next_debit_at is not null;
create index payment_plans_by_creation on payment_plans (biller_id, livemode, created_at, id);
create index payment_plans_by_change on payment_plans (biller_id, livemode, updated_at, id);
create index payment_plans_edited on payment_plans (id)
  where (ended_as is not null and state not in ('closed', 'deactivated'))
    or (state = 'active' and state_reason is not null)
    or (
      state not in ('closed', 'deactivated')
      and (
        agreed_recurring_cents <> recurring_amount_cents
        or agreed_first_cents is distinct from first_amount_cents
        or agreed_total_cents is distinct from total_amount_cents
      )
    );

create table payment_plan_slots (
  payment_plan_id object_id not null references payment_plans on delete cascade,
  slot integer not null check (slot >= 0),
  due_date date not null,
  status text not null
    check (status in ('processing', 'paid', 'retrying', 'failed', 'skipped', 'given_up', 'returned')),
  amount minor_units check (amount >= 1),
  payment_intent_id object_id unique,
  failures integer not null default 0 check (failures >= 0),
  first_failed_at timestamptz,
  next_attempt_at timestamptz,
  last_result_at timestamptz,
  challenge_ends_at timestamptz,
  primary key (payment_plan_id, slot),
  check ((status = 'skipped') = (payment_intent_id is null)),
  check ((status = 'skipped') = (amount is null)),
  check ((status = 'retrying') = (next_attempt_at is not null)),
  check ((failures = 0) = (first_failed_at is null))
);
comment on table payment_plan_slots is 'The due dates of a plan that have come, each with its payment or the note that it was skipped';
comment on column payment_plan_slots.status is 'given_up: given up for good. Its payment is canceled, and it is neither tried again nor counted as still to be collected';
comment on column payment_plan_slots.failures is 'Failed attempts in the present series; resuming a plan starts a fresh series';
comment on column payment_plan_slots.last_result_at is 'When the bank reported the last failure of the present series; null if that was no debit under a mandate';
comment on column payment_plan_slots.challenge_ends_at is 'Until when the payer has time for the challenge of the bank, in customer time. Null without one';
create index payment_plan_slots_retrying on payment_plan_slots (payment_plan_id) where status = 'retrying';
create index payment_plan_slots_unpaid on payment_plan_slots (payment_plan_id, slot)
  where status in ('processing', 'retrying', 'failed', 'returned');
