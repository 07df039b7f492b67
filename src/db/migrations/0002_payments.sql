-- Every reference carries biller and mode with the id, so that a row can point at nothing of another biller or mode.

create table test_clocks (
  id object_id primary key,
  biller_id object_id not null references billers,
  livemode boolean not null default false check (not livemode),
  name text,
  status text not null check (status in ('created', 'advancing', 'ready', 'failed')),
  frozen_time timestamptz not null,
  target_time timestamptz,
  expires_at timestamptz not null,
  last_advanced_at timestamptz,
  failure_reason text,
  created_at timestamptz not null,
  unique (biller_id, livemode, id),
  check (target_time > frozen_time),
  check ((status = 'advancing') = (target_time is not null)),
  check ((status = 'failed') = (failure_reason is not null))
);
comment on table test_clocks is 'Sandbox clocks. frozen_time is now for the clock''s customers; only a finished advance moves it';
comment on column test_clocks.created_at is 'Real time, as are expires_at and last_advanced_at';

create table clock_advances (
  id object_id primary key,
  test_clock_id object_id not null references test_clocks on delete cascade,
  from_time timestamptz not null,
  target_time timestamptz not null,
  status text not null check (status in ('advancing', 'ready', 'failed')),
  manifest jsonb,
  failure_reason text,
  request_id text not null,
  requested_at timestamptz not null,
  finished_at timestamptz,
  check (target_time > from_time),
  check ((status = 'advancing') = (finished_at is null)),
  check ((status = 'ready') = (manifest is not null)),
  check ((status = 'failed') = (failure_reason is not null))
);
comment on table clock_advances is 'Each advance of a clock and what it did';
create unique index clock_advances_one_at_a_time on clock_advances (test_clock_id) where status = 'advancing';
create index clock_advances_of_clock on clock_advances (test_clock_id, id);

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
  unique (biller_id, livemode, id),
  foreign key (biller_id, livemode, test_clock_id) references test_clocks (biller_id, livemode, id) on delete cascade
);
comment on table customers is 'Payers. Deleting one keeps the row; deleting its test clock removes it with all that it has';
comment on column customers.created_at is 'The customer''s time: the clock''s for a clock-bound customer. The same holds in every table below';
create index customers_of_clock on customers (test_clock_id, id) where test_clock_id is not null;
create index customers_by_email on customers (biller_id, livemode, lower(email), id) where email is not null;
create index customers_by_name on customers (biller_id, livemode, lower(name), id);
create index customers_by_reference on customers (biller_id, livemode, reference, id) where reference is not null;

create table payment_methods (
  id object_id primary key,
  biller_id object_id not null references billers,
  livemode boolean not null,
  customer_id object_id,
  type text not null check (type in ('card', 'au_becs_debit', 'klarna', 'pay_id', 'paypal')),
  instrument_data jsonb not null,
  brand text,
  last4 text check (length(last4) = 4),
  fixture_token text,
  sealed_account_number bytea,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  detached_at timestamptz,
  unique (biller_id, livemode, id),
  foreign key (biller_id, livemode, customer_id) references customers (biller_id, livemode, id) on delete cascade,
  check (jsonb_typeof(instrument_data) = 'object'),
  check (type <> 'card' or instrument_data ?& array['card_name', 'expiry_month', 'expiry_year']),
  check (type <> 'au_becs_debit' or instrument_data ?& array['bsb_number', 'account_name']),
  check (type <> 'pay_id' or instrument_data ?& array['payid', 'account_name']),
  check (type <> 'paypal' or instrument_data ?& array['paypal_email', 'account_name']),
  check (not instrument_data ? 'account_number'),
  check (sealed_account_number is null or type = 'au_becs_debit'),
  check (fixture_token is null or (type = 'card' and not livemode))
);
comment on table payment_methods is 'Saved instruments. A detached one stays readable and is never charged again';
comment on column payment_methods.instrument_data is 'What the API shows; never an account number';
create index payment_methods_of_customer on payment_methods (customer_id, id) where customer_id is not null;
alter table customers add foreign key (default_payment_method_id) references payment_methods on delete set null;
create index customers_by_default_method on customers (default_payment_method_id) where default_payment_method_id is not null;

