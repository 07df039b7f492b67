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
    generated always as (least(next_period_at, next_attempt_at, notice_at, grace_ends_at, resume_at, lapses_at)) stored,
  in_effect boolean not null default false,
  in_effect_until timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  next_items jsonb,
  billed_items jsonb,
  next_period_lines jsonb not null default '[]',
  change_payment_intent_id text collate "C",
  next_debit_at timestamptz,
  ends_at_before_cancel date,
  in_flight_cents bigint not null default 0,
  cancel_planned boolean not null default false,
  one_off_items jsonb not null default '[]',
  discounts jsonb not null default '[]',
  next_discounts jsonb,
  cut_number integer,
  cut_at date,
  resume_anchor_day integer,
  lapses_at timestamptz,
  owed_amount_cents bigint not null default 0,
  unpaid_one_off_items jsonb not null default '[]',
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
comment on column subscriptions.cancel_requested is 'ends_at comes from a request, and is the end of the current period: nothing is retried any more';
comment on column subscriptions.charges is 'The payment intents that were made for it. Each has its number';
comment on column subscriptions.next_period_at is 'When its next period begins, or it ends or pauses instead';
comment on column subscriptions.wake_at is 'When the subscription has something to do next; null when it waits for somebody';
comment on column subscriptions.in_effect is 'Whether the customer may use the service now';
comment on column subscriptions.next_items is 'What the next period sells, if that was changed; null: the items';
comment on column subscriptions.billed_items is 'What the days left of the current period were charged for; null: the items. They differ after a change without proration';
comment on column subscriptions.next_period_lines is 'What changes have left for the next period to take: lines as of a period. Their sum is not negative';
comment on column subscriptions.change_payment_intent_id is 'The payment of a change that is under way; null if none is';
comment on column subscriptions.next_debit_at is 'When a payment that is under way takes its next step: the earliest next_at of the subscription''s debits, or challenge_ends_at of its periods. Also once it is canceled: what the bank has, runs on';
comment on column subscriptions.ends_at_before_cancel is 'The end that the terms had set before the cancellation; an uncancel gives it back';
comment on column subscriptions.in_flight_cents is 'The payments that were under way when the subscription was canceled, and still are, minor units';
comment on column subscriptions.cancel_planned is 'ends_at comes from a request, and is the end of a later period: until then everything continues, retries too';
comment on column subscriptions.one_off_items is 'What the next paid period takes once: name, unit_amount_cents and quantity of each';
comment on column subscriptions.discounts is 'What is taken off the items of the current period: name, percent_off or amount_off_cents, and periods_left after it';
comment on column subscriptions.next_discounts is 'The discounts from the next period on; null: the same';
comment on column subscriptions.cut_number is 'A period that ends early, on a day that was set as the end';
comment on column subscriptions.cut_at is 'The end of that period. The one after it has the rest of the interval';
comment on column subscriptions.resume_anchor_day is 'The day of the month on which periods begin after the pause that is planned';
comment on column subscriptions.lapses_at is 'When dunning gives up after a final decline, or the unpaid period of a paused subscription is over';
comment on column subscriptions.owed_amount_cents is 'What collecting would take for periods that are not paid, minor units';
comment on column subscriptions.unpaid_one_off_items is 'The fees that unpaid periods have taken: they can be corrected';
create index subscriptions_of_customer on subscriptions (customer_id, id);
create index subscriptions_by_state on subscriptions (biller_id, livemode, state, id);
create index subscriptions_of_clock on subscriptions (test_clock_id, wake_at) where test_clock_id is not null;
create index subscriptions_due on subscriptions (wake_at) where wake_at is not null;
create index subscriptions_by_instrument on subscriptions (payment_instrument_id)
  where payment_instrument_id is not null;
create index subscriptions_between_retries on subscriptions (next_attempt_at) where next_attempt_at is not null;
create index subscriptions_unpaid on subscriptions (livemode)
  where state = 'paused' and state_reason = 'payment_failed';
-- wake_at does not know debits and challenges.
create index subscriptions_debits_due on subscriptions (next_debit_at) where next_debit_at is not null;
create index subscriptions_wanting_workflow on subscriptions (least(wake_at, next_debit_at), id)
  where (state <> 'canceled' and (state <> 'pending' or started_at is not null)) or next_debit_at is not null;
create index subscriptions_by_creation on subscriptions (biller_id, livemode, created_at, id);
create index subscriptions_by_change on subscriptions (biller_id, livemode, updated_at, id);

