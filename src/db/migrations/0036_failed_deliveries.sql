-- outside of a transaction
-- The dashboard and the API list the deliveries to an endpoint that failed: few among many.
drop index concurrently if exists webhook_deliveries_failed;
create index concurrently webhook_deliveries_failed on webhook_deliveries (endpoint_id, id) where status = 'failed';
