create table payment_links (
  id object_id primary key,
  biller_id object_id not null references billers,
  livemode boolean not null,
  test_clock_id object_id,
  customer_id object_id,
  mode text not null check (mode in ('payment', 'setup')),
  name text not null check (length(name) between 1 and 255),
  description text check (length(description) <= 500),
  amount minor_units check (amount >= 1),
  amount_min minor_units check (amount_min >= 1),
  amount_max minor_units check (amount_max >= amount_min),
  amount_suggested bigint[] not null default '{}' check (cardinality(amount_suggested) <= 5),
  currency text check (currency ~ '^[A-Z]{3}$'),
  collect jsonb not null,
  payment_method_types text[] not null check (cardinality(payment_method_types) > 0),
  save_payment_method text not null check (save_payment_method in ('no', 'offer', 'always')),
  apply_to_payment_plan_id object_id,
  surcharge_applied boolean not null,
  statement_descriptor text check (length(statement_descriptor) between 1 and 22),
  metadata jsonb not null,
  success_url text check (length(success_url) <= 2048),
  cancel_url text check (length(cancel_url) <= 2048),
  reference text check (length(reference) between 1 and 255),
  max_payments integer check (max_payments >= 1),
  token_hash bytea not null unique check (length(token_hash) = 32),
  sealed_token bytea not null,
  status text not null check (status in ('open', 'completed', 'expired', 'deactivated')),
  status_reason text,
  payments_count integer not null default 0 check (payments_count >= 0),
  collected_amount minor_units not null default 0,
  expires_at timestamptz,
  wake_at timestamptz,
  completed_at timestamptz,
  expired_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  throttled_until timestamptz,
  throttlings integer not null default 0,
  apply_to_subscription_id object_id,
  makes_default text not null default 'no',
  apply_to_waives_unpaid boolean not null default false,
  unique (biller_id, livemode, id),
  foreign key (biller_id, livemode, test_clock_id) references test_clocks (biller_id, livemode, id) on delete cascade,
  foreign key (biller_id, livemode, customer_id) references customers (biller_id, livemode, id) on delete cascade,
  foreign key (biller_id, livemode, apply_to_payment_plan_id) references payment_plans (biller_id, livemode, id)
    on delete cascade,
  check ((amount_min is null) = (amount_max is null)),
  check (amount is null or amount_min is null),
  check ((mode = 'payment') = (amount is not null or amount_min is not null)),
  check (mode = 'setup' or currency is not null),
  check (mode = 'payment' or save_payment_method = 'always'),
  check (apply_to_payment_plan_id is null or customer_id is not null),
  check (test_clock_id is null or customer_id is not null),
  check (payments_count <= max_payments),
  check ((status = 'completed') = (completed_at is not null)),
  check ((status = 'expired') = (expired_at is not null)),
  check (status = 'open' or wake_at is null),
  constraint payment_links_subscription_fkey
    foreign key (biller_id, livemode, apply_to_subscription_id) references subscriptions (biller_id, livemode, id)
      on delete cascade,
  constraint payment_links_apply_to_check
    check (apply_to_subscription_id is null or (customer_id is not null and apply_to_payment_plan_id is null)),
  constraint payment_links_makes_default_check
    check (makes_default in ('no', 'offer', 'always') and (mode = 'setup' or makes_default = 'no'))
);
comment on table payment_links is 'What a biller sends to be paid. Instants are the customer''s time';
comment on column payment_links.amount_min is 'With amount_max: the payer chooses the amount';
comment on column payment_links.max_payments is 'Null: any number. One: single use';
comment on column payment_links.token_hash is 'SHA-256 of the token in its URL';
comment on column payment_links.payments_count is 'Its payments that have succeeded and did not come back; in setup mode, the methods that were saved';
comment on column payment_links.wake_at is 'When it expires. Null while it waits for a payment that was begun before';
comment on column payment_links.throttled_until is 'Until when payers are asked to try later, after too many failed attempts. Real time; null: that has never happened';
comment on column payment_links.throttlings is 'How often that has happened; each has its event';
comment on column payment_links.apply_to_subscription_id is 'The subscription that a completed payment or setup starts or heals';
comment on column payment_links.makes_default is 'Whether a saved method becomes the default of the customer: never, if the payer ticks a box, or always. The key that made the link must be able to set it';
comment on column payment_links.apply_to_waives_unpaid is 'Whether what a paused subscription has served unpaid is let go when it is resumed';
create index payment_links_by_reference on payment_links (biller_id, livemode, reference, id)
  where reference is not null;
