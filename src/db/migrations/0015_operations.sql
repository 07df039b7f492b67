create table audit_log (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  action text not null check (action ~ '^[a-z_]+\.[a-z_]+$'),
  actor_kind text not null check (actor_kind ~ '^[a-z_]+$'),
  actor_id text not null check (length(actor_id) between 1 and 200),
  biller_id object_id references billers,
  livemode boolean,
  subject_id text,
  request_id text,
  changes jsonb not null check (jsonb_typeof(changes) = 'object'),
  check (livemode is null or biller_id is not null)
);
comment on table audit_log is 'Who has changed what decides about access: keys, billers, webhook endpoints, encryption. Written in the transaction of the change itself. Real time; rows are only ever added';
comment on column audit_log.id is 'In the order of writing; a number that is missing was taken by a transaction that was rolled back';
comment on column audit_log.actor_kind is 'api_key, command_line, operator or service; actor_id is then the id of the key, the user of the operating system, the name that was given at the Web UI, or what the service was at';
comment on column audit_log.biller_id is 'Null for what belongs to no biller';
comment on column audit_log.changes is 'By field: from and to, never a secret';
create index audit_log_of_biller on audit_log (biller_id, id) where biller_id is not null;
create trigger audit_log_only_grows before update or delete or truncate on audit_log
  for each statement execute function refuse_change();
alter table audit_log enable always trigger audit_log_only_grows;

create table reconciliations (
  id bigint generated always as identity primary key,
  started_at timestamptz not null,
  finished_at timestamptz,
  missing integer,
  orphaned integer,
  stale integer,
  progress_at timestamptz,
  examples text[],
  check ((finished_at is null) = (missing is null)),
  check ((missing is null) = (orphaned is null) and (missing is null) = (stale is null)),
  check ((finished_at is null) = (examples is null))
);
comment on table reconciliations is 'Each comparison of the workflows that there should be with those that Temporal runs, and what it found. Real time';
comment on column reconciliations.missing is 'Objects without a workflow: theirs was started again';
comment on column reconciliations.orphaned is 'Workflows without an object that wants one: told to look, and to end';
comment on column reconciliations.stale is 'Workflows that wait for something else than their plan does: told to look afresh';
comment on column reconciliations.progress_at is 'When the last slice of it was done. Real time; null before the first';
comment on column reconciliations.examples is 'The first objects that differed, each with what was wrong';
create index reconciliations_by_time on reconciliations (started_at);

-- A database that was restored from a back-up does not know what the processor has done since.
create table live_charging (
  one boolean primary key default true check (one),
  cursor text,
  compared_at timestamptz,
  held_at timestamptz,
  listed_since timestamptz
);
comment on table live_charging is 'Whether live charges may be made. One row, or none before the first comparison';
comment on column live_charging.cursor is 'Up to where the movements of the live processor were compared with this database: the processor''s own mark. Null before the first comparison';
comment on column live_charging.compared_at is 'When they were last compared. Real time, by PostgreSQL''s clock';
comment on column live_charging.held_at is 'Since when charging is held: movements were found that this database does not know, or an operator has said so';
comment on column live_charging.listed_since is 'Each charge that was reserved after this, and each refund that was opened after it, must be in the list of the live processor. Real time, by PostgreSQL''s clock';

create table unknown_movements (
  kind text not null check (kind in ('charge', 'refund')),
  idempotency_key text not null,
  reference text,
  payment_intent_id text not null,
  amount bigint not null,
  currency text not null,
  found_at timestamptz not null default clock_timestamp(),
  subject_id text not null generated always as (split_part(idempotency_key, '.', 1)) stored,
  primary key (kind, idempotency_key)
);
comment on table unknown_movements is 'What the live processor has done and this database does not know: it was restored from a back-up. An attempt that is opened again takes over the reference of its charge';
comment on column unknown_movements.idempotency_key is 'The key that the processor was asked under';
comment on column unknown_movements.subject_id is 'The attempt or the refund: a further reservation of an attempt has a key such as att_….2';
create index unknown_movements_by_subject on unknown_movements (subject_id);

create table process_reports (
  process text not null,
  problem text not null check (problem in ('clock', 'files', 'keys', 'login')),
  detail text not null,
  since timestamptz not null default clock_timestamp(),
  reported_at timestamptz not null default clock_timestamp(),
  primary key (process, problem)
);
comment on table process_reports is 'What is wrong with a process and only it can see. It repeats its report every ten seconds and removes it when all is well; an older one is of a process that has ended';
comment on column process_reports.process is 'Such as "worker 4123@host"';
comment on column process_reports.problem is 'clock: its clock is not that of PostgreSQL. files: it cannot open another file. keys: it lacks an encryption key that another process was started with later. login: PostgreSQL refuses it a new connection';
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
