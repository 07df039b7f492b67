-- outside of a transaction
-- The payments of a link, newest first. The foreign keys need both indexes when a test clock is deleted.
drop index concurrently if exists payment_intents_of_link;
create index concurrently payment_intents_of_link on payment_intents (payment_link_id, id) where payment_link_id is not null;
drop index concurrently if exists payment_intents_of_session;
create index concurrently payment_intents_of_session on payment_intents (checkout_session_id)
  where checkout_session_id is not null;
