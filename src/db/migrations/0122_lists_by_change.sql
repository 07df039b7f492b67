-- outside of a transaction
-- A list with dates goes in the order of the date that it is narrowed by, and is read from an index of that date.
drop index concurrently if exists payment_intents_by_collection;
create index concurrently payment_intents_by_collection on payment_intents (biller_id, livemode, collected_at, id)
  where collected_at is not null;
drop index concurrently if exists customers_by_change;
create index concurrently customers_by_change on customers (biller_id, livemode, updated_at, id);
drop index concurrently if exists payment_intents_by_change;
create index concurrently payment_intents_by_change on payment_intents (biller_id, livemode, updated_at, id);
drop index concurrently if exists refunds_by_change;
create index concurrently refunds_by_change on refunds (biller_id, livemode, updated_at, id);
drop index concurrently if exists payment_plans_by_change;
create index concurrently payment_plans_by_change on payment_plans (biller_id, livemode, updated_at, id);
drop index concurrently if exists subscriptions_by_change;
create index concurrently subscriptions_by_change on subscriptions (biller_id, livemode, updated_at, id);
drop index concurrently if exists payment_links_by_change;
create index concurrently payment_links_by_change on payment_links (biller_id, livemode, updated_at, id);
drop index concurrently if exists checkout_sessions_by_change;
create index concurrently checkout_sessions_by_change on checkout_sessions (biller_id, livemode, updated_at, id);
drop index concurrently if exists mandates_by_change;
create index concurrently mandates_by_change on mandates (biller_id, livemode, updated_at, id);
drop index concurrently if exists events_by_creation;
create index concurrently events_by_creation on events (biller_id, livemode, created_at, sequence);
