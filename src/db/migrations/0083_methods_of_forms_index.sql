-- outside of a transaction
drop index concurrently if exists payment_methods_unused_of_forms;
create index concurrently payment_methods_unused_of_forms on payment_methods (created_at)
  where entered_in_form and customer_id is null and bound_payment_intent_id is null and not used_by_biller
    and detached_at is null;
