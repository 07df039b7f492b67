-- A slot that was given up stays `failed`, with its payment, and is neither tried again nor counted as still to be collected.
alter table payment_plan_slots add column given_up_at timestamptz;
comment on column payment_plan_slots.given_up_at is 'When an operator gave the payment up for good, the customer''s time: its intent is canceled then';
-- A process of the version before, which does not know of it, is refused here rather than try such a slot again.
alter table payment_plan_slots add constraint payment_plan_slots_given_up_stay_failed
  check (given_up_at is null or status = 'failed') not valid;
comment on column audit_log.actor_kind is 'api_key, command_line, operator or service; actor_id is then the id of the key, the user of the operating system, the name that was given at the Web UI, or what the service was at';
