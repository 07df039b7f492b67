create table customers (
  id object_id primary key,
  biller_id object_id not null references billers,
  livemode boolean not null,
  test_clock_id object_id,
  name text not null,
  email text,
  reference text,
  status text not null default 'active' check (status in ('active', 'inactive')),
  business_name text,
  billing_address jsonb,
  shipping_address jsonb,
  notification_preferences jsonb,
  fee_preferences jsonb,
  additional_attributes jsonb,
  phones jsonb,
  default_payment_method_id object_id,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  metadata jsonb not null default '{}',
  unique (biller_id, livemode, id),
  foreign key (biller_id, livemode, test_clock_id) references test_clocks (biller_id, livemode, id) on delete cascade
);
comment on table customers is 'Payers. Deleting one keeps the row; deleting its test clock removes it with all that it has';
comment on column customers.created_at is 'The customer''s time: the clock''s for a clock-bound customer. The same holds in every table below';
comment on column customers.metadata is 'Pairs of the biller''s own';
create index customers_of_clock on customers (test_clock_id, id) where test_clock_id is not null;
create index customers_by_email on customers (biller_id, livemode, lower(email), id) where email is not null;
create index customers_by_name on customers (biller_id, livemode, lower(name), id);
create index customers_by_reference on customers (biller_id, livemode, reference, id) where reference is not null;
create index customers_by_default_method on customers (default_payment_method_id)
  where default_payment_method_id is not null;
-- A list with dates goes in the order of the date that it is narrowed by, and is read from an index of that date.
create index customers_by_creation on customers (biller_id, livemode, created_at, id);
create index customers_by_change on customers (biller_id, livemode, updated_at, id);

create table payment_methods (
  id object_id primary key,
  biller_id object_id not null references billers,
  livemode boolean not null,
  customer_id object_id,
  type text not null check (type in ('card', 'au_becs_debit', 'klarna', 'pay_id', 'paypal')),
  instrument_data jsonb not null
    check (jsonb_typeof(instrument_data) = 'object') check (not instrument_data ? 'account_number'),
  brand text,
  last4 text check (length(last4) = 4),
  fixture_token text,
  sealed_account_number bytea,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  detached_at timestamptz,
  bound_payment_intent_id object_id,
  used_by_biller boolean not null default false,
  entered_in_form boolean not null default false,
  unique (biller_id, livemode, id),
  foreign key (biller_id, livemode, customer_id) references customers (biller_id, livemode, id) on delete cascade,
  check (type <> 'card' or instrument_data ?& array['card_name', 'expiry_month', 'expiry_year']),
  check (type <> 'au_becs_debit' or instrument_data ?& array['bsb_number', 'account_name']),
  check (type <> 'pay_id' or instrument_data ?& array['payid', 'account_name']),
  check (type <> 'paypal' or instrument_data ?& array['paypal_email', 'account_name']),
  check (sealed_account_number is null or type = 'au_becs_debit'),
  check (fixture_token is null or (type = 'card' and not livemode))
);
comment on table payment_methods is 'Saved instruments. A detached one stays readable and is never charged again';
comment on column payment_methods.instrument_data is 'What the API shows; never an account number';
comment on column payment_methods.bound_payment_intent_id is 'The only payment that a method without a customer may be used for: the first one that a publishable key has used it for. Null again as soon as it has a customer';
comment on column payment_methods.used_by_biller is 'A secret key has used the method for a payment while it had no customer and was not bound: publishable keys may use it for payments that carry it, and for no other';
comment on column payment_methods.entered_in_form is 'A payer has entered it in the form of a link or session. If nothing has used it after a day, it is detached, and its account number is deleted';
create index payment_methods_of_customer on payment_methods (customer_id, id) where customer_id is not null;
-- What nothing has used for a day is detached and forgotten.
create index payment_methods_unused_of_forms on payment_methods (created_at)
  where entered_in_form
    and customer_id is null
    and bound_payment_intent_id is null
    and not used_by_biller
    and detached_at is null;

alter table customers
  add constraint customers_default_method_fkey
    foreign key (biller_id, livemode, default_payment_method_id) references payment_methods (biller_id, livemode, id)
      on delete set null (default_payment_method_id);