alter table payment_intents
  add constraint payment_intents_subscription_fkey
    foreign key (biller_id, livemode, subscription_id) references subscriptions (biller_id, livemode, id)
      on delete cascade;
alter table bank_debits
  add constraint bank_debits_subscription_fkey
    foreign key (biller_id, livemode, subscription_id) references subscriptions (biller_id, livemode, id);

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
  carried_cents bigint not null default 0,
  changed_cents bigint not null default 0,
  retry_asked_at timestamptz,
  withheld_cents bigint not null default 0,
  challenge_ends_at timestamptz,
  credit_used_cents bigint not null default 0,
  discounts jsonb not null default '[]',
  is_given_back boolean not null default false,
  served_until timestamptz,
  gives_up_at timestamptz,
  lapsed_at timestamptz,
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
comment on column subscription_periods.carried_cents is 'The part of amount_cents that came from changes before it; negative if it used credit';
comment on column subscription_periods.changed_cents is 'The sum of the lines of the changes that were made in it';
comment on column subscription_periods.retry_asked_at is 'When somebody asked for a retry to be made at once, in the customer''s time: such a retry is due at that instant, and not when dunning says';
comment on column subscription_periods.withheld_cents is 'The part of the credit of its changes that its payments do not hold any more, after refunds and returns';
comment on column subscription_periods.challenge_ends_at is 'Until when the payer has time for the challenge of the bank, in customer time. Null without one';
comment on column subscription_periods.credit_used_cents is 'The credit that it has used';
comment on column subscription_periods.discounts is 'The discounts that hold in it, with the periods that are left after it';
comment on column subscription_periods.is_given_back is 'Whether what it took went back, since it is not paid';
comment on column subscription_periods.served_until is 'Until when it was in effect, if that has ended: the planned instant';
comment on column subscription_periods.gives_up_at is 'After a final decline: when its retries would have ended';
comment on column subscription_periods.lapsed_at is 'When it was over, unpaid and paused: its payment cannot be confirmed since';
create index subscription_periods_owed on subscription_periods (subscription_id, number)
  where status in ('processing', 'retrying', 'unpaid');

create table subscription_changes (
  subscription_id object_id not null references subscriptions on delete cascade,
  number integer not null check (number >= 1),
  period integer not null check (period >= 1),
  items jsonb not null,
  proration text not null check (proration in ('days', 'none')),
  lines jsonb not null,
  amount_cents minor_units not null,
  payment_intent_id object_id unique references payment_intents on delete cascade,
  status text not null check (status in ('processing', 'made', 'failed', 'credited')),
  changed_at timestamptz not null,
  primary key (subscription_id, number),
  check ((amount_cents = 0) = (payment_intent_id is null)),
  check (status = 'made' or payment_intent_id is not null)
);
comment on table subscription_changes is 'Changes of what a subscription sells that were requested for the period under way';
comment on column subscription_changes.period is 'The period in which it was requested';
comment on column subscription_changes.lines is 'What it costs and credits by itself. The account of the subscription is set off against it';
comment on column subscription_changes.amount_cents is 'What was to be paid at once; 0 if nothing was';
comment on column subscription_changes.status is 'credited: its payment came when its period was over, and is credit';
comment on column subscription_changes.changed_at is 'When it was requested, in the customer''s time';

-- Entries are only ever added. What a period took is kept with it, so that it can go back.
create table subscription_entries (
  id bigint generated always as identity,
  subscription_id object_id not null references subscriptions on delete cascade,
  kind text not null
    check (
      kind in ('change', 'change_paid', 'change_returned', 'taken', 'given_back', 'undone', 'owed', 'withheld',
        'paid_after_end', 'paid_out', 'dropped')
    ),
  period integer not null,
  payment_intent_id object_id,
  lines jsonb not null,
  amount_cents bigint not null,
  at timestamptz not null,
  primary key (subscription_id, id)
);
comment on table subscription_entries is 'The account of a subscription: their sum is what waits for the next period, less the credit';
comment on column subscription_entries.period is 'The period that the entry is about; 0 if none';
comment on column subscription_entries.payment_intent_id is 'The payment that moved the money; null if none did';
comment on column subscription_entries.amount_cents is 'The sum of the lines, minor units. Negative: in favour of the customer';
comment on column subscription_entries.at is 'In the time of the customer';
