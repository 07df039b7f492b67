alter table subscription_periods add column withheld_cents bigint not null default 0;
comment on column subscription_periods.withheld_cents is 'The part of the credit of its changes that its payments do not hold any more, after refunds and returns';
