create table reconciliations (
  id bigint generated always as identity primary key,
  started_at timestamptz not null,
  finished_at timestamptz,
  missing integer,
  orphaned integer,
  stale integer,
  check ((finished_at is null) = (missing is null)),
  check ((missing is null) = (orphaned is null) and (missing is null) = (stale is null))
);
comment on table reconciliations is 'Each comparison of the workflows that there should be with those that Temporal runs, and what it found. Real time';
comment on column reconciliations.missing is 'Objects without a workflow: theirs was started again';
comment on column reconciliations.orphaned is 'Workflows without an object that wants one: told to look, and to end';
comment on column reconciliations.stale is 'Workflows that wait for something else than their plan does: told to look afresh';
create index reconciliations_by_time on reconciliations (started_at);
