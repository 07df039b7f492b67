-- Payments of a former version stay null: nothing reads the column but the presenter.
alter table payment_intents add column subscription_period integer;
comment on column payment_intents.subscription_period is 'The number of the period that it pays, or in which the change was made that it pays; null without a subscription, and in rows of a former version';
