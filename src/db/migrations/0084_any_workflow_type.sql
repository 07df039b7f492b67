-- The types of workflows are listed in the code alone (messages/workflow-types.ts), so that a new kind of subject does
-- not change the outbox.
alter table workflow_intents drop constraint workflow_intents_workflow_type_check;
comment on column workflow_intents.workflow_type is 'The type of the workflow, by the name that Temporal knows';
