alter table subscriptions
  add column next_items jsonb,
  add column billed_items jsonb,
  add column next_period_lines jsonb not null default '[]',
  add column change_payment_intent_id text collate "C";
comment on column subscriptions.next_items is 'What the next period sells, if that was changed; null: the items';
comment on column subscriptions.billed_items is 'What the days left of the current period were charged for; null: the items. They differ after a change without proration';
comment on column subscriptions.next_period_lines is 'What changes have left for the next period to take: lines as of a period. Their sum is not negative';
comment on column subscriptions.change_payment_intent_id is 'The payment of a change that is under way; null if none is';

alter table subscription_periods
  add column carried_cents bigint not null default 0,
  add column changed_cents bigint not null default 0;
comment on column subscription_periods.carried_cents is 'The part of amount_cents that came from changes before it; negative if it used credit';
comment on column subscription_periods.changed_cents is 'The sum of the lines of the changes that were made in it';

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

alter table refunds add column of_credit boolean not null default false;
comment on column refunds.of_credit is 'It pays credit of the subscription out, and gives it back if it fails';
