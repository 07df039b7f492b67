-- Every reference carries biller and mode with the id, so that a row can point at nothing of another biller or mode.
create table test_clocks (
  id object_id primary key,
  biller_id object_id not null references billers,
  livemode boolean not null default false check (not livemode),
  name text,
  status text not null check (status in ('created', 'advancing', 'ready', 'failed')),
  frozen_time timestamptz not null,
  target_time timestamptz,
  expires_at timestamptz not null,
  last_advanced_at timestamptz,
  failure_reason text,
  created_at timestamptz not null,
  reached_time timestamptz,
  unique (biller_id, livemode, id),
  check (target_time > frozen_time),
  check ((status = 'advancing') = (target_time is not null)),
  check ((status = 'failed') = (failure_reason is not null))
);
comment on table test_clocks is 'Sandbox clocks. frozen_time is now for the clock''s customers; only a finished advance moves it';
comment on column test_clocks.created_at is 'Real time, as are expires_at and last_advanced_at';
comment on column test_clocks.reached_time is 'How far the latest advance had come when a subject became due that was to have been due earlier. What it does, it does at this time';

create table clock_advances (
  id object_id primary key,
  test_clock_id object_id not null references test_clocks on delete cascade,
  from_time timestamptz not null,
  target_time timestamptz not null,
  status text not null check (status in ('advancing', 'ready', 'failed')),
  manifest jsonb,
  failure_reason text,
  request_id text not null,
  requested_at timestamptz not null,
  finished_at timestamptz,
  check (target_time > from_time),
  check ((status = 'advancing') = (finished_at is null)),
  check ((status = 'ready') = (manifest is not null)),
  check ((status = 'failed') = (failure_reason is not null))
);
comment on table clock_advances is 'Each advance of a clock and what it did';
create unique index clock_advances_one_at_a_time on clock_advances (test_clock_id) where status = 'advancing';
-- The latest advance of a clock is the one that goes furthest. Its id does not tell it.
create index clock_advances_by_target on clock_advances (test_clock_id, target_time);
