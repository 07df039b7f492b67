-- outside of a transaction
-- The reconciler reads the deliveries that are under way page by page, by id.
drop index concurrently if exists webhook_deliveries_pending_by_id;
create index concurrently webhook_deliveries_pending_by_id on webhook_deliveries (id) where status = 'pending';
