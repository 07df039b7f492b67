alter table payment_links
  add column apply_to_subscription_id text collate "C",
  add constraint payment_links_subscription_fkey
    foreign key (biller_id, livemode, apply_to_subscription_id) references subscriptions (biller_id, livemode, id)
    on delete cascade not valid,
  add constraint payment_links_apply_to_check check (
    apply_to_subscription_id is null or (customer_id is not null and apply_to_payment_plan_id is null)
  ) not valid;
comment on column payment_links.apply_to_subscription_id is 'The subscription that a completed payment or setup starts or heals';
alter table checkout_sessions
  add column apply_to_subscription_id text collate "C",
  add constraint checkout_sessions_subscription_fkey
    foreign key (biller_id, livemode, apply_to_subscription_id) references subscriptions (biller_id, livemode, id)
    on delete cascade not valid,
  add constraint checkout_sessions_apply_to_check check (
    apply_to_subscription_id is null or (customer_id is not null and apply_to_payment_plan_id is null)
  ) not valid;
comment on column checkout_sessions.apply_to_subscription_id is 'The subscription that a completed payment or setup starts or heals';
