-- A subscription takes the steps of its debits itself, as a plan does. Debits that were accepted before keep a workflow
-- of their own: their column stays null.
alter table bank_debits
  add column subscription_id text collate "C",
  add constraint bank_debits_subscription_fkey
    foreign key (biller_id, livemode, subscription_id) references subscriptions (biller_id, livemode, id)
    on delete cascade not valid,
  add constraint bank_debits_owner_check check (payment_plan_id is null or subscription_id is null) not valid;
comment on column bank_debits.subscription_id is 'The subscription whose workflow takes the steps; null if that is a plan''s or the debit''s own';
alter table subscriptions
  add column next_debit_at timestamptz,
  add column ends_at_before_cancel date;
comment on column subscriptions.ends_at_before_cancel is 'The end that the terms had set before the cancellation; an uncancel gives it back';
comment on column subscriptions.next_debit_at is 'When the next step of a debit is due: the earliest next_at of the subscription''s debits. Also once it is canceled: what the bank has, runs on';
