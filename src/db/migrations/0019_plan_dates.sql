-- Rows that no plan can have are refused. `not valid`: a row that is wrong already must not keep a new version from
-- starting. `ops stuck` and `check:invariants` find it, and `ops recalculate` corrects it.

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

alter table payment_plans
  add constraint payment_plans_has_next_date
    check (state <> 'active' or next_due_at is not null or (total_amount_cents is not null and next_slot > 0)) not valid,
  add constraint payment_plans_next_date_of_calendar
    check (is_near_slot(frequency_type, frequency_period, start_date, first_date, next_slot, next_due_at)) not valid;

-- The row of a slot that has a payment stays. Deferred: a plan writes the payment before its slot, in one transaction.
alter table payment_intents
  add constraint payment_intents_slot_fkey
    foreign key (payment_plan_id, payment_plan_slot) references payment_plan_slots (payment_plan_id, slot)
    deferrable initially deferred not valid;
