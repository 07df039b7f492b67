-- The outbox knows of each entry for which Temporal it is: live mode and the sandbox may have one each.
-- What the former version writes meanwhile goes to that of live mode, where no time is skipped.
alter table workflow_intents add column livemode boolean not null default true;
comment on column workflow_intents.livemode is 'The mode of the subject, and so of the Temporal that the entry is for';
