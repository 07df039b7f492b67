-- outside of a transaction
drop index concurrently if exists payment_intents_of_subscription;
create unique index concurrently payment_intents_of_subscription on payment_intents (subscription_id, subscription_charge)
  where subscription_id is not null;