create table payment_plans (
  id object_id primary key,
  biller_id object_id not null references billers,
  livemode boolean not null,
  customer_id object_id not null,
  test_clock_id object_id,
  name text not null,
  state text not null check (state in ('pending', 'active', 'suspended', 'deactivated', 'closed')),
  state_reason text,
  frequency_type text not null check (frequency_type in ('weekly', 'monthly')),
  frequency_period integer not null check (frequency_period >= 1),
  recurring_amount_cents minor_units not null check (recurring_amount_cents >= 1),
  first_amount_cents minor_units check (first_amount_cents >= 1),
  total_amount_cents minor_units check (total_amount_cents >= 1),
  until_further_notice boolean not null,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  start_date date not null,
  first_date date,
  payment_instrument_id object_id,
  failure_behaviour text not null check (failure_behaviour in ('retry', 'stop')),
  metadata jsonb not null default '{}',
  collected_amount_cents minor_units not null default 0,
  next_slot integer not null default 0 check (next_slot >= 0),
  next_due_at timestamptz,
  next_attempt_at timestamptz,
  wake_at timestamptz generated always as (least(next_due_at, next_attempt_at)) stored,
  activated_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (biller_id, livemode, id),
  foreign key (biller_id, livemode, customer_id) references customers (biller_id, livemode, id) on delete cascade,
  foreign key (biller_id, livemode, test_clock_id) references test_clocks (biller_id, livemode, id) on delete cascade,
  foreign key (biller_id, livemode, payment_instrument_id) references payment_methods (biller_id, livemode, id)
    on delete set null (payment_instrument_id),
  check (until_further_notice = (total_amount_cents is null)),
  check (collected_amount_cents <= total_amount_cents),
  check (state = 'active' or (next_due_at is null and next_attempt_at is null)),
  check ((activated_at is null) <= (state in ('pending', 'closed')))
);
comment on table payment_plans is 'Recurring schedules: the terms, and how far the collection has come';
comment on column payment_plans.next_slot is 'The next slot of the calendar that has not come yet';
comment on column payment_plans.next_due_at is 'The instant of next_slot while the plan is active and something remains to collect';
comment on column payment_plans.next_attempt_at is 'The earliest retry of a slot that has failed';
comment on column payment_plans.wake_at is 'When the plan has something to do next; null when it waits for somebody';
create index payment_plans_of_customer on payment_plans (customer_id, id);
create index payment_plans_by_state on payment_plans (biller_id, livemode, state, id);
create index payment_plans_of_clock on payment_plans (test_clock_id, wake_at) where test_clock_id is not null;
create index payment_plans_due on payment_plans (wake_at) where wake_at is not null;
create index payment_plans_by_instrument on payment_plans (payment_instrument_id) where payment_instrument_id is not null;

create table payment_intents (
  id object_id primary key,
  biller_id object_id not null references billers,
  livemode boolean not null,
  customer_id object_id,
  payment_method_id object_id,
  payment_plan_id object_id,
  payment_plan_slot integer,
  amount minor_units not null,
  fee_amount minor_units not null,
  surcharge_amount minor_units not null default 0,
  surcharge_applied boolean not null,
  total_amount minor_units not null generated always as (amount + surcharge_amount) stored,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  status text not null
    check (status in ('requires_payment_method', 'processing', 'requires_action', 'succeeded', 'failed', 'canceled')),
  metadata jsonb not null default '{}',
  payment_method_data jsonb,
  statement_descriptor text check (length(statement_descriptor) <= 22),
  scheduled_payment_date date,
  scheduled_at timestamptz,
  attempt_count integer not null default 0 check (attempt_count >= 0),
  total_refunded_amount minor_units not null default 0,
  last_error_code text,
  last_error_message text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (biller_id, livemode, id),
  unique (payment_plan_id, payment_plan_slot),
  foreign key (biller_id, livemode, customer_id) references customers (biller_id, livemode, id) on delete cascade,
  foreign key (biller_id, livemode, payment_method_id) references payment_methods (biller_id, livemode, id)
    on delete set null (payment_method_id),
  foreign key (biller_id, livemode, payment_plan_id) references payment_plans (biller_id, livemode, id) on delete cascade,
  check ((payment_plan_id is null) = (payment_plan_slot is null)),
  check (surcharge_amount = case when surcharge_applied then fee_amount else 0 end),
  check (total_refunded_amount <= amount + surcharge_amount),
  check (total_refunded_amount = 0 or status = 'succeeded'),
  check ((last_error_code is null) = (last_error_message is null)),
  check (scheduled_at is null or status = 'requires_payment_method')
);
comment on table payment_intents is 'Single charges: made by a request, or by a plan for one of its slots (one intent per slot, ever)';
comment on column payment_intents.scheduled_payment_date is 'Kept only when it lay ahead at creation: a payment for today is not shown as scheduled';
comment on column payment_intents.scheduled_at is 'When the payment is to be made by itself; null once it was made, or somebody was faster';
create index payment_intents_of_customer on payment_intents (customer_id, id) where customer_id is not null;
create index payment_intents_by_status on payment_intents (biller_id, livemode, status, id);
create index payment_intents_scheduled on payment_intents (scheduled_at) where scheduled_at is not null;

