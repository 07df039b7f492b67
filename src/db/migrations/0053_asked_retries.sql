alter table subscription_periods add column retry_asked_at timestamptz;
comment on column subscription_periods.retry_asked_at is 'When somebody asked for a retry to be made at once, in the customer''s time: such a retry is due at that instant, and not when dunning says';
