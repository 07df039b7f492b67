-- Text and not object_id: to add a column of a domain that has a check, PostgreSQL writes the whole table anew.
alter table payment_methods
  add column bound_payment_intent_id text collate "C",
  add column used_by_biller boolean not null default false;
alter table payment_methods
  add constraint payment_methods_bound_payment_intent_fkey
    foreign key (biller_id, livemode, bound_payment_intent_id) references payment_intents (biller_id, livemode, id)
    on delete cascade not valid;
comment on column payment_methods.bound_payment_intent_id is 'The only payment that a method without a customer may be used for: the first one that a publishable key has used it for. Null again as soon as it has a customer';
comment on column payment_methods.used_by_biller is 'A secret key has used the method for a payment while it had no customer and was not bound: publishable keys may use it for payments that carry it, and for no other';
-- As every other reference: a default method is of the customer's own biller and mode.
alter table customers
  add constraint customers_default_method_fkey
    foreign key (biller_id, livemode, default_payment_method_id) references payment_methods (biller_id, livemode, id)
    on delete set null (default_payment_method_id) not valid;
