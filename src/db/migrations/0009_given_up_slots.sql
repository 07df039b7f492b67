-- A slot that was given up for good: its payment is canceled, and it is neither tried again nor counted as still to be collected.
-- A status and no column: a column would change what `select *` answers, which the version before has prepared; and that
-- version takes up no slot of a status that it does not know.
alter table payment_plan_slots
  drop constraint payment_plan_slots_status_check,
  add constraint payment_plan_slots_status_check
    check (status in ('processing', 'paid', 'retrying', 'failed', 'skipped', 'given_up')) not valid;
comment on column audit_log.actor_kind is 'api_key, command_line, operator or service; actor_id is then the id of the key, the user of the operating system, the name that was given at the Web UI, or what the service was at';
