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
    check (
      status in ('requires_payment_method', 'processing', 'requires_action', 'succeeded', 'failed', 'canceled',
        'returned')
    ),
  metadata jsonb not null default '{}',
  statement_descriptor text check (length(statement_descriptor) <= 22),
  scheduled_payment_date date,
  scheduled_at timestamptz,
  attempt_count integer not null default 0 check (attempt_count >= 0),
  total_refunded_amount minor_units not null default 0,
  last_error_code text,
  last_error_message text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  mandate_id object_id,
  expected_result_date date,
  returnable_until date,
  total_returned_amount bigint not null default 0,
  payment_link_id object_id,
  checkout_session_id object_id,
  return_url text,
  subscription_id object_id,
  subscription_charge integer,
  surcharge_asked boolean not null,
  surcharge_reason text check (surcharge_reason in ('not_allowed', 'capped')),
  surcharge_basis jsonb,
  subscription_period integer,
  -- No check of the length: the API has checked it, and sessions copy it from here.
  description text,
  payer_failures integer not null default 0,
  collected_at timestamptz,
  lodgement_reference text collate "C",
  agreed_amount minor_units not null,
  unique (biller_id, livemode, id),
  foreign key (biller_id, livemode, customer_id) references customers (biller_id, livemode, id) on delete cascade,
  foreign key (biller_id, livemode, payment_method_id) references payment_methods (biller_id, livemode, id)
    on delete set null (payment_method_id),
  foreign key (biller_id, livemode, payment_plan_id) references payment_plans (biller_id, livemode, id)
    on delete cascade,
  check ((payment_plan_id is null) = (payment_plan_slot is null)),
  check (total_refunded_amount <= amount + surcharge_amount),
  check ((last_error_code is null) = (last_error_message is null)),
  check (scheduled_at is null or status = 'requires_payment_method'),
  -- The row of a slot that has a payment stays. Deferred: a plan writes the payment before its slot, in one
  -- transaction.
  constraint payment_intents_slot_fkey
    foreign key (payment_plan_id, payment_plan_slot)
      references payment_plan_slots (payment_plan_id, slot) deferrable initially deferred,
  constraint payment_intents_refunded_after_success
    check (total_refunded_amount = 0 or status in ('succeeded', 'returned') or total_returned_amount > 0),
  constraint payment_intents_returned_after_success
    check (total_returned_amount >= 0 and (status <> 'returned' or total_returned_amount > 0)),
  constraint payment_intents_mandate_fkey
    foreign key (biller_id, livemode, mandate_id) references mandates (biller_id, livemode, id)
      on delete set null (mandate_id),
  constraint payment_intents_subscription_charge check ((subscription_id is null) = (subscription_charge is null)),
  constraint payment_intents_surcharge_check
    check (
      surcharge_applied = (surcharge_amount > 0)
      and surcharge_amount <= fee_amount
      and (surcharge_reason is not null or surcharge_amount = 0 or surcharge_amount = fee_amount)
    )
);
comment on table payment_intents is 'Single charges: made by a request, or by a plan for one of its slots (one intent per slot, ever)';
comment on column payment_intents.scheduled_payment_date is 'Kept only when it lay ahead at creation: a payment for today is not shown as scheduled';
comment on column payment_intents.scheduled_at is 'When the payment is to be made by itself; null once it was made, or somebody was faster';
comment on column payment_intents.mandate_id is 'The authority of the last debit; null for a payment that is no debit under a mandate. The three columns after it belong to that debit too';
comment on column payment_intents.expected_result_date is 'When the bank is expected to report, on the scheme''s clock';
comment on column payment_intents.returnable_until is 'The last date, on the scheme''s clock, on which a collected debit can come back';
comment on column payment_intents.total_returned_amount is 'What the bank has taken back: the whole of each debit that came back, whatever was refunded before';
comment on column payment_intents.checkout_session_id is 'The last session in which a payer could pay it';
comment on column payment_intents.return_url is 'Where the payer goes on from the page of a 3D Secure challenge: of the last confirm that named one';
comment on column payment_intents.subscription_charge is 'The number of the charge among those of its subscription, from 1';
comment on column payment_intents.surcharge_asked is 'Whether its biller, or the preference of its customer, asks for the surcharge';
comment on column payment_intents.surcharge_reason is 'Why a surcharge that was asked for is not taken, or not in full';
comment on column payment_intents.surcharge_basis is 'What the last attempt was decided on: country, type, networks, funding and stated costs. Null before the first attempt, without a surcharge to decide, and where no rule holds';
comment on column payment_intents.subscription_period is 'The number of the period that it pays, or in which the change was made that it pays; null without a subscription';
comment on column payment_intents.description is 'What is paid for, in the biller''s words. Payers read it';
comment on column payment_intents.payer_failures is 'How many attempts of payers have failed. From 10 on, only a secret key may confirm it; the tenth has its event';
comment on column payment_intents.collected_at is 'When the money was last collected, in the customer''s time; a bank debit: when it settled. A refund or return leaves it';
comment on column payment_intents.lodgement_reference is 'What the payer''s statement shows of the last debit';
comment on column payment_intents.agreed_amount is 'The amount that it was made with; a period that is not paid is corrected in both';
create unique index payment_intents_of_plan on payment_intents (payment_plan_id, payment_plan_slot)
  where payment_plan_id is not null;
