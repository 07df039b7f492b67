-- outside of a transaction
-- What is stuck is counted every thirty seconds. The first and the second index are nearly always empty.
drop index concurrently if exists payment_plans_without_date;
create index concurrently payment_plans_without_date on payment_plans (id) where state = 'active' and next_due_at is null;
drop index concurrently if exists payment_plans_with_wrong_date;
create index concurrently payment_plans_with_wrong_date on payment_plans (id)
  where state = 'active' and not is_near_slot(frequency_type, frequency_period, start_date, first_date, next_slot, next_due_at);
drop index concurrently if exists payment_plan_slots_retrying;
create index concurrently payment_plan_slots_retrying on payment_plan_slots (payment_plan_id) where status = 'retrying';
