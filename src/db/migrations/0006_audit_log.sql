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
comment on column audit_log.actor_kind is 'api_key, command_line or service; actor_id is then the id of the key, the user of the operating system, or what the service was at';
comment on column audit_log.biller_id is 'Null for what belongs to no biller';
comment on column audit_log.changes is 'By field: from and to, never a secret';
create index audit_log_of_biller on audit_log (biller_id, id) where biller_id is not null;

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'rows of % are only ever added: % is refused', tg_table_name, lower(tg_op) using errcode = 'restrict_violation';
end $$;
-- Also where a session replicates, or restores: `always`. The owner of the table can still take the trigger away, so in
-- production the service's own role is not the owner (SECURITY.md).
create trigger audit_log_only_grows before update or delete or truncate on audit_log
  for each statement execute function refuse_change();
alter table audit_log enable always trigger audit_log_only_grows;
