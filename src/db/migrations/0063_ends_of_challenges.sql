-- A challenge on a payment of a plan or a subscription ends: its workflow wakes for that, as for the step of a debit.
alter table payment_plan_slots add column challenge_ends_at timestamptz;
alter table subscription_periods add column challenge_ends_at timestamptz;
comment on column payment_plan_slots.challenge_ends_at is 'Until when the payer has time for the challenge of the bank, in customer time. Null without one';
comment on column subscription_periods.challenge_ends_at is 'Until when the payer has time for the challenge of the bank, in customer time. Null without one';
comment on column payment_plans.next_debit_at is 'When a payment that is under way takes its next step: the earliest next_at of the plan''s debits, or challenge_ends_at of its slots. Also once the plan has ended: what the bank has, runs on';
comment on column subscriptions.next_debit_at is 'When a payment that is under way takes its next step: the earliest next_at of the subscription''s debits, or challenge_ends_at of its periods. Also once it is canceled: what the bank has, runs on';
-- What a bank or a processor already had when a plan or a subscription stopped, and has not reported on yet.
alter table payment_plans add column in_flight_cents bigint not null default 0;
alter table subscriptions add column in_flight_cents bigint not null default 0;
comment on column payment_plans.in_flight_cents is 'The payments that were under way when the plan was suspended or ended, and still are, minor units';
comment on column subscriptions.in_flight_cents is 'The payments that were under way when the subscription was canceled, and still are, minor units';
