-- outside of a transaction
drop index concurrently if exists bank_debits_of_subscription;
create index concurrently bank_debits_of_subscription on bank_debits (subscription_id, next_at)
  where subscription_id is not null;
drop index concurrently if exists bank_debits_without_owner;
create index concurrently bank_debits_without_owner on bank_debits (attempt_id)
  where payment_plan_id is null and subscription_id is null and next_at is not null;
drop index concurrently if exists bank_debits_due_alone;
-- Beside wake_at, which does not know debits: a generated column cannot be changed without writing the table anew.
drop index concurrently if exists subscriptions_debits_due;
create index concurrently subscriptions_debits_due on subscriptions (next_debit_at) where next_debit_at is not null;
drop index concurrently if exists subscriptions_wanting_workflow;
create index concurrently subscriptions_wanting_workflow on subscriptions (least(wake_at, next_debit_at), id)
  where (state <> 'canceled' and (state <> 'pending' or started_at is not null)) or next_debit_at is not null;
