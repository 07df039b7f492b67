-- No two periods of a subscription overlap: an exclusion constraint, which needs equality in a GiST index.
create extension if not exists btree_gist;

create table subscriptions (
  id object_id primary key,
  biller_id object_id not null references billers,
  livemode boolean not null,
  customer_id object_id not null,
  test_clock_id object_id,
  name text not null,
  state text not null check (state in ('pending', 'trialing', 'active', 'past_due', 'paused', 'canceled')),
  state_reason text,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  items jsonb not null,
  frequency_type text not null check (frequency_type in ('weekly', 'monthly', 'yearly')),
  frequency_period integer not null check (frequency_period >= 1),
  start_date date not null,
  anchor_day integer check (anchor_day between 1 and 31),
  trial_days integer check (trial_days >= 1),
  trial_end_date date,
  trial_end_behaviour text not null check (trial_end_behaviour in ('charge', 'pause', 'cancel')),
  payment_instrument_id object_id,
  failure_behaviour text not null check (failure_behaviour in ('retry', 'stop')),
  unpaid_behaviour text not null check (unpaid_behaviour in ('pause', 'cancel')),
  grace_days integer not null check (grace_days >= 0),
  effective_on text not null check (effective_on in ('settled', 'submitted')),
  metadata jsonb not null default '{}',
  started_at timestamptz,
  anchor_start date,
  anchor_number integer not null default 1 check (anchor_number >= 1),
  current_number integer not null default 0 check (current_number >= 0),
  next_number integer not null default 1 check (next_number >= 1),
  ends_at date,
  cancel_requested boolean not null default false,
  pauses_at date,
  resumes_at date,
  trial_notice_sent boolean not null default false,
  paid_periods integer not null default 0 check (paid_periods >= 0),
  charges integer not null default 0 check (charges >= 0),
  credit_balance_cents minor_units not null default 0,
  latest_payment_intent_id object_id,
  last_error_code text,
  last_error_message text,
  next_period_at timestamptz,
  next_attempt_at timestamptz,
  notice_at timestamptz,
  grace_ends_at timestamptz,
  resume_at timestamptz,
  wake_at timestamptz
    generated always as (least(next_period_at, next_attempt_at, notice_at, grace_ends_at, resume_at)) stored,
  in_effect boolean not null default false,
  in_effect_until timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (biller_id, livemode, id),
  foreign key (biller_id, livemode, customer_id) references customers (biller_id, livemode, id) on delete cascade,
  foreign key (biller_id, livemode, test_clock_id) references test_clocks (biller_id, livemode, id) on delete cascade,
  foreign key (biller_id, livemode, payment_instrument_id) references payment_methods (biller_id, livemode, id)
    on delete set null (payment_instrument_id),
  check ((last_error_code is null) = (last_error_message is null)),
  check (trial_days is null or trial_end_date is null),
  check (in_effect or in_effect_until is null),
  check (state <> 'canceled' or (next_period_at is null and next_attempt_at is null and resume_at is null)),
  check ((state in ('pending', 'paused', 'canceled')) <= not in_effect)
);
comment on table subscriptions is 'A service that is sold in periods: the terms, and how far it has come. Dates are biller-local, instants the customer''s time';
comment on column subscriptions.items is 'What is sold: {id, name, unit_amount_cents, quantity}';
comment on column subscriptions.started_at is 'When it was asked to start; null again after a first payment that was declined';
comment on column subscriptions.anchor_start is 'The first day of period anchor_number. Periods are counted from here';
comment on column subscriptions.current_number is 'The period that has begun last; 0 if none has';
comment on column subscriptions.next_number is 'The period that begins next. Those that passed while one was unpaid are left out';
comment on column subscriptions.cancel_requested is 'ends_at comes from a request: nothing is retried any more';
comment on column subscriptions.charges is 'The payment intents that were made for it. Each has its number';
comment on column subscriptions.next_period_at is 'When its next period begins, or it ends or pauses instead';
comment on column subscriptions.wake_at is 'When the subscription has something to do next; null when it waits for somebody';
comment on column subscriptions.in_effect is 'Whether the customer may use the service now';
create index subscriptions_of_customer on subscriptions (customer_id, id);
create index subscriptions_by_state on subscriptions (biller_id, livemode, state, id);
create index subscriptions_of_clock on subscriptions (test_clock_id, wake_at) where test_clock_id is not null;
create index subscriptions_due on subscriptions (wake_at) where wake_at is not null;
create index subscriptions_wanting_workflow on subscriptions (wake_at, id)
  where state <> 'canceled' and (state <> 'pending' or started_at is not null);
create index subscriptions_by_instrument on subscriptions (payment_instrument_id) where payment_instrument_id is not null;

create table subscription_periods (
  subscription_id object_id not null references subscriptions on delete cascade,
  number integer not null check (number >= 1),
  start_date date not null,
  end_date date not null check (end_date > start_date),
  kind text not null check (kind in ('trial', 'paid')),
  status text not null check (status in ('processing', 'paid', 'retrying', 'unpaid', 'void')),
  lines jsonb not null,
  amount_cents minor_units not null,
  payment_intent_id object_id unique references payment_intents on delete cascade,
  failures integer not null default 0 check (failures >= 0),
  first_failed_at timestamptz,
  next_attempt_at timestamptz,
  last_result_at timestamptz,
  began_at timestamptz not null,
  primary key (subscription_id, number),
  exclude using gist (subscription_id with =, daterange(start_date, end_date) with &&) where (status <> 'void'),
  check ((status = 'retrying') = (next_attempt_at is not null)),
  check (kind = 'paid' or (amount_cents = 0 and status = 'paid')),
  check ((amount_cents = 0) = (payment_intent_id is null))
);
comment on table subscription_periods is 'The periods of a subscription that have begun. Those that are not void never overlap';
comment on column subscription_periods.lines is 'The statement: {kind, description, quantity, amount_cents}. Their sum is amount_cents';
comment on column subscription_periods.failures is 'Failed attempts in the present series of retries';
comment on column subscription_periods.last_result_at is 'When the bank reported the last failure of the series; null if that was no debit under a mandate';
comment on column subscription_periods.began_at is 'When it was opened, in the customer''s time';
create index subscription_periods_owed on subscription_periods (subscription_id, number)
  where status in ('processing', 'retrying', 'unpaid');

-- New columns are no object_id: to add a column of a domain, PostgreSQL writes the table anew.
alter table payment_intents
  add column subscription_id text collate "C",
  add column subscription_charge integer;
alter table payment_intents
  add constraint payment_intents_subscription_fkey
    foreign key (biller_id, livemode, subscription_id) references subscriptions (biller_id, livemode, id)
    on delete cascade not valid,
  add constraint payment_intents_subscription_charge
    check ((subscription_id is null) = (subscription_charge is null)) not valid;
comment on column payment_intents.subscription_charge is 'The number of the charge among those of its subscription, from 1';

alter table payment_attempts
  drop constraint payment_attempts_source_check,
  add constraint payment_attempts_source_check
    check (source in ('confirm', 'plan', 'schedule', 'subscription')) not valid;

-- With the workflows of payment links, whose migration comes before this one.
alter table workflow_intents
  drop constraint workflow_intents_workflow_type_check,
  add constraint workflow_intents_workflow_type_check check (workflow_type in (
    'paymentPlan', 'scheduledPayment', 'bankDebit', 'subscription', 'paymentLink', 'checkoutSession', 'testClock',
    'webhookDelivery'
  )) not valid;