create index payment_intents_of_customer on payment_intents (customer_id, id) where customer_id is not null;
create index payment_intents_by_status on payment_intents (biller_id, livemode, status, id);
create index payment_intents_scheduled on payment_intents (scheduled_at) where scheduled_at is not null;
create index payment_intents_of_link on payment_intents (payment_link_id, id) where payment_link_id is not null;
create index payment_intents_of_session on payment_intents (checkout_session_id) where checkout_session_id is not null;
create unique index payment_intents_of_subscription on payment_intents (subscription_id, subscription_charge)
  where subscription_id is not null;
create index payment_intents_by_creation on payment_intents (biller_id, livemode, created_at, id);
create index payment_intents_by_collection on payment_intents (biller_id, livemode, collected_at, id)
  where collected_at is not null;
create index payment_intents_by_change on payment_intents (biller_id, livemode, updated_at, id);
create index payment_intents_edited on payment_intents (id) where agreed_amount <> amount;

alter table payment_methods
  add constraint payment_methods_bound_payment_intent_fkey
    foreign key (biller_id, livemode, bound_payment_intent_id) references payment_intents (biller_id, livemode, id)
      on delete cascade;
alter table payment_plan_slots add foreign key (payment_intent_id) references payment_intents on delete cascade;

create table payment_attempts (
  id object_id primary key,
  payment_intent_id object_id not null references payment_intents,
  number integer not null check (number >= 1),
  payment_method_id object_id references payment_methods,
  source text not null check (source in ('confirm', 'plan', 'schedule', 'subscription')),
  request_key text,
  request_key_expires_at timestamptz,
  outcome text not null
    check (outcome in ('processing', 'accepted', 'submitted', 'requires_action', 'succeeded', 'failed', 'returned')),
  code text,
  message text,
  at timestamptz not null,
  opened_at timestamptz not null,
  settled_at timestamptz,
  by_payer boolean not null default false,
  unique (payment_intent_id, number),
  check ((code is null) = (message is null)),
  constraint payment_attempts_code_of_failure check ((outcome in ('failed', 'returned')) = (code is not null)),
  constraint payment_attempts_settled_at
    check ((outcome in ('succeeded', 'failed', 'returned')) = (settled_at is not null))
);
comment on table payment_attempts is 'Each try to collect an intent. The row is committed before the processor is asked, and its id is the processor''s idempotency key';
comment on column payment_attempts.request_key is 'The Idempotency-Key of the confirm that opened it: its repetition goes on with this attempt, until the key expires';
comment on column payment_attempts.at is 'The customer''s time of the attempt; opened_at and settled_at are real';
comment on column payment_attempts.by_payer is 'A payer has confirmed the payment: with a publishable key or on a page';
create index payment_attempts_in_flight on payment_attempts (opened_at) where outcome = 'processing';
create unique index payment_attempts_one_success on payment_attempts (payment_intent_id) where outcome = 'succeeded';
-- The page of operators counts a week of attempts.
create index payment_attempts_by_time on payment_attempts using brin (opened_at) with (autosummarize = on);
create unique index payment_attempts_one_under_way on payment_attempts (payment_intent_id)
  where outcome in ('processing', 'accepted', 'submitted', 'requires_action');

-- The reference is committed before the processor is asked for money.
create table payment_reservations (
  attempt_id object_id not null references payment_attempts,
  number integer not null check (number >= 1),
  livemode boolean not null,
  reference text check (length(reference) between 1 and 200),
  reserved_at timestamptz not null default clock_timestamp(),
  taken_at timestamptz,
  taken_amount bigint,
  primary key (attempt_id, number),
  unique (livemode, reference)
);
comment on table payment_reservations is 'What a processor has reserved for an attempt; the last one of an attempt counts, those before it were canceled';
comment on column payment_reservations.reference is 'The processor''s own id of the payment, by which it is charged and asked about. Null: the attempt was given up, and nothing is charged for it any more';
comment on column payment_reservations.reserved_at is 'Real time, by PostgreSQL''s clock';
comment on column payment_reservations.taken_at is 'When the list of the live processor was seen to have this charge as taken. Real time, by PostgreSQL''s clock. Null: not seen';
comment on column payment_reservations.taken_amount is 'What the list of the live processor says that was taken, in minor units. Null: not seen';