create table payment_attempts (
  id object_id primary key,
  payment_intent_id object_id not null references payment_intents on delete cascade,
  number integer not null check (number >= 1),
  payment_method_id object_id references payment_methods on delete cascade,
  source text not null check (source in ('confirm', 'plan', 'schedule')),
  request_key text,
  request_key_expires_at timestamptz,
  outcome text not null check (outcome in ('processing', 'requires_action', 'succeeded', 'failed')),
  code text,
  message text,
  at timestamptz not null,
  opened_at timestamptz not null,
  settled_at timestamptz,
  unique (payment_intent_id, number),
  check ((outcome = 'failed') = (code is not null)),
  check ((code is null) = (message is null)),
  check ((outcome in ('succeeded', 'failed')) = (settled_at is not null))
);
comment on table payment_attempts is 'Each try to collect an intent. The row is committed before the processor is asked, and its id is the processor''s idempotency key';
comment on column payment_attempts.at is 'The customer''s time of the attempt; opened_at and settled_at are real';
comment on column payment_attempts.request_key is 'The Idempotency-Key of the confirm that opened it: its repetition goes on with this attempt, until the key expires';
create index payment_attempts_in_flight on payment_attempts (opened_at) where outcome = 'processing';
create unique index payment_attempts_one_in_flight on payment_attempts (payment_intent_id)
  where outcome in ('processing', 'requires_action');
create unique index payment_attempts_one_success on payment_attempts (payment_intent_id) where outcome = 'succeeded';

create table payment_plan_slots (
  payment_plan_id object_id not null references payment_plans on delete cascade,
  slot integer not null check (slot >= 0),
  due_date date not null,
  status text not null check (status in ('processing', 'paid', 'retrying', 'failed', 'skipped')),
  amount minor_units check (amount >= 1),
  payment_intent_id object_id unique references payment_intents on delete cascade,
  failures integer not null default 0 check (failures >= 0),
  first_failed_at timestamptz,
  next_attempt_at timestamptz,
  primary key (payment_plan_id, slot),
  check ((status = 'skipped') = (payment_intent_id is null)),
  check ((status = 'skipped') = (amount is null)),
  check ((status = 'retrying') = (next_attempt_at is not null)),
  check ((failures = 0) = (first_failed_at is null))
);
comment on table payment_plan_slots is 'The due dates of a plan that have come, each with its payment or the note that it was skipped';
comment on column payment_plan_slots.failures is 'Failed attempts in the present series; resuming a plan starts a fresh series';
create index payment_plan_slots_open on payment_plan_slots (payment_plan_id, slot)
  where status in ('processing', 'retrying', 'failed');

create table refunds (
  id object_id primary key,
  biller_id object_id not null references billers,
  livemode boolean not null,
  payment_intent_id object_id not null,
  amount minor_units not null check (amount >= 1),
  currency text not null,
  reason text,
  metadata jsonb not null default '{}',
  status text not null check (status in ('processing', 'succeeded', 'failed')),
  request_key text,
  request_key_expires_at timestamptz,
  opened_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (biller_id, livemode, id),
  foreign key (biller_id, livemode, payment_intent_id) references payment_intents (biller_id, livemode, id) on delete cascade
);
comment on table refunds is 'Money given back, whole or in part; the row is committed before the processor is asked';
comment on column refunds.request_key is 'The Idempotency-Key of the request that opened it: its repetition goes on with this refund, until the key expires';
comment on column refunds.opened_at is 'Real time';
create index refunds_in_flight on refunds (opened_at) where status = 'processing';
create index refunds_of_intent on refunds (payment_intent_id, id);
