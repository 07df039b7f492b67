-- outside of a transaction
drop index concurrently if exists subscriptions_between_retries;
create index concurrently subscriptions_between_retries on subscriptions (next_attempt_at)
  where next_attempt_at is not null;
drop index concurrently if exists subscriptions_unpaid;
create index concurrently subscriptions_unpaid on subscriptions (livemode)
  where state = 'paused' and state_reason = 'payment_failed';
