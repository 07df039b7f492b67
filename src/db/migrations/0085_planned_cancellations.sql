-- A subscription may be canceled at the end of a later period. Until then it continues as before.
alter table subscriptions add column cancel_planned boolean not null default false;
comment on column subscriptions.cancel_planned is 'ends_at comes from a request, and is the end of a later period: until then everything continues, retries too';
comment on column subscriptions.cancel_requested is 'ends_at comes from a request, and is the end of the current period: nothing is retried any more';
