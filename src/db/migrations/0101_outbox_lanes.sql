-- outside of a transaction
-- For `claimBatch`: what moves money is found at once behind any number of deliveries.
drop index concurrently if exists workflow_intents_of_subjects;
create index concurrently workflow_intents_of_subjects on workflow_intents (available_at, id)
  where workflow_type <> 'webhookDelivery';
