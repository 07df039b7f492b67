alter table process_reports
  drop constraint process_reports_problem_check,
  add constraint process_reports_problem_check check (problem in ('clock', 'files', 'keys')) not valid;
comment on column process_reports.problem is 'clock: its clock is not that of PostgreSQL. files: it cannot open another file. keys: it lacks an encryption key that another process was started with later';
comment on column encryption_keys.recorded_at is 'When a process first started with this key, by the clock of PostgreSQL. Of keys that were recorded together, the first one, which seals, has the latest instant';
