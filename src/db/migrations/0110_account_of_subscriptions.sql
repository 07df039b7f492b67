-- What is owed and what goes back. The account of a subscription is append-only entries; what a period took is kept
-- with it, so that it can go back.
create table subscription_entries (
  id bigint generated always as identity,
  subscription_id object_id not null references subscriptions on delete cascade,
  kind text not null check (kind in ('change', 'change_paid', 'change_returned', 'taken', 'given_back', 'undone', 'owed',
    'withheld', 'paid_after_end', 'paid_out', 'dropped')),
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

alter table subscriptions
  add column cut_number integer,
  add column cut_at date,
  add column resume_anchor_day integer,
  add column lapses_at timestamptz,
  add column owed_amount_cents bigint not null default 0,
  add column unpaid_one_off_items jsonb not null default '[]';
comment on column subscriptions.cut_number is 'A period that ends early, on a day that was set as the end';
comment on column subscriptions.cut_at is 'The end of that period. The one after it has the rest of the interval';
comment on column subscriptions.resume_anchor_day is 'The day of the month on which periods begin after the pause that is planned';
comment on column subscriptions.lapses_at is 'When dunning gives up after a final decline, or the unpaid period of a paused subscription is over';
comment on column subscriptions.owed_amount_cents is 'What collecting would take for periods that are not paid, minor units';
comment on column subscriptions.unpaid_one_off_items is 'The fees that unpaid periods have taken: they can be corrected';
alter table subscriptions alter column wake_at
  set expression as (least(next_period_at, next_attempt_at, notice_at, grace_ends_at, resume_at, lapses_at));

alter table subscription_periods
  add column credit_used_cents bigint not null default 0,
  add column discounts jsonb not null default '[]',
  add column is_given_back boolean not null default false,
  add column served_until timestamptz,
  add column gives_up_at timestamptz,
  add column lapsed_at timestamptz;
comment on column subscription_periods.credit_used_cents is 'The credit that it has used';
comment on column subscription_periods.discounts is 'The discounts that hold in it, with the periods that are left after it';
comment on column subscription_periods.is_given_back is 'Whether what it took went back, since it is not paid';
comment on column subscription_periods.served_until is 'Until when it was in effect, if that has ended: the planned instant';
comment on column subscription_periods.gives_up_at is 'After a final decline: when its retries would have ended';
comment on column subscription_periods.lapsed_at is 'When it was over, unpaid and paused: its payment cannot be confirmed since';
