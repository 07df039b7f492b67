-- outside of a transaction
-- For `claimDeliveries`: the deliveries in the outbox by endpoint. The id of a delivery ends as that of its endpoint.
drop index concurrently if exists workflow_intents_of_endpoints;
create index concurrently workflow_intents_of_endpoints
  on workflow_intents (right(subject_id, 10) collate "C", available_at, id)
  where workflow_type = 'webhookDelivery';
