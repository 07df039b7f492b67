-- outside of a transaction
-- A list with dates goes in the order of created_at, so each is read from its index, however old the dates are.
drop index concurrently if exists customers_by_creation;
create index concurrently customers_by_creation on customers (biller_id, livemode, created_at, id);
drop index concurrently if exists payment_intents_by_creation;
create index concurrently payment_intents_by_creation on payment_intents (biller_id, livemode, created_at, id);
drop index concurrently if exists refunds_by_creation;
create index concurrently refunds_by_creation on refunds (biller_id, livemode, created_at, id);
drop index concurrently if exists payment_plans_by_creation;
create index concurrently payment_plans_by_creation on payment_plans (biller_id, livemode, created_at, id);
drop index concurrently if exists subscriptions_by_creation;
create index concurrently subscriptions_by_creation on subscriptions (biller_id, livemode, created_at, id);
drop index concurrently if exists payment_links_by_creation;
create index concurrently payment_links_by_creation on payment_links (biller_id, livemode, created_at, id);
drop index concurrently if exists checkout_sessions_by_creation;
create index concurrently checkout_sessions_by_creation on checkout_sessions (biller_id, livemode, created_at, id);
drop index concurrently if exists mandates_by_creation;
create index concurrently mandates_by_creation on mandates (biller_id, livemode, created_at, id);
drop index concurrently if exists events_of_customer;
create index concurrently events_of_customer on events (customer_id, sequence) where customer_id is not null;
