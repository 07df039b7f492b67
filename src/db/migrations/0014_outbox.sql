create table workflow_intents (
  id bigint generated always as identity primary key,
  workflow_id text collate "C" not null,
  -- The types are listed in the code alone (messages/workflow-types.ts): a new kind of subject does not change the
  -- outbox.
  workflow_type text not null,
  subject_id object_id not null,
  start boolean not null,
  signal text,
  created_at timestamptz not null,
  available_at timestamptz not null,
  attempts integer not null default 0,
  last_error text,
  traceparent text check (traceparent ~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$'),
  livemode boolean not null,
  check (start or signal is not null)
);
comment on table workflow_intents is 'The outbox: entries for Temporal. Each is written in the transaction of the change that needs it, and deleted once Temporal has accepted it, so no commit is ever without its workflow. That of a delivery in a batch is deleted once its attempt is recorded';
comment on column workflow_intents.workflow_type is 'The type of the workflow, by the name that Temporal knows';
comment on column workflow_intents.start is 'Start the workflow if it is not running; without it a workflow that is gone needs no telling';
comment on column workflow_intents.available_at is 'Not to be carried out before; moved forward by whoever claims it, so that a claim ends by itself';
comment on column workflow_intents.traceparent is 'W3C trace context of whoever has staged it; null where nobody traces';
comment on column workflow_intents.livemode is 'The mode of the subject, and so of the Temporal that the entry is for';
-- For `claimBatch`: what moves money is found at once behind any number of deliveries.
create index workflow_intents_of_subjects on workflow_intents (available_at, id)
  where workflow_type not in ('webhookDelivery', 'webhookBatch');
-- For `claimDeliveries` and `listDue`: deliveries by endpoint. The id of a delivery ends as that of its endpoint.
create index workflow_intents_of_endpoints on workflow_intents (right(subject_id, 10) collate "C", available_at, id)
  where workflow_type = 'webhookDelivery';
create index workflow_intents_of_batches
  on workflow_intents (workflow_id, right(subject_id, 10) collate "C", available_at, id)
  where workflow_type = 'webhookBatch';

create table lost_deliveries (
  id object_id primary key,
  noted_at timestamptz not null default clock_timestamp()
);
comment on table lost_deliveries is 'Webhook deliveries that had a workflow when their row was gone. The service itself deletes no such row';
comment on column lost_deliveries.noted_at is 'Real time, by PostgreSQL''s clock';

create table lost_subjects (
  id object_id primary key,
  workflow_type text not null,
  livemode boolean,
  noted_at timestamptz not null default clock_timestamp()
);
comment on table lost_subjects is 'Plans, subscriptions and scheduled payments that had a workflow when their row was gone. The service deletes such a row with its test clock only';
comment on column lost_subjects.livemode is 'Null if one Temporal runs both modes';
comment on column lost_subjects.noted_at is 'Real time, by PostgreSQL''s clock';
