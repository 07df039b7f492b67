-- outside of a transaction
-- The latest advance of a clock is the one that goes furthest. Its id does not tell it.
drop index concurrently if exists clock_advances_by_target;
create index concurrently clock_advances_by_target on clock_advances (test_clock_id, target_time);
drop index concurrently if exists clock_advances_of_clock;
