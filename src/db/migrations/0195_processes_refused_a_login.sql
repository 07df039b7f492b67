alter table process_reports drop constraint process_reports_problem_check,
  add constraint process_reports_problem_check check (problem in ('clock', 'files', 'keys', 'login')) not valid;
comment on column process_reports.problem is 'clock: its clock is not that of PostgreSQL. files: it cannot open another file. keys: it lacks an encryption key that another process was started with later. login: PostgreSQL refuses it a new connection';
