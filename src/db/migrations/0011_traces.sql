-- What a transaction wants Temporal to be told belongs to the trace of the transaction.
alter table workflow_intents add column traceparent text;
alter table workflow_intents add constraint workflow_intents_traceparent_check
  check (traceparent ~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$') not valid;
comment on column workflow_intents.traceparent is 'W3C trace context of whoever has staged it; null where nobody traces';