create index payment_links_of_biller on payment_links (biller_id, livemode, id);
create index payment_links_of_customer on payment_links (customer_id, id) where customer_id is not null;
create index payment_links_of_plan on payment_links (apply_to_payment_plan_id)
  where apply_to_payment_plan_id is not null;
create index payment_links_of_clock on payment_links (test_clock_id, id) where test_clock_id is not null;
create index payment_links_due on payment_links (wake_at, id) where wake_at is not null;
create index payment_links_due_on_clock on payment_links (test_clock_id, wake_at)
  where test_clock_id is not null and wake_at is not null;
create index payment_links_of_subscription on payment_links (apply_to_subscription_id)
  where apply_to_subscription_id is not null;
create index payment_links_by_creation on payment_links (biller_id, livemode, created_at, id);
create index payment_links_by_change on payment_links (biller_id, livemode, updated_at, id);

alter table payment_intents
  add constraint payment_intents_link_fkey
    foreign key (biller_id, livemode, payment_link_id) references payment_links (biller_id, livemode, id)
      on delete set null (payment_link_id);

create table checkout_sessions (
  id object_id primary key,
  biller_id object_id not null references billers,
  livemode boolean not null,
  test_clock_id object_id,
  payment_link_id object_id,
  single_use boolean not null,
  customer_id object_id,
  payment_intent_id object_id,
  has_own_intent boolean not null,
  payment_method_id object_id,
  unkept_methods text[] not null default '{}',
  mode text not null check (mode in ('payment', 'setup')),
  name text check (length(name) between 1 and 255),
  description text check (length(description) <= 500),
  amount minor_units check (amount >= 1),
  amount_min minor_units check (amount_min >= 1),
  amount_max minor_units check (amount_max >= amount_min),
  amount_suggested bigint[] not null default '{}' check (cardinality(amount_suggested) <= 5),
  currency text check (currency ~ '^[A-Z]{3}$'),
  collect jsonb not null,
  payment_method_types text[] not null check (cardinality(payment_method_types) > 0),
  save_payment_method text not null check (save_payment_method in ('no', 'offer', 'always')),
  apply_to_payment_plan_id object_id,
  surcharge_applied boolean not null,
  statement_descriptor text check (length(statement_descriptor) between 1 and 22),
  metadata jsonb not null,
  success_url text check (length(success_url) <= 2048),
  cancel_url text check (length(cancel_url) <= 2048),
  token_hash bytea not null unique check (length(token_hash) = 32),
  sealed_token bytea not null,
  status text not null check (status in ('open', 'processing', 'completed', 'expired')),
  status_reason text,
  submissions integer not null default 0 check (submissions >= 0),
  failed_attempts integer not null default 0 check (failed_attempts between 0 and submissions),
  expires_at timestamptz not null,
  wake_at timestamptz,
  completed_at timestamptz,
  expired_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  apply_to_subscription_id object_id,
  entered_method text,
  consent jsonb,
  taken_form bytea,
  taken_method text,
  made_default boolean not null default false,
  makes_default text not null default 'no',
  apply_to_waives_unpaid boolean not null default false,
  unique (biller_id, livemode, id),
  foreign key (biller_id, livemode, test_clock_id) references test_clocks (biller_id, livemode, id) on delete cascade,
  foreign key (biller_id, livemode, payment_link_id) references payment_links (biller_id, livemode, id)
    on delete cascade,
  foreign key (biller_id, livemode, customer_id) references customers (biller_id, livemode, id) on delete cascade,
  foreign key (biller_id, livemode, payment_intent_id) references payment_intents (biller_id, livemode, id)
    on delete cascade,
  foreign key (biller_id, livemode, payment_method_id) references payment_methods (biller_id, livemode, id)
    on delete set null (payment_method_id),
  foreign key (biller_id, livemode, apply_to_payment_plan_id) references payment_plans (biller_id, livemode, id)
    on delete cascade,
  check ((amount_min is null) = (amount_max is null)),
  check (amount is null or amount_min is null),
  check ((mode = 'payment') = (amount is not null or amount_min is not null)),
  check (mode = 'setup' or currency is not null),
  check (mode = 'payment' or save_payment_method = 'always'),
  check (apply_to_payment_plan_id is null or customer_id is not null),
  check (payment_link_id is not null or not single_use),
  check (has_own_intent or payment_intent_id is not null),
  check (status <> 'processing' or payment_intent_id is not null),
  check ((status = 'completed') = (completed_at is not null)),
  check ((status = 'expired') = (expired_at is not null)),
  check (status in ('open', 'processing') or wake_at is null),
  constraint checkout_sessions_subscription_fkey
    foreign key (biller_id, livemode, apply_to_subscription_id) references subscriptions (biller_id, livemode, id)
      on delete cascade,
  constraint checkout_sessions_apply_to_check
    check (apply_to_subscription_id is null or (customer_id is not null and apply_to_payment_plan_id is null)),
  constraint checkout_sessions_makes_default_check
    check (makes_default in ('no', 'offer', 'always') and (mode = 'setup' or makes_default = 'no'))
);
comment on table checkout_sessions is 'One sitting of one payer: what is paid as it was shown, and how far it is. Instants are the customer''s time';
comment on column checkout_sessions.single_use is 'Its link takes one payment. All its open pages are then one session, with one payment';
comment on column checkout_sessions.has_own_intent is 'The session makes its payment intent; otherwise it was made for an intent of the biller';
comment on column checkout_sessions.unkept_methods is 'Methods that the payer has entered for this payment only: the one that is charged is detached once there is an outcome';
comment on column checkout_sessions.submissions is 'How often the form was accepted. A form carries the number that it was shown with';
comment on column checkout_sessions.wake_at is 'When it expires, or when its challenge has taken too long. Null while it waits for a payment that was begun before';
comment on column checkout_sessions.apply_to_subscription_id is 'The subscription that a completed payment or setup starts or heals';
comment on column checkout_sessions.entered_method is 'The method that the payer has entered in the form that was accepted last, without a mandate: it is detached if its payment fails';
comment on column checkout_sessions.consent is 'What the payer agreed to in the form that was accepted last: the words, when (the customer''s time), and from which address and browser. Null if nothing is kept';
comment on column checkout_sessions.taken_form is 'A keyed hash of the form that was taken last, with the way to pay that was entered in it: the same form sent again saves nothing';
comment on column checkout_sessions.taken_method is 'The method that was saved from that form';
comment on column checkout_sessions.made_default is 'Whether the payer has made the saved method the default of the customer. Only in setup mode';
comment on column checkout_sessions.makes_default is 'Whether a saved method becomes the default of the customer: never, if the payer ticks a box, or always. The key that made the session or its link must be able to set it';
comment on column checkout_sessions.apply_to_waives_unpaid is 'Whether what a paused subscription has served unpaid is let go when it is resumed';
create unique index checkout_sessions_one_open on checkout_sessions (payment_link_id)
  where single_use and status in ('open', 'processing');
