create table process_reports (
  process text not null,
  problem text not null check (problem in ('clock', 'files')),
  detail text not null,
  since timestamptz not null default clock_timestamp(),
  reported_at timestamptz not null default clock_timestamp(),
  primary key (process, problem)
);
comment on table process_reports is 'What is wrong with a process and only it can see. It repeats its report every ten seconds and removes it when all is well; an older one is of a process that has ended';
comment on column process_reports.process is 'Such as "worker 4123@host"';
comment on column process_reports.problem is 'clock: its clock is not that of PostgreSQL. files: it cannot open another file';
comment on column process_reports.since is 'Real time, by the clock of PostgreSQL';

create table invariant_checks (
  invariant text primary key,
  tried_at timestamptz not null,
  checked_at timestamptz,
  violations jsonb not null default '[]',
  since timestamptz
);
comment on table invariant_checks is 'What housekeeping last found of each invariant';
comment on column invariant_checks.tried_at is 'When it was last tried. Real time, by the clock of PostgreSQL';
comment on column invariant_checks.checked_at is 'When that last ended in time; null if it never has';
comment on column invariant_checks.violations is 'The rows that break it, at most 100: id, detail and remedy of each';
comment on column invariant_checks.since is 'When it was first found broken; null while it holds';
