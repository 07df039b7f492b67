-- Fees that the next paid period takes once, and discounts of the items of periods. An old version leaves them alone.
alter table subscriptions
  add column one_off_items jsonb not null default '[]',
  add column discounts jsonb not null default '[]',
  add column next_discounts jsonb;
comment on column subscriptions.one_off_items is 'What the next paid period takes once: name, unit_amount_cents and quantity of each';
comment on column subscriptions.discounts is 'What is taken off the items of the current period: name, percent_off or amount_off_cents, and periods_left after it';
comment on column subscriptions.next_discounts is 'The discounts from the next period on; null: the same';
