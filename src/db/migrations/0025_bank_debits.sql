-- A debit has more outcomes than the charge of a card: accepted, submitted to the bank, and returned after it succeeded.
-- New columns are no object_id and no minor_units: to add a column of a domain, PostgreSQL writes the table anew.
alter table payment_attempts
  drop constraint payment_attempts_outcome_check,
  add constraint payment_attempts_outcome_check check (outcome in (
    'processing', 'accepted', 'submitted', 'requires_action', 'succeeded', 'failed', 'returned'
  )) not valid,
  drop constraint payment_attempts_check,
  add constraint payment_attempts_code_of_failure check ((outcome in ('failed', 'returned')) = (code is not null)) not valid,
  drop constraint payment_attempts_check2,
  add constraint payment_attempts_settled_at
    check ((outcome in ('succeeded', 'failed', 'returned')) = (settled_at is not null)) not valid;

alter table payment_intents
  add column mandate_id text collate "C",
  add column expected_result_date date,
  add column returnable_until date,
  add column total_returned_amount bigint not null default 0;
alter table payment_intents
  drop constraint payment_intents_status_check,
  add constraint payment_intents_status_check check (status in (
    'requires_payment_method', 'processing', 'requires_action', 'succeeded', 'failed', 'canceled', 'returned'
  )) not valid,
  drop constraint payment_intents_check3,
  add constraint payment_intents_refunded_after_success
    check (total_refunded_amount = 0 or status in ('succeeded', 'returned') or total_returned_amount > 0) not valid,
  add constraint payment_intents_returned_after_success
    check (total_returned_amount >= 0 and (status <> 'returned' or total_returned_amount > 0)) not valid,
  add constraint payment_intents_mandate_fkey
    foreign key (biller_id, livemode, mandate_id) references mandates (biller_id, livemode, id)
    on delete set null (mandate_id) not valid;
comment on column payment_intents.mandate_id is 'The authority of the last debit; null for a payment that is no debit under a mandate. The three columns after it belong to that debit too';
comment on column payment_intents.expected_result_date is 'When the bank is expected to report, on the scheme''s clock';
comment on column payment_intents.returnable_until is 'The last date, on the scheme''s clock, on which a collected debit can come back';
comment on column payment_intents.total_returned_amount is 'What the bank has taken back: the whole of each debit that came back, whatever was refunded before';

alter table workflow_intents
  drop constraint workflow_intents_workflow_type_check,
  add constraint workflow_intents_workflow_type_check
    check (workflow_type in ('paymentPlan', 'scheduledPayment', 'bankDebit', 'testClock', 'webhookDelivery')) not valid;

alter table payment_plan_slots
  add column last_result_at timestamptz,
  drop constraint payment_plan_slots_status_check,
  add constraint payment_plan_slots_status_check
    check (status in ('processing', 'paid', 'retrying', 'failed', 'skipped', 'given_up', 'returned')) not valid;
comment on column payment_plan_slots.last_result_at is 'When the bank reported the last failure of the present series; null if that was no debit under a mandate';

alter table payment_plans add column next_debit_at timestamptz;
comment on column payment_plans.next_debit_at is 'When the next step of a debit is due: the earliest next_at of the plan''s debits. Also while the plan collects nothing: what the bank has, runs on';

alter table billers add column require_mandates boolean not null default false;
comment on column billers.require_mandates is 'In the sandbox too, a bank account is debited under a mandate only, as in live mode';

alter table refunds add column at_risk boolean not null default false;
comment on column refunds.at_risk is 'The payment was a debit that could still come back when it was refunded';

create table bank_debits (
  attempt_id object_id primary key references payment_attempts on delete cascade,
  biller_id object_id not null references billers,
  livemode boolean not null,
  payment_intent_id object_id not null,
  payment_plan_id object_id,
  test_clock_id object_id,
  mandate_id object_id not null,
  scheme text not null check (scheme in ('au_becs')),
  lodgement_reference text not null check (lodgement_reference ~ '^PAY-[0-9A-Z]{14}$'),
  charge_date date not null,
  hand_over_at timestamptz not null,
  submitted_at timestamptz,
  lodged_at timestamptz,
  expected_result_at timestamptz not null,
  result_at timestamptz,
  returnable_until date,
  returned_at timestamptz,
  bank_code text,
  next_at timestamptz,
  unique (biller_id, livemode, lodgement_reference),
  foreign key (biller_id, livemode, payment_intent_id) references payment_intents (biller_id, livemode, id)
    on delete cascade,
  foreign key (biller_id, livemode, payment_plan_id) references payment_plans (biller_id, livemode, id) on delete cascade,
  foreign key (biller_id, livemode, test_clock_id) references test_clocks (biller_id, livemode, id) on delete cascade,
  foreign key (biller_id, livemode, mandate_id) references mandates (biller_id, livemode, id) on delete cascade,
  check (lodged_at >= submitted_at),
  check (returned_at >= result_at),
  check (returned_at is null or next_at is null)
);
comment on table bank_debits is 'The course of each attempt that is a debit under a mandate. Instants are the customer''s time, dates those of the scheme''s clock. The outcome is the attempt''s';
comment on column bank_debits.lodgement_reference is 'Shown on the payer''s statement';
comment on column bank_debits.submitted_at is 'Committed before the processor is asked to charge: from then on nothing of ours stops the debit';
comment on column bank_debits.lodged_at is 'When the processor said that the bank has it; null while that is not known';
comment on column bank_debits.result_at is 'When the bank reported whether it collected it, or when it was stopped before the hand-over';
comment on column bank_debits.bank_code is 'The bank''s own code for a refusal or a return';
comment on column bank_debits.next_at is 'When its next step is due: the hand-over, the result, a return. Null when nothing more is expected';
create index bank_debits_of_intent on bank_debits (payment_intent_id);
create index bank_debits_of_plan on bank_debits (payment_plan_id, next_at) where payment_plan_id is not null and next_at is not null;
create index bank_debits_of_mandate on bank_debits (mandate_id, attempt_id);
create index bank_debits_due on bank_debits (next_at) where next_at is not null;
create index bank_debits_due_alone on bank_debits (attempt_id) where payment_plan_id is null and next_at is not null;
create index bank_debits_of_clock on bank_debits (test_clock_id, next_at) where test_clock_id is not null;
