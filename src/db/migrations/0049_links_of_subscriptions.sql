-- outside of a transaction
-- The foreign keys need the indexes when a test clock is deleted.
drop index concurrently if exists payment_links_of_subscription;
create index concurrently payment_links_of_subscription on payment_links (apply_to_subscription_id)
  where apply_to_subscription_id is not null;
drop index concurrently if exists checkout_sessions_of_subscription;
create index concurrently checkout_sessions_of_subscription on checkout_sessions (apply_to_subscription_id)
  where apply_to_subscription_id is not null;
