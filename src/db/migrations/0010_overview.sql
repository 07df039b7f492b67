-- outside of a transaction
-- The page of operators counts a week of attempts, and the plans that are in dunning.
drop index concurrently if exists payment_attempts_by_time;
create index concurrently payment_attempts_by_time on payment_attempts using brin (opened_at) with (autosummarize = on);
drop index concurrently if exists payment_plans_retrying;
create index concurrently payment_plans_retrying on payment_plans (next_attempt_at) where next_attempt_at is not null;
drop index concurrently if exists payment_plans_suspended;
create index concurrently payment_plans_suspended on payment_plans (state_reason) where state = 'suspended';
