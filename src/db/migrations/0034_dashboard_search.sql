-- outside of a transaction
drop index concurrently if exists customers_by_word;
create index concurrently customers_by_word on customers using gin (to_tsvector('simple', name));
drop index concurrently if exists payment_methods_by_last4;
create index concurrently payment_methods_by_last4 on payment_methods (biller_id, livemode, last4, id)
  where last4 is not null;
drop index concurrently if exists payment_intents_by_total;
create index concurrently payment_intents_by_total on payment_intents (biller_id, livemode, total_amount, id);
drop index concurrently if exists payment_intents_by_lodgement;
create index concurrently payment_intents_by_lodgement on payment_intents (biller_id, livemode, lodgement_reference)
  where lodgement_reference is not null;
drop index concurrently if exists audit_log_of_persons;
create index concurrently audit_log_of_persons on audit_log (subject_id, id) where actor_kind = 'person';
