-- outside of a transaction
-- An advance asks again and again which session on its clock is due first.
drop index concurrently if exists checkout_sessions_due_on_clock;
create index concurrently checkout_sessions_due_on_clock on checkout_sessions (test_clock_id, wake_at, id)
  where test_clock_id is not null and wake_at is not null;
