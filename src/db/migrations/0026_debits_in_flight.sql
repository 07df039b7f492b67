-- outside of a transaction
-- A payment has one attempt under way, also while the bank has it. The former index knows cards only: this one replaces it.
drop index concurrently if exists payment_attempts_one_under_way;
create unique index concurrently payment_attempts_one_under_way on payment_attempts (payment_intent_id)
  where outcome in ('processing', 'accepted', 'submitted', 'requires_action');
drop index concurrently if exists payment_attempts_one_in_flight;
-- Beside wake_at, which does not know debits: a generated column cannot be changed without writing the table anew.
drop index concurrently if exists payment_plans_debits_due;
create index concurrently payment_plans_debits_due on payment_plans (next_debit_at) where next_debit_at is not null;
-- What came back is unpaid too. The former version finds its open slots by the primary key meanwhile.
drop index concurrently if exists payment_plan_slots_unpaid;
create index concurrently payment_plan_slots_unpaid on payment_plan_slots (payment_plan_id, slot)
  where status in ('processing', 'retrying', 'failed', 'returned');
drop index concurrently if exists payment_plan_slots_open;