create unique index checkout_sessions_one_open_of_intent on checkout_sessions (payment_intent_id)
  where status in ('open', 'processing') and payment_intent_id is not null;
create index checkout_sessions_of_biller on checkout_sessions (biller_id, livemode, id);
create index checkout_sessions_of_link on checkout_sessions (payment_link_id, id) where payment_link_id is not null;
create index checkout_sessions_of_customer on checkout_sessions (customer_id, id) where customer_id is not null;
create index checkout_sessions_of_intent on checkout_sessions (payment_intent_id, id)
  where payment_intent_id is not null;
create index checkout_sessions_of_method on checkout_sessions (payment_method_id) where payment_method_id is not null;
create index checkout_sessions_of_plan on checkout_sessions (apply_to_payment_plan_id)
  where apply_to_payment_plan_id is not null;
create index checkout_sessions_of_clock on checkout_sessions (test_clock_id, id) where test_clock_id is not null;
create index checkout_sessions_due on checkout_sessions (wake_at, id) where wake_at is not null;
create index checkout_sessions_of_subscription on checkout_sessions (apply_to_subscription_id)
  where apply_to_subscription_id is not null;
-- An advance asks again and again which session on its clock is due first.
create index checkout_sessions_due_on_clock on checkout_sessions (test_clock_id, wake_at, id)
  where test_clock_id is not null and wake_at is not null;
create index checkout_sessions_by_creation on checkout_sessions (biller_id, livemode, created_at, id);
create index checkout_sessions_by_change on checkout_sessions (biller_id, livemode, updated_at, id);

alter table payment_intents
  add constraint payment_intents_session_fkey
    foreign key (biller_id, livemode, checkout_session_id) references checkout_sessions (biller_id, livemode, id)
      on delete set null (checkout_session_id);

create table page_uses (
  subject bytea not null check (length(subject) = 32),
  begins_at timestamptz not null,
  used integer not null check (used >= 0),
  primary key (subject, begins_at)
);
comment on table page_uses is 'How often payers have used the pages in a span of time, for the limits that all processes share. Removed after an hour';
comment on column page_uses.subject is 'A keyed hash of what is limited, such as "starts" and an address. No address can be read from it';
comment on column page_uses.begins_at is 'When the span begins. Real time';
