alter table test_clocks add column reached_time timestamptz;
comment on column test_clocks.reached_time is 'How far the latest advance had come when a subject became due that was to have been due earlier. What it does, it does at this time';
